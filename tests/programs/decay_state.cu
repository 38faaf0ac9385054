// scopesan-test: a running factor in shared memory that every step of a recurrence updates
//
// variant fixed
//   why one thread updates the factor, between two barriers
//   verdict clean
//   proof S7
// variant every_thread -DRACY
//   why all threads add to it without an atomic operation: updates get lost
//   verdict findings
//   require D1 update update memory=factor
//   proof D1
#include "check.h"

constexpr int kThreads = 64, kSteps = 3;

__global__ void recur(const float *gate, float *state) {
  __shared__ float factor;
  if (threadIdx.x == 0)
    factor = 0;
  __syncthreads();
  float h = 0;
  for (int step = 0; step < kSteps; ++step) {
#ifndef RACY
    if (threadIdx.x == 0)
#endif
      factor += gate[step]; // @update
    __syncthreads();
    h = h * 0.5f + factor;
    __syncthreads();
  }
  state[threadIdx.x] = h;
}

int main() {
  float gates[kSteps] = {1, 2, 4}, states[kThreads], *gate = nullptr, *state = nullptr;
  CHECK(cudaMalloc(&gate, sizeof(gates)));
  CHECK(cudaMalloc(&state, sizeof(states)));
  CHECK(cudaMemcpy(gate, gates, sizeof(gates), cudaMemcpyHostToDevice));
  recur<<<1, kThreads>>>(gate, state);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(states, state, sizeof(states), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(gate));
  CHECK(cudaFree(state));
  return verdict(states[0] == 8.75f && states[kThreads - 1] == 8.75f);
}
