// Histogram of bytes: atomics in shared memory, then in global memory.
#include "bench.h"

constexpr int Bins = 256, Threads = 256, Blocks = 1056;

__global__ void histogram(const unsigned *in, unsigned *out, size_t n) {
  __shared__ unsigned bins[Bins];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (size_t i = blockIdx.x * Threads + threadIdx.x; i < n; i += size_t(gridDim.x) * Threads)
    atomicAdd(&bins[in[i] % Bins], 1u);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

int main(int argc, char **argv) {
  Bench bench("histogram", argc, argv, 1 << 26);
  unsigned *in = bench.upload(scattered(bench.n)), *out = bench.allocate<unsigned>(Bins);
  bench.measure(reinterpret_cast<void *>(histogram),
                [&] { histogram<<<Blocks, Threads>>>(in, out, bench.n); });
  bench.result(out, Bins);
  return 0;
}
