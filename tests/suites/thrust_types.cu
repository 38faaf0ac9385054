// scopesan-test: Thrust with structures, complex, bool, half, pairs, tuples, 128-bit integers
//
// variant all -Xarch_host -O0
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S7 S8
//   args --sizes=0,1,33,257,1000,4099
#include "thrust_suite.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <thrust/complex.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/host_vector.h>
#include <thrust/pair.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>

namespace thrust_types {
using suite::host;

struct Key3 {
  int a;
  short b;
  char c;
  float d; // 12 bytes
  __host__ __device__ bool operator<(const Key3 &o) const {
    return a != o.a ? a < o.a : b != o.b ? b < o.b : c < o.c;
  }
  __host__ __device__ bool operator==(const Key3 &o) const {
    return a == o.a && b == o.b && c == o.c && d == o.d;
  }
};
static_assert(sizeof(Key3) == 12);

std::vector<Key3> keys(int n) {
  std::vector<Key3> r;
  auto a = suite::values(n, 17), b = suite::values(n, 9, 1);
  for (int i = 0; i < n; ++i)
    r.push_back({a[i], short(b[i]), char(i % 5), float(i)});
  return r;
}

SUITE_TEST(sortStructs) {
  if (n > 1000)
    return;
  auto in = keys(n);
  thrust::device_vector<Key3> d(in.begin(), in.end());
  thrust::stable_sort(d.begin(), d.end());
  std::stable_sort(in.begin(), in.end());
  EXPECT(host(d) == in);
}

SUITE_TEST(sortStructsByKey) {
  if (n > 1000)
    return;
  auto in = keys(n);
  std::vector<long long> v(n);
  std::iota(v.begin(), v.end(), 0);
  thrust::device_vector<Key3> d(in.begin(), in.end());
  thrust::device_vector<long long> dv(v.begin(), v.end());
  thrust::stable_sort_by_key(d.begin(), d.end(), dv.begin());
  std::stable_sort(v.begin(), v.end(), [&](long long x, long long y) { return in[x] < in[y]; });
  EXPECT(host(dv) == v);
}

SUITE_TEST(complexReduce) {
  using C = thrust::complex<float>;
  std::vector<C> in;
  auto a = suite::values(n, 10), b = suite::values(n, 10, 3);
  for (int i = 0; i < n; ++i)
    in.push_back(C(a[i], -b[i]));
  thrust::device_vector<C> d(in.begin(), in.end());
  C got = thrust::reduce(d.begin(), d.end(), C(1, 1)), want(1, 1);
  for (auto &c : in)
    want += c;
  EXPECT(got == want);
  thrust::transform(d.begin(), d.end(), d.begin(),
                    [] __host__ __device__(C c) { return c * thrust::conj(c); });
  auto h = host(d);
  for (int i = 0; i < n; ++i)
    EXPECT(h[i].real() == float(a[i] * a[i] + b[i] * b[i]) && h[i].imag() == 0);
}

SUITE_TEST(boolVector) {
  auto a = suite::values(n, 7);
  thrust::device_vector<int> d(a.begin(), a.end());
  thrust::device_vector<bool> f(n);
  thrust::transform(d.begin(), d.end(), f.begin(), [] __device__(int x) { return x % 3 == 0; });
  EXPECT(thrust::count(f.begin(), f.end(), true) ==
         std::count_if(a.begin(), a.end(), [](int x) { return x % 3 == 0; }));
  thrust::inclusive_scan(f.begin(), f.end(), f.begin(), thrust::logical_or<bool>());
  auto h = host(f);
  bool s = false;
  for (int i = 0; i < n; ++i) {
    s |= a[i] % 3 == 0;
    EXPECT(h[i] == s);
  }
}

SUITE_TEST(halfSort) {
  auto a = suite::values(n, 500);
  thrust::device_vector<__half> d(n);
  std::vector<__half> in;
  for (int x : a)
    in.push_back(__half(float(x)));
  thrust::copy(in.begin(), in.end(), d.begin());
  thrust::sort(d.begin(), d.end());
  std::sort(a.begin(), a.end());
  auto h = host(d);
  for (int i = 0; i < n; ++i)
    EXPECT(float(h[i]) == float(a[i]));
  thrust::device_vector<__nv_bfloat16> b(n, __nv_bfloat16(1.0f));
  EXPECT(thrust::transform_reduce(
             b.begin(), b.end(), [] __host__ __device__(__nv_bfloat16 x) { return float(x); }, 0.0f,
             thrust::plus<float>()) == float(n));
}

SUITE_TEST(pairVector) {
  using P = thrust::pair<int, double>;
  auto a = suite::values(n, 40);
  std::vector<P> in;
  for (int i = 0; i < n; ++i)
    in.push_back(P(a[i], i));
  thrust::device_vector<P> d(in.begin(), in.end());
  if (n <= 1000)
    thrust::sort(d.begin(), d.end());
  else
    return;
  std::sort(in.begin(), in.end());
  EXPECT(host(d) == in);
  if (n) {
    P m = *thrust::max_element(d.begin(), d.end());
    EXPECT(m == in.back());
  }
}

SUITE_TEST(tupleVector) {
  using T = thrust::tuple<int, char, float>;
  std::vector<T> in;
  auto a = suite::values(n, 100);
  for (int i = 0; i < n; ++i)
    in.push_back(T(a[i], char(i % 3), float(i)));
  thrust::device_vector<T> d(in.begin(), in.end());
  auto add = [] __host__ __device__(T x, T y) {
    return T(thrust::get<0>(x) + thrust::get<0>(y),
             thrust::get<1>(x) > thrust::get<1>(y) ? thrust::get<1>(x) : thrust::get<1>(y),
             fmaxf(thrust::get<2>(x), thrust::get<2>(y)));
  };
  T got = thrust::reduce(d.begin(), d.end(), T(0, 0, 0), add), want(0, 0, 0);
  for (auto &t : in)
    want = add(want, t);
  EXPECT(got == want);
  thrust::device_vector<T> s(n);
  thrust::inclusive_scan(d.begin(), d.end(), s.begin(), add);
  auto h = host(s);
  T run(0, 0, 0);
  for (int i = 0; i < n; ++i) {
    run = add(run, in[i]);
    EXPECT(h[i] == run);
  }
}

SUITE_TEST(int128AndDouble) {
  auto a = suite::values(n, 1000);
  thrust::device_vector<__int128> d(a.begin(), a.end());
  __int128 s = thrust::reduce(d.begin(), d.end(), (__int128)0), w = 0;
  for (int x : a)
    w += x;
  EXPECT(s == w);
  thrust::sort(d.begin(), d.end(), thrust::greater<__int128>());
  std::sort(a.begin(), a.end(), std::greater<int>());
  auto h = host(d);
  for (int i = 0; i < n; ++i)
    EXPECT(h[i] == a[i]);
  thrust::device_vector<double> e(a.begin(), a.end());
  thrust::sort(e.begin(), e.end());
  auto g = host(e);
  for (int i = 0; i < n; ++i)
    EXPECT(g[i] == a[n - 1 - i]);
}

SUITE_TEST(elementAccess) {
  thrust::device_vector<int> d(n + 1, 7);
  d[n] = 3;
  d[0] = d[n] + 1;
  d.push_back(d[0]);
  d.insert(d.begin(), 9);
  d.erase(d.begin() + 1);
  d.resize(n + 5, 2);
  EXPECT(d[0] == 9);
  EXPECT(d.back() == (n + 5 > (int)n + 2 ? 2 : 0));
  d.clear();
  d.shrink_to_fit();
  EXPECT(d.empty());
}
} // namespace thrust_types
