// scopesan-test: several threads report success by storing the same value
//
// variant fixed
//   why the stores are strong and their scope covers the grid
//   verdict clean
//   may-advise unordered-strong found_store found_store
//   proof O1 P4
// variant plain_stores -DRACY=1
//   why that all store 1 is a tag, not a downgrade
//   verdict findings
//   require D1 found_store(store,weak) found_store(store,weak) memory=found hazard=WAW
//   proof D1
// variant block_scope_stores -DRACY=2
//   verdict findings
//   require D2 found_store(store,relaxed,block) found_store(store,relaxed,block)
//   ... blame=found_store:device memory=found hazard=WAW distance=same-grid
//   proof P4 D2
#include "check.h"
#include <cuda/atomic>

constexpr int kBlocks = 4, kThreads = 32;

__device__ int found = 0;

__global__ void search(const int *values, int wanted) {
  if (values[blockIdx.x * kThreads + threadIdx.x] != wanted)
    return;
#if RACY == 1
  found = 1; // @found_store
#else
#if RACY == 2
  cuda::atomic_ref<int, cuda::thread_scope_block> flag(found);
#else
  cuda::atomic_ref<int, cuda::thread_scope_device> flag(found);
#endif
  flag.store(1, cuda::memory_order_relaxed); // @found_store
#endif
}

int main() {
  int values[kBlocks * kThreads], *device = nullptr, result = 0;
  for (int i = 0; i < kBlocks * kThreads; ++i)
    values[i] = i % 8; // four hits in each block
  CHECK(cudaMalloc(&device, sizeof(values)));
  CHECK(cudaMemcpy(device, values, sizeof(values), cudaMemcpyHostToDevice));
  search<<<kBlocks, kThreads>>>(device, 5);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpyFromSymbol(&result, found, sizeof(result)));
  CHECK(cudaFree(device));
  return verdict(result == 1);
}
