// scopesan-test: message passing needs both a release and an acquire: scopes alone do not order
//
// variant fixed
//   verdict clean
//   may-advise progress-not-promised flag_load flag_store
//   proof S1 S2 S3
// variant relaxed_store -DRACY=1
//   verdict findings
//   require D1 x_store(store,weak) x_load(load,weak) memory=x distance=same-grid
//   may-advise progress-not-promised flag_load flag_store
//   may-advise unordered-strong flag_load flag_store
//   proof S1 D1
// variant relaxed_load -DRACY=2
//   verdict findings
//   label full
//   require D1 x_store(store,weak) x_load(load,weak) memory=x distance=same-grid
//   may-advise progress-not-promised flag_load flag_store
//   may-advise unordered-strong flag_load flag_store
//   proof S2 D1
// variant relaxed_both -DRACY=3
//   why the reader observed the flag's store, which orders that store alone (S16)
//   verdict findings
//   require D1 x_store(store,weak) x_load(load,weak) memory=x distance=same-grid
//   may-advise progress-not-promised flag_load flag_store
//   may-advise unordered-strong flag_load flag_store
//   proof S1 S2 S16 D1
#include "check.h"
#include <cuda/atomic>

#ifdef RACY
constexpr int kFault = RACY;
#else
constexpr int kFault = 0;
#endif
constexpr auto kStoreOrder =
    kFault == 1 || kFault == 3 ? cuda::memory_order_relaxed : cuda::memory_order_release;
constexpr auto kLoadOrder =
    kFault == 2 || kFault == 3 ? cuda::memory_order_relaxed : cuda::memory_order_acquire;

__device__ int x = 0;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};

__global__ void pass(int *seen) {
  if (blockIdx.x == 0) {
    x = 42;                     // @x_store
    flag.store(1, kStoreOrder); // @flag_store
  } else {
    while (flag.load(kLoadOrder) != 1) { // @flag_load
    }
    *seen = x; // @x_load
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
