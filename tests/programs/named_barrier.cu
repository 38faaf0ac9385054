// scopesan-test: a producer warp and a consumer warp hand a buffer over through named barriers
//
// variant fixed
//   why bar.arrive is a source for the bar.sync of the same generation, in both directions
//   verdict clean
//   proof S7
// variant no_empty_barrier -DRACY=1
//   why the producer fills the buffer again while the consumer may still read it
//   verdict findings
//   require D1 produce(store,weak) consume(load,weak) memory=buffer distance=same-block
//   proof S7 D1
// variant read_before_full -DRACY=2
//   why the consumer reads first and waits for the producer afterwards
//   verdict findings
//   require D1 produce(store,weak) consume(load,weak) memory=buffer distance=same-block
//   proof S7 D1
#include "check.h"

constexpr int kWarp = 32, kRounds = 3;
enum BarrierId { kFull = 1, kEmpty = 8 }; // the first of one id per round

__device__ void arrive(int id) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(2 * kWarp) : "memory");
}
__device__ void sync(int id) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(2 * kWarp) : "memory");
}

__global__ void pipeline(int *out) {
  __shared__ int buffer[kWarp];
  const int lane = int(threadIdx.x) % kWarp;
  const bool producer = threadIdx.x < kWarp;
  for (int round = 0; round < kRounds; ++round) {
    if (producer) {
      buffer[lane] = 100 * round + lane; // @produce
      arrive(kFull + round);
#if RACY != 1
      sync(kEmpty + round);
#endif
    } else {
#if RACY != 2
      sync(kFull + round);
#endif
      const int value = buffer[kWarp - 1 - lane]; // @consume
#if RACY == 2
      sync(kFull + round);
#endif
      out[round * kWarp + lane] = value;
#if RACY != 1
      arrive(kEmpty + round);
#endif
    }
  }
}

int main() {
  int out[kRounds * kWarp], *device = nullptr;
  CHECK(cudaMalloc(&device, sizeof(out)));
  pipeline<<<1, 2 * kWarp>>>(device);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out, device, sizeof(out), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  bool right = true;
  for (int i = 0; i < kRounds * kWarp; ++i)
    right = right && out[i] == 100 * (i / kWarp) + kWarp - 1 - i % kWarp;
  return verdict(right);
}
