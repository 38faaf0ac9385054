// scopesan-test: cub::BlockScan: all algorithms, exclusive and inclusive, running prefix
//
// variant all
//   verdict clean
//   proof S7 S8
#include "suite.h"

#include <cub/block/block_scan.cuh>

namespace block_scan {

/// Carries the total of earlier tiles; called by the first warp, its first lane's result counts.
struct Running {
  int total;
  __device__ int operator()(int tile) {
    int before = total;
    total += tile;
    return before;
  }
};

/// One block scans all of `in`, tile after tile.
template <int Threads, cub::BlockScanAlgorithm Algorithm>
__global__ void scanTiles(const int *in, int n, int *exclusive, int *largest) {
  using Scan = cub::BlockScan<int, Threads, Algorithm>;
  __shared__ typename Scan::TempStorage storage;
  Running running{0};
  int most = 0;
  for (int base = 0; base < n; base += Threads) {
    int i = base + threadIdx.x;
    int mine = i < n ? in[i] : 0, prefix, upTo, tile;
    Scan(storage).ExclusiveSum(mine, prefix, running);
    __syncthreads();
    Scan(storage).InclusiveScan(mine, upTo, cuda::maximum<>{}, tile);
    __syncthreads();
    if (i < n) {
      exclusive[i] = prefix;
      largest[i] = max(most, upTo);
    }
    most = max(most, tile);
  }
}

template <int Threads, cub::BlockScanAlgorithm Algorithm> void check(int n) {
  std::vector<int> in = suite::values(n, 1000);
  suite::Device<int> data(in), exclusive(n), largest(n);
  scanTiles<Threads, Algorithm><<<1, Threads>>>(data.get(), n, exclusive.get(), largest.get());
  CHECK(cudaGetLastError());
  std::vector<int> e = exclusive.host(), l = largest.host();
  int sum = 0, most = 0;
  for (int i = 0; i < n; ++i) {
    EXPECT(e[i] == sum);
    sum += in[i];
    most = std::max(most, in[i]);
    EXPECT(l[i] == most);
  }
}

SUITE_TEST(blockScanRaking) {
  check<64, cub::BLOCK_SCAN_RAKING>(n);
  check<250, cub::BLOCK_SCAN_RAKING>(n);
}
SUITE_TEST(blockScanRakingMemoize) { check<128, cub::BLOCK_SCAN_RAKING_MEMOIZE>(n); }
SUITE_TEST(blockScanWarps) {
  check<32, cub::BLOCK_SCAN_WARP_SCANS>(n);
  check<256, cub::BLOCK_SCAN_WARP_SCANS>(n);
}

} // namespace block_scan
