// scopesan-test: a bulk copy fills a tile, the block changes it, another bulk copy stores it
//
// variant fixed
//   why the copies complete on an mbarrier and in a bulk group; a proxy fence lies before the second
//   verdict clean
//   proof S12 S13
// variant no_wait -DRACY=1
//   why the tile is changed while it is being filled
//   verdict findings
//   require D10 fill change memory=tile
//   allow   D10 fill drain memory=tile
//   allow   D10 fill reuse memory=tile
//   proof S12 D10
// variant no_proxy_fence -DRACY=2
//   why the async proxy need not see what the block wrote
//   verdict findings
//   require D9 change(store,weak) drain memory=tile
//   proof S13 D9
// variant early_reuse -DRACY=3
//   why the tile is written again while the second copy may still read it
//   verdict findings
//   require D10 drain reuse(store,weak) memory=tile
//   proof S12 D10
#include "check.h"

constexpr int kThreads = 64;

__device__ unsigned address(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }

__device__ void fill(int *tile, const int *in, unsigned long long *full) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(full)),
               "r"(kThreads * 4)
               : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, " // @fill
               "[%3];" ::"r"(address(tile)),
               "l"(in), "r"(kThreads * 4), "r"(address(full))
               : "memory");
}

__global__ void __launch_bounds__(kThreads) tile(int *out, const int *in) {
  __shared__ alignas(16) int tile[kThreads];
  __shared__ unsigned long long full;
  const int i = int(threadIdx.x);
  if (i == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&full)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
  }
  __syncthreads();
  if (i == 0)
    fill(tile, in, &full);
#if RACY != 1
  asm volatile("{\n\t.reg .pred P1;\n\tLAB_WAIT:\n\t"
               "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n\t"
               "@P1 bra DONE;\n\tbra LAB_WAIT;\n\tDONE:\n\t}" ::"r"(address(&full)),
               "r"(0)
               : "memory");
#endif
  tile[i] += 1; // @change
#if RACY != 2
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
  __syncthreads();
  if (i == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out), // @drain
                 "r"(address(tile)), "r"(kThreads * 4)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#if RACY != 3
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
    tile[0] = 0; // @reuse
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

int main() {
  int host[kThreads], *in = nullptr, *out = nullptr;
  for (int i = 0; i < kThreads; ++i)
    host[i] = 5 * i;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  tile<<<1, kThreads>>>(out, in);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  bool right = true;
  for (int i = 0; i < kThreads; ++i)
    right = right && host[i] == 5 * i + 1;
  return verdict(right);
}
