// scopesan-test: cuda::latch of device scope in global memory: count down, wait, try_wait
//
// variant all
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S4 S11
#include "suite.h"

#include <cuda/latch>
#include <new>

namespace cuda_latch {
using Latch = cuda::latch<cuda::thread_scope_device>;

__global__ void construct(Latch *latch, int count) { new (latch) Latch(count); }

/// Every block counts down after its writes; the last one waits for all and sums them up.
__global__ void gather(Latch *latch, int *data, int n, int *sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] = 3 * i;
  if (blockIdx.x + 1 < gridDim.x) {
    latch->count_down();
    return;
  }
  if (threadIdx.x == 0) {
    latch->arrive_and_wait();
    int total = 0;
    for (int k = 0; k < n; ++k)
      total += data[k];
    *sum = latch->try_wait() ? total : -1;
  } else {
    latch->count_down();
  }
}

SUITE_TEST(latchAcrossBlocks) {
  int blocks = std::min(4, suite::blocksFor(n, 32)), threads = suite::blocksFor(n, blocks);
  threads = std::min(threads, 256);
  int used = std::min(n, blocks * threads);
  suite::Device<char> latch(sizeof(Latch));
  suite::Device<int> data(used), sum(1);
  auto *object = reinterpret_cast<Latch *>(latch.get());
  construct<<<1, 1>>>(object, blocks * threads);
  gather<<<blocks, threads>>>(object, data.get(), used, sum.get());
  CHECK(cudaGetLastError());
  EXPECT(sum.host()[0] == 3 * (used - 1) * used / 2);
}

} // namespace cuda_latch
