// scopesan-test: look-back by flags that atomicExch sets: fences on both sides of the aggregate
//
// variant fixed
//   why a device fence before the flag and one after it was seen
//   verdict clean
//   may-advise unordered-strong
//   proof S1 S2 S3
// variant relaxed_data -DATOMIC_DATA
//   why the same; the aggregate itself is read and written atomically as well
//   verdict clean
//   may-advise unordered-strong
//   proof S1 S2 S3
// variant no_fences -DRACY=1
//   why a plain read may return what a cache holds, however often the flag was read
//   verdict findings
//   require D1 aggregate_store(store,weak) aggregate_load(load,weak) distance=same-grid
//   may-advise unordered-strong
//   proof S1 S2 D1
// variant no_release_fence -DRACY=2
//   verdict findings
//   label full
//   require D1 aggregate_store(store,weak) aggregate_load(load,weak) distance=same-grid
//   may-advise unordered-strong
//   proof S1 D1
// variant no_acquire_fence -DRACY=3
//   verdict findings
//   label full
//   require D1 aggregate_store(store,weak) aggregate_load(load,weak) distance=same-grid
//   may-advise unordered-strong
//   proof S2 D1
#include "check.h"

#include <cuda/atomic>

constexpr unsigned kBlocks = 8, kThreads = 32;
#ifndef RACY
#define RACY 0
#endif

__device__ void put(int *slot, int value) {
#ifdef ATOMIC_DATA
  cuda::atomic_ref<int, cuda::thread_scope_device>(*slot).store(value, cuda::memory_order_relaxed);
#else
  *slot = value; // @aggregate_store
#endif
}
__device__ int take(int *slot) {
#ifdef ATOMIC_DATA
  return cuda::atomic_ref<int, cuda::thread_scope_device>(*slot).load(cuda::memory_order_relaxed);
#else
  return *slot; // @aggregate_load
#endif
}

__global__ void accumulate(const int *in, int *out, int *aggregate, int *flags, unsigned *tickets) {
  const unsigned lane = threadIdx.x;
  unsigned ticket = lane == 0 ? atomicAdd(tickets, 1u) : 0;
  ticket = __shfl_sync(0xffffffffu, ticket, 0);
  int sum = in[ticket * kThreads + lane];
  for (unsigned offset = 1; offset < kThreads; offset *= 2) {
    const int below = __shfl_up_sync(0xffffffffu, sum, offset);
    sum += lane >= offset ? below : 0;
  }
  int before = 0;
  if (lane == kThreads - 1) {
    put(&aggregate[ticket], sum);
    if (RACY != 1 && RACY != 2)
      __threadfence();
    atomicExch(&flags[ticket], 1);
    for (unsigned b = ticket; b-- > 0;) {
      while (atomicOr(&flags[b], 0) == 0)
        ;
      if (RACY != 1 && RACY != 3)
        __threadfence();
      before += take(&aggregate[b]);
    }
  }
  out[ticket * kThreads + lane] = sum + __shfl_sync(0xffffffffu, before, kThreads - 1);
}

int main() {
  constexpr int n = kBlocks * kThreads;
  int host[n], result[n], *in = nullptr, *out = nullptr, *aggregate = nullptr, *flags = nullptr;
  unsigned *tickets = nullptr;
  for (int i = 0; i < n; ++i)
    host[i] = i % 5 - 1;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMalloc(&aggregate, kBlocks * sizeof(int)));
  CHECK(cudaMalloc(&flags, kBlocks * sizeof(int)));
  CHECK(cudaMalloc(&tickets, sizeof(unsigned)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(flags, 0, kBlocks * sizeof(int)));
  CHECK(cudaMemset(tickets, 0, sizeof(unsigned)));
  accumulate<<<kBlocks, kThreads>>>(in, out, aggregate, flags, tickets);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, out, sizeof(host), cudaMemcpyDeviceToHost));
  for (void *p : {(void *)in, (void *)out, (void *)aggregate, (void *)flags, (void *)tickets})
    CHECK(cudaFree(p));
  bool right = true;
  for (int i = 0, sum = 0; i < n; ++i)
    right = right && result[i] == (sum += host[i]);
  return verdict(right);
}
