// scopesan-test: Thrust: gather, scatter, partition, remove, replace, sets, merge, search, generate
//
// variant all -Xarch_host -O0
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S7 S8
//   args --sizes=0,1,33,257,1000,4099
#include "thrust_suite.h"

#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/for_each.h>
#include <thrust/gather.h>
#include <thrust/generate.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/swap.h>
#include <thrust/tabulate.h>
#include <thrust/unique.h>

namespace thrust_moves {
using suite::host;

template <class T> std::vector<T> host(const thrust::device_vector<T> &v, size_t m) {
  auto h = host(v);
  h.resize(m);
  return h;
}

using V = thrust::device_vector<int>;
using H = std::vector<int>;
struct Odd {
  __host__ __device__ bool operator()(int x) const { return x & 1; }
};

SUITE_TEST(gatherScatter) {
  H p(n);
  for (int i = 0; i < n; ++i)
    p[i] = (i * 7ll + 3) % n;
  bool perm = n % 7;
  H a = suite::values(n, 1000), f = suite::values(n, 2, 1);
  V m(p.begin(), p.end()), x(a.begin(), a.end()), o(n, -1), st(f.begin(), f.end());
  thrust::gather(m.begin(), m.end(), x.begin(), o.begin());
  H h = host(o);
  for (int i = 0; i < n; ++i)
    EXPECT(h[i] == a[p[i]]);
  if (!perm)
    return;
  thrust::scatter(x.begin(), x.end(), m.begin(), o.begin());
  h = host(o);
  for (int i = 0; i < n; ++i)
    EXPECT(h[p[i]] == a[i]);
  thrust::fill(o.begin(), o.end(), -1);
  thrust::scatter_if(x.begin(), x.end(), m.begin(), st.begin(), o.begin());
  h = host(o);
  for (int i = 0; i < n; ++i)
    EXPECT(h[p[i]] == (f[i] ? a[i] : -1));
  thrust::fill(o.begin(), o.end(), -1);
  thrust::gather_if(m.begin(), m.end(), st.begin(), x.begin(), o.begin());
  h = host(o);
  for (int i = 0; i < n; ++i)
    EXPECT(h[i] == (f[i] ? a[p[i]] : -1));
}

SUITE_TEST(partitions) {
  H a = suite::values(n, 1000);
  V x(a.begin(), a.end()), t(n), f(n);
  auto e = thrust::partition_copy(x.begin(), x.end(), t.begin(), f.begin(), Odd());
  H y, z;
  for (int v : a)
    (v & 1 ? y : z).push_back(v);
  EXPECT(e.first - t.begin() == (int)y.size() && e.second - f.begin() == (int)z.size());
  EXPECT(host(t, y.size()) == y);
  EXPECT(host(f, z.size()) == z);
  auto k = thrust::stable_partition(x.begin(), x.end(), Odd());
  EXPECT(k - x.begin() == (int)y.size());
  H w = y;
  w.insert(w.end(), z.begin(), z.end());
  EXPECT(host(x) == w);
  EXPECT(thrust::is_partitioned(x.begin(), x.end(), Odd()));
  EXPECT(thrust::partition_point(x.begin(), x.end(), Odd()) == k);
  x = V(a.begin(), a.end());
  k = thrust::partition(x.begin(), x.end(), Odd());
  EXPECT(k - x.begin() == (int)y.size());
}

SUITE_TEST(removeCopies) {
  H a = suite::values(n, 6), s = suite::values(n, 2, 2);
  V x(a.begin(), a.end()), st(s.begin(), s.end()), o(n);
  int m = thrust::remove_copy(x.begin(), x.end(), o.begin(), 3) - o.begin();
  H w;
  for (int v : a)
    if (v != 3)
      w.push_back(v);
  EXPECT(host(o, m) == w);
  m = thrust::remove_copy_if(x.begin(), x.end(), st.begin(), o.begin(), Odd()) - o.begin();
  w.clear();
  for (int i = 0; i < n; ++i)
    if (!s[i])
      w.push_back(a[i]);
  EXPECT(host(o, m) == w);
  V ov(n);
  auto e = thrust::unique_by_key_copy(x.begin(), x.end(), thrust::make_counting_iterator(0),
                                      o.begin(), ov.begin());
  w.clear();
  H wi;
  for (int i = 0; i < n; ++i)
    if (!i || a[i] != a[i - 1])
      w.push_back(a[i]), wi.push_back(i);
  EXPECT(host(o, e.first - o.begin()) == w);
  EXPECT(host(ov, e.second - ov.begin()) == wi);
  if (n < 300) {
    m = thrust::unique_count(x.begin(), x.end());
    EXPECT(m == (int)w.size());
  }
}

SUITE_TEST(replaceReverseSwap) {
  H a = suite::values(n, 6);
  V x(a.begin(), a.end()), y(n, 9), o(n);
  thrust::replace(x.begin(), x.end(), 3, 30);
  thrust::replace_if(x.begin(), x.end(), Odd(), -1);
  thrust::replace_copy_if(x.begin(), x.end(), o.begin(), Odd(), 7);
  H h = host(o);
  for (int i = 0; i < n; ++i) {
    int v = a[i] == 3 ? 30 : a[i];
    if (v & 1)
      v = -1;
    EXPECT(h[i] == (v & 1 ? 7 : v));
  }
  thrust::reverse(o.begin(), o.end());
  std::reverse(h.begin(), h.end());
  EXPECT(host(o) == h);
  thrust::reverse_copy(o.begin(), o.end(), x.begin());
  thrust::swap_ranges(x.begin(), x.end(), y.begin());
  std::reverse(h.begin(), h.end());
  EXPECT(host(y) == h);
  EXPECT(host(x) == H(n, 9));
}
H sorted(int n, int below, int salt) {
  H a = suite::values(n, below, salt);
  std::sort(a.begin(), a.end());
  return a;
}

SUITE_TEST(setOperations) {
  H a = sorted(n, 700, 1), b = sorted(n * 2 / 3 + 1, 700, 2);
  V x(a.begin(), a.end()), y(b.begin(), b.end()), o(a.size() + b.size());
  H w(a.size() + b.size());
  auto chk = [&](auto e, auto f) {
    EXPECT(e - o.begin() == f - w.begin());
    H g(w.begin(), f);
    EXPECT(host(o, e - o.begin()) == g);
  };
  chk(thrust::set_union(x.begin(), x.end(), y.begin(), y.end(), o.begin()),
      std::set_union(a.begin(), a.end(), b.begin(), b.end(), w.begin()));
  chk(thrust::set_difference(x.begin(), x.end(), y.begin(), y.end(), o.begin()),
      std::set_difference(a.begin(), a.end(), b.begin(), b.end(), w.begin()));
  chk(thrust::set_symmetric_difference(x.begin(), x.end(), y.begin(), y.end(), o.begin()),
      std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), w.begin()));
  chk(thrust::set_intersection(x.begin(), x.end(), y.begin(), y.end(), o.begin()),
      std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), w.begin()));
}

SUITE_TEST(setByKeyAndMerge) {
  H a = sorted(n, 700, 1), b = sorted(n / 2 + 1, 700, 2);
  V x(a.begin(), a.end()), y(b.begin(), b.end()), o(a.size() + b.size()), ov(a.size() + b.size());
  H w(o.size());
  auto e = thrust::set_union_by_key(x.begin(), x.end(), y.begin(), y.end(),
                                    thrust::make_constant_iterator(1),
                                    thrust::make_constant_iterator(2), o.begin(), ov.begin());
  auto f = std::set_union(a.begin(), a.end(), b.begin(), b.end(), w.begin());
  EXPECT(e.first - o.begin() == f - w.begin());
  H g(w.begin(), f);
  EXPECT(host(o, g.size()) == g);
  thrust::merge(x.begin(), x.end(), y.begin(), y.end(), o.begin());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), w.begin());
  EXPECT(host(o) == w);
  thrust::merge_by_key(x.begin(), x.end(), y.begin(), y.end(), thrust::make_counting_iterator(0),
                       thrust::make_counting_iterator(100000), o.begin(), ov.begin());
  EXPECT(host(o) == w);
  H hv = host(ov);
  for (size_t i = 0; i < hv.size(); ++i)
    EXPECT((hv[i] < 100000 ? a[hv[i]] : b[hv[i] - 100000]) == w[i]);
}

SUITE_TEST(searches) {
  H a = sorted(n, 700, 1), q = suite::values(n, 720, 5);
  V x(a.begin(), a.end()), y(q.begin(), q.end());
  thrust::device_vector<unsigned> l(n), u(n);
  thrust::device_vector<bool> b(n);
  thrust::lower_bound(x.begin(), x.end(), y.begin(), y.end(), l.begin());
  thrust::upper_bound(x.begin(), x.end(), y.begin(), y.end(), u.begin());
  thrust::binary_search(x.begin(), x.end(), y.begin(), y.end(), b.begin());
  auto hl = host(l), hu = host(u);
  auto hb = host(b);
  for (int i = 0; i < n; ++i) {
    EXPECT(hl[i] == std::lower_bound(a.begin(), a.end(), q[i]) - a.begin());
    EXPECT(hu[i] == std::upper_bound(a.begin(), a.end(), q[i]) - a.begin());
    EXPECT(hb[i] == std::binary_search(a.begin(), a.end(), q[i]));
  }
  EXPECT(thrust::lower_bound(x.begin(), x.end(), 350) - x.begin() ==
         std::lower_bound(a.begin(), a.end(), 350) - a.begin());
  auto r = thrust::equal_range(x.begin(), x.end(), 10);
  EXPECT(r.second - r.first == std::count(a.begin(), a.end(), 10));
}

struct Gen {
  __host__ __device__ int operator()() const { return 5; }
};

SUITE_TEST(generators) {
  V x(n), y(n);
  thrust::sequence(x.begin(), x.end(), 10, 3);
  thrust::tabulate(y.begin(), y.end(), [] __device__(int i) { return i * i; });
  H h = host(x), g = host(y);
  for (int i = 0; i < n; ++i)
    EXPECT(h[i] == 10 + 3 * i && g[i] == i * i);
  thrust::generate(x.begin(), x.end(), Gen());
  EXPECT(host(x) == H(n, 5));
  thrust::fill_n(x.begin(), n / 2, 8);
  thrust::for_each_n(x.begin(), n / 2, [] __device__(int &v) { v++; });
  h = host(x);
  for (int i = 0; i < n; ++i)
    EXPECT(h[i] == (i < n / 2 ? 9 : 5));
}
} // namespace thrust_moves
