// scopesan-test: a histogram in global memory
//
// variant atomics
//   why atomicAdd is relaxed at device scope: strong towards every thread of the grid
//   verdict clean
//   may-advise unordered-strong count count
//   proof O3 P4
// variant plain_increments -DRACY=1
//   verdict findings
//   require D1 count count
//   proof D1
// variant block_scope_atomics -DRACY=2
//   why atomicAdd_block excludes the threads of the other blocks
//   verdict findings
//   require D2 count(rmw,relaxed,block) count(rmw,relaxed,block)
//   ... blame=count:device distance=same-grid
//   proof O3 P4 D2
#include "check.h"

constexpr unsigned kBins = 16, kBlocks = 4, kThreads = 64;

__global__ void histogram(const unsigned *values, unsigned *bins) {
  const unsigned value = values[blockIdx.x * kThreads + threadIdx.x];
  const unsigned bin = value % kBins;
#if RACY == 1
  bins[bin] += 1; // @count
#elif RACY == 2
  atomicAdd_block(&bins[bin], 1u); // @count
#else
  atomicAdd(&bins[bin], 1u); // @count
#endif
}

int main() {
  constexpr unsigned n = kBlocks * kThreads;
  unsigned values[n], expected[kBins] = {}, out[kBins];
  for (unsigned i = 0; i < n; ++i) {
    values[i] = i * i + 7 * i;
    ++expected[values[i] % kBins];
  }
  unsigned *deviceValues = nullptr, *bins = nullptr;
  CHECK(cudaMalloc(&deviceValues, sizeof(values)));
  CHECK(cudaMalloc(&bins, sizeof(out)));
  CHECK(cudaMemcpy(deviceValues, values, sizeof(values), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(bins, 0, sizeof(out)));
  histogram<<<kBlocks, kThreads>>>(deviceValues, bins);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out, bins, sizeof(out), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(deviceValues));
  CHECK(cudaFree(bins));
  bool right = true;
  for (unsigned bin = 0; bin < kBins; ++bin)
    right = right && out[bin] == expected[bin];
  return verdict(right);
}
