// scopesan-test: thrust::reduce, transform_reduce, inner_product, reduce_by_key, inclusive_scan
//
// variant all
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S7 S14
#include "suite.h"

#include <thrust/device_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/transform_reduce.h>

namespace thrust_reduce {

struct Square {
  __host__ __device__ long long operator()(int x) const { return (long long)(x)*x; }
};

SUITE_TEST(thrustReduce) {
  std::vector<int> in = suite::values(n, 1000);
  thrust::device_vector<int> data(in.begin(), in.end());
  EXPECT(thrust::reduce(data.begin(), data.end()) == std::accumulate(in.begin(), in.end(), 0));
  int most = thrust::reduce(data.begin(), data.end(), -1, thrust::maximum<int>());
  EXPECT(most == (n ? *std::max_element(in.begin(), in.end()) : -1));
}

SUITE_TEST(thrustTransformReduce) {
  thrust::counting_iterator<int> from(0);
  long long sum =
      thrust::transform_reduce(from, from + n, Square(), 0ll, thrust::plus<long long>());
  EXPECT(sum == (long long)(n - 1) * n * (2 * n - 1) / 6);
}

SUITE_TEST(thrustInnerProduct) {
  std::vector<int> a = suite::values(n, 100), b = suite::values(n, 100, 1);
  thrust::device_vector<int> x(a.begin(), a.end()), y(b.begin(), b.end());
  EXPECT(thrust::inner_product(x.begin(), x.end(), y.begin(), 7) ==
         std::inner_product(a.begin(), a.end(), b.begin(), 7));
}

SUITE_TEST(thrustReduceByKey) {
  std::vector<int> keys(n), in = suite::values(n, 1000), right;
  for (int i = 0; i < n; ++i)
    keys[i] = i / 7;
  thrust::device_vector<int> k(keys.begin(), keys.end()), data(in.begin(), in.end()), sums(n),
      unique(n);
  auto ends = thrust::reduce_by_key(k.begin(), k.end(), data.begin(), unique.begin(), sums.begin());
  for (int i = 0; i < n; i += 7)
    right.push_back(std::accumulate(in.begin() + i, in.begin() + std::min(n, i + 7), 0));
  std::vector<int> got(ends.second - sums.begin());
  thrust::copy(sums.begin(), ends.second, got.begin());
  EXPECT(got == right);
}

SUITE_TEST(thrustInclusiveScan) {
  std::vector<int> in = suite::values(n, 1000), right(n), got(n);
  thrust::device_vector<int> data(in.begin(), in.end());
  thrust::inclusive_scan(data.begin(), data.end(), data.begin());
  thrust::copy(data.begin(), data.end(), got.begin());
  std::partial_sum(in.begin(), in.end(), right.begin());
  EXPECT(got == right);
}

} // namespace thrust_reduce
