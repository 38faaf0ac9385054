// scopesan-test: a copy from pool memory, a cluster barrier and a flag to another memory-sync domain
//
// Block 0 of a cluster loads a value from stream-ordered memory (cp.async), passes it to block 1 over the
// cluster barrier; block 1 tells a kernel in another domain, which hands the sum to the host in
// mapped memory.
//
// variant fixed -D_CG_CLUSTER_INTRINSICS_AVAILABLE
//   why every step of the way is wide enough
//   verdict clean
//   may-advise progress-not-promised publish await
//   proof S9 S12 S3 P6
// variant device_scope -D_CG_CLUSTER_INTRINSICS_AVAILABLE -DRACY=1
//   why what block 0 wrote goes the same way as what block 1 wrote
//   verdict findings
//   require D4 first_write sum blame=publish:system,await:system distance=between-domains
//   require D4 second_write sum blame=publish:system,await:system distance=between-domains
//   allow D4 publish await
//   may-advise progress-not-promised publish await
//   proof P6 P4 S9 D4
// variant relaxed_arrival -D_CG_CLUSTER_INTRINSICS_AVAILABLE -DRACY=2
//   why the arrival of block 0 publishes nothing, what block 1 itself wrote is ordered
//   verdict findings
//   require D1 first_write sum distance=between-domains
//   may-advise progress-not-promised publish await
//   proof S9 D1
// variant copy_in_flight -D_CG_CLUSTER_INTRINSICS_AVAILABLE -DRACY=3
//   why the copy is waited for after its destination was read
//   verdict findings
//   require D10 copy staged_read memory=staged
//   may-advise progress-not-promised publish await
//   proof S12 D10
// variant freed_in_another_stream -D_CG_CLUSTER_INTRINSICS_AVAILABLE -DRACY=4
//   why the stream that frees the memory follows neither kernel
//   verdict findings
//   require D8 copy api:cudaFreeAsync
//   allow D8 api:cudaMemcpyAsync api:cudaFreeAsync
//   may-advise progress-not-promised publish await
//   proof S14 D8
#include "check.h"

#include <cooperative_groups.h>
#include <cuda/atomic>

#ifndef RACY
#define RACY 0
#endif

namespace cg = cooperative_groups;
constexpr auto kScope = RACY == 1 ? cuda::thread_scope_device : cuda::thread_scope_system;
using Flag = cuda::atomic_ref<int, kScope>;

__device__ int first, second, ready;

__global__ void produce(const int *in) {
  __shared__ int staged;
  if (blockIdx.x == 0) {
    unsigned to = unsigned(__cvta_generic_to_shared(&staged));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in) : "memory"); // @copy
#if RACY != 3
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
    int got = staged; // @staged_read
    first = got + 1;  // @first_write
    asm volatile("cp.async.wait_all;" ::: "memory");
  } else {
    second = 2; // @second_write
  }
#if RACY == 2
  asm volatile("barrier.cluster.arrive.relaxed; barrier.cluster.wait;" ::: "memory");
#else
  cg::this_cluster().sync();
#endif
  if (blockIdx.x == 1)
    Flag(ready).store(1, cuda::memory_order_release); // @publish
}

__global__ void consume(int *mapped) {
  while (Flag(ready).load(cuda::memory_order_acquire) == 0) // @await
    ;
  *mapped = first + second; // @sum
}

template <typename... Parameters, typename... Values>
static void launch(cudaStream_t stream, cudaLaunchAttribute attribute, unsigned blocks,
                   void (*kernel)(Parameters...), Values... values) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(1);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, kernel, Parameters(values)...));
}

int main() {
  cudaStream_t a, b, other;
  for (cudaStream_t *s : {&a, &b, &other})
    CHECK(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking));
  int *in = nullptr, *mapped = nullptr;
  const int seven = 7;
  CHECK(cudaHostAlloc(&mapped, sizeof(int), cudaHostAllocMapped));
  CHECK(cudaMallocAsync(&in, sizeof(int), a));
  CHECK(cudaMemcpyAsync(in, &seven, sizeof(int), cudaMemcpyHostToDevice, a));
  cudaLaunchAttribute shape = {}, remote = {};
  shape.id = cudaLaunchAttributeClusterDimension;
  shape.val.clusterDim = {2, 1, 1};
  remote.id = cudaLaunchAttributeMemSyncDomain;
  remote.val.memSyncDomain = cudaLaunchMemSyncDomainRemote;
  launch(a, shape, 2, produce, in);
  launch(b, remote, 1, consume, mapped);
  CHECK(cudaFreeAsync(in, RACY == 4 ? other : a));
  CHECK(cudaStreamSynchronize(b));
  const int sum = *mapped;
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFreeHost(mapped));
  return verdict(sum == 10);
}
