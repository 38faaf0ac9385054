// scopesan-test: a plain read of a counter whose atomic update the thread has observed
//
// variant observed -DOBSERVED
//   why only the observed value orders the update before the plain read, and CUDA C++ has no such rule
//   options --advise
//   verdict clean
//   advise observation-only update plain_read
//   may-advise progress-not-promised wait update
//   proof S16 A1
// variant synchronized
//   why the update releases and the wait acquires
//   options --advise
//   verdict clean
//   may-advise progress-not-promised wait update
//   proof S1 S2 S3
// variant cxx -DOBSERVED -DRACY
//   options --advise --memory-model=c++
//   verdict findings
//   require D1 update plain_read memory=counter distance=same-grid
//   may-advise progress-not-promised wait update
//   proof S16 D1
#include "check.h"
#include <cuda/atomic>

#ifdef OBSERVED
constexpr auto kUpdate = cuda::memory_order_relaxed, kWait = cuda::memory_order_relaxed;
#else
constexpr auto kUpdate = cuda::memory_order_release, kWait = cuda::memory_order_acquire;
#endif

__device__ int counter = 0;

__global__ void count(int *seen) {
  cuda::atomic_ref<int, cuda::thread_scope_device> shared(counter);
  if (blockIdx.x == 0) {
    shared.fetch_add(41, kUpdate); // @update
  } else {
    while (shared.load(kWait) == 0) { // @wait
    }
    *seen = counter + 1; // @plain_read
  }
}

int main() {
  int *seen = nullptr, value = 0;
  CHECK(cudaMalloc(&seen, sizeof(int)));
  count<<<2, 1>>>(seen);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&value, seen, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(seen));
  return verdict(value == 42);
}
