// scopesan-test: who may read what a cp.async brings, and when (rows of the litmus table)
//
// variant own_wait
//   why the issuer waits for all of its copies
//   verdict clean
//   proof S12
//   litmus SPEC2/cpasync-prior-st-src
// variant no_wait -DRACY=1
//   why a copy is not part of program order
//   verdict findings
//   require D10 first take(load,weak) memory=shared_words
//   proof S12 D10
//   litmus SPEC2/cpasync-nowait
// variant newer_group -DRACY=2
//   why wait_group 1 leaves the newest group pending
//   verdict findings
//   require D10 second take(load,weak) memory=shared_words
//   proof S12 D10
//   litmus SPEC2/cpasync-waitgroup1
// variant older_group -DCLEAN=1
//   why wait_group 1 waits for all but the newest group
//   verdict clean
//   label full
//   proof S12
//   litmus SPEC2/cpasync-waitgroup1-A
// variant other_thread -DRACY=3
//   why the wait tells the issuer only
//   verdict findings
//   label full
//   require D10 first take(load,weak) memory=shared_words
//   proof S12 D10
//   litmus SPEC2/cpasync-otherthread-nobar
// variant other_thread_barrier -DCLEAN=2
//   why a barrier after the wait passes it on
//   verdict clean
//   proof S7 S12
//   litmus SPEC2/cpasync-otherthread-bar
// variant barrier_no_wait -DRACY=4
//   why a barrier does not complete copies
//   verdict findings
//   label full
//   require D10 first take(load,weak) memory=shared_words
//   proof S7 S12 D10
//   litmus SPEC2/cpasync-bar-nowait
// variant mbarrier -DCLEAN=3
//   why the copies arrive on an mbarrier that the reader waits for
//   verdict clean
//   proof S10 S12
//   litmus SPEC2/cpasync-mbar
// variant overlap -DRACY=5
//   why nothing orders two copies of one thread
//   verdict findings
//   require D10 first second memory=shared_words
//   proof S12 D10
//   litmus SPEC2/cpasync-two-overlap
#include "check.h"
#include "hopper.h"

#ifndef RACY
#define RACY 0
#endif
#ifndef CLEAN
#define CLEAN 0
#endif

#define copy(to, from)                                                                             \
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address(to)), "l"(from)            \
               : "memory")
INLINE void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

__global__ void rules(int *out, int *in) {
  __shared__ int shared_words[2];
  __shared__ uint64_t ready;
  const bool issuer = threadIdx.x == 0;
  if (issuer)
    mbarrierInit(&ready, 1);
  __syncthreads();
  if (issuer) {
    in[0] = 41;                     // an earlier store of the issuer is seen
    copy(&shared_words[0], &in[0]); // @first
    commit();
    copy(&shared_words[RACY == 5 ? 0 : 1], &in[1]); // @second
    commit();
#if RACY == 2 || CLEAN == 1
    asm volatile("cp.async.wait_group 1;" ::: "memory");
#elif CLEAN == 3
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(address(&ready))
                 : "memory");
#elif RACY != 1 && RACY != 4
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  }
#if CLEAN == 2 || RACY == 4
  __syncthreads();
#elif CLEAN == 3
  mbarrierWait(&ready, 0);
#endif
  const unsigned reader = CLEAN == 2 || CLEAN == 3 || RACY == 3 || RACY == 4 ? 32 : 0;
  if (threadIdx.x == reader)
    *out = shared_words[RACY == 2 ? 1 : 0]; // @take
  if (issuer)
    asm volatile("cp.async.wait_all;" ::: "memory");
}

int main() {
  int *memory = nullptr, result = 0, values[3] = {0, 40, 42};
  CHECK(cudaMalloc(&memory, sizeof(values)));
  CHECK(cudaMemcpy(memory, values, sizeof(values), cudaMemcpyHostToDevice));
  rules<<<1, 64>>>(memory, memory + 1);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&result, memory, sizeof(result), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(memory));
  return verdict(result == 41);
}
