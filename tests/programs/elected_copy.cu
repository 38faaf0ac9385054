// scopesan-test: all lanes of a producer warp wait for a free stage, one of them issues the copy
//
// variant fixed
//   why __syncwarp after the wait keeps the elected lane from running ahead of the others
//   verdict clean
//   proof S8 S10 S12
// variant no_syncwarp -DNO_SYNCWARP
//   why no data race: the elected lane has waited itself. A lane that comes later than a whole turn
//   why of the ring would wait for a phase that is over, but no schedule here leaves one that far behind
//   verdict clean
//   proof S10 S12
#include "check.h"
#include "hopper.h"

constexpr int kStages = 2, kTiles = 12, kWords = 32;

__global__ void sum(int *out, const int *in) {
  __shared__ alignas(128) int ring[kStages][kWords];
  __shared__ uint64_t full[kStages], empty[kStages];
  const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      mbarrierInit(&full[s], 1);
      mbarrierInit(&empty[s], 1);
    }
    shareMbarriers();
  }
  __syncthreads();
  int total = 0;
  for (int t = 0; t < kTiles; ++t) {
    const int s = t % kStages;
    const unsigned parity = unsigned(t / kStages) & 1;
    if (warp == 0) {
      mbarrierWait(&empty[s], parity ^ 1); // @wait
#ifndef NO_SYNCWARP
      __syncwarp();
#endif
      if (lane == 0) {
        mbarrierArriveExpect(&full[s], sizeof(ring[s]));
        bulkLoad(ring[s], in + t * kWords, sizeof(ring[s]), &full[s]);
      }
    } else {
      mbarrierWait(&full[s], parity);
      total += ring[s][lane];
      __syncwarp();
      if (lane == 0)
        mbarrierArrive(&empty[s]);
    }
  }
  if (warp == 1)
    atomicAdd(out, total);
}

int main() {
  int host[kTiles * kWords], expected = 0, result = 0, *in = nullptr, *out = nullptr;
  for (int i = 0; i < kTiles * kWords; ++i)
    expected += host[i] = i % 31;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(int)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(out, 0, sizeof(int)));
  sum<<<1, 64>>>(out, in);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&result, out, sizeof(result), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  return verdict(result == expected);
}
