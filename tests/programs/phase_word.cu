// scopesan-test: a cluster barrier over mbarriers whose phase lies in shared memory and is kept by thread 0
//
// variant fixed
//   why a barrier of the block between the reads of the phase and its update
//   verdict clean
//   proof S7 S10
// variant no_barrier -DRACY
//   why thread 0 is through the wait and flips the phase that a slower warp has yet to read
//   verdict findings
//   require D1 read_phase(load,weak) flip(store,weak) memory=meeting
//   may-be-incomplete a kernel ended with an error
//   allow   D7 arrive arrive
//   allow   D7 arrive wait
//   allow   D7 wait wait
//   exit any
//   proof S10 D1
#include "check.h"
#include "hopper.h"

constexpr int kThreads = 64, kRounds = 2;

struct Meeting {
  uint64_t arrived;
  unsigned phase;
};

/// Thread 0 arrives for its block; all threads of the block wait.
__device__ void meet(Meeting *meeting) {
  __syncthreads(); // @arrive
  if (threadIdx.x == 0)
    mbarrierArrive(&meeting->arrived);
  const unsigned phase = meeting->phase; // @read_phase
  mbarrierWait(&meeting->arrived, phase); // @wait
#ifndef RACY
  __syncthreads();
#endif
  if (threadIdx.x == 0)
    meeting->phase = phase ^ 1; // @flip
  __syncthreads(); // @arrive
}

__global__ void rounds(int *data) {
  __shared__ Meeting meeting;
  if (threadIdx.x == 0) {
    mbarrierInit(&meeting.arrived, 1);
    meeting.phase = 0;
  }
  __syncthreads();
  for (int round = 0; round < kRounds; ++round) {
    const int x = data[(threadIdx.x + 1) % kThreads];
    meet(&meeting);
    data[threadIdx.x] = x + 1;
    meet(&meeting);
  }
}

int main() {
  int host[kThreads], *data = nullptr;
  for (int t = 0; t < kThreads; ++t)
    host[t] = t;
  CHECK(cudaMalloc(&data, sizeof(host)));
  CHECK(cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice));
  rounds<<<1, kThreads>>>(data);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(data));
  bool right = true;
  for (int t = 0; t < kThreads; ++t)
    right = right && host[t] == (t + kRounds) % kThreads + kRounds;
  return verdict(right);
}
