// scopesan-test: cub::DeviceRadixSort: keys, pairs, descending, narrow and floating keys
//
// variant all
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S7 S14
#include "suite.h"

#include <cub/device/device_radix_sort.cuh>

namespace device_radix_sort {

SUITE_TEST(deviceRadixSortKeys) {
  std::vector<int> in = suite::values(n, 1 << 24), right = in;
  for (size_t i = 0; i < in.size(); i += 3)
    right[i] = in[i] = -in[i];
  suite::Device<int> data(in), out(n);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceRadixSort::SortKeys(s, bytes, data.get(), out.get(), n);
  });
  std::sort(right.begin(), right.end());
  EXPECT(out.host() == right);
}

SUITE_TEST(deviceRadixSortPairs) {
  std::vector<uint16_t> keys = suite::values<uint16_t>(n, 500), sorted = keys;
  std::vector<int> in(n), right;
  std::iota(in.begin(), in.end(), 0);
  right = in;
  suite::Device<uint16_t> k(keys), outKeys(n);
  suite::Device<int> data(in), out(n);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceRadixSort::SortPairs(s, bytes, k.get(), outKeys.get(), data.get(), out.get(),
                                           n);
  });
  std::stable_sort(right.begin(), right.end(), [&](int a, int b) { return keys[a] < keys[b]; });
  std::sort(sorted.begin(), sorted.end());
  EXPECT(outKeys.host() == sorted);
  EXPECT(out.host() == right);
}

SUITE_TEST(deviceRadixSortDescending) {
  std::vector<float> in = suite::values<float>(n, 1 << 20), right = in;
  for (size_t i = 0; i < in.size(); i += 2)
    right[i] = in[i] = -in[i] / 16;
  suite::Device<float> first(in), second(n);
  cub::DoubleBuffer<float> buffers(first.get(), second.get());
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceRadixSort::SortKeysDescending(s, bytes, buffers, n);
  });
  std::sort(right.begin(), right.end(), std::greater<>());
  EXPECT((buffers.Current() == first.get() ? first : second).host() == right);
}

} // namespace device_radix_sort
