// scopesan-test: tree reduction of a block in shared memory
//
// variant fixed
//   verdict clean
//   proof S7
// variant no_barrier_after_fill -DRACY=1
//   why the first step reads the upper half before its owners are known to have stored it
//   verdict findings
//   require D1 fill(store,weak) add(load,weak) memory=partial
//   proof P1 S7 D1
// variant no_barrier_in_loop -DRACY=2
//   why a step reads sums that the step before may not have stored
//   verdict findings
//   require D1 add add memory=partial
//   proof P1 S7 D1
#include "check.h"

constexpr unsigned kThreads = 256, kBlocks = 6;

__global__ void blockSum(const int *in, int *out) {
  __shared__ int partial[kThreads];
  const unsigned t = threadIdx.x;
  partial[t] = in[blockIdx.x * kThreads + t]; // @fill
#if RACY != 1
  __syncthreads();
#endif
  for (unsigned stride = kThreads / 2; stride > 0; stride /= 2) {
    if (t < stride)
      partial[t] += partial[t + stride]; // @add
#if RACY != 2
    __syncthreads();
#endif
  }
  if (t == 0)
    out[blockIdx.x] = partial[0]; // @result
}

int main() {
  static int in[kBlocks * kThreads];
  int expected[kBlocks] = {};
  for (unsigned i = 0; i < kBlocks * kThreads; ++i) {
    in[i] = int(i % 97) - 11;
    expected[i / kThreads] += in[i];
  }
  int *deviceIn = nullptr, *deviceOut = nullptr;
  CHECK(cudaMalloc(&deviceIn, sizeof(in)));
  CHECK(cudaMalloc(&deviceOut, sizeof(expected)));
  CHECK(cudaMemcpy(deviceIn, in, sizeof(in), cudaMemcpyHostToDevice));
  blockSum<<<kBlocks, kThreads>>>(deviceIn, deviceOut);
  CHECK(cudaGetLastError());
  int out[kBlocks];
  CHECK(cudaMemcpy(out, deviceOut, sizeof(out), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(deviceIn));
  CHECK(cudaFree(deviceOut));
  bool right = true;
  for (unsigned b = 0; b < kBlocks; ++b)
    right = right && out[b] == expected[b];
  return verdict(right);
}
