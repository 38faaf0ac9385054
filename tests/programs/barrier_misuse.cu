// scopesan-test: block barriers that part of their threads reach, or with wrong counts
//
// variant fixed
//   why all threads reach each barrier, named barriers by whole warps and with one count
//   verdict clean
//   proof S7
// variant divergent -DRACY=1
//   why half of the block waits at another barrier, for the others
//   verdict findings
//   require D7 first second
//   incomplete a kernel ended with an error
//   exit any
//   backends cpu
//   proof D7
// variant wrong_count -DRACY=2
//   why the barrier counts a warp more than there are
//   verdict findings
//   require D7 pair pair
//   incomplete a kernel ended with an error
//   exit any
//   backends cpu
//   proof S7 D7
// variant part_of_a_warp -DRACY=3
//   why a count must be a multiple of the warp size
//   verdict findings
//   label full
//   require D7 pair pair
//   exit any
//   backends cpu
//   proof S7 D7
// variant two_counts -DRACY=4
//   why the arrivals of one generation name different counts
//   verdict findings
//   label full
//   require D7 pair pair
//   may-be-incomplete a kernel ended with an error
//   exit any
//   backends cpu
//   proof S7 D7
// variant different_code -DRACY=5
//   why the lanes of one warp reach an aligned barrier in different places
//   verdict findings
//   require D7 arm arm
//   exit any
//   backends cpu
//   proof D7
// variant exited -DEXITS
//   why threads that have exited no longer count
//   verdict clean
//   label full
//   proof S7
#include "check.h"

#ifndef RACY
#define RACY 0
#endif
constexpr int kThreads = 64;

__global__ void meet(int *out, int count) {
  __shared__ int sum;
  const int i = int(threadIdx.x);
  if (i == 0)
    sum = 41;
#ifdef EXITS
  if (i >= 40)
    return;
#endif
#if RACY == 1
  if (i < 32)
    asm volatile("barrier.sync 1;" ::: "memory"); // @first
  else
    asm volatile("barrier.sync 2;" ::: "memory"); // @second
#elif RACY == 2
  asm volatile("barrier.sync 1, 96;" ::: "memory"); // @pair
#elif RACY == 3
  asm volatile("barrier.sync 1, %0;" ::"r"(count) : "memory"); // @pair
#elif RACY == 4
  if (i < 32)
    asm volatile("barrier.sync 1, 64;" ::: "memory"); // @pair
  else
    asm volatile("barrier.sync 1, 96;" ::: "memory"); // @pair
#elif RACY == 5
  if (i % 2) {
    __syncthreads(); // @arm
    atomicAdd(out, 2);
  } else {
    __syncthreads(); // @arm
  }
#else
  __syncthreads();
  asm volatile("barrier.sync 1, 64;" ::: "memory");
#endif
  if (i == 1)
    atomicAdd(out, sum + 1);
}

int main() {
  int *out = nullptr, result = 0;
  CHECK(cudaMalloc(&out, sizeof(int)));
  CHECK(cudaMemset(out, 0, sizeof(int)));
  meet<<<1, kThreads>>>(out, 50);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&result, out, sizeof(result), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(out));
  return verdict(result == 42);
}
