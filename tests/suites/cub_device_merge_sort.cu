// scopesan-test: cub::DeviceMergeSort: keys, stable pairs, a comparison of one's own
//
// variant all
//   verdict clean
//   proof S7 S12 S14
#include "suite.h"

#include <cub/device/device_merge_sort.cuh>

namespace device_merge_sort {

struct ByLastDigit {
  __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

SUITE_TEST(deviceMergeSortKeys) {
  std::vector<int> in = suite::values(n, 1 << 20), right = in;
  suite::Device<int> data(in);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceMergeSort::SortKeys(s, bytes, data.get(), n, cuda::std::less<>{});
  });
  std::sort(right.begin(), right.end());
  EXPECT(data.host() == right);
}

SUITE_TEST(deviceMergeSortStablePairs) {
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
