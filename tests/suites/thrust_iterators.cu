// scopesan-test: Thrust with zip, permutation, transform, output and reverse iterators
//
// variant all -Xarch_host -O0
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S7 S8
//   args --sizes=0,1,33,257,1000,4099
#include "suite.h"

#include <thrust/device_vector.h>
#include <thrust/for_each.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/offset_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_input_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>
#include <thrust/zip_function.h>

namespace thrust_iterators {
template <class T> std::vector<T> host(const thrust::device_vector<T> &v) {
  thrust::host_vector<T> h = v;
  return std::vector<T>(h.begin(), h.end());
}

SUITE_TEST(zipForEach) {
  auto a = suite::values(n, 100);
  thrust::device_vector<int> x(a.begin(), a.end()), y(n, 3), z(n);
  thrust::for_each(thrust::make_zip_iterator(x.begin(), y.begin(), z.begin()),
                   thrust::make_zip_iterator(x.end(), y.end(), z.end()),
                   thrust::make_zip_function([] __device__(int p, int q, int &r) { r = p * q; }));
  auto h = host(z);
  for (int i = 0; i < n; ++i)
    EXPECT(h[i] == a[i] * 3);
}

SUITE_TEST(zipSort) {
  if (n > 1000)
    return;
  auto a = suite::values(n, 5), b = suite::values(n, 1000, 2);
  thrust::device_vector<int> x(a.begin(), a.end()), y(b.begin(), b.end());
  thrust::device_vector<float> v(n);
  thrust::sequence(v.begin(), v.end());
  auto k = thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin()));
  thrust::stable_sort_by_key(k, k + n, v.begin());
  std::vector<int> o(n);
  std::iota(o.begin(), o.end(), 0);
  std::stable_sort(o.begin(), o.end(),
                   [&](int p, int q) { return std::pair(a[p], b[p]) < std::pair(a[q], b[q]); });
  auto h = host(v);
  for (int i = 0; i < n; ++i)
    EXPECT(h[i] == o[i]);
}

SUITE_TEST(transformCounting) {
  auto sq = thrust::make_transform_iterator(thrust::make_counting_iterator(0ll),
                                            [] __host__ __device__(long long i) { return i * i; });
  long long s = thrust::reduce(thrust::device, sq, sq + n), w = 0;
  for (long long i = 0; i < n; ++i)
    w += i * i;
  EXPECT(s == w);
}

SUITE_TEST(permutation) {
  std::vector<int> p(n);
  for (int i = 0; i < n; ++i)
    p[i] = n - 1 - i;
  auto a = suite::values(n, 100);
  thrust::device_vector<int> x(a.begin(), a.end()), m(p.begin(), p.end()), y(n);
  auto it = thrust::make_permutation_iterator(x.begin(), m.begin());
  thrust::copy(it, it + n, y.begin());
  auto h = host(y);
  for (int i = 0; i < n; ++i)
    EXPECT(h[i] == a[n - 1 - i]);
  auto out = thrust::make_permutation_iterator(y.begin(), m.begin());
  thrust::inclusive_scan(x.begin(), x.end(), out);
  h = host(y);
  int s = 0;
  for (int i = 0; i < n; ++i) {
    s += a[i];
    EXPECT(h[n - 1 - i] == s);
  }
}

SUITE_TEST(reduceByKeyConstantDiscard) {
  auto a = suite::values(n, 3);
  std::sort(a.begin(), a.end());
  thrust::device_vector<int> x(a.begin(), a.end());
  thrust::device_vector<int> c(n + 1);
  auto e = thrust::reduce_by_key(x.begin(), x.end(), thrust::make_constant_iterator(1),
                                 thrust::make_discard_iterator(), c.begin());
  int m = e.second - c.begin();
  auto h = host(c);
  std::vector<int> w;
  for (int i = 0; i < n; ++i) {
    if (!i || a[i] != a[i - 1])
      w.push_back(0);
    ++w.back();
  }
  EXPECT(m == (int)w.size());
  for (int i = 0; i < m; ++i)
    EXPECT(h[i] == w[i]);
}

SUITE_TEST(reverse) {
  auto a = suite::values(n, 100);
  thrust::device_vector<int> x(a.begin(), a.end()), y(n);
  thrust::exclusive_scan(x.rbegin(), x.rend(), y.rbegin());
  auto h = host(y);
  int s = 0;
  for (int i = n - 1; i >= 0; --i) {
    EXPECT(h[i] == s);
    s += a[i];
  }
  auto r = thrust::make_reverse_iterator(x.end());
  thrust::copy(r, r + n, y.begin());
  h = host(y);
  for (int i = 0; i < n; ++i)
    EXPECT(h[i] == a[n - 1 - i]);
}

struct Twice {
  __host__ __device__ int operator()(int v) const { return 2 * v; }
};

struct Put {
  int *p;
  __device__ void operator()(int i, int v) const { p[i] = v + i; }
};

struct Minus {
  __host__ __device__ int operator()(int v) const { return v - 1; }
};

SUITE_TEST(outputIterators) {
  auto a = suite::values(n, 100);
  thrust::device_vector<int> x(a.begin(), a.end()), y(n), z(n);
  thrust::copy(x.begin(), x.end(), thrust::make_transform_output_iterator(y.begin(), Twice()));
  auto io = thrust::make_transform_input_output_iterator(y.begin(), Minus(), Twice());
  thrust::copy(io, io + n, z.begin());
  auto h = host(z);
  for (int i = 0; i < n; ++i)
    EXPECT(h[i] == 2 * a[i] - 1);
  thrust::sequence(io, io + n);
  h = host(y);
  for (int i = 0; i < n; ++i)
    EXPECT(h[i] == 2 * i);
  int *p = thrust::raw_pointer_cast(z.data());
  auto t = thrust::make_tabulate_output_iterator(Put{p});
  thrust::copy(x.begin(), x.end(), t);
  h = host(z);
  for (int i = 0; i < n; ++i)
    EXPECT(h[i] == a[i] + i);
}

SUITE_TEST(strided) {
  auto a = suite::values(3 * n, 100);
  thrust::device_vector<int> x(a.begin(), a.end()), y(n);
  auto s = thrust::make_permutation_iterator(
      x.begin(), thrust::make_transform_iterator(thrust::make_counting_iterator(0),
                                                 [] __host__ __device__(int i) { return 3 * i; }));
  thrust::offset_iterator oi(x.begin(), 2);
  if (n)
    EXPECT(thrust::reduce(oi, oi + 1) == a[2]);
  thrust::copy(s, s + n, y.begin());
  auto h = host(y);
  for (int i = 0; i < n; ++i)
    EXPECT(h[i] == a[3 * i]);
}

SUITE_TEST(zipReduceUnique) {
  auto a = suite::values(n, 2), b = suite::values(n, 2, 5);
  thrust::device_vector<int> x(a.begin(), a.end()), y(b.begin(), b.end()), u(n), v(n);
  auto z = thrust::make_zip_iterator(x.begin(), y.begin());
  auto o = thrust::make_zip_iterator(u.begin(), v.begin());
  int m = thrust::unique_copy(z, z + n, o) - o;
  int w = 0;
  for (int i = 0; i < n; ++i)
    w += !i || a[i] != a[i - 1] || b[i] != b[i - 1];
  EXPECT(m == w);
  auto r = thrust::transform_reduce(
      z, z + n, thrust::make_zip_function([] __host__ __device__(int p, int q) { return p * q; }),
      0, thrust::plus<int>());
  EXPECT(r == std::inner_product(a.begin(), a.end(), b.begin(), 0));
  EXPECT(thrust::inner_product(x.begin(), x.end(), y.begin(), 0) == r);
}

SUITE_TEST(zipPartition) {
  auto a = suite::values(n, 100);
  thrust::device_vector<int> x(a.begin(), a.end()), i(n);
  thrust::sequence(i.begin(), i.end());
  thrust::device_vector<int> x2(n), i2(n);
  auto z = thrust::make_zip_iterator(x.begin(), i.begin()),
       o = thrust::make_zip_iterator(x2.begin(), i2.begin());
  auto e = thrust::copy_if(
      z, z + n, o,
      thrust::make_zip_function([] __host__ __device__(int v, int) { return v % 2 == 1; }));
  int m = e - o;
  auto h = host(x2), g = host(i2);
  int k = 0;
  for (int j = 0; j < n; ++j)
    if (a[j] % 2) {
      EXPECT(k < m && h[k] == a[j] && g[k] == j);
      ++k;
    }
  EXPECT(k == m);
}
} // namespace thrust_iterators
