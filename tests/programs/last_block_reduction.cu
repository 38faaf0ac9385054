// scopesan-test: the block that draws the last ticket adds what all blocks stored
//
// variant fixed
//   why store; barrier; fence; ticket on every block, ticket; fence; barrier; load on the last one:
//   why the tickets are one chain of device-scope RMWs, and both sides have their fence
//   verdict clean
//   may-advise unordered-strong
//   proof S1 S2 S3 S6 S7 O4
// variant no_release_fence -DRACY=1
//   why nothing publishes the partial sums before the ticket
//   verdict findings
//   require D1 partial_store(store,weak) partial_load(load,weak) distance=same-grid
//   may-advise unordered-strong
//   proof S1 S7 D1
// variant no_acquire_fence -DRACY=2
//   why the relaxed ticket alone acquires nothing, and the barrier that follows is no fence
//   verdict findings
//   label full
//   require D1 partial_store(store,weak) partial_load(load,weak) distance=same-grid
//   may-advise unordered-strong
//   proof O3 S2 D1
// variant published_too_early -DRACY=3
//   why without the barrier the ticket covers the stores of thread 0 only
//   verdict findings
//   label full
//   require D1 partial_store(store,weak) partial_load(load,weak) distance=same-grid
//   may-advise unordered-strong
//   proof S1 S6 S7 D1
// variant fences_before_the_barrier -DFENCES_FIRST
//   why each store, its fence.sc and the barrier precede the ticket, the reader's fence.sc follows
//   why it: were the fences in the other order, the ticket would be read before it was drawn (S5)
//   verdict clean
//   may-advise unordered-strong
//   proof S5 S7
// variant narrow_release_fence -DRACY=4
//   verdict findings
//   require D3 partial_store(store,weak) partial_load(load,weak)
//   ... blame=release_fence:device distance=same-grid
//   may-advise unordered-strong
//   proof O4 S3 D3
#include "check.h"

constexpr unsigned kBlocks = 8, kThreads = 64, kPerThread = 4;

__global__ void sum(const int *in, int *partial, unsigned *tickets, int *total) {
  __shared__ bool isLast;
  const unsigned me = blockIdx.x * kThreads + threadIdx.x;
  int mine = 0;
  for (unsigned i = 0; i < kPerThread; ++i)
    mine += in[i * kBlocks * kThreads + me];
  partial[me] = mine; // @partial_store
#ifdef FENCES_FIRST
  __threadfence();
#endif
#if RACY != 3
  __syncthreads();
#endif
  if (threadIdx.x == 0) {
#if RACY == 4
    __threadfence_block(); // @release_fence
#elif RACY != 1 && !defined(FENCES_FIRST)
    __threadfence();
#endif
    const unsigned ticket = atomicAdd(tickets, 1u); // @ticket
#if RACY != 2
    __threadfence(); // @acquire_fence
#endif
    isLast = ticket == kBlocks - 1;
  }
  __syncthreads();
  if (!isLast)
    return;
  int part = 0;
  for (unsigned b = 0; b < kBlocks; ++b)
    part += partial[b * kThreads + threadIdx.x]; // @partial_load
  atomicAdd(total, part);                        // @total
}

int main() {
  constexpr unsigned n = kBlocks * kThreads * kPerThread;
  static int in[n];
  int expected = 0;
  for (unsigned i = 0; i < n; ++i)
    expected += in[i] = int(i % 13) - 5;
  int *deviceIn = nullptr, *partial = nullptr, *total = nullptr;
  unsigned *tickets = nullptr;
  CHECK(cudaMalloc(&deviceIn, sizeof(in)));
  CHECK(cudaMalloc(&partial, kBlocks * kThreads * sizeof(int)));
  CHECK(cudaMalloc(&total, sizeof(int)));
  CHECK(cudaMalloc(&tickets, sizeof(unsigned)));
  CHECK(cudaMemcpy(deviceIn, in, sizeof(in), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(total, 0, sizeof(int)));
  CHECK(cudaMemset(tickets, 0, sizeof(unsigned)));
  sum<<<kBlocks, kThreads>>>(deviceIn, partial, tickets, total);
  CHECK(cudaGetLastError());
  int out = 0;
  CHECK(cudaMemcpy(&out, total, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(deviceIn));
  CHECK(cudaFree(partial));
  CHECK(cudaFree(total));
  CHECK(cudaFree(tickets));
  return verdict(out == expected);
}
