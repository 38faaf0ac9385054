// scopesan-test: Thrust: zip, permutation, transform, transform-output, discard and reverse iterators, shuffles, uninitialized memory, random numbers
//
// variant all -Xarch_host -O0
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S7 S8
//   args --sizes=0,1,33,257,1000,4099
#include "thrust_suite.h"

#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_malloc.h>
#include <thrust/device_free.h>
#include <thrust/device_vector.h>
#include <thrust/for_each.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/shuffle.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/tuple.h>
#include <thrust/uninitialized_copy.h>
#include <thrust/uninitialized_fill.h>
#include <thrust/zip_function.h>

namespace thrust_iterators {
using V = thrust::device_vector<int>;
using H = std::vector<int>;

using suite::host;

SUITE_TEST(zipped) {
  H a = suite::values(n, 100), b = suite::values(n, 100, 1);
  V x(a.begin(), a.end()), y(b.begin(), b.end()), z(n);
  auto first = thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin(), z.begin()));
  thrust::for_each(first, first + n, thrust::make_zip_function(
                                         [] __device__(int p, int q, int &r) { r = p * q + 1; }));
  H got = host(z);
  for (int i = 0; i < n; ++i)
    EXPECT(got[i] == a[i] * b[i] + 1);
}

struct First {
  __host__ __device__ int operator()(thrust::tuple<int, int> t) const { return thrust::get<0>(t); }
};

SUITE_TEST(sortedTogether) {
  H keys = suite::values(n, 40), a(n), b = suite::values(n, 100, 1);
  std::iota(a.begin(), a.end(), 0);
  V k(keys.begin(), keys.end()), x(a.begin(), a.end()), y(b.begin(), b.end());
  if (n <= 1000) { // one tile of the merge sort that pairs are moved by
    thrust::stable_sort_by_key(k.begin(), k.end(),
                               thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin())));
    std::stable_sort(a.begin(), a.end(), [&](int p, int q) { return keys[p] < keys[q]; });
    H order = host(x), carried = host(y);
    for (int i = 0; i < n; ++i)
      EXPECT(order[i] == a[i] && carried[i] == b[a[i]]);
  }
}

SUITE_TEST(permuted) {
  H a = suite::values(n, 1000), p(n);
  for (int i = 0; i < n; ++i)
    p[i] = n - 1 - i;
  V x(a.begin(), a.end()), order(p.begin(), p.end()), out(n);
  thrust::copy_n(thrust::make_permutation_iterator(x.begin(), order.begin()), n, out.begin());
  std::reverse(a.begin(), a.end());
  EXPECT(host(out) == a);
  thrust::copy(thrust::make_reverse_iterator(x.end()), thrust::make_reverse_iterator(x.begin()),
               out.begin());
  EXPECT(host(out) == a);
}

struct Half {
  __host__ __device__ int operator()(int x) const { return x / 2; }
};

SUITE_TEST(transformedBothWays) {
  H right(n);
  for (int i = 0; i < n; ++i)
    right[i] = (i * 3) / 2;
  V out(n);
  auto tripled = thrust::make_transform_iterator(
      thrust::make_counting_iterator(0), [] __host__ __device__(int i) -> int { return i * 3; });
  thrust::copy_n(tripled, n, thrust::make_transform_output_iterator(out.begin(), Half()));
  EXPECT(host(out) == right);
  EXPECT(thrust::reduce(tripled, tripled + n) == 3ll * n * (n - 1) / 2);
}

SUITE_TEST(discarded) {
  H keys = suite::values(n, 3);
  V k(keys.begin(), keys.end()), sums(n);
  auto ends = thrust::reduce_by_key(k.begin(), k.end(), thrust::make_constant_iterator(1),
                                    thrust::make_discard_iterator(), sums.begin());
  H runs;
  for (int i = 0; i < n; ++i)
    if (!i || keys[i] != keys[i - 1])
      runs.push_back(1);
    else
      ++runs.back();
  H got = host(sums);
  got.resize(ends.second - sums.begin());
  EXPECT(got == runs);
}

SUITE_TEST(shuffled) {
  V data(n);
  thrust::copy_n(thrust::make_counting_iterator(0), n, data.begin());
  thrust::default_random_engine engine(17);
  thrust::shuffle(data.begin(), data.end(), engine);
  H got = host(data);
  std::sort(got.begin(), got.end());
  for (int i = 0; i < n; ++i)
    EXPECT(got[i] == i);
}

struct Draw {
  __host__ __device__ int operator()(int i) const {
    thrust::minstd_rand engine(9);
    engine.discard(i);
    return thrust::uniform_int_distribution<int>(0, 99)(engine);
  }
};

SUITE_TEST(randomNumbers) {
  V data(n);
  thrust::transform(thrust::make_counting_iterator(0), thrust::make_counting_iterator(n),
                    data.begin(), Draw());
  H got = host(data);
  for (int i = 0; i < n; ++i)
    EXPECT(got[i] == Draw()(i));
}

struct Counted { // not trivial: is built in place
  int value;
  __host__ __device__ Counted(int v = 7) : value(v) {}
  __host__ __device__ Counted(const Counted &other) : value(other.value + 1) {}
};

SUITE_TEST(uninitialized) {
  if (!n)
    return;
  thrust::device_ptr<Counted> raw = thrust::device_malloc<Counted>(2 * n);
  thrust::uninitialized_fill(raw, raw + n, Counted(1));
  thrust::uninitialized_copy(raw, raw + n, raw + n);
  std::vector<Counted> got(2 * n);
  CHECK(cudaMemcpy((void *)got.data(), raw.get(), 2 * n * sizeof(Counted), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i)
    EXPECT(got[n + i].value == got[i].value + 1);
  thrust::device_free(raw);
}
} // namespace thrust_iterators
