// scopesan-test: thrust::sort, sort_by_key, stable_sort with a comparison
//
// variant all
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S7 S14
// variant many_tiles -DMANY_TILES
//   why the merging kernel reads its partitions before it waits for the kernel that writes them:
//   why docs/known-library-findings.md
//   verdict findings
//   require D1 lib:agent_merge_sort.cuh:Process(store,weak,4B)
//   ... lib:agent_merge_sort.cuh:consume_tile(load,weak,4B) distance=between-kernels hazard=RAW
//   may-advise progress-not-promised
//   proof S14 D1
#include "thrust_suite.h"

#include <limits.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>

namespace thrust_sort {

#ifdef MANY_TILES
constexpr int MaxItems = INT_MAX;
#else
constexpr int MaxItems = 256 * 17; // a tile of cub::DeviceMergeSort, 4-byte keys: no merge follows
#endif

struct ByLastDigit {
  __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};
using suite::host;

SUITE_TEST(thrustSort) { // by radix
  std::vector<int> in = suite::values(n, 1 << 20);
  thrust::device_vector<int> data(in.begin(), in.end());
  thrust::sort(data.begin(), data.end());
  std::sort(in.begin(), in.end());
  EXPECT(host(data) == in);
}

SUITE_TEST(thrustSortByKey) {
  std::vector<int> keys = suite::values(n, 300), right(n);
  std::iota(right.begin(), right.end(), 0);
  thrust::device_vector<int> k(keys.begin(), keys.end()), data(right.begin(), right.end());
  thrust::stable_sort_by_key(k.begin(), k.end(), data.begin(), thrust::greater<int>());
  std::stable_sort(right.begin(), right.end(), [&](int a, int b) { return keys[a] > keys[b]; });
  EXPECT(host(data) == right);
}

SUITE_TEST(thrustStableSort) { // by merging
  if (n > MaxItems)
    return;
  std::vector<int> in = suite::values(n, 5000);
  thrust::device_vector<int> data(in.begin(), in.end());
  thrust::stable_sort(data.begin(), data.end(), ByLastDigit());
  std::stable_sort(in.begin(), in.end(), ByLastDigit());
  EXPECT(host(data) == in);
}

} // namespace thrust_sort
