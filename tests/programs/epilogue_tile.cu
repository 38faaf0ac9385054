// scopesan-test: compute warps put their output where the first input stage was; a loader warp takes no part
//
// variant fixed
//   why a named barrier of the compute warps alone comes before the first output store
//   verdict clean
//   proof S7
// variant no_named_barrier -DRACY
//   why one compute warp stores its output over input that the other still reads
//   verdict findings
//   require D1 multiply(load,weak) output(store,weak) memory=stages
//   proof S7 D1
#include "check.h"

constexpr int kWarps = 2, kCompute = 32 * kWarps, kSteps = 4, kStages = 2;

__device__ void computeBarrier() { asm volatile("bar.sync 1, %0;" ::"n"(kCompute) : "memory"); }

__global__ void tile(const int *in, int *out) {
  __shared__ int stages[kStages][kCompute];
  const int t = int(threadIdx.x), warp = t / 32;
  int sum = 0;
  for (int step = 0; step < kSteps; ++step) {
    int *stage = stages[(step + 1) % kStages]; // the last step leaves its input in stage 0
    if (warp == kWarps)
      for (int i = t % 32; i < kCompute; i += 32)
        stage[i] = in[step * kCompute + i];
    __syncthreads();
    if (warp < kWarps)
      for (int i = 0; i < 4; ++i)
        sum += stage[(t + i * 16) % kCompute]; // @multiply
  }
  if (warp == kWarps)
    return; // the loader has nothing left to do
#ifndef RACY
  computeBarrier();
#endif
  stages[0][t] = sum; // @output
  computeBarrier();
  out[t] = stages[0][t ^ 1];
}

int main() {
  int host[kSteps * kCompute], result[kCompute], *in = nullptr, *out = nullptr;
  for (int i = 0; i < kSteps * kCompute; ++i)
    host[i] = i % 17;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(result)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  tile<<<1, kCompute + 32>>>(in, out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  bool right = true;
  for (int t = 0; t < kCompute; ++t) {
    int sum = 0;
    for (int step = 0; step < kSteps; ++step)
      for (int i = 0; i < 4; ++i)
        sum += host[step * kCompute + ((t ^ 1) + i * 16) % kCompute];
    right = right && result[t] == sum;
  }
  return verdict(right);
}
