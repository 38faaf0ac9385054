// scopesan-test: cub::DeviceHistogram: even bins, ranges, several channels
//
// variant all
//   verdict clean
//   proof O3 S7 S14
#include "suite.h"

#include <cub/device/device_histogram.cuh>

namespace device_histogram {

SUITE_TEST(deviceHistogramEven) {
  std::vector<int> in = suite::values(n, 1010), right(10);
  for (int v : in)
    ++right[v / 101];
  suite::Device<int> data(in), bins(10);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceHistogram::HistogramEven(s, bytes, data.get(), bins.get(), 11, 0, 1010, n);
  });
  EXPECT(bins.host() == right);
}

SUITE_TEST(deviceHistogramRange) {
  std::vector<float> in = suite::values<float>(n, 100), bounds = {0, 1, 10, 11, 50, 99};
  std::vector<int> right(5);
  for (float v : in) // what lies outside of the bounds is not counted
    for (int b = 0; b < 5; ++b)
      right[b] += bounds[b] <= v && v < bounds[b + 1];
  suite::Device<float> data(in), levels(bounds);
  suite::Device<int> bins(5);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceHistogram::HistogramRange(s, bytes, data.get(), bins.get(), 6, levels.get(),
                                                n);
  });
  EXPECT(bins.host() == right);
}

/// Bytes, so bins are found without search and many threads meet on few of them.
SUITE_TEST(deviceHistogramBytes) {
  std::vector<uint8_t> in = suite::values<uint8_t>(size_t(4) * n, 256);
  std::vector<unsigned> right[3];
  for (auto &r : right)
    r.resize(256);
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < 3; ++c)
      ++right[c][in[4 * i + c]];
  suite::Device<uint8_t> data(in);
  suite::Device<unsigned> r(256), g(256), b(256);
  cuda::std::array<unsigned *, 3> bins = {r.get(), g.get(), b.get()};
  cuda::std::array<int, 3> levels = {257, 257, 257}, lower = {0, 0, 0}, upper = {256, 256, 256};
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceHistogram::MultiHistogramEven<4, 3>(s, bytes, data.get(), bins, levels, lower,
                                                          upper, n);
  });
  EXPECT(r.host() == right[0]);
  EXPECT(g.host() == right[1]);
  EXPECT(b.host() == right[2]);
}

} // namespace device_histogram
