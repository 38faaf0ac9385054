// scopesan-test: cub::DeviceScan: sums of small, wide and compound types, by key, in place
//
// variant all
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S7 S14
#include "suite.h"

#include <cub/device/device_scan.cuh>

namespace device_scan {

/// 16 bytes: too wide for one access together with the status of its tile.
struct Pair {
  long long sum, most;
  __host__ __device__ bool operator==(const Pair &o) const {
    return sum == o.sum && most == o.most;
  }
};
struct Combine {
  __host__ __device__ Pair operator()(const Pair &a, const Pair &b) const {
    return {a.sum + b.sum, a.most > b.most ? a.most : b.most};
  }
};

template <class T> void checkExclusive(int n) {
  std::vector<T> in = suite::values<T>(n, 100), right(n);
  suite::Device<T> data(in), out(n);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceScan::ExclusiveSum(s, bytes, data.get(), out.get(), n);
  });
  T sum = 0;
  for (int i = 0; i < n; ++i) {
    right[i] = sum;
    sum = T(sum + in[i]);
  }
  EXPECT(out.host() == right);
}

SUITE_TEST(deviceScanInt) { checkExclusive<int>(n); }
SUITE_TEST(deviceScanWide) { checkExclusive<long long>(n); }
SUITE_TEST(deviceScanNarrow) { checkExclusive<uint8_t>(n); }

SUITE_TEST(deviceScanCompound) {
  std::vector<Pair> in(n), right(n);
  std::vector<long long> v = suite::values<long long>(n, 1 << 20);
  Pair so_far{0, 0};
  for (int i = 0; i < n; ++i) {
    in[i] = {v[i], v[i]};
    right[i] = so_far = i ? Combine()(so_far, in[i]) : in[i];
  }
  suite::Device<Pair> data(in), out(n);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceScan::InclusiveScan(s, bytes, data.get(), out.get(), Combine(), n);
  });
  EXPECT(out.host() == right);
}

SUITE_TEST(deviceScanInPlace) {
  std::vector<int> in = suite::values(n, 1000), right(n);
  suite::Device<int> data(in);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceScan::InclusiveSum(s, bytes, data.get(), n);
  });
  std::partial_sum(in.begin(), in.end(), right.begin());
  EXPECT(data.host() == right);
}

SUITE_TEST(deviceScanByKey) {
  std::vector<int> keys = suite::values(n, 2), in = suite::values(n, 100, 1), right(n);
  suite::Device<int> k(keys), data(in), out(n);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceScan::InclusiveSumByKey(s, bytes, k.get(), data.get(), out.get(), n);
  });
  for (int i = 0; i < n; ++i)
    right[i] = in[i] + (i && keys[i] == keys[i - 1] ? right[i - 1] : 0);
  EXPECT(out.host() == right);
}

} // namespace device_scan
