// scopesan-test: a block tells its cluster leader by a remote mbarrier arrival that its shared part is ready
//
// variant fixed
//   why arrival and wait have cluster semantics
//   verdict clean
//   proof S9 S10
// variant block_scope -DRACY=1 -DARRIVE=cta -DWAIT=cta
//   why both end at the block, and the two are in different blocks
//   verdict findings
//   require D2 arrive wait blame=arrive:cluster,wait:cluster memory=ready
//   require D3 put(store,weak) take(load,weak) blame=arrive:cluster,wait:cluster memory=part distance=same-cluster
//   proof S10 D2 D3
// variant block_scope_wait -DRACY=2 -DARRIVE=cluster -DWAIT=cta
//   verdict findings
//   require D2 arrive wait blame=wait:cluster memory=ready
//   require D3 put(store,weak) take(load,weak) blame=wait:cluster memory=part distance=same-cluster
//   proof S10 D2 D3
#include "check.h"
#include "hopper.h"

#ifndef ARRIVE
#define ARRIVE cluster
#define WAIT cluster
#endif
#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)
constexpr int kThreads = 32, kBlocks = 4;

__global__ void gather(int *out) {
  __shared__ int part[kThreads];
  __shared__ uint64_t ready;
  const int t = int(threadIdx.x);
  if (t == 0) {
    mbarrierInit(&ready, kThreads);
    shareMbarriers();
  }
  clusterSync();
  if (clusterRank() == 1) {
    part[t] = int(blockIdx.x) * 100 + t;                                                 // @put
    asm volatile("mbarrier.arrive.release." TEXT(ARRIVE) ".shared::cluster.b64 _, [%0];" // @arrive
                 ::"r"(peerAddress(&ready, 0))
                 : "memory");
  } else {
    unsigned done = 0;
    while (!done)
      asm volatile("{\n\t.reg .pred p;\n\t" // @wait
                   "mbarrier.try_wait.parity.acquire." TEXT(WAIT) ".shared::cta.b64 p, [%1], 0;\n\t"
                                                                  "selp.u32 %0, 1, 0, p;\n\t}"
                   : "=r"(done)
                   : "r"(address(&ready))
                   : "memory");
    int peer;
    asm volatile("ld.shared::cluster.s32 %0, [%1];" // @take
                 : "=r"(peer)
                 : "r"(peerAddress(&part[t], 1))
                 : "memory");
    out[blockIdx.x / 2 * kThreads + t] = peer;
  }
  clusterSync(); // the part lives until it has been read
}

int main() {
  int host[kBlocks / 2 * kThreads], *out = nullptr;
  CHECK(cudaMalloc(&out, sizeof(host)));
  cudaLaunchAttribute shape[1];
  shape[0].id = cudaLaunchAttributeClusterDimension;
  shape[0].val.clusterDim = {2, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = kBlocks;
  config.blockDim = kThreads;
  config.attrs = shape;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, gather, out));
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(out));
  bool right = true;
  for (int i = 0; i < kBlocks / 2 * kThreads; ++i)
    right = right && host[i] == (2 * (i / kThreads) + 1) * 100 + i % kThreads;
  return verdict(right);
}
