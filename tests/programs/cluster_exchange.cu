// scopesan-test: the blocks of a cluster read each other's shared memory
//
// variant fixed
//   why the first cluster barrier publishes the values, the second keeps the memory alive
//   verdict clean
//   proof S9 D8
//   litmus SPEC2/cluster-default
// variant no_barrier -DRACY=1
//   why nothing orders the peer's store before the read, or tells that the peer has started
//   verdict findings
//   require D1 produce(store,weak) consume(load,weak) memory=value distance=same-cluster
//   require D8 nobody consume(load,weak) memory=value
//   proof S9 D1 D8
// variant relaxed_arrival -DRACY=2
//   why arrive.relaxed publishes nothing, not even that the peer has started
//   verdict findings
//   require D1 produce(store,weak) consume(load,weak) memory=value distance=same-cluster
//   require D8 nobody consume(load,weak) memory=value
//   proof S9 D1 D8
// variant early_exit -DRACY=3
//   why the peer may have ended when its memory is read
//   verdict findings
//   require D8 nobody consume(load,weak) memory=value
//   proof D8
//   litmus SPEC2/dsmem-exit
// variant fenced_relaxed -DFENCED
//   why a release fence at cluster scope before the relaxed arrival publishes what precedes it
//   verdict clean
//   proof S9 D8
//   litmus SPEC2/cluster-fence-then-relaxed
// variant fenced_too_narrow -DFENCED -DRACY=4
//   why a fence at block scope does not reach the peer
//   verdict findings
//   require D3 produce(store,weak) consume(load,weak) blame=narrow_fence:cluster memory=value distance=same-cluster
//   require D8 nobody consume(load,weak) memory=value
//   proof S9 D3 D8
#include "check.h"

constexpr int kThreads = 32, kBlocks = 4;

__device__ unsigned mapped(const void *p, unsigned rank) {
  unsigned shared = unsigned(__cvta_generic_to_shared(p)), peer;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(peer) : "r"(shared), "r"(rank));
  return peer;
}
__device__ void meet() {
#if RACY == 4
  asm volatile("fence.acq_rel.cta;" ::: "memory"); // @narrow_fence
#elif defined(FENCED)
  asm volatile("fence.acq_rel.cluster;" ::: "memory");
#endif
#if RACY == 2 || defined(FENCED)
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#else
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
#endif
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

__global__ void exchange(int *out) {
  __shared__ int value[kThreads];
  unsigned rank, size;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  value[threadIdx.x] = int(blockIdx.x * kThreads + threadIdx.x); // @produce
#if RACY != 1
  meet();
#endif
  int read;
  asm volatile("ld.shared::cluster.s32 %0, [%1];" // @consume
               : "=r"(read)
               : "r"(mapped(&value[threadIdx.x], (rank + 1) % size))
               : "memory");
  out[blockIdx.x * kThreads + threadIdx.x] = read;
#if RACY != 3
  meet();
#endif
}

int main() {
  int host[kBlocks * kThreads], *out = nullptr;
  CHECK(cudaMalloc(&out, sizeof(host)));
  cudaLaunchAttribute shape[1];
  shape[0].id = cudaLaunchAttributeClusterDimension;
  shape[0].val.clusterDim = {2, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = kBlocks;
  config.blockDim = kThreads;
  config.attrs = shape;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, exchange, out));
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(out));
  bool right = true;
  for (int i = 0; i < kBlocks * kThreads; ++i)
    right = right && host[i] == (i ^ kThreads);
  return verdict(right);
}
