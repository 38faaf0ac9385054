// scopesan-test: a counter behind a spin lock; the blocks pass the lock on by compare-and-swap
//
// The advisory progress-not-promised: a waiter that saw the lock held by one block may get it from
// another one, which it never saw run.
//
// variant fixed
//   verdict clean
//   may-advise unordered-strong
//   may-advise progress-not-promised acquire release
//   proof O3 O4 S1 S2 S3
// variant narrow_fences -DRACY=1
//   why both fences stop at the block: neither the release nor the acquire reaches the next owner
//   verdict findings
//   why (every fence both releases and acquires, so two fences of one kind, of different rounds, can
//   why also be all that lies between two additions)
//   require D3 add add
//   ... blame=lock_fence:device,unlock_fence:device memory=counter distance=same-grid
//   allow D3 add add blame=unlock_fence:device memory=counter distance=same-grid
//   allow D3 add add blame=lock_fence:device memory=counter distance=same-grid
//   may-advise unordered-strong
//   may-advise progress-not-promised acquire release
//   proof O4 S3 D3
// variant narrow_unlock_fence -DRACY=2
//   why the lock fence releases too, but it precedes the addition that the next owner sees
//   verdict findings
//   require D3 add add blame=unlock_fence:device memory=counter distance=same-grid
//   may-advise unordered-strong
//   may-advise progress-not-promised acquire release
//   proof O4 S1 S3 D3
// variant no_unlock_fence -DRACY=3
//   verdict findings
//   require D1 add add memory=counter distance=same-grid
//   may-advise unordered-strong
//   may-advise progress-not-promised acquire release
//   proof S1 D1
#include "check.h"

constexpr int kBlocks = 4, kRounds = 3;

__device__ int counter = 0;
__device__ int lock = 0;

__global__ void countUp() {
  for (int round = 0; round < kRounds; ++round) {
    while (atomicCAS(&lock, 0, 1) != 0) { // @acquire
    }
#if RACY == 1
    __threadfence_block(); // @lock_fence
#else
    __threadfence();
#endif
    counter += 1; // @add
#if RACY == 1 || RACY == 2
    __threadfence_block(); // @unlock_fence
#elif RACY != 3
    __threadfence();
#endif
    atomicExch(&lock, 0); // @release
  }
}

int main() {
  countUp<<<kBlocks, 1>>>();
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  int value = 0;
  CHECK(cudaMemcpyFromSymbol(&value, counter, sizeof(value)));
  printf("counter = %d\n", value);
  return verdict(value == kBlocks * kRounds);
}
