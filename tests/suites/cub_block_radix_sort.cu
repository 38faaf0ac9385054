// scopesan-test: cub::BlockRadixSort: keys, pairs, descending, striped output, few bits
//
// variant all
//   verdict clean
//   proof S7 S8
#include "suite.h"

#include <cub/block/block_radix_sort.cuh>

namespace block_radix_sort {

constexpr int Threads = 96, Items = 3, Tile = Threads * Items;

/// Each block sorts its tile; what lies beyond `n` sorts to the end.
template <bool Descending> __global__ void sortTiles(const int *in, int n, int *keys, int *from) {
  using Sort = cub::BlockRadixSort<int, Threads, Items, int>;
  __shared__ typename Sort::TempStorage storage;
  int key[Items], value[Items];
  for (int k = 0; k < Items; ++k) {
    value[k] = blockIdx.x * Tile + threadIdx.x * Items + k;
    key[k] = value[k] < n ? in[value[k]] : Descending ? -1 : 1 << 30;
  }
  if constexpr (Descending)
    Sort(storage).SortDescendingBlockedToStriped(key, value);
  else
    Sort(storage).Sort(key, value);
  for (int k = 0; k < Items; ++k) {
    int at = blockIdx.x * Tile + (Descending ? k * Threads + threadIdx.x : threadIdx.x * Items + k);
    if (at < n) {
      keys[at] = key[k];
      from[at] = value[k];
    }
  }
}

template <bool Descending> void checkPairs(int n) {
  std::vector<int> in = suite::values(n, 300);
  suite::Device<int> data(in), keys(n), from(n);
  sortTiles<Descending>
      <<<suite::blocksFor(n, Tile), Threads>>>(data.get(), n, keys.get(), from.get());
  CHECK(cudaGetLastError());
  std::vector<int> k = keys.host(), f = from.host(), right(n);
  std::iota(right.begin(), right.end(), 0);
  for (int at = 0; at < n; at += Tile)
    std::stable_sort(right.begin() + at, right.begin() + std::min(n, at + Tile),
                     [&](int a, int b) { return Descending ? in[a] > in[b] : in[a] < in[b]; });
  EXPECT(f == right);
  for (int i = 0; i < n; ++i)
    EXPECT(k[i] == in[f[i]]);
}

/// Sorts by bits 4..9 only; the rest of the key must not matter.
__global__ void sortBits(uint64_t *keys) {
  using Sort = cub::BlockRadixSort<uint64_t, 64, 2>;
  __shared__ typename Sort::TempStorage storage;
  uint64_t key[2] = {keys[2 * threadIdx.x], keys[2 * threadIdx.x + 1]};
  Sort(storage).Sort(key, 4, 10);
  keys[2 * threadIdx.x] = key[0];
  keys[2 * threadIdx.x + 1] = key[1];
}

SUITE_TEST(blockRadixSortPairs) { checkPairs<false>(n); }
SUITE_TEST(blockRadixSortDescending) { checkPairs<true>(n); }
SUITE_TEST(blockRadixSortBits) {
  std::vector<uint64_t> in = suite::values<uint64_t>(128, 1 << 12, n);
  suite::Device<uint64_t> data(in);
  sortBits<<<1, 64>>>(data.get());
  CHECK(cudaGetLastError());
  std::stable_sort(in.begin(), in.end(),
                   [](uint64_t a, uint64_t b) { return (a >> 4 & 63) < (b >> 4 & 63); });
  EXPECT(data.host() == in);
}

} // namespace block_radix_sort
