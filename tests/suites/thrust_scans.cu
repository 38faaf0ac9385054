// scopesan-test: Thrust: scans, scans by key, transformed scans, differences, extrema, comparisons, logical reductions
//
// variant all -Xarch_host -O0
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S7 S8
//   args --sizes=0,1,33,257,1000,4099
#include "thrust_suite.h"

#include <thrust/adjacent_difference.h>
#include <thrust/device_vector.h>
#include <thrust/equal.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/host_vector.h>
#include <thrust/logical.h>
#include <thrust/mismatch.h>
#include <thrust/scan.h>
#include <thrust/transform_scan.h>

namespace thrust_scans {
using V = thrust::device_vector<int>;
using H = std::vector<int>;

using suite::host;

SUITE_TEST(scans) {
  H in = suite::values(n, 100), right(n);
  V data(in.begin(), in.end()), out(n);
  thrust::inclusive_scan(data.begin(), data.end(), out.begin(), thrust::maximum<int>());
  std::partial_sum(in.begin(), in.end(), right.begin(), [](int a, int b) { return std::max(a, b); });
  EXPECT(host(out) == right);
  thrust::exclusive_scan(data.begin(), data.end(), out.begin(), 10);
  std::exclusive_scan(in.begin(), in.end(), right.begin(), 10);
  EXPECT(host(out) == right);
  thrust::exclusive_scan(data.begin(), data.end(), data.begin()); // in place
  std::exclusive_scan(in.begin(), in.end(), right.begin(), 0);
  EXPECT(host(data) == right);
}

SUITE_TEST(scansOfDoubles) {
  std::vector<double> in = suite::values<double>(n, 100), right(n);
  thrust::device_vector<double> data(in.begin(), in.end()), out(n);
  thrust::inclusive_scan(data.begin(), data.end(), out.begin());
  std::partial_sum(in.begin(), in.end(), right.begin()); // small whole numbers: exact in any order
  EXPECT(host(out) == right);
}

SUITE_TEST(scansByKey) {
  H keys = suite::values(n, 3), in = suite::values(n, 100, 1), inclusive(n), exclusive(n);
  V k(keys.begin(), keys.end()), data(in.begin(), in.end()), out(n);
  for (int i = 0; i < n; ++i) {
    bool first = !i || keys[i] != keys[i - 1];
    exclusive[i] = first ? 5 : exclusive[i - 1] + in[i - 1];
    inclusive[i] = first ? in[i] : inclusive[i - 1] + in[i];
  }
  thrust::inclusive_scan_by_key(k.begin(), k.end(), data.begin(), out.begin());
  EXPECT(host(out) == inclusive);
  thrust::exclusive_scan_by_key(k.begin(), k.end(), data.begin(), out.begin(), 5);
  EXPECT(host(out) == exclusive);
}

struct Square {
  __host__ __device__ int operator()(int x) const { return x * x; }
};

SUITE_TEST(transformedScans) {
  H in = suite::values(n, 100), right(n);
  V data(in.begin(), in.end()), out(n);
  thrust::transform_inclusive_scan(data.begin(), data.end(), out.begin(), Square(),
                                   thrust::plus<int>());
  std::transform_inclusive_scan(in.begin(), in.end(), right.begin(), std::plus<>(), Square());
  EXPECT(host(out) == right);
  thrust::transform_exclusive_scan(data.begin(), data.end(), out.begin(), Square(), 3,
                                   thrust::plus<int>());
  std::transform_exclusive_scan(in.begin(), in.end(), right.begin(), 3, std::plus<>(), Square());
  EXPECT(host(out) == right);
}

SUITE_TEST(differences) {
  H in = suite::values(n, 100), right(n);
  V data(in.begin(), in.end()), out(n);
  thrust::adjacent_difference(data.begin(), data.end(), out.begin());
  std::adjacent_difference(in.begin(), in.end(), right.begin());
  EXPECT(host(out) == right);
  thrust::adjacent_difference(data.begin(), data.end(), data.begin(), thrust::plus<int>());
  std::adjacent_difference(in.begin(), in.end(), right.begin(), std::plus<>());
  EXPECT(host(data) == right);
}

SUITE_TEST(extremaAndComparisons) {
  if (!n)
    return;
  H in = suite::values(n, 1000), other = in;
  other[n / 2] ^= 1;
  V data(in.begin(), in.end()), changed(other.begin(), other.end());
  auto both = thrust::minmax_element(data.begin(), data.end());
  EXPECT(both.first - data.begin() == std::min_element(in.begin(), in.end()) - in.begin());
  EXPECT(in[both.second - data.begin()] == *std::max_element(in.begin(), in.end()));
  EXPECT(thrust::equal(data.begin(), data.end(), data.begin()));
  EXPECT(!thrust::equal(data.begin(), data.end(), changed.begin()));
  auto differ = thrust::mismatch(data.begin(), data.end(), changed.begin());
  EXPECT(differ.first - data.begin() == n / 2);
  EXPECT(thrust::find(data.begin(), data.end(), in[n / 3]) - data.begin() ==
         std::find(in.begin(), in.end(), in[n / 3]) - in.begin());
  auto large = [] __host__ __device__(int x) { return x >= 1000; };
  EXPECT(thrust::none_of(data.begin(), data.end(), large));
  EXPECT(!thrust::any_of(data.begin(), data.end(), large));
  EXPECT(thrust::all_of(data.begin(), data.end(), [] __host__ __device__(int x) { return x < 1000; }));
}
} // namespace thrust_scans
