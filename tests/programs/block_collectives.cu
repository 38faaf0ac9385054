// scopesan-test: a block scan and a block reduction of CUB share one temporary storage
//
// variant fixed
//   why a barrier stands between the collectives, as CUB asks for
//   verdict clean
//   proof S7
// variant no_barrier -DRACY
//   why a fast warp stores its part of the reduction where a slow one reads the scan's prefixes
//   verdict findings
//   require D1 scan(load,weak) reduce(store,weak) memory=storage
//   proof S7 D1
#include "check.h"

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

constexpr int kThreads = 128;
using Scan = cub::BlockScan<int, kThreads, cub::BLOCK_SCAN_WARP_SCANS>;
using Reduce = cub::BlockReduce<int, kThreads, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;

__global__ void offsets(const int *counts, int *offset, int *largest) {
  __shared__ union {
    Scan::TempStorage scan;
    Reduce::TempStorage reduce;
  } storage;
  const int mine = counts[threadIdx.x];
  int before = 0;
  Scan(storage.scan).ExclusiveSum(mine, before); // @scan
#ifndef RACY
  __syncthreads();
#endif
  const int sum = Reduce(storage.reduce).Sum(mine); // @reduce
  offset[threadIdx.x] = before;
  if (threadIdx.x == 0)
    *largest = sum;
}

int main() {
  int host[kThreads], result[kThreads], total = 0, expected = 0;
  int *counts = nullptr, *offset = nullptr, *sum = nullptr;
  for (int i = 0; i < kThreads; ++i)
    host[i] = i % 4;
  CHECK(cudaMalloc(&counts, sizeof(host)));
  CHECK(cudaMalloc(&offset, sizeof(host)));
  CHECK(cudaMalloc(&sum, sizeof(int)));
  CHECK(cudaMemcpy(counts, host, sizeof(host), cudaMemcpyHostToDevice));
  offsets<<<1, kThreads>>>(counts, offset, sum);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, offset, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&total, sum, sizeof(int), cudaMemcpyDeviceToHost));
  for (int *p : {counts, offset, sum})
    CHECK(cudaFree(p));
  bool right = true;
  for (int i = 0; i < kThreads; expected += host[i++])
    right = right && result[i] == expected;
  return verdict(right && total == expected);
}
