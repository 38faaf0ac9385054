// scopesan-test: cooperative groups: memcpy_async of blocks and tiles, wait, wait_prior
//
// variant all
//   verdict clean
//   proof S8 S12
// variant tile_remainder -DTILE_REMAINDER
//   why     the tile has more threads than elements are left: those copy the last element again:
//   why     docs/known-library-findings.md
//   verdict findings
//   require D10 tile_copy(store,weak,16B) tile_copy(store,weak,16B) distance=same-warp hazard=WAW
//   proof   S12 D10
#include "suite.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>

namespace cg_copies {
namespace cg = cooperative_groups;

constexpr int Threads = 64, Tile = 8;
#ifdef TILE_REMAINDER
constexpr int PerTile = 5; // int4 elements: fewer than the tile has threads
#else
constexpr int PerTile = 16;
#endif

/// Each block reverses `count` items of its own.
__global__ void byBlock(const int *in, int *out, int n) {
  __shared__ int buffer[2][Threads];
  auto block = cg::this_thread_block();
  int stages = (n + Threads - 1) / Threads;
  for (int s = 0; s <= stages; ++s) {
    if (s < stages)
      cg::memcpy_async(block, buffer[s % 2], in + s * Threads,
                       sizeof(int) * min(Threads, n - s * Threads));
    if (s == 0)
      continue;
    if (s < stages)
      cg::wait_prior<1>(block);
    else
      cg::wait(block);
    int count = min(Threads, n - (s - 1) * Threads);
    if (threadIdx.x < count)
      out[(s - 1) * Threads + threadIdx.x] = buffer[(s - 1) % 2][count - 1 - threadIdx.x];
    block.sync();
  }
}

/// Each tile copies elements of its own; its threads read each other's.
__global__ void byTile(const int4 *in, int *out) {
  __shared__ int4 buffer[Threads / Tile][PerTile];
  auto tile = cg::tiled_partition<Tile>(cg::this_thread_block());
  int4 *mine = buffer[tile.meta_group_rank()];
  const int4 *from = in + tile.meta_group_rank() * PerTile;
  cg::memcpy_async(tile, mine, from, cuda::aligned_size_t<16>(sizeof(int4) * PerTile)); // @tile_copy
  cg::wait(tile);
  int other = (tile.thread_rank() + 1) % Tile % PerTile;
  out[threadIdx.x] = mine[other].z;
}

SUITE_TEST(copiesByBlock) {
  std::vector<int> in = suite::values(n, 1000);
  suite::Device<int> data(in), out(n);
  byBlock<<<1, Threads>>>(data.get(), out.get(), n);
  CHECK(cudaGetLastError());
  std::vector<int> right = in;
  for (int i = 0; i < n; i += Threads)
    std::reverse(right.begin() + i, right.begin() + std::min(i + Threads, n));
  EXPECT(out.host() == right);
}

SUITE_TEST(copiesByTile) {
  if (n > 33)
    return;
  std::vector<int> in = suite::values(Threads / Tile * PerTile * 4, 1000, n);
  suite::Device<int> data(in), out(Threads);
  byTile<<<1, Threads>>>(reinterpret_cast<int4 *>(data.get()), out.get());
  CHECK(cudaGetLastError());
  std::vector<int> got = out.host();
  for (int i = 0; i < Threads; ++i)
    EXPECT(got[i] == in[(i / Tile * PerTile + (i % Tile + 1) % Tile % PerTile) * 4 + 2]);
}

} // namespace cg_copies
