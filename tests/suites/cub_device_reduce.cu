// scopesan-test: cub::DeviceReduce: sum, extremes with index, by key, transforming
//
// variant all
//   verdict clean
//   proof S7 S14
#include "suite.h"

#include <cub/device/device_reduce.cuh>

namespace device_reduce {

struct Square {
  __host__ __device__ long long operator()(int x) const { return (long long)(x)*x; }
};

SUITE_TEST(deviceReduceSum) {
  std::vector<int> in = suite::values(n, 1000);
  suite::Device<int> data(in), out(1);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceReduce::Sum(s, bytes, data.get(), out.get(), n);
  });
  EXPECT(out.host()[0] == std::accumulate(in.begin(), in.end(), 0));
}

SUITE_TEST(deviceReduceMin) {
  std::vector<int> in = suite::values(n, 100000);
  suite::Device<int> data(in), out(1);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceReduce::Min(s, bytes, data.get(), out.get(), n);
  });
  EXPECT(out.host()[0] == (n ? *std::min_element(in.begin(), in.end()) : INT32_MAX));
}

SUITE_TEST(deviceReduceArgMax) {
  if (!n)
    return;
  std::vector<int> in = suite::values(n, 500);
  suite::Device<int> data(in), value(1);
  suite::Device<int64_t> index(1);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceReduce::ArgMax(s, bytes, data.get(), value.get(), index.get(), n);
  });
  auto most = std::max_element(in.begin(), in.end()); // the first of equals
  EXPECT(value.host()[0] == *most);
  EXPECT(index.host()[0] == most - in.begin());
}

SUITE_TEST(deviceReduceTransform) {
  std::vector<int> in = suite::values(n, 1000);
  suite::Device<int> data(in);
  suite::Device<long long> out(1);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceReduce::TransformReduce(s, bytes, data.get(), out.get(), n,
                                              cuda::std::plus<>{}, Square(), 5ll);
  });
  long long right = 5;
  for (int v : in)
    right += Square()(v);
  EXPECT(out.host()[0] == right);
}

SUITE_TEST(deviceReduceByKey) {
  std::vector<int> keys = suite::values(n, 3), in = suite::values(n, 1000, 1);
  suite::Device<int> k(keys), data(in), unique(n), sums(n), runs(1);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceReduce::ReduceByKey(s, bytes, k.get(), unique.get(), data.get(), sums.get(),
                                          runs.get(), cuda::std::plus<>{}, n);
  });
  std::vector<int> rightKeys, rightSums;
  for (int i = 0; i < n; ++i) {
    if (!i || keys[i] != keys[i - 1]) {
      rightKeys.push_back(keys[i]);
      rightSums.push_back(0);
    }
    rightSums.back() += in[i];
  }
  EXPECT(runs.host()[0] == int(rightKeys.size()));
  EXPECT(unique.host(rightKeys.size()) == rightKeys);
  EXPECT(sums.host(rightKeys.size()) == rightSums);
}

} // namespace device_reduce
