// scopesan-test: one block of a cluster copies a tile into the shared memory of both
//
// variant fixed
//   why each block waits for its own mbarrier
//   verdict clean
//   proof S9 S12
//   litmus SPEC2/bulk-multicast
// variant no_wait -DRACY=1
//   why the second block does not wait for its part, and may have ended when that comes
//   verdict findings
//   require D10 send take(load,weak) memory=tile
//   require D8 nobody send memory=tile
//   proof S12 D8 D10
// variant unshared_init -DRACY=2
//   why the cluster barrier's relaxed arrival does not publish the init
//   verdict findings
//   require D1 init send
//   allow   D8 nobody send
//   allow   D7 send send
//   allow   D10 send take(load,weak) memory=tile
//   exit any
//   may-be-incomplete a kernel ended with an error
//   proof S9 S10 D1
//   litmus SPEC2/mbar-init-cluster-nofence
#include "check.h"
#include "hopper.h"

#ifndef RACY
#define RACY 0
#endif
constexpr int kWords = 32;

__global__ void __cluster_dims__(2, 1, 1) send(int *out, const int *in) {
  __shared__ alignas(128) int tile[kWords];
  __shared__ uint64_t full;
  const int i = int(threadIdx.x);
  const unsigned rank = clusterRank();
  if (i == 0) {
    mbarrierInit(&full, 1); // @init
    if (RACY != 2)
      shareMbarriers();
    mbarrierArriveExpect(&full, sizeof(tile));
  }
  __syncthreads();
#if RACY == 2
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
  asm volatile("barrier.cluster.wait;" ::: "memory");
#else
  clusterSync();
#endif
  if (rank == 0 && i == 0)
    asm volatile( // @send
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
        "[%1], %2, [%3], %4;" ::"r"(address(tile)),
        "l"(in), "r"(kWords * 4), "r"(address(&full)), "h"(uint16_t(3))
        : "memory");
  if (RACY != 1 || rank == 0)
    mbarrierWait(&full, 0);
  out[rank * kWords + i] = tile[i] + int(rank); // @take
  clusterSync();
}

int main() {
  int host[kWords], result[2 * kWords], *in = nullptr, *out = nullptr;
  for (int i = 0; i < kWords; ++i)
    host[i] = 3 * i;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(result)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  send<<<2, kWords>>>(out, in);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  bool right = true;
  for (int i = 0; i < kWords; ++i)
    right = right && result[i] == 3 * i && result[kWords + i] == 3 * i + 1;
  return verdict(right);
}
