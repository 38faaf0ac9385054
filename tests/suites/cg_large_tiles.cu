// scopesan-test: cooperative groups: tiles larger than a warp: sync, votes, shuffle, reduce, scan
//
// variant sync
//   verdict clean
//   proof S3 S7 S8
// variant collectives -DCOLLECTIVES
//   why all lanes of a warp store its result, and a shuffle stands between the leader's acquire
//   why and the other lanes' reads: docs/known-library-findings.md
//   verdict findings
//   require D1 reduce(store,weak) reduce(store,weak) distance=same-warp
//   allow D1 reduce reduce
//   allow D1 scan scan
//   allow D1 any any
//   args --sizes=1,33,257,1000
//   proof S8 D1
#include "suite.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg_large_tiles {
namespace cg = cooperative_groups;

#ifdef COLLECTIVES
struct Results {
  int sum, scan, last, any;
};

/// A barrier of the tile after each operation: without it a lane of the warp that came last may
/// see the barrier of the operation before and take its value for the shuffled one.
template <int Size> __global__ void collectives(const int *in, int n, Results *out) {
  __shared__ cg::block_tile_memory<512> memory;
  auto block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<Size>(block);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int mine = i < n ? in[i] : 0;
  Results r;
  r.sum = cg::reduce(tile, mine, cg::plus<int>()); // @reduce
  tile.sync();
  r.scan = cg::inclusive_scan(tile, mine); // @scan
  tile.sync();
  r.last = tile.shfl(mine, Size - 1); // @shuffle
  tile.sync();
  r.any = tile.any(mine == 7) != 0; // @any
  tile.sync();
  if (i < n)
    out[i] = r;
}

template <int Size> void check(int n) {
  if (!n)
    return;
  std::vector<int> in = suite::values(n, 200);
  suite::Device<int> data(in);
  suite::Device<Results> results(n);
  collectives<Size><<<suite::blocksFor(n, 512), 512>>>(data.get(), n, results.get());
  CHECK(cudaGetLastError());
  std::vector<Results> got = results.host();
  auto at = [&](int i) { return i < n ? in[i] : 0; };
  for (int base = 0; base < n; base += Size) {
    int total = 0, running = 0;
    bool any = false;
    for (int i = base; i < base + Size; ++i) {
      total += at(i);
      any |= at(i) == 7;
    }
    for (int i = base; i < std::min(n, base + Size); ++i) {
      running += at(i);
      EXPECT(got[i].sum == total && got[i].scan == running);
      EXPECT(got[i].last == at(base + Size - 1) && got[i].any == any);
    }
  }
}
#else
/// Rotates by one within each tile, twice, through one array.
template <int Size> __global__ void rotate(const int *in, int n, int *out) {
  __shared__ cg::block_tile_memory<512> memory;
  __shared__ int slots[512];
  auto block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<Size>(block);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int next = threadIdx.x / Size * Size + (threadIdx.x + 1) % Size;
  int mine = i < n ? in[i] : 0;
  for (int round = 0; round < 2; ++round) {
    slots[threadIdx.x] = mine;
    tile.sync();
    mine = slots[next];
    tile.sync();
  }
  if (i < n)
    out[i] = mine + tile.meta_group_rank() + tile.thread_rank();
}

template <int Size> void check(int n) {
  if (!n)
    return;
  std::vector<int> in = suite::values(n, 1000);
  suite::Device<int> data(in), out(n);
  rotate<Size><<<suite::blocksFor(n, 512), 512>>>(data.get(), n, out.get());
  CHECK(cudaGetLastError());
  std::vector<int> got = out.host();
  for (int i = 0; i < n; ++i) {
    int from = i / Size * Size + (i % Size + 2) % Size;
    EXPECT(got[i] == (from < n ? in[from] : 0) + i % 512 / Size + i % Size);
  }
}
#endif

SUITE_TEST(tiles64) { check<64>(n); }
SUITE_TEST(tiles128) { check<128>(n); }
SUITE_TEST(tiles512) { check<512>(n); }

} // namespace cg_large_tiles
