// scopesan-test: a volatile flag between fences is all that orders the data
//
// variant volatile_flag -DVOLATILE_FLAG
//   why in PTX volatile is relaxed at system scope, and so the fences synchronize through the flag
//   options --advise
//   verdict clean
//   advise volatile-sync x_store x_load
//   may-advise progress-not-promised flag_load flag_store
//   proof O2 S1 S2 S3 A1
// variant atomic_flag
//   options --advise
//   verdict clean
//   may-advise progress-not-promised flag_load flag_store
//   proof S1 S2 S3
// variant barrier_as_well -DVOLATILE_FLAG -DSAME_BLOCK
//   why the block's barrier orders the data, whatever the flag does
//   options --advise
//   verdict clean
//   advise over-synchronized release_fence needs=nothing
//   advise over-synchronized acquire_fence needs=nothing
//   proof S7 A1
#include "check.h"
#include <cuda/atomic>

__device__ int x = 0;
#ifdef VOLATILE_FLAG
__device__ volatile int flag = 0;
__device__ void raise() { flag = 1; }            // @flag_store
__device__ bool isRaised() { return flag == 1; } // @flag_load
#else
__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};
__device__ void raise() { flag.store(1, cuda::memory_order_relaxed); }              // @flag_store
__device__ bool isRaised() { return flag.load(cuda::memory_order_relaxed) == 1; }   // @flag_load
#endif

__global__ void pass(int *seen) {
#ifdef SAME_BLOCK
  const bool first = threadIdx.x == 0;
#else
  const bool first = blockIdx.x == 0;
#endif
  if (first) {
    x = 42;          // @x_store
    __threadfence(); // @release_fence
    raise();
  }
#ifdef SAME_BLOCK
  __syncthreads();
#endif
  if (!first) {
#ifndef SAME_BLOCK
    while (!isRaised()) {
    }
#endif
    __threadfence(); // @acquire_fence
    *seen = x;       // @x_load
  }
}

int main() {
  int *seen = nullptr, value = 0;
  CHECK(cudaMalloc(&seen, sizeof(int)));
#ifdef SAME_BLOCK
  pass<<<1, 2>>>(seen);
#else
  pass<<<2, 1>>>(seen);
#endif
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&value, seen, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(seen));
  return verdict(value == 42);
}
