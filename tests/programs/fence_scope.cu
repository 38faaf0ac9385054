// scopesan-test: message passing through fences and a relaxed flag: both need the scope
//
// variant fixed
//   verdict clean
//   may-advise progress-not-promised flag_load flag_store
//   proof S1 S2 S3 P4
// variant narrow_release_fence -DRACY=1
//   why a narrow fence spoils a wide flag
//   verdict findings
//   label full
//   require D3 x_store(store,weak) x_load(load,weak) blame=release_fence:device memory=x
//   may-advise progress-not-promised flag_load flag_store
//   proof S1 S3 D3
// variant narrow_flag_store -DRACY=2
//   why a wide fence does not save a narrow flag
//   verdict findings
//   require D2 flag_store(store,relaxed,block) flag_load(load,relaxed,device)
//   ... blame=flag_store:device memory=flag
//   require D3 x_store x_load blame=flag_store:device memory=x
//   may-advise progress-not-promised flag_load flag_store
//   proof S3 D2 D3
// variant narrow_acquire_fence -DRACY=3
//   verdict findings
//   require D3 x_store x_load blame=acquire_fence:device memory=x
//   may-advise progress-not-promised flag_load flag_store
//   proof S2 S3 D3
// variant narrow_fences -DRACY=4
//   verdict findings
//   require D3 x_store x_load blame=release_fence:device,acquire_fence:device memory=x
//   may-advise progress-not-promised flag_load flag_store
//   proof S1 S2 S3 D3
// variant narrow_flag_load -DRACY=5
//   why on an H200 this spin did not end (the L1 cache may serve a block-scope load): CPU only
//   label full
//   backends cpu
//   verdict findings
//   require D2 flag_store(store,relaxed,device) flag_load(load,relaxed,block)
//   ... blame=flag_load:device memory=flag
//   require D3 x_store x_load blame=flag_load:device memory=x
//   may-advise progress-not-promised flag_load flag_store
//   proof S3 D2 D3
// variant wide_then_narrow_fence -DWIDE_THEN_NARROW
//   why release patterns coexist: the narrower second fence takes nothing back
//   verdict clean
//   may-advise progress-not-promised flag_load flag_store
//   proof S1
// variant narrow_then_wide_fence -DNARROW_THEN_WIDE
//   why the read stays pending after a fence that is too narrow for it
//   verdict clean
//   label full
//   may-advise progress-not-promised flag_load flag_store
//   proof S2
#include "check.h"
#include <cuda/atomic>

constexpr auto kDevice = cuda::thread_scope_device, kBlock = cuda::thread_scope_block;
#ifdef RACY
constexpr int kFault = RACY;
#else
constexpr int kFault = 0;
#endif
constexpr auto kReleaseFence = kFault == 1 || kFault == 4 ? kBlock : kDevice;
constexpr auto kAcquireFence = kFault == 3 || kFault == 4 ? kBlock : kDevice;
constexpr auto kStore = kFault == 2 ? kBlock : kDevice;
constexpr auto kLoad = kFault == 5 ? kBlock : kDevice;

__device__ int x = 0;
__device__ int flag = 0;

__global__ void pass(int *seen) {
  if (blockIdx.x == 0) {
    x = 42;                                                               // @x_store
    cuda::atomic_thread_fence(cuda::memory_order_release, kReleaseFence); // @release_fence
#ifdef WIDE_THEN_NARROW
    cuda::atomic_thread_fence(cuda::memory_order_release, kBlock);
#endif
    cuda::atomic_ref<int, kStore> f(flag);
    f.store(1, cuda::memory_order_relaxed); // @flag_store
  } else {
    cuda::atomic_ref<int, kLoad> f(flag);
    while (f.load(cuda::memory_order_relaxed) != 1) { // @flag_load
    }
#ifdef NARROW_THEN_WIDE
    cuda::atomic_thread_fence(cuda::memory_order_acquire, kBlock);
#endif
    cuda::atomic_thread_fence(cuda::memory_order_acquire, kAcquireFence); // @acquire_fence
    *seen = x;                                                            // @x_load
  }
}

int main() {
  int *seen = nullptr, value = 0;
  CHECK(cudaMalloc(&seen, sizeof(int)));
  pass<<<2, 1>>>(seen);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&value, seen, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(seen));
  return verdict(value == 42);
}
