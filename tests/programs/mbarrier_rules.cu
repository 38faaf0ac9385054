// scopesan-test: phases of mbarriers: what a wait tells, and who must know of the init
// Variants for the CPU only may wait for ever; it sees that nothing can go on.
//
// variant fixed
//   why whoever waits for the phase is told, also without arriving
//   why a barrier lies between init and the first use
//   verdict clean
//   proof S10
//   litmus SPEC2/mbar-nonparticipant-wait SPEC2/mbar-init-bar
// variant wrong_parity -DRACY=1
//   why the wait is for the phase before, which is complete
//   verdict findings
//   require D1 value(store,weak) take(load,weak) memory=value
//   proof S10 D1
//   litmus SPEC2/mbar-wrong-parity
// variant after_arrive -DRACY=2
//   why the arrival publishes what precedes it
//   verdict findings
//   label full
//   require D1 late(store,weak) take(load,weak) memory=value
//   proof S10 D1
//   litmus SPEC2/mbar-after-arrive
// variant unordered_init -DRACY=3
//   why nothing orders the init before the arrival of another warp
//   verdict findings
//   require D1 init arrive memory=phase
//   allow   D7 arrive arrive
//   allow   D7 wait wait
//   allow   D1 init wait memory=phase
//   allow   D1 value(store,weak) take(load,weak) memory=value
//   may-be-incomplete a kernel ended with an error
//   exit any
//   backends cpu
//   proof S10 D1
// variant init_in_use -DRACY=4
//   why the object is initialised again while a phase has arrivals
//   verdict findings
//   require D7 again again
//   allow   D1 again arrive memory=phase
//   allow   D1 again wait memory=phase
//   allow   D1 value(store,weak) take(load,weak) memory=value
//   may-be-incomplete a kernel ended with an error
//   exit any
//   backends cpu
//   proof D7
// variant impossible_phase -DRACY=5
//   why one arrival more is expected than anybody makes
//   verdict findings
//   label full
//   require D7 wait wait
//   incomplete a kernel ended with an error
//   exit any
//   backends cpu
//   proof D7
#include "check.h"
#include "hopper.h"

#ifndef RACY
#define RACY 0
#endif

__global__ void rules(int *out) {
  __shared__ int value;
  __shared__ uint64_t phase;
  const bool producer = threadIdx.x == 32, consumer = threadIdx.x == 64;
  if (threadIdx.x == 0)
    mbarrierInit(&phase, RACY == 5 || RACY == 4 ? 2 : 1); // @init
  if (RACY != 3)
    __syncthreads();
  if (producer) {
    if (RACY != 2)
      value = 7;            // @value
    mbarrierArrive(&phase); // @arrive
    if (RACY == 2)
      value = 7; // @late
    if (RACY == 4)
      mbarrierInit(&phase, 1); // @again
    if (RACY == 4)
      mbarrierArrive(&phase);
  }
  if (consumer) {
    mbarrierWait(&phase, RACY == 1 ? 1 : 0); // @wait
    *out = value;                            // @take
  }
}

int main() {
  int *out = nullptr, result = 0;
  CHECK(cudaMalloc(&out, sizeof(int)));
  rules<<<1, 96>>>(out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&result, out, sizeof(result), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(out));
  return verdict(result == 7);
}
