// scopesan-test: a producer warp keeps a ring of tiles filled by bulk copies for three consumer warps
//
// variant fixed
//   why each stage has a full barrier (bytes) and an empty barrier (one arrival for each consumer)
//   verdict clean
//   proof S10 S12
// variant no_empty_wait -DRACY=1
//   why a stage is filled again when its last bytes have come, while consumers may still read them
//   verdict findings
//   require D10 fill use(load,weak) memory=ring
//   proof S10 S12 D10
// variant one_arrival -DRACY=2
//   why the empty barrier waits for the first consumer only
//   verdict findings
//   require D10 fill use(load,weak) memory=ring
//   proof S10 D10
// variant no_full_wait -DRACY=3
//   why the consumers read what may still arrive
//   verdict findings
//   require D10 fill use(load,weak) memory=ring
//   allow   D10 fill fill memory=ring
//   allow   D7 expect expect
//   proof S12 D10
// variant early_release -DRACY=4
//   why the consumer releases the stage before it reads it
//   verdict findings
//   require D10 fill use(load,weak) memory=ring
//   proof S10 D10
#include "check.h"
#include "hopper.h"

#ifndef RACY
#define RACY 0
#endif
constexpr int kStages = 2, kTiles = 6, kWords = 32, kConsumers = 3;
// A producer that does not wait for all of its consumers may be rounds ahead: then each tile has a
// full barrier of its own, so that every wait still ends; so may consumers that do not wait for it.
constexpr int kFull = RACY == 1 || RACY == 2 ? kTiles : kStages;
constexpr int kEmpty = RACY == 3 ? kTiles : kStages;

__global__ void sum(int *out, const int *in) {
  __shared__ alignas(128) int ring[kStages][kWords];
  __shared__ uint64_t full[kFull], empty[kEmpty];
  const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
  if (threadIdx.x == 0) {
    for (int f = 0; f < kFull; ++f)
      mbarrierInit(&full[f], 1);
    for (int e = 0; e < kEmpty; ++e)
      mbarrierInit(&empty[e], RACY == 2 ? 1 : kConsumers);
    shareMbarriers();
  }
  __syncthreads();
  if (warp == 0) {
    if (lane == 0)
      for (int t = 0; t < kTiles; ++t) {
        int s = t % kStages, round = t / kStages;
        if (RACY == 1 && round > 0)
          mbarrierWait(&full[t - kStages], 0);
        else if (round > 0)
          mbarrierWait(&empty[(t - kStages) % kEmpty], unsigned((t - kStages) / kEmpty) & 1);
        mbarrierArriveExpect(&full[t % kFull], sizeof(ring[s]));               // @expect
        bulkLoad(ring[s], in + t * kWords, sizeof(ring[s]), &full[t % kFull]); // @fill
      }
    return;
  }
  int total = 0;
  for (int t = 0; t < kTiles; ++t) {
    int s = t % kStages;
    if (RACY != 3)
      mbarrierWait(&full[t % kFull], unsigned(t / kFull) & 1);
    if (RACY == 4) {
      __syncwarp();
      if (lane == 0)
        mbarrierArrive(&empty[t % kEmpty]);
    }
    total += ring[s][lane]; // @use
    __syncwarp();
    if (RACY != 4 && lane == 0 && (RACY != 2 || warp == 1))
      mbarrierArrive(&empty[t % kEmpty]);
  }
  atomicAdd(out, total);
}

int main() {
  int host[kTiles * kWords], expected = 0, result = 0, *in = nullptr, *out = nullptr;
  for (int i = 0; i < kTiles * kWords; ++i)
    expected += kConsumers * (host[i] = i);
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(int)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(out, 0, sizeof(int)));
  sum<<<1, 32 * (1 + kConsumers)>>>(out, in);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&result, out, sizeof(result), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  return verdict(result == expected);
}
