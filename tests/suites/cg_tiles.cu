// scopesan-test: cooperative groups: tiles of all sizes: exchange, votes, reduce, scans, sync
//
// variant all
//   verdict clean
//   proof S7 S8
#include "suite.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg_tiles {
namespace cg = cooperative_groups;

/// Each thread writes one word of shared memory, its neighbour in the tile reads it after sync().
template <int Size> __global__ void exchange(int n, int *neighbour) {
  __shared__ int slots[256];
  auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  slots[threadIdx.x] = i;
  tile.sync();
  int other = (tile.thread_rank() + 1) % Size;
  int got = slots[threadIdx.x - tile.thread_rank() + other];
  tile.sync();
  slots[threadIdx.x] = -got; // after everybody has read
  if (i < n)
    neighbour[i] = got;
}

struct Results {
  int shuffled, up, any, all, ballot, sum, least, most, xored, inclusive, exclusive, running;
  unsigned match, rank, metaRank;
};

template <int Size> __global__ void collectives(const int *in, int n, Results *out) {
  auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int mine = i < n ? in[i] : 0;
  Results r;
  r.rank = tile.thread_rank();
  r.metaRank = tile.meta_group_rank();
  r.shuffled = tile.shfl(mine, Size / 2);
  r.up = tile.shfl_up(mine, 1);
  r.any = tile.any(mine == 7) != 0;
  r.all = tile.all(mine >= 0) != 0;
  r.ballot = tile.ballot(mine & 1);
  r.match = tile.match_any(mine);
  r.sum = cg::reduce(tile, mine, cg::plus<int>());
  r.least = cg::reduce(tile, mine, cg::less<int>());
  r.most = cg::reduce(tile, mine, cg::greater<int>());
  r.xored = cg::reduce(tile, mine, cg::bit_xor<int>());
  r.inclusive = cg::inclusive_scan(tile, mine);
  r.exclusive = cg::exclusive_scan(tile, mine);
  r.running = cg::inclusive_scan(tile, mine, cg::greater<int>());
  if (i < n)
    out[i] = r;
}

template <int Size> void checkCollectives(const std::vector<int> &in, const Results *got, int n) {
  for (int i = 0; i < n; ++i) {
    const Results &r = got[i];
    int base = i / Size * Size, rank = i % Size;
    auto at = [&](int lane) { return base + lane < n ? in[base + lane] : 0; };
    int sum = 0, least = INT32_MAX, most = 0, xored = 0, before = 0, running = 0;
    unsigned ballot = 0, match = 0;
    bool any = false;
    for (int lane = 0; lane < Size; ++lane) {
      if (lane == rank)
        before = sum;
      sum += at(lane);
      least = std::min(least, at(lane));
      most = std::max(most, at(lane));
      if (lane == rank)
        running = most;
      xored ^= at(lane);
      any |= at(lane) == 7;
      ballot |= unsigned(at(lane) & 1) << lane;
      match |= unsigned(at(lane) == at(rank)) << lane;
    }
    EXPECT(r.rank == unsigned(rank) && r.metaRank == unsigned(i % 256 / Size));
    EXPECT(r.shuffled == at(Size / 2) && r.up == (rank ? at(rank - 1) : at(0)));
    EXPECT(r.any == any && r.all == 1);
    EXPECT(unsigned(r.ballot) == ballot && r.match == match);
    EXPECT(r.sum == sum && r.least == least && r.most == most && r.xored == xored);
    EXPECT(r.exclusive == before && r.inclusive == before + at(rank) && r.running == running);
  }
}

template <int Size> void check(int n) {
  if (!n)
    return;
  std::vector<int> in = suite::values(n, 40);
  suite::Device<int> data(in), neighbour(n);
  suite::Device<Results> results(n);
  int blocks = suite::blocksFor(n, 256);
  exchange<Size><<<blocks, 256>>>(n, neighbour.get());
  collectives<Size><<<blocks, 256>>>(data.get(), n, results.get());
  CHECK(cudaGetLastError());
  std::vector<int> other = neighbour.host();
  for (int i = 0; i < n; ++i)
    EXPECT(other[i] == i / Size * Size + (i % Size + 1) % Size);
  checkCollectives<Size>(in, results.host().data(), n);
}

SUITE_TEST(tiles1) { check<1>(n); }
SUITE_TEST(tiles2) { check<2>(n); }
SUITE_TEST(tiles4) { check<4>(n); }
SUITE_TEST(tiles8) { check<8>(n); }
SUITE_TEST(tiles16) { check<16>(n); }
SUITE_TEST(tiles32) { check<32>(n); }

/// Tiles whose size is known at run time only.
__global__ void dynamicTiles(int size, int *neighbour, int *ranks) {
  __shared__ int slots[96];
  auto tile = cg::tiled_partition(cg::this_thread_block(), size);
  unsigned rank = tile.thread_rank(), count = tile.size();
  slots[threadIdx.x] = threadIdx.x;
  tile.sync();
  neighbour[threadIdx.x] = slots[threadIdx.x - rank + (rank + 1) % count];
  ranks[threadIdx.x] = rank;
}

SUITE_TEST(tilesOfRunTimeSize) {
  for (int size : {1, 2, 4, 8, 16, 32}) {
    suite::Device<int> neighbour(96), ranks(96);
    dynamicTiles<<<1, 96>>>(size, neighbour.get(), ranks.get());
    CHECK(cudaGetLastError());
    std::vector<int> next = neighbour.host(), r = ranks.host();
    for (int i = 0; i < 96; ++i)
      EXPECT(next[i] == i / size * size + (i + 1) % size && r[i] == i % size);
  }
}

} // namespace cg_tiles
