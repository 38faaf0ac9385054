// scopesan-test: consumers read a stage by ordinary loads before a bulk copy fills it again
//
// variant fixed
//   options --proxy-war=1
//   why each reader fences towards the asynchronous proxy before it gives the stage back
//   verdict clean
//   proof S10 S12 S13
// variant no_proxy_fence -DRACY
//   options --proxy-war=1
//   why the loads are ordered before the copy, but their proxy is another one
//   verdict findings
//   require D9 use(load,weak) fill memory=stage
//   proof S13 D9
// variant not_asked -DNO_FENCE
//   why production code has no fence here, and by default only a write asks for one
//   verdict clean
//   proof S13
#include "check.h"
#include "hopper.h"

constexpr int kThreads = 64, kTiles = 4;

__global__ void sum(const int *in, int *out) {
  __shared__ alignas(128) int stage[kThreads];
  __shared__ uint64_t full, empty;
  const int t = int(threadIdx.x) - 32;
  if (threadIdx.x == 0) {
    mbarrierInit(&full, 1);
    mbarrierInit(&empty, kThreads);
    shareMbarriers();
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0)
      for (int tile = 0; tile < kTiles; ++tile) {
        if (tile > 0)
          mbarrierWait(&empty, unsigned(tile - 1) & 1);
        mbarrierArriveExpect(&full, sizeof(stage));
        bulkLoad(stage, in + tile * kThreads, sizeof(stage), &full); // @fill
      }
    return;
  }
  int mine = 0;
  for (int tile = 0; tile < kTiles; ++tile) {
    mbarrierWait(&full, unsigned(tile) & 1);
    mine += stage[t]; // @use
#if !defined(RACY) && !defined(NO_FENCE)
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    mbarrierArrive(&empty);
  }
  out[t] = mine;
}

int main() {
  int host[kTiles * kThreads], result[kThreads], *in = nullptr, *out = nullptr;
  for (int i = 0; i < kTiles * kThreads; ++i)
    host[i] = i;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(result)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  sum<<<1, 32 + kThreads>>>(in, out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  bool right = true;
  for (int t = 0; t < kThreads; ++t)
    right = right && result[t] == kTiles * t + kThreads * (kTiles * (kTiles - 1) / 2);
  return verdict(right);
}
