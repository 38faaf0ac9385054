// scopesan-test: only the value read counts: another thread's relaxed store replaces a release
//
// Block 0 releases the flag, block 1 sees it, replaces or extends it and tells block 2 through
// `replaced`, so that block 2 reads the flag's last value on every schedule.
//
// variant extended
//   why block 1's relaxed RMW extends the release sequence, so block 2 acquires block 0's release
//   verdict clean
//   may-advise progress-not-promised flag_wait flag_store
//   may-advise progress-not-promised replaced_load replaced_store
//   may-advise unordered-strong
//   proof S3 S4
// variant replaced -DRACY
//   why block 1's relaxed store carries nothing older, and block 1 itself acquired nothing
//   verdict findings
//   require D1 x_store(store,weak) x_load(load,weak) memory=x distance=same-grid
//   may-advise progress-not-promised flag_wait flag_store
//   may-advise progress-not-promised replaced_load replaced_store
//   may-advise unordered-strong
//   proof S4 D1
// variant republished -DREPUBLISH
//   why block 1 acquires before it stores, and its store is a release: cumulativity
//   verdict clean
//   may-advise progress-not-promised flag_wait flag_store
//   may-advise progress-not-promised replaced_load replaced_store
//   may-advise unordered-strong
//   proof S4 S6
#include "check.h"
#include <cuda/atomic>

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;
#ifdef REPUBLISH
constexpr auto kWait = cuda::memory_order_acquire, kReplace = cuda::memory_order_release;
#else
constexpr auto kWait = cuda::memory_order_relaxed;
[[maybe_unused]] constexpr auto kReplace = cuda::memory_order_relaxed;
#endif

__device__ int x = 0;
__device__ int flag = 0;
__device__ int replaced = 0;

__global__ void relay(int *seen) {
  if (blockIdx.x == 0) {
    x = 42;                                          // @x_store
    Flag(flag).store(1, cuda::memory_order_release); // @flag_store
  } else if (blockIdx.x == 1) {
    while (Flag(flag).load(kWait) != 1) { // @flag_wait
    }
#if defined(RACY) || defined(REPUBLISH)
    Flag(flag).store(2, kReplace); // @flag_replace
#else
    Flag(flag).fetch_add(1, cuda::memory_order_relaxed); // @flag_extend
#endif
    Flag(replaced).store(1, cuda::memory_order_release); // @replaced_store
  } else {
    while (Flag(replaced).load(cuda::memory_order_acquire) != 1) { // @replaced_load
    }
    if (Flag(flag).load(cuda::memory_order_acquire) == 2) // @flag_load
      *seen = x;                                          // @x_load
  }
}

int main() {
  int *seen = nullptr, value = 0;
  CHECK(cudaMalloc(&seen, sizeof(int)));
  relay<<<3, 1>>>(seen);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&value, seen, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(seen));
  return verdict(value == 42);
}
