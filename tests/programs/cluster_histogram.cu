// scopesan-test: the blocks of a cluster share a histogram that is spread over their shared memory
//
// variant fixed -D_CG_CLUSTER_INTRINSICS_AVAILABLE
//   why cluster.sync lies between clearing, counting and reading, and keeps the memory alive
//   verdict clean
//   proof S9 D8
// variant block_sync -D_CG_CLUSTER_INTRINSICS_AVAILABLE -DRACY=1
//   why __syncthreads does not order what the peers counted
//   verdict findings
//   require D1 count read(load,weak) memory=bins distance=same-cluster
//   proof S7 S9 D1
// variant cleared_too_late -D_CG_CLUSTER_INTRINSICS_AVAILABLE -DRACY=2
//   why a peer may count before the bin is cleared, or before its block has started
//   verdict findings
//   require D1 clear(store,weak) count memory=bins distance=same-cluster
//   require D8 nobody count memory=bins
//   proof S9 D1 D8
// variant early_exit -D_CG_CLUSTER_INTRINSICS_AVAILABLE -DRACY=3
//   why a peer may still count in the memory of a block that has ended
//   verdict findings
//   require D8 nobody count memory=bins
//   proof D8
#include "check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;
constexpr int kClusters = 2, kBlocks = 4, kThreads = 32, kBins = 64, kOwn = kBins / kBlocks;

__global__ void histogram(const int *in, int *out) {
  __shared__ int bins[kOwn];
  cg::cluster_group cluster = cg::this_cluster();
  const int i = int(threadIdx.x), rank = int(cluster.block_rank());
  if (i < kOwn)
    bins[i] = 0; // @clear
#if RACY == 2
  __syncthreads();
#else
  cluster.sync();
#endif
  const int bin = in[blockIdx.x * kThreads + unsigned(i)];
  int *theirs = cluster.map_shared_rank(bins, unsigned(bin / kOwn));
  atomicAdd(theirs + bin % kOwn, 1); // @count
#if RACY == 1
  __syncthreads();
#elif RACY != 3
  cluster.sync();
#endif
#if RACY != 3
  if (i < kOwn)
    out[int(blockIdx.x) / kBlocks * kBins + rank * kOwn + i] = bins[i]; // @read
#endif
#if RACY == 1
  cluster.sync();
#endif
}

int main() {
  constexpr int n = kClusters * kBlocks * kThreads;
  int host[n], counts[kClusters * kBins], expected[kClusters * kBins] = {};
  for (int i = 0; i < n; ++i) {
    host[i] = i * 7 % kBins;
    ++expected[i / (kBlocks * kThreads) * kBins + host[i]];
  }
  int *in = nullptr, *out = nullptr;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(counts)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  cudaLaunchAttribute shape[1];
  shape[0].id = cudaLaunchAttributeClusterDimension;
  shape[0].val.clusterDim = {kBlocks, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = kClusters * kBlocks;
  config.blockDim = kThreads;
  config.attrs = shape;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, histogram, (const int *)in, out));
  CHECK(cudaMemcpy(counts, out, sizeof(counts), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  bool right = true;
  for (int i = 0; i < kClusters * kBins; ++i)
    right = right && counts[i] == expected[i];
  return verdict(right);
}
