// scopesan-test: counts and masks that no barrier can have
//
// variant fixed
//   why the count is that of the arrivals, .noComplete leaves the last one to another thread, and
//   why the mask names the lanes that call
//   verdict clean
//   proof S8 S10
// variant no_arrivals -DRACY=1
//   why an mbarrier expects one arrival at least
//   verdict findings
//   require D7 init init
//   allow   D7 arrive arrive
//   allow   D7 wait wait
//   allow   D7 wait meet
//   may-be-incomplete a kernel ended with an error
//   exit any
//   backends cpu
//   proof S10 D7
// variant too_many_arrivals -DRACY=2
//   why an mbarrier counts up to 2^20 - 1
//   verdict findings
//   require D7 init init
//   allow   D7 wait wait
//   allow   D7 wait meet
//   may-be-incomplete a kernel ended with an error
//   exit any
//   backends cpu
//   proof S10 D7
// variant must_not_complete -DRACY=3
//   why the arrival that must not complete the phase is the last one
//   verdict findings
//   require D7 arrive arrive
//   exit any
//   backends cpu
//   proof S10 D7
// variant outside_the_mask -DRACY=4
//   why the upper half of the warp calls with the mask of the lower one
//   verdict findings
//   require D7 meet meet
//   may-be-incomplete a kernel ended with an error
//   exit any
//   backends cpu
//   proof S8 D7
#include "check.h"
#include "hopper.h"

#ifndef RACY
#define RACY 0
#endif
constexpr unsigned kCount = RACY == 1 ? 0 : RACY == 2 ? 1u << 20 : RACY == 3 ? 1 : 2;

__global__ void meet(int *out) {
  __shared__ uint64_t phase;
  __shared__ int value;
  if (threadIdx.x == 0)
    mbarrierInit(&phase, kCount); // @init
  __syncthreads();
  if (threadIdx.x == 32) {
    uint64_t state;
    value = 41;
    asm volatile( // @arrive
        "mbarrier.arrive.noComplete.shared.b64 %0, [%1], 1;"
        : "=l"(state)
        : "r"(address(&phase))
        : "memory");
    if (RACY != 3)
      mbarrierArrive(&phase); // @arrive
  }
  if (threadIdx.x < 32) {
    mbarrierWait(&phase, 0); // @wait
    const unsigned mask = RACY == 4 || threadIdx.x < 16 ? 0xffffu : 0xffff0000u;
    __syncwarp(mask); // @meet
    if (threadIdx.x == 1)
      *out = value + 1;
  }
}

int main() {
  int *out = nullptr, result = 0;
  CHECK(cudaMalloc(&out, sizeof(int)));
  meet<<<1, 64>>>(out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&result, out, sizeof(result), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(out));
  return verdict(result == 42);
}
