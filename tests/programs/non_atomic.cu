// scopesan-test: system-scope atomics on memory where the platform does not make them atomic
//
// Attributes that the options here set are the CPU backend's: what a GPU says of itself nobody changes. Without options
// the headers are those of a GPU behind PCIe: no native atomics towards the host, concurrent managed access.
//
// variant device_memory
//   why device memory that one GPU uses
//   verdict clean
//   proof D6
// variant pinned_load_store -DPINNED -DSTORE
//   why naturally aligned loads and stores of mapped memory are atomic
//   verdict clean
//   proof D6
// variant pinned_native -DPINNED
//   label full
//   options --host-native-atomics=1
//   verdict clean
//   backends cpu
//   proof D6
// variant pinned_device_scope -DPINNED -DSCOPE=cuda::thread_scope_device
//   why an operation of narrower scope is always atomic
//   verdict clean
//   label full
//   proof D6
// variant pinned_rmw -DPINNED -DRACY=1
//   why without hostNativeAtomicSupported an RMW of mapped memory is not atomic
//   verdict findings
//   require D6 update update
//   proof D6
// variant pinned_rmw_alone -DPINNED -DALONE
//   why nobody else touches the object in this run
//   verdict clean
//   advise non-atomic-memory nobody update
//   proof D6 A1
// variant managed -DMANAGED
//   why concurrentManagedAccess is the default of this device
//   verdict clean
//   proof D6
// variant managed_without_concurrent_access -DMANAGED -DRACY=2
//   label full
//   options --concurrent-managed-access=0
//   verdict findings
//   require D6 update update
//   backends cpu
//   proof D6
#include "check.h"

#include <cuda/atomic>

#ifndef SCOPE
#define SCOPE cuda::thread_scope_system
#endif
#ifdef ALONE
constexpr int kThreads = 1;
#else
constexpr int kThreads = 64;
#endif

__global__ void count(int *data) {
  cuda::atomic_ref<int, SCOPE> counter(*data);
#ifdef STORE
  if (counter.load(cuda::memory_order_relaxed) == 0)     // @read
    counter.store(kThreads, cuda::memory_order_relaxed); // @write
#else
  counter.fetch_add(1, cuda::memory_order_relaxed); // @update
#endif
}

int main() {
  int *data = nullptr;
#ifdef PINNED
  CHECK(cudaMallocHost(&data, sizeof(int)));
#elif defined(MANAGED)
  CHECK(cudaMallocManaged(&data, sizeof(int)));
#else
  CHECK(cudaMalloc(&data, sizeof(int)));
#endif
  CHECK(cudaMemset(data, 0, sizeof(int)));
  CHECK(cudaDeviceSynchronize());
  count<<<1, kThreads>>>(data);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  int out = 0;
  CHECK(cudaMemcpy(&out, data, sizeof(int), cudaMemcpyDefault));
#ifdef PINNED
  CHECK(cudaFreeHost(data));
#else
  CHECK(cudaFree(data));
#endif
  return verdict(out == kThreads);
}
