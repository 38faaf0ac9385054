// scopesan-test: Thrust: extrema, queries, scans by key, differences, transforms, shuffle, descending sort
//
// variant all -Xarch_host -O0
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S7 S8
//   args --sizes=0,1,33,257,1000,4099
#include "suite.h"

#include <thrust/adjacent_difference.h>
#include <thrust/count.h>
#include <thrust/device_free.h>
#include <thrust/device_malloc.h>
#include <thrust/device_vector.h>
#include <thrust/equal.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/logical.h>
#include <thrust/mismatch.h>
#include <thrust/random.h>
#include <thrust/scan.h>
#include <thrust/shuffle.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/uninitialized_copy.h>
#include <thrust/uninitialized_fill.h>

namespace thrust_scans {
template <class T> std::vector<T> host(const thrust::device_vector<T> &v) {
  thrust::host_vector<T> h = v;
  return std::vector<T>(h.begin(), h.end());
}

using V = thrust::device_vector<int>;
using H = std::vector<int>;
struct Odd {
  __host__ __device__ bool operator()(int x) const { return x & 1; }
};

struct Big {
  __host__ __device__ bool operator()(int x) const { return x > 990; }
};

SUITE_TEST(extrema) {
  H a = suite::values(n, 1000);
  V x(a.begin(), a.end());
  auto r = thrust::minmax_element(x.begin(), x.end());
  auto w = std::minmax_element(a.begin(), a.end());
  EXPECT(r.first - x.begin() == w.first - a.begin());
  if (n)
    EXPECT(*r.second == *w.second);
  auto m = thrust::min_element(x.begin(), x.end(), thrust::greater<int>());
  EXPECT(m - x.begin() == std::max_element(a.begin(), a.end()) - a.begin());
}

SUITE_TEST(queries) {
  H a = suite::values(n, 1000);
  V x(a.begin(), a.end()), y = x;
  EXPECT(thrust::count_if(x.begin(), x.end(), Odd()) == std::count_if(a.begin(), a.end(), Odd()));
  EXPECT(thrust::find_if(x.begin(), x.end(), Big()) - x.begin() ==
         std::find_if(a.begin(), a.end(), Big()) - a.begin());
  EXPECT(thrust::find(x.begin(), x.end(), 17) - x.begin() ==
         std::find(a.begin(), a.end(), 17) - a.begin());
  EXPECT(thrust::find_if_not(x.begin(), x.end(), Odd()) - x.begin() ==
         std::find_if_not(a.begin(), a.end(), Odd()) - a.begin());
  EXPECT(thrust::equal(x.begin(), x.end(), y.begin()));
  if (n) {
    y[n / 2] = -1;
    EXPECT(!thrust::equal(x.begin(), x.end(), y.begin()));
    EXPECT(thrust::mismatch(x.begin(), x.end(), y.begin()).first - x.begin() == n / 2);
  }
  EXPECT(thrust::any_of(x.begin(), x.end(), Big()) == std::any_of(a.begin(), a.end(), Big()));
  EXPECT(thrust::none_of(x.begin(), x.end(), Big()) == std::none_of(a.begin(), a.end(), Big()));
  EXPECT(thrust::all_of(x.begin(), x.end(), Odd()) == std::all_of(a.begin(), a.end(), Odd()));
  EXPECT(thrust::is_sorted(x.begin(), x.end()) == std::is_sorted(a.begin(), a.end()));
  EXPECT(thrust::is_sorted_until(x.begin(), x.end()) - x.begin() ==
         std::is_sorted_until(a.begin(), a.end()) - a.begin());
}

SUITE_TEST(scansByKey) {
  H k = suite::values(n, 3), a = suite::values(n, 100, 2);
  V x(k.begin(), k.end()), v(a.begin(), a.end()), i(n), e(n);
  thrust::inclusive_scan_by_key(x.begin(), x.end(), v.begin(), i.begin());
  thrust::exclusive_scan_by_key(x.begin(), x.end(), v.begin(), e.begin(), 5,
                                thrust::equal_to<int>(), thrust::maximum<int>());
  H hi = host(i), he = host(e);
  int s = 0, m = 5;
  for (int j = 0; j < n; ++j) {
    if (!j || k[j] != k[j - 1])
      s = 0, m = 5;
    s += a[j];
    EXPECT(hi[j] == s);
    EXPECT(he[j] == m);
    m = std::max(m, a[j]);
  }
  thrust::inclusive_scan_by_key(x.begin(), x.end(), v.begin(), v.begin());
  EXPECT(host(v) == hi);
}

SUITE_TEST(transformScans) {
  H a = suite::values(n, 100, 2);
  V v(a.begin(), a.end()), i(n);
  thrust::device_vector<long long> e(n);
  thrust::transform_inclusive_scan(v.begin(), v.end(), i.begin(), thrust::negate<int>(),
                                   thrust::plus<int>());
  thrust::transform_exclusive_scan(v.begin(), v.end(), e.begin(), thrust::square<long long>(), 3ll,
                                   thrust::plus<long long>());
  H hi = host(i);
  auto he = host(e);
  long long q = 3;
  int s = 0;
  for (int j = 0; j < n; ++j) {
    s -= a[j];
    EXPECT(hi[j] == s);
    EXPECT(he[j] == q);
    q += (long long)a[j] * a[j];
  }
  thrust::inclusive_scan(v.begin(), v.end(), i.begin(), thrust::maximum<int>());
  hi = host(i);
  int m = -1;
  for (int j = 0; j < n; ++j) {
    m = std::max(m, a[j]);
    EXPECT(hi[j] == m);
  }
}

SUITE_TEST(differences) {
  H a = suite::values(n, 100, 2);
  V v(a.begin(), a.end()), o(n);
  thrust::adjacent_difference(v.begin(), v.end(), o.begin());
  H h = host(o);
  for (int j = 0; j < n; ++j)
    EXPECT(h[j] == (j ? a[j] - a[j - 1] : a[j]));
  thrust::adjacent_difference(v.begin(), v.end(), v.begin(), thrust::plus<int>());
  h = host(v);
  for (int j = 0; j < n; ++j)
    EXPECT(h[j] == (j ? a[j] + a[j - 1] : a[j]));
  EXPECT(thrust::inner_product(v.begin(), v.end(), v.begin(), 1, thrust::maximum<int>(),
                               thrust::minus<int>()) == 1);
}

struct Plus3 {
  __host__ __device__ int operator()(int a, int b) const { return a + b + 3; }
};

SUITE_TEST(transforms) {
  H a = suite::values(n, 100, 2), s = suite::values(n, 2, 3);
  V v(a.begin(), a.end()), st(s.begin(), s.end()), o(n, -1);
  thrust::transform_if(v.begin(), v.end(), st.begin(), o.begin(), thrust::negate<int>(), Odd());
  H h = host(o);
  for (int j = 0; j < n; ++j)
    EXPECT(h[j] == (s[j] ? -a[j] : -1));
  thrust::transform(v.begin(), v.end(), o.begin(), o.begin(), Plus3());
  H g = host(o);
  for (int j = 0; j < n; ++j)
    EXPECT(g[j] == a[j] + h[j] + 3);
  EXPECT(thrust::transform_reduce(v.begin(), v.end(), thrust::square<int>(), 0,
                                  thrust::maximum<int>()) ==
         (n ? *std::max_element(a.begin(), a.end()) * *std::max_element(a.begin(), a.end()) : 0));
}

SUITE_TEST(random) {
  V v(n), o(n);
  thrust::transform(thrust::make_counting_iterator(0), thrust::make_counting_iterator(n), v.begin(),
                    [] __host__ __device__(int i) {
                      thrust::default_random_engine r;
                      r.discard(i);
                      thrust::uniform_int_distribution<int> d(0, 99);
                      return d(r);
                    });
  for (int x : host(v))
    EXPECT(x >= 0 && x < 100);
  thrust::default_random_engine g(7);
  V p(n);
  thrust::sequence(p.begin(), p.end());
  thrust::shuffle(p.begin(), p.end(), g);
  H h = host(p);
  std::sort(h.begin(), h.end());
  for (int i = 0; i < n; ++i)
    EXPECT(h[i] == i);
  thrust::shuffle_copy(p.begin(), p.end(), o.begin(), g);
  EXPECT(thrust::reduce(o.begin(), o.end()) == n * (n - 1) / 2);
}

SUITE_TEST(uninitialized) {
  auto p = thrust::device_malloc<double>(n + 1);
  thrust::uninitialized_fill(p, p + n, 2.5);
  V v(n, 3);
  thrust::uninitialized_copy_n(v.begin(), n / 2, p);
  double s = thrust::reduce(p, p + n);
  EXPECT(s == 3.0 * (n / 2) + 2.5 * (n - n / 2));
  thrust::device_free(p);
}

SUITE_TEST(sortDescendingInPlace) {
  H a = suite::values(n, 1 << 20);
  thrust::device_vector<short> v(a.begin(), a.end());
  std::vector<short> w(a.begin(), a.end());
  thrust::sort(v.begin(), v.end(), thrust::greater<short>());
  std::sort(w.begin(), w.end(), std::greater<short>());
  EXPECT(host(v) == w);
  thrust::sort(v.rbegin(), v.rend(), thrust::greater<short>());
  if (n <= 1000) {
    std::reverse(w.begin(), w.end());
    EXPECT(host(v) == w);
  }
}
} // namespace thrust_scans
