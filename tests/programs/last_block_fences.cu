// scopesan-test: the last block adds the partial sums; who executes the fences before its ticket
//
// variant leader
//   why the barrier makes the stores of all threads part of what the leader's fence publishes
//   verdict clean
//   may-advise unordered-strong
//   proof S1 S6 S7
// variant all -DALL
//   why each thread fences its store, the barrier and the ticket follow, and the readers fence:
//   why PTX orders the two fence.sc since the ticket was observed in between
//   verdict clean
//   may-advise unordered-strong
//   proof S5 S7
// variant leader_before_barrier -DRACY=1
//   why the leader's fence comes before the barrier, so it publishes the leader's own store alone
//   verdict findings
//   require D1 partial_store(store,weak) partial_load(load,weak) distance=same-grid
//   may-advise unordered-strong
//   may-be-incomplete values fit no order
//   proof S1 S7 D1
// variant all_no_acquire -DALL -DRACY=2
//   why the ticket alone acquires nothing: the readers need a fence of their own
//   verdict findings
//   require D1 partial_store(store,weak) partial_load(load,weak) distance=same-grid
//   may-advise unordered-strong
//   may-be-incomplete values fit no order
//   proof S2 D1
#include "check.h"

constexpr unsigned kBlocks = 6, kThreads = 64;

__global__ void sum(const int *in, int *partial, unsigned *tickets, int *total) {
  __shared__ bool isLast;
  const unsigned t = threadIdx.x;
  partial[blockIdx.x * kThreads + t] = 2 * in[blockIdx.x * kThreads + t]; // @partial_store
#if defined(ALL) || RACY == 1
#if RACY == 1
  if (t == 0)
#endif
    __threadfence();
#endif
  __syncthreads();
  if (t == 0) {
#if !defined(ALL) && RACY != 1
    __threadfence();
#endif
    isLast = atomicAdd(tickets, 1u) == kBlocks - 1;
  }
  __syncthreads();
  if (!isLast)
    return;
#if RACY != 2
  __threadfence();
#endif
  int part = 0;
  for (unsigned b = 0; b < kBlocks; ++b)
    part += partial[b * kThreads + (t ^ 1)]; // @partial_load
  atomicAdd(total, part);
}

int main() {
  constexpr unsigned n = kBlocks * kThreads;
  int in[n], expected = 0, out = 0, *deviceIn = nullptr, *partial = nullptr, *total = nullptr;
  unsigned *tickets = nullptr;
  for (unsigned i = 0; i < n; ++i)
    expected += 2 * (in[i] = int(i % 13) - 5);
  CHECK(cudaMalloc(&deviceIn, sizeof(in)));
  CHECK(cudaMalloc(&partial, sizeof(in)));
  CHECK(cudaMalloc(&total, sizeof(int)));
  CHECK(cudaMalloc(&tickets, sizeof(unsigned)));
  CHECK(cudaMemcpy(deviceIn, in, sizeof(in), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(total, 0, sizeof(int)));
  CHECK(cudaMemset(tickets, 0, sizeof(unsigned)));
  sum<<<kBlocks, kThreads>>>(deviceIn, partial, tickets, total);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&out, total, sizeof(int), cudaMemcpyDeviceToHost));
  for (void *p : {(void *)deviceIn, (void *)partial, (void *)total, (void *)tickets})
    CHECK(cudaFree(p));
  return verdict(out == expected);
}
