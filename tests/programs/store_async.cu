// scopesan-test: st.async and red.async write to a cluster peer and complete on its mbarrier
//
// variant fixed
//   why complete_tx releases the stored bytes to whoever waits on the mbarrier
//   why reductions are relaxed at cluster scope
//   verdict clean
//   proof S12
//   litmus SPEC2/stasync SPEC2/redasync
// variant no_wait -DRACY=1
//   why the values are read while they may still arrive
//   why also those that reductions change
//   verdict findings
//   require D10 send take(load,weak) memory=value
//   allow   D10 add take(load,weak) memory=sum
//   allow   D8 nobody send memory=value
//   allow   D8 nobody add memory=sum
//   proof S12 D10
//   litmus SPEC2/stasync-nowait SPEC2/redasync-plainread
// variant issuer_data -DRACY=2
//   why only the copy's own bytes are released, not what its issuer wrote before
//   verdict findings
//   require D1 before(store,weak) after(load,weak) distance=same-cluster
//   proof S12 D1
#include "check.h"

constexpr int kThreads = 32;

__device__ unsigned address(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }
__device__ unsigned mapped(const void *p, unsigned rank) {
  unsigned peer;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(peer) : "r"(address(p)), "r"(rank));
  return peer;
}
__device__ void meet() {
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

__global__ void exchange(int *out, int *side) {
  __shared__ int value[kThreads], sum;
  __shared__ unsigned long long full;
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  const unsigned peer = rank ^ 1;
  const int i = int(threadIdx.x), me = int(rank) * kThreads + i;
  if (i == 0) {
    sum = 0;
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&full)) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(&full)),
                 "r"(2 * 4 * kThreads)
                 : "memory");
  }
  meet();
  side[me] = me; // @before
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" // @send
               ::"r"(mapped(&value[i], peer)), "r"(me), "r"(mapped(&full, peer))
               : "memory");
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 " // @add
               "[%0], %1, [%2];" ::"r"(mapped(&sum, peer)),
               "r"(1), "r"(mapped(&full, peer))
               : "memory");
#if RACY != 1
  unsigned done = 0;
  while (!done)
    asm volatile("{\n\t.reg .pred p;\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n\t"
                 "selp.u32 %0, 1, 0, p;\n\t}"
                 : "=r"(done)
                 : "r"(address(&full))
                 : "memory");
#endif
  int got = value[i] + (sum == kThreads); // @take
#if RACY == 2
  if (side[peer * kThreads + i] < 0) // @after
    got = -1;
#endif
  out[me] = got;
  meet();
}

int main() {
  int host[2 * kThreads], *out = nullptr, *side = nullptr;
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMalloc(&side, sizeof(host)));
  cudaLaunchAttribute shape[1];
  shape[0].id = cudaLaunchAttributeClusterDimension;
  shape[0].val.clusterDim = {2, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = 2;
  config.blockDim = kThreads;
  config.attrs = shape;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, exchange, out, side));
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(out));
  CHECK(cudaFree(side));
  bool right = true;
  for (int i = 0; i < 2 * kThreads; ++i)
    right = right && host[i] == (i ^ kThreads) + 1;
  return verdict(right);
}
