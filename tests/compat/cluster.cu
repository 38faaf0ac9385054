// scopesan-compat: cluster groups, and a cluster size that is compiled into the kernel
// plain (this_cluster|cluster_group)
// flags -std=c++17
// ptx \.reqnctapercluster 2, 1, 1
// may-be-incomplete barrier.cluster
#include "check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <int Size> __global__ void __cluster_dims__(Size, 1, 1) ranks(unsigned *out) {
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0)
    out[blockIdx.x] = 10 * cluster.num_blocks() + cluster.block_rank();
}

int main() {
  unsigned *out, host[6];
  CHECK(cudaMalloc(&out, sizeof host));
  ranks<2><<<6, 32>>>(out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  bool right = true;
  for (unsigned i = 0; i < 6; ++i)
    right = right && host[i] == 20 + i % 2;
  // A grid that the cluster does not divide cannot be launched.
  ranks<4><<<6, 32>>>(out);
  return verdict(right && cudaGetLastError() != cudaSuccess);
}
