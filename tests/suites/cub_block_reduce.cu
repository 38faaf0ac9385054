// scopesan-test: cub::BlockReduce: all algorithms, full and partial tiles, any operator
//
// variant all
//   verdict clean
//   proof S7 S8
#include "suite.h"

#include <cub/block/block_reduce.cuh>

namespace block_reduce {

struct Largest {
  __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

/// Each block reduces its part of `in`; the last one has a partial tile. One thread's items are
/// reduced first.
template <int Threads, cub::BlockReduceAlgorithm Algorithm>
__global__ void reduceParts(const int *in, int n, int *sums, int *largest) {
  using Reduce = cub::BlockReduce<int, Threads, Algorithm>;
  __shared__ typename Reduce::TempStorage storage;
  int i = blockIdx.x * Threads + threadIdx.x;
  int valid = min(n - int(blockIdx.x) * Threads, Threads);
  int mine = i < n ? in[i] : 0;
  int sum = Reduce(storage).Sum(mine, valid);
  __syncthreads(); // the storage is used again
  int most = Reduce(storage).Reduce(mine, Largest(), valid);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = sum;
    largest[blockIdx.x] = most;
  }
}

template <int Threads, cub::BlockReduceAlgorithm Algorithm> void check(int n) {
  if (!n)
    return;
  std::vector<int> in = suite::values(n, 1000);
  int blocks = suite::blocksFor(n, Threads);
  suite::Device<int> data(in), sums(blocks), largest(blocks);
  reduceParts<Threads, Algorithm><<<blocks, Threads>>>(data.get(), n, sums.get(), largest.get());
  CHECK(cudaGetLastError());
  std::vector<int> s = sums.host(), l = largest.host();
  for (int b = 0; b < blocks; ++b) {
    auto from = in.begin() + b * Threads, to = in.begin() + std::min(n, (b + 1) * Threads);
    EXPECT(s[b] == std::accumulate(from, to, 0));
    EXPECT(l[b] == *std::max_element(from, to));
  }
}

/// A whole tile of several items a thread, by the two-dimensional block's linear order.
template <cub::BlockReduceAlgorithm Algorithm>
__global__ void reduceTile(const long long *in, long long *out) {
  using Reduce = cub::BlockReduce<long long, 16, Algorithm, 4, 2>;
  __shared__ typename Reduce::TempStorage storage;
  int rank = threadIdx.x + 16 * (threadIdx.y + 4 * threadIdx.z);
  long long items[3];
  for (int k = 0; k < 3; ++k)
    items[k] = in[rank * 3 + k];
  long long sum = Reduce(storage).Sum(items);
  if (rank == 0)
    *out = sum;
}

template <cub::BlockReduceAlgorithm Algorithm> void checkTile(int n) {
  std::vector<long long> in = suite::values<long long>(384, 1 << 20, n);
  suite::Device<long long> data(in), out(1);
  reduceTile<Algorithm><<<1, dim3(16, 4, 2)>>>(data.get(), out.get());
  CHECK(cudaGetLastError());
  EXPECT(out.host()[0] == std::accumulate(in.begin(), in.end(), 0ll));
}

SUITE_TEST(blockReduceRaking) {
  check<32, cub::BLOCK_REDUCE_RAKING>(n);
  check<96, cub::BLOCK_REDUCE_RAKING>(n);
  check<250, cub::BLOCK_REDUCE_RAKING>(n);
  checkTile<cub::BLOCK_REDUCE_RAKING>(n);
}
SUITE_TEST(blockReduceRakingCommutative) {
  check<128, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(n);
  checkTile<cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(n);
}
SUITE_TEST(blockReduceWarps) {
  check<32, cub::BLOCK_REDUCE_WARP_REDUCTIONS>(n);
  check<256, cub::BLOCK_REDUCE_WARP_REDUCTIONS>(n);
  checkTile<cub::BLOCK_REDUCE_WARP_REDUCTIONS>(n);
}

} // namespace block_reduce
