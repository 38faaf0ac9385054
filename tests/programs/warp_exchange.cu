// scopesan-test: lanes of a warp swap values through shared memory, twice
//
// variant fixed
//   verdict clean
//   proof S8
// variant no_syncwarp_before_read -DRACY=1
//   why lockstep orders nothing: the partner's store is not known to be done
//   verdict findings
//   require D1 put(store,weak) take(load,weak) memory=slot distance=same-warp
//   proof S8 D1
// variant no_syncwarp_before_reuse -DRACY=2
//   why the second round overwrites slots that the partner may still have to read
//   verdict findings
//   require D1 put(store,weak) take(load,weak) memory=slot distance=same-warp
//   proof S8 D1
#include "check.h"

constexpr unsigned kThreads = 64, kRounds = 2;

__global__ void swapNeighbours(int *data) {
  __shared__ int slot[kThreads];
  const unsigned t = threadIdx.x;
  int value = data[t];
  for (unsigned round = 0; round < kRounds; ++round) {
    slot[t] = value; // @put
#if RACY != 1
    __syncwarp();
#endif
    value = slot[t ^ (1u << round)] + 1; // @take
#if RACY != 2
    __syncwarp();
#endif
  }
  data[t] = value;
}

int main() {
  int data[kThreads], out[kThreads];
  for (unsigned t = 0; t < kThreads; ++t)
    data[t] = int(10 * t);
  int *device = nullptr;
  CHECK(cudaMalloc(&device, sizeof(data)));
  CHECK(cudaMemcpy(device, data, sizeof(data), cudaMemcpyHostToDevice));
  swapNeighbours<<<1, kThreads>>>(device);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out, device, sizeof(out), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  bool right = true;
  for (unsigned t = 0; t < kThreads; ++t)
    right = right && out[t] == data[t ^ 3] + int(kRounds);
  return verdict(right);
}
