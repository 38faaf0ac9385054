// scopesan-test: blocks add to one tile under a lock that thread 0 takes and releases for all
//
// variant fixed
//   why a barrier before the release makes the additions of all threads part of it
//   verdict clean
//   proof S1 S2 S6 S7
// variant early_unlock -DRACY=1
//   why the release covers thread 0 only; the other warps may not have added yet
//   verdict findings
//   require D1 add add distance=same-grid
//   proof S1 S7 D1
// variant early_start -DRACY=2
//   why nothing makes the other threads wait until thread 0 has the lock
//   verdict findings
//   require D1 add add distance=same-grid
//   proof S7 D1
#include "check.h"

#include <cuda/atomic>

#ifndef RACY
#define RACY 0
#endif
constexpr int kBlocks = 6, kThreads = 128;

__global__ void accumulate(const float *parts, float *tile, int *lock) {
  cuda::atomic_ref<int, cuda::thread_scope_device> owner(*lock);
  const float part = parts[blockIdx.x * kThreads + threadIdx.x];
  if (threadIdx.x == 0) {
    int expected = 0;
    while (!owner.compare_exchange_strong(expected, 1, cuda::memory_order_acq_rel))
      expected = 0;
  }
  if (RACY != 2)
    __syncthreads();
  tile[threadIdx.x] += part; // @add
  if (RACY != 1)
    __syncthreads();
  if (threadIdx.x == 0)
    owner.exchange(0, cuda::memory_order_acq_rel);
}

int main() {
  float host[kBlocks * kThreads], result[kThreads], *parts = nullptr, *tile = nullptr;
  int *lock = nullptr;
  for (int i = 0; i < kBlocks * kThreads; ++i)
    host[i] = float(i % 3);
  CHECK(cudaMalloc(&parts, sizeof(host)));
  CHECK(cudaMalloc(&tile, sizeof(result)));
  CHECK(cudaMalloc(&lock, sizeof(int)));
  CHECK(cudaMemcpy(parts, host, sizeof(host), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(tile, 0, sizeof(result)));
  CHECK(cudaMemset(lock, 0, sizeof(int)));
  accumulate<<<kBlocks, kThreads>>>(parts, tile, lock);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, tile, sizeof(result), cudaMemcpyDeviceToHost));
  for (void *p : {(void *)parts, (void *)tile, (void *)lock})
    CHECK(cudaFree(p));
  bool right = true;
  for (int t = 0; t < kThreads; ++t) {
    float sum = 0;
    for (int b = 0; b < kBlocks; ++b)
      sum += host[b * kThreads + t];
    right = right && result[t] == sum;
  }
  return verdict(right);
}
