// scopesan-test: a tile is stored chunk by chunk; who waits for the bulk store before the tile changes
//
// variant fixed
//   why the issuing thread waits for its own group, and a barrier tells the others
//   verdict clean
//   proof S7 S12
// variant everyone_waits -DRACY=1
//   why bulk groups belong to the thread that committed them: for the others there is nothing to wait for
//   verdict findings
//   require D10 drain fill(store,weak) memory=tile
//   proof S12 D10
// variant wait_after_barrier -DRACY=2
//   why the others are past the barrier before the issuer has waited
//   verdict findings
//   require D10 drain fill(store,weak) memory=tile
//   proof S7 S12 D10
#include "check.h"
#include "hopper.h"

#ifndef RACY
#define RACY 0
#endif
constexpr int kThreads = 64, kChunks = 3;

__global__ void produce(int *out) {
  __shared__ alignas(128) int tile[kThreads];
  const int t = int(threadIdx.x);
  for (int chunk = 0; chunk < kChunks; ++chunk) {
    tile[t] = chunk * 1000 + t; // @fill
    fenceProxyAsync();
    __syncthreads();
    if (t == 0)
      bulkStore(out + chunk * kThreads, tile, sizeof(tile)); // @drain
    if (RACY == 1 || (RACY == 0 && t == 0))
      bulkWaitRead();
    if (RACY != 1)
      __syncthreads();
    if (RACY == 2 && t == 0)
      bulkWaitRead();
  }
  if (t == 0)
    bulkWait();
}

int main() {
  int host[kThreads * kChunks], *out = nullptr;
  CHECK(cudaMalloc(&out, sizeof(host)));
  produce<<<1, kThreads>>>(out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(out));
  bool right = true;
  for (int i = 0; i < kThreads * kChunks; ++i)
    right = right && host[i] == i / kThreads * 1000 + i % kThreads;
  return verdict(right);
}
