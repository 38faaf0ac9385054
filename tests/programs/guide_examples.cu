// scopesan-test: small examples of the CUDA documents about memory and execution
//
// variant block_scope_flag -DCASE=1 -DRACY
//   why the flag's block scope does not reach the other block
//   verdict findings
//   require D2 flag_store(store,release,block) flag_load blame=flag_store:device
//   require D3 x_store x_load blame=flag_store:device
//   may-advise progress-not-promised flag_store flag_load
//   litmus DOC/cuda-mp-blockscope
//   proof S3 D2 D3
// variant device_scope_flag -DCASE=1 -DFLAG_SCOPE=cuda::thread_scope_device
//   verdict clean
//   may-advise progress-not-promised flag_store flag_load
//   proof S3
// variant two_variables -DCASE=2 -DRACY
//   why plain accesses of two threads
//   verdict findings
//   require D1 write_x(store) read_x(load)
//   require D1 write_y(store) read_y(load)
//   litmus DOC/pg-writeXY-readXY
//   proof D1
// variant fences_between -DCASE=3 -DRACY
//   why fences without a strong flag order nothing that the other thread could rely on
//   verdict findings
//   require D1 write_x(store) read_x(load)
//   require D1 write_y(store) read_y(load)
//   litmus DOC/pg-writeXY-readXY-fences
//   proof S5 D1
// variant peer_in_the_block -DCASE=4
//   why an atomic in a spin loop of one block: both threads make progress
//   verdict clean
//   may-advise unordered-strong
//   litmus DOC/Execution.Model.Device.0
//   proof D12
// variant barrier_only -DCASE=5
//   verdict clean
//   litmus DOC/Execution.Model.API.1
//   proof D12
#include "check.h"

#include <cuda/atomic>

#ifndef FLAG_SCOPE
#define FLAG_SCOPE cuda::thread_scope_block
#endif

__device__ int x, y, flag, out[2];

__global__ void example() {
#if CASE == 1
  if (blockIdx.x == 0) {
    x = 42; // @x_store
    cuda::atomic_ref<int, FLAG_SCOPE>(flag).store(1, cuda::memory_order_release); // @flag_store
  } else {
    cuda::atomic_ref<int, cuda::thread_scope_device> f(flag);
    while (f.load(cuda::memory_order_acquire) != 1) // @flag_load
      ;
    out[0] = x; // @x_load
  }
#elif CASE == 2 || CASE == 3
  if (blockIdx.x == 0) {
    x = 10; // @write_x
#if CASE == 3
    __threadfence();
#endif
    y = 20; // @write_y
  } else {
    out[1] = y; // @read_y
#if CASE == 3
    __threadfence();
#endif
    out[0] = x; // @read_x
  }
#elif CASE == 4
  cuda::atomic_ref<int, cuda::thread_scope_device> f(flag);
  if (threadIdx.x == 0) {
    while (f.load(cuda::memory_order_relaxed) == 0)
      ;
  } else {
    f.store(1, cuda::memory_order_relaxed);
  }
#elif CASE == 5
  out[threadIdx.x] = 1;
  __syncthreads();
#endif
}

int main() {
#if CASE <= 3
  example<<<2, 1>>>();
#else
  example<<<1, 2>>>();
#endif
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
#if CASE == 1
  int result[2];
  CHECK(cudaMemcpyFromSymbol(result, out, sizeof(result)));
  return verdict(result[0] == 42);
#else
  return 0;
#endif
}
