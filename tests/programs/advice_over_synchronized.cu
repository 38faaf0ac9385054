// scopesan-test: scopes and fences that are wider than anybody in the run needs
//
// variant system_scope -DSCOPE=cuda::thread_scope_system
//   why the flag is used by two blocks of one device only
//   options --advise
//   verdict clean
//   advise over-synchronized flag_store(store,release,system) needs=device
//   advise over-synchronized flag_load(load,acquire,system) needs=device
//   may-advise progress-not-promised flag_load flag_store
//   proof S3 P4 A1
// variant device_scope
//   options --advise
//   verdict clean
//   may-advise progress-not-promised flag_load flag_store
//   proof S3 P4 A1
// variant one_block -DONE_BLOCK
//   why both threads are of one block
//   options --advise
//   verdict clean
//   advise over-synchronized flag_store(store,release,device) needs=block
//   advise over-synchronized flag_load(load,acquire,device) needs=block
//   proof S3 P4 A1
// variant spare_fences -DSPARE_FENCES
//   why the operations synchronize by themselves
//   options --advise
//   verdict clean
//   advise over-synchronized spare_release(fence,sc,device) needs=nothing
//   advise over-synchronized spare_acquire(fence,sc,device) needs=nothing
//   may-advise progress-not-promised flag_load flag_store
//   proof S3 O4 A1
// variant host_memory -DSCOPE=cuda::thread_scope_system -DHOST_MEMORY
//   why the host may look at mapped memory while the kernel runs, and is not seen
//   options --advise
//   verdict clean
//   may-advise progress-not-promised flag_load flag_store
//   proof S3 S15 A1
#include "check.h"
#include <cuda/atomic>

#ifndef SCOPE
#define SCOPE cuda::thread_scope_device
#endif
using Flag = cuda::atomic_ref<int, SCOPE>;

__device__ int x = 0;

__global__ void pass(int *flag, int *seen) {
#ifdef ONE_BLOCK
  if (threadIdx.x % 32 != 0) // one thread of each warp
    return;
  const bool first = threadIdx.x == 0;
#else
  const bool first = blockIdx.x == 0;
#endif
  if (first) {
    x = 42;
#ifdef SPARE_FENCES
    __threadfence(); // @spare_release
#endif
    Flag(*flag).store(1, cuda::memory_order_release); // @flag_store
  } else {
    while (Flag(*flag).load(cuda::memory_order_acquire) != 1) { // @flag_load
    }
#ifdef SPARE_FENCES
    __threadfence(); // @spare_acquire
#endif
    *seen = x;
  }
}

int main() {
  int *flag = nullptr, *seen = nullptr, value = 0;
  CHECK(cudaMalloc(&seen, sizeof(int)));
#ifdef HOST_MEMORY
  CHECK(cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped));
  *flag = 0;
#else
  CHECK(cudaMalloc(&flag, sizeof(int)));
  CHECK(cudaMemset(flag, 0, sizeof(int)));
#endif
#ifdef ONE_BLOCK
  pass<<<1, 64>>>(flag, seen);
#else
  pass<<<2, 1>>>(flag, seen);
#endif
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&value, seen, sizeof(int), cudaMemcpyDeviceToHost));
  return verdict(value == 42);
}
