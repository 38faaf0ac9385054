// scopesan-test: a producer warp and a consumer warp take turns with two buffers and cuda::barriers
//
// variant fixed
//   why each buffer is full before it is read and empty before it is written again
//   verdict clean
//   proof S10 S11
// variant read_before_full -DRACY=1
//   why the consumer reads between its arrival and its wait
//   verdict findings
//   require D1 produce(store,weak) consume(load,weak) memory=buffer distance=same-block
//   proof S10 D1
// variant write_before_empty -DRACY=2
//   why the producer writes between its arrival and its wait
//   verdict findings
//   require D1 produce(store,weak) consume(load,weak) memory=buffer distance=same-block
//   proof S10 D1
// variant arrive_before_store -DRACY=3
//   why what is stored after the arrival is not published
//   verdict findings
//   require D1 produce_late(store,weak) consume(load,weak) memory=buffer distance=same-block
//   proof S10 D1
#include "check.h"

#include <cuda/barrier>
#include <cuda/std/utility>

constexpr int kWarp = 32, kRounds = 6;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void produce(int *buffer, Barrier *full, Barrier *empty) {
  for (int round = 0; round < kRounds; ++round) {
    const int slot = round % 2;
#if RACY == 2
    Barrier::arrival_token token = empty[slot].arrive();
#else
    empty[slot].arrive_and_wait();
#endif
#if RACY == 3
    (void)full[slot].arrive();
    buffer[slot * kWarp + threadIdx.x] = 10 * round + int(threadIdx.x); // @produce_late
#else
    buffer[slot * kWarp + threadIdx.x] = 10 * round + int(threadIdx.x); // @produce
#if RACY == 2
    empty[slot].wait(cuda::std::move(token));
#endif
    (void)full[slot].arrive();
#endif
  }
}

__device__ void consume(int *out, const int *buffer, Barrier *full, Barrier *empty) {
  const int lane = int(threadIdx.x) - kWarp;
  for (int slot = 0; slot < 2; ++slot)
    (void)empty[slot].arrive();
  for (int round = 0; round < kRounds; ++round) {
    const int slot = round % 2;
#if RACY == 1
    Barrier::arrival_token token = full[slot].arrive();
#else
    full[slot].arrive_and_wait();
#endif
    out[round * kWarp + lane] = buffer[slot * kWarp + kWarp - 1 - lane]; // @consume
#if RACY == 1
    full[slot].wait(cuda::std::move(token));
#endif
    if (round + 2 < kRounds)
      (void)empty[slot].arrive();
  }
}

__global__ void run(int *out) {
  __shared__ int buffer[2 * kWarp];
  __shared__ alignas(Barrier) char storage[4 * sizeof(Barrier)];
  Barrier *full = reinterpret_cast<Barrier *>(storage), *empty = full + 2;
  if (threadIdx.x == 0)
    for (int i = 0; i < 4; ++i)
      init(full + i, 2 * kWarp);
  __syncthreads();
  if (threadIdx.x < kWarp)
    produce(buffer, full, empty);
  else
    consume(out, buffer, full, empty);
}

int main() {
  int host[kRounds * kWarp], *out = nullptr;
  CHECK(cudaMalloc(&out, sizeof(host)));
  run<<<1, 2 * kWarp>>>(out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(out));
  bool right = true;
  for (int i = 0; i < kRounds * kWarp; ++i)
    right = right && host[i] == 10 * (i / kWarp) + kWarp - 1 - i % kWarp;
  return verdict(right);
}
