// scopesan-test: a butterfly sum leaves nearly the same value in all lanes; who stores it?
//
// variant fixed
//   why one lane stores
//   verdict clean
//   proof S7
// variant every_lane -DRACY
//   why the lanes store to one slot, and their sums differ in the last bits with the order of addition
//   verdict findings
//   require D1 keep(store,weak) keep(store,weak) memory=sums distance=same-warp hazard=WAW
//   proof S8 D1
#include "check.h"

constexpr int kThreads = 64;

__global__ void sum(const float *in, float *out) {
  __shared__ float sums[kThreads / 32];
  float mine = in[threadIdx.x];
  for (unsigned mask = 16; mask > 0; mask /= 2)
    mine += __shfl_xor_sync(0xffffffffu, mine, mask);
#ifndef RACY
  if (threadIdx.x % 32 == 0)
#endif
    sums[threadIdx.x / 32] = mine; // @keep
  __syncthreads();
  out[threadIdx.x] = in[threadIdx.x] / (sums[0] + sums[1]);
}

int main() {
  float host[kThreads], *in = nullptr, *out = nullptr;
  for (float &x : host)
    x = 0.25f;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  sum<<<1, kThreads>>>(in, out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  return verdict(host[0] == 1.0f / kThreads && host[kThreads - 1] == 1.0f / kThreads);
}
