// scopesan-test: cub::DeviceMergeSort: keys, stable pairs, a comparison of one's own
//
// variant all
//   verdict clean
//   proof S7 S12 S14
// variant many_tiles -DMANY_TILES
//   why the merging kernel reads its partitions before it waits for the kernel that writes them:
//   why docs/known-library-findings.md
//   verdict findings
//   require D1 lib:agent_merge_sort.cuh:Process(store,weak,4B)
//   ... lib:agent_merge_sort.cuh:consume_tile(load,weak,4B) distance=between-kernels hazard=RAW
//   proof S14 D1
// variant own_race -DMANY_TILES -DOWN_RACE
//   why the known finding hides no other: comparisons count themselves without an atomic
//   verdict findings
//   require D1 lib:agent_merge_sort.cuh:Process(store,weak,4B)
//   ... lib:agent_merge_sort.cuh:consume_tile(load,weak,4B) distance=between-kernels hazard=RAW
//   require D1 count(load,weak,8B) count(store,weak,8B) memory=Comparisons
//   require D1 count(store,weak,8B) count(store,weak,8B) memory=Comparisons hazard=WAW
//   allow D1 count count memory=Comparisons
//   args --sizes=5000 --only=Keys
//   proof S14 S6 D1
#include "suite.h"

#include <cub/device/device_merge_sort.cuh>
#include <limits.h>

namespace device_merge_sort {

#ifdef MANY_TILES
constexpr int MaxItems = INT_MAX;
#else
constexpr int MaxItems = 256 * 17; // a tile of cub::DeviceMergeSort, 4-byte keys: no merge follows
#endif

struct ByLastDigit {
  __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

#ifdef OWN_RACE
__device__ long long Comparisons;
__device__ __noinline__ void count() { // a call, so that its accesses are merged with no others
  ++Comparisons;                       // @count
}
struct Less {
  __device__ bool operator()(int a, int b) const {
    count();
    return a < b;
  }
};
#else
using Less = cuda::std::less<>;
#endif

SUITE_TEST(deviceMergeSortKeys) {
  if (n > MaxItems)
    return;
  std::vector<int> in = suite::values(n, 1 << 20), right = in;
  suite::Device<int> data(in);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceMergeSort::SortKeys(s, bytes, data.get(), n, Less());
  });
  std::sort(right.begin(), right.end());
  EXPECT(data.host() == right);
}

SUITE_TEST(deviceMergeSortStablePairs) {
  if (n > MaxItems)
    return;
  std::vector<int> keys = suite::values(n, 1000), in(n), right, rightKeys;
  std::iota(in.begin(), in.end(), 0);
  right = in;
  suite::Device<int> k(keys), data(in);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceMergeSort::StableSortPairs(s, bytes, k.get(), data.get(), n, ByLastDigit());
  });
  std::stable_sort(right.begin(), right.end(),
                   [&](int a, int b) { return ByLastDigit()(keys[a], keys[b]); });
  for (int i : right)
    rightKeys.push_back(keys[i]);
  EXPECT(data.host() == right);
  EXPECT(k.host() == rightKeys);
}

} // namespace device_merge_sort
