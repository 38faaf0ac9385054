// scopesan-test: waits for a store that never comes, in every form in which kernels wait
//
// The fixed twin of each form has the store. Where memory stays as it is and all threads look at it by strong
// accesses, votes and barriers, the kernel is seen as stuck; a wait by a plain load, or one that
// counts its rounds in memory, cannot be told from work and ends at a limit.
//
// variant vote -DFORM=1 -DLOST
//   verdict findings
//   require D12 vote vote
//   exit 2
//   may-be-incomplete a kernel ended with an error
//   backends cpu
//   proof D12
// variant vote_fixed -DFORM=1
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 D12
// variant block_vote -DFORM=2 -DLOST
//   verdict findings
//   require D12 vote vote
//   exit 2
//   may-be-incomplete a kernel ended with an error
//   backends cpu
//   proof D12
// variant block_vote_fixed -DFORM=2
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 D12
// variant plain_load -DFORM=3 -DLOST
//   verdict incomplete
//   label full
//   incomplete a kernel was ended that did not end by itself
//   may-be-incomplete a kernel ended with an error
//   options --wait-limit=2
//   exit 2
//   backends cpu
//   proof X1
// variant plain_load_stored -DFORM=3
//   why     the plain load races with the store that it waits for
//   verdict findings
//   may-advise progress-not-promised
//   require D1 wait(load,weak,4B) store(store,relaxed,device,4B)
//   exit    any
//   may-be-incomplete a kernel
//   options --wait-limit=2
//   backends cpu
//   proof D1
// variant counted -DFORM=4 -DLOST
//   verdict incomplete
//   label full
//   incomplete a kernel was ended that did not end by itself
//   may-be-incomplete a kernel ended with an error
//   options --wait-limit=1
//   exit 2
//   backends cpu
//   proof X1
// variant counted_fixed -DFORM=4
//   verdict clean
//   label full
//   may-advise progress-not-promised
//   options --wait-limit=1
//   backends cpu
//   proof S3
#include "check.h"

#include <cuda/atomic>

using Flag = cuda::atomic<int, cuda::thread_scope_device>;

__device__ Flag flag;
__device__ int plain, rounds, result;

__device__ void wait() {
#if FORM == 1 // as CUB's look-back waits
  while (__any_sync(~0u, flag.load(cuda::memory_order_acquire) == 0)) // @vote
    ;
#elif FORM == 2
  while (!__syncthreads_or(flag.load(cuda::memory_order_acquire))) // @vote
    ;
#elif FORM == 3
  while (*reinterpret_cast<int *>(&plain) == 0) // @wait
    __threadfence();
#else
  while (flag.load(cuda::memory_order_acquire) == 0)
    atomicAdd(&rounds, 1);
#endif
}

__global__ void consume() {
  if (blockIdx.x == 1) {
    wait();
    atomicAdd(&result, 1);
    return;
  }
#ifndef LOST
  if (threadIdx.x == 0) {
    cuda::atomic_ref<int, cuda::thread_scope_device> word(plain);
    word.store(1, cuda::memory_order_relaxed); // @store
    flag.store(1, cuda::memory_order_release);
  }
#endif
}

int main() {
  consume<<<2, 64>>>();
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  int count;
  CHECK(cudaMemcpyFromSymbol(&count, result, sizeof count));
  return verdict(count == 64);
}
