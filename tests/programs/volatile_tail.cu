// scopesan-test: the last warp of a tree reduction relies on lockstep and a volatile pointer
//
// variant fixed
//   why __syncwarp between the read and the store of each step, and between the steps
//   verdict clean
//   proof S8
// variant shuffles -DSHUFFLES
//   why the lanes hand their sums on in registers
//   verdict clean
//   proof S8
// variant volatile_only -DRACY
//   why by PTX a volatile access is a relaxed one, so no data race; which value a lane reads is open
//   options --advise=1
//   verdict clean
//   advise unordered-strong add add
//   may-advise unordered-strong
//   may-advise volatile-sync
//   proof O2 A1
// variant plain_volatile -DRACY
//   why CUDA C++ knows no order from volatile: plain accesses of lanes that nothing orders
//   options --volatile=weak
//   verdict findings
//   require D1 add add memory=partial distance=same-warp
//   proof O2 S8 D1
#include "check.h"

constexpr unsigned kThreads = 128;

__device__ void lastWarp(volatile int *partial, unsigned t) {
  for (unsigned stride = 16; stride > 0; stride /= 2) {
#ifdef RACY
    partial[t] += partial[t + stride]; // @add
#else
    const int other = partial[t + stride];
    __syncwarp();
    partial[t] += other;
    __syncwarp();
#endif
  }
}

__global__ void sum(const int *in, int *out) {
  __shared__ int partial[kThreads];
  const unsigned t = threadIdx.x;
  partial[t] = in[t];
  __syncthreads();
  for (unsigned stride = kThreads / 2; stride >= 32; stride /= 2) {
    if (t < stride)
      partial[t] += partial[t + stride];
    __syncthreads();
  }
  if (t >= 32)
    return;
#ifdef SHUFFLES
  int mine = partial[t];
  for (unsigned offset = 16; offset > 0; offset /= 2)
    mine += __shfl_down_sync(0xffffffffu, mine, offset);
  if (t == 0)
    *out = mine;
#else
  lastWarp(partial, t);
  if (t == 0)
    *out = partial[0];
#endif
}

int main() {
  int host[kThreads], expected = 0, result = 0, *in = nullptr, *out = nullptr;
  for (int i = 0; i < int(kThreads); ++i)
    expected += host[i] = i % 7 - 1;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(int)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  sum<<<1, kThreads>>>(in, out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  return verdict(result == expected);
}
