// scopesan-test: the CUDA guide's message passing (5.7.5): block 0 publishes x through the flag f
//
// variant device_scope
//   verdict clean
//   may-advise progress-not-promised f_load f_store
//   proof P4 S1 S2 S3
// variant block_scope -DRACY
//   why the store's scope excludes block 1: the flag races, and so nothing orders x
//   verdict findings
//   require D2 f_store(store,release,block) f_load(load,acquire,device)
//   ... blame=f_store:device memory=f
//   require D3 x_store(store,weak) x_load(load,weak) blame=f_store:device memory=x
//   may-advise progress-not-promised f_load f_store
//   proof P4 S3 D2 D3
// variant one_block -DONE_BLOCK
//   why both threads are in one block, so block scope includes the reader
//   verdict clean
//   proof P4 S3
#include "check.h"
#include <cuda/atomic>

#if defined(RACY) || defined(ONE_BLOCK)
constexpr auto kStoreScope = cuda::thread_scope_block;
#else
constexpr auto kStoreScope = cuda::thread_scope_device;
#endif
#ifdef ONE_BLOCK
constexpr int kBlocks = 1, kThreads = 2;
#else
constexpr int kBlocks = 2, kThreads = 1;
#endif

__device__ int x = 0;
__device__ int f = 0;

__global__ void messagePassing(int *seen) {
  const bool sender = blockIdx.x == 0 && threadIdx.x == 0;
  if (sender) {
    x = 42; // @x_store
    cuda::atomic_ref<int, kStoreScope> flag(f);
    flag.store(1, cuda::memory_order_release); // @f_store
  } else {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(f);
    while (flag.load(cuda::memory_order_acquire) != 1) { // @f_load
    }
    *seen = x; // @x_load
  }
}

int main() {
  int *seen = nullptr;
  CHECK(cudaMalloc(&seen, sizeof(int)));
  CHECK(cudaMemset(seen, 0, sizeof(int)));
  messagePassing<<<kBlocks, kThreads>>>(seen);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  int value = 0;
  CHECK(cudaMemcpy(&value, seen, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(seen));
  printf("x = %d\n", value);
  return verdict(value == 42);
}
