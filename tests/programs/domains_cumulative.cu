// scopesan-test: the guide's three threads: what one kernel writes reaches the host through another one
//
// Device scope between the kernels, system scope towards the host: cumulativity carries the first
// kernel's write to the host, unless the kernels are in different memory-synchronization domains.
//
// variant one_domain -fscopesan-host
//   verdict clean
//   may-advise progress-not-promised
//   proof P4 P6 S6 S15
// variant two_domains -fscopesan-host -DREMOTE -DRACY=1
//   why device scope does not reach the other domain: a needs system scope
//   verdict findings
//   require D4 x_store second_load blame=a_store:system,a_load:system distance=between-domains
//   allow D4 a_store a_load
//   allow D4 x_store host_load
//   may-advise progress-not-promised
//   proof P4 P6 D4
// variant system_scope -fscopesan-host -DREMOTE -DSCOPE=cuda::thread_scope_system
//   verdict clean
//   may-advise progress-not-promised
//   proof P4 P6 S6
// variant device_with_one_domain -fscopesan-host -DREMOTE
//   label full
//   options --domains=1
//   verdict clean
//   may-advise progress-not-promised
//   backends cpu
//   proof P6
// variant narrow_towards_the_host -fscopesan-host -DHOST_SCOPE=cuda::thread_scope_device -DRACY=2
//   why device scope does not include the host
//   verdict findings
//   require D2 b_store b_load blame=b_store:system distance=host-device
//   require D3 x_store host_load blame=b_store:system distance=host-device
//   may-advise progress-not-promised
//   proof P4 D2 D3
#include "check.h"

#include <cuda/atomic>

#ifndef SCOPE
#define SCOPE cuda::thread_scope_device
#endif
#ifndef HOST_SCOPE
#define HOST_SCOPE cuda::thread_scope_system
#endif

struct Shared {
  int x, a, b, seen;
};

__global__ void first(Shared *s) {
  s->x = 1;                                                              // @x_store
  cuda::atomic_ref<int, SCOPE>(s->a).store(1, cuda::memory_order_release); // @a_store
}

__global__ void second(Shared *s) {
  cuda::atomic_ref<int, SCOPE> a(s->a);
  while (a.load(cuda::memory_order_acquire) != 1) // @a_load
    ;
  s->seen = s->x; // @second_load
  cuda::atomic_ref<int, HOST_SCOPE>(s->b).store(1, cuda::memory_order_release); // @b_store
}

int main() {
  Shared *s = nullptr;
  CHECK(cudaMallocManaged(&s, sizeof(Shared)));
  *s = {};
  cudaStream_t streams[3];
  for (cudaStream_t &stream : streams)
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  first<<<1, 1, 0, streams[0]>>>(s);
  cudaLaunchConfig_t config = {};
  config.gridDim = config.blockDim = dim3(1);
  config.stream = streams[1];
  cudaLaunchAttribute attribute[1] = {};
  attribute[0].id = cudaLaunchAttributeMemSyncDomain;
  attribute[0].val.memSyncDomain = cudaLaunchMemSyncDomainRemote;
  config.attrs = attribute;
#ifdef REMOTE
  config.numAttrs = 1;
#endif
  CHECK(cudaLaunchKernelEx(&config, second, s));
  cuda::atomic_ref<int, cuda::thread_scope_system> b(s->b);
  while (b.load(cuda::memory_order_acquire) != 1) // @b_load
    CHECK(cudaStreamQuery(streams[2]));
  bool right = s->x == 1; // @host_load
  CHECK(cudaDeviceSynchronize());
  right = right && s->seen == 1;
  for (cudaStream_t stream : streams)
    CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(s));
  return verdict(right);
}
