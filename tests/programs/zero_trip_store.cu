// scopesan-test: a tile is stored by a bulk copy; the only proxy fence stands in a loop that may not run
//
// variant fixed
//   why each writer fences after its last store, whatever the loop does
//   verdict clean
//   proof S13
// variant fence_in_loop -DRACY
//   why with no update to make nothing tells the asynchronous proxy of the first stores
//   verdict findings
//   require D9 fill(store,weak) drain memory=tile
//   proof S13 D9
// variant loop_runs -DUPDATES=2 -DLUCKY
//   why with one round or more the fence comes after the last store
//   verdict clean
//   proof S13
#include "check.h"
#include "hopper.h"

#ifndef UPDATES
#define UPDATES 0
#endif
constexpr int kThreads = 64;

__global__ void decay(int *out, const int *updates, int count) {
  __shared__ alignas(128) int tile[kThreads];
  const int t = int(threadIdx.x);
  tile[t] = 100 + t; // @fill
  for (int u = 0; u < count; ++u) {
    tile[t] += updates[u];
#if defined(RACY) || defined(LUCKY)
    fenceProxyAsync();
#endif
  }
#if !defined(RACY) && !defined(LUCKY)
  fenceProxyAsync();
#endif
  __syncthreads();
  if (t == 0) {
    bulkStore(out, tile, sizeof(tile)); // @drain
    bulkWait();
  }
}

int main() {
  int host[kThreads], steps[2] = {3, 4}, *out = nullptr, *updates = nullptr;
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMalloc(&updates, sizeof(steps)));
  CHECK(cudaMemcpy(updates, steps, sizeof(steps), cudaMemcpyHostToDevice));
  decay<<<1, kThreads>>>(out, updates, UPDATES);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(out));
  CHECK(cudaFree(updates));
  bool right = true;
  for (int t = 0; t < kThreads; ++t)
    right = right && host[t] == 100 + t + (UPDATES == 2 ? 7 : 0);
  return verdict(right);
}
