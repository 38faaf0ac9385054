// scopesan-test: the blocks of a split-K product add their parts to one tile in turn, by a semaphore
//
// variant leader
//   why after the barrier the leader's fence publishes the tile of all threads
//   verdict clean
//   may-advise progress-not-promised
//   may-advise unordered-strong
//   may-advise volatile-sync
//   proof S1 S2 S6 S7
// variant acquire_release -DSEMAPHORE
//   why the same with a release store and an acquire load
//   verdict clean
//   may-advise progress-not-promised
//   may-advise unordered-strong
//   proof S1 S2 S6 S7
// variant all -DALL
//   why each thread fences its part of the tile on either side of the barriers
//   verdict clean
//   may-advise progress-not-promised
//   may-advise unordered-strong
//   may-advise volatile-sync
//   proof S5 S7
// variant no_fence -DRACY=1
//   why nothing publishes the tile before the semaphore
//   verdict findings
//   require D1 add(store,weak) add(load,weak) distance=same-grid
//   allow   D1 add add distance=same-grid
//   may-advise progress-not-promised
//   may-advise unordered-strong
//   proof S1 D1
// variant no_acquire -DRACY=2
//   why the next block reads the tile without having acquired it
//   verdict findings
//   require D1 add(store,weak) add(load,weak) distance=same-grid
//   allow   D1 add add distance=same-grid
//   may-advise progress-not-promised
//   may-advise unordered-strong
//   proof S2 D1
#include "check.h"

constexpr int kSplits = 4, kThreads = 64;

__device__ void await(int *semaphore, int turn) {
#ifdef SEMAPHORE
  int now = 0;
  do
    asm volatile("ld.global.acquire.gpu.b32 %0, [%1];" : "=r"(now) : "l"(semaphore) : "memory");
  while (now != turn);
#else
  while (*static_cast<volatile int *>(semaphore) != turn)
    ;
#endif
}
__device__ void pass(int *semaphore, int turn) {
#ifdef SEMAPHORE
  asm volatile("st.global.release.gpu.b32 [%0], %1;" ::"l"(semaphore), "r"(turn) : "memory");
#else
  *static_cast<volatile int *>(semaphore) = turn;
#endif
}

__global__ void product(const int *parts, int *tile, int *semaphore) {
  const int part = parts[blockIdx.x * kThreads + threadIdx.x];
  if (threadIdx.x == 0)
    await(semaphore, int(blockIdx.x));
#if !defined(ALL) && !defined(SEMAPHORE) && RACY != 2
  if (threadIdx.x == 0)
    __threadfence();
#endif
  __syncthreads();
#if defined(ALL)
  __threadfence();
#endif
  tile[threadIdx.x ^ (blockIdx.x & 1)] += part; // @add
#if defined(ALL)
  __threadfence();
#endif
  __syncthreads();
  if (threadIdx.x == 0) {
#if !defined(ALL) && !defined(SEMAPHORE) && RACY != 1
    __threadfence();
#endif
    pass(semaphore, int(blockIdx.x) + 1);
  }
}

int main() {
  int host[kSplits * kThreads], result[kThreads], *parts = nullptr, *tile = nullptr;
  int *semaphore = nullptr;
  for (int i = 0; i < kSplits * kThreads; ++i)
    host[i] = i;
  CHECK(cudaMalloc(&parts, sizeof(host)));
  CHECK(cudaMalloc(&tile, sizeof(result)));
  CHECK(cudaMalloc(&semaphore, sizeof(int)));
  CHECK(cudaMemcpy(parts, host, sizeof(host), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(tile, 0, sizeof(result)));
  CHECK(cudaMemset(semaphore, 0, sizeof(int)));
  product<<<kSplits, kThreads>>>(parts, tile, semaphore);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, tile, sizeof(result), cudaMemcpyDeviceToHost));
  for (int *p : {parts, tile, semaphore})
    CHECK(cudaFree(p));
  bool right = true;
  for (int t = 0; t < kThreads; ++t) {
    int sum = 0;
    for (int s = 0; s < kSplits; ++s)
      sum += host[s * kThreads + (t ^ (s & 1))];
    right = right && result[t] == sum;
  }
  return verdict(right);
}
