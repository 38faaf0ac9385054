// scopesan-test: a hand-written grid barrier in which only the leader of each block fences
//
// variant barrier_first
//   why the block barrier before it makes all stores of the block part of the leader's past
//   verdict clean
//   may-advise progress-not-promised
//   may-advise unordered-strong
//   proof S1 S6 S7 S11
// variant no_barrier_first -DRACY
//   why the leader publishes no store of its peers, which have not arrived anywhere
//   verdict findings
//   require D1 put(store,weak) take(load,weak) distance=same-grid
//   may-advise progress-not-promised
//   may-advise unordered-strong
//   proof S1 S7 D1
#include "check.h"

constexpr int kBlocks = 4, kThreads = 64, kCount = kBlocks * kThreads;

__device__ void gridBarrier(unsigned *arrived, unsigned goal) {
#ifndef RACY
  __syncthreads();
#endif
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1u);
    while (atomicAdd(arrived, 0u) < goal)
      ;
    __threadfence();
  }
  __syncthreads();
}

__global__ void shift(int *a, int *b, unsigned *arrived) {
  const int i = int(blockIdx.x * kThreads + threadIdx.x);
  a[i] = 5 * i; // @put
  gridBarrier(arrived, kBlocks);
  b[i] = a[(i + kThreads + 1) % kCount]; // @take
}

int main() {
  int host[kCount], *a = nullptr, *b = nullptr;
  unsigned *arrived = nullptr;
  CHECK(cudaMalloc(&a, sizeof(host)));
  CHECK(cudaMalloc(&b, sizeof(host)));
  CHECK(cudaMalloc(&arrived, sizeof(unsigned)));
  CHECK(cudaMemset(arrived, 0, sizeof(unsigned)));
  void *args[] = {&a, &b, &arrived};
  CHECK(cudaLaunchCooperativeKernel((void *)shift, dim3(kBlocks), dim3(kThreads), args));
  CHECK(cudaMemcpy(host, b, sizeof(host), cudaMemcpyDeviceToHost));
  for (void *p : {(void *)a, (void *)b, (void *)arrived})
    CHECK(cudaFree(p));
  bool right = true;
  for (int i = 0; i < kCount; ++i)
    right = right && host[i] == 5 * ((i + kThreads + 1) % kCount);
  return verdict(right);
}
