// scopesan-test: device-wide radix sort of bit ranges and structures, histograms, segments, merge sort, run lengths
//
// variant all -Xarch_host -O0
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S7 S8
//   args --sizes=0,1,33,257,1000,4099
#include "suite.h"

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <cuda_fp16.h>

namespace cub_device_sorts {
using suite::withStorage;
template <class K> void pairs(int n, bool desc, int lo, int hi) {
  auto k = suite::values<K>(n, 1 << 12);
  std::vector<double> v(n);
  std::iota(v.begin(), v.end(), 0);
  suite::Device<K> a(k), b(n);
  suite::Device<double> x(v), y(n);
  withStorage([&](void *p, size_t &s) {
    return desc ? cub::DeviceRadixSort::SortPairsDescending(p, s, a.get(), b.get(), x.get(),
                                                            y.get(), n, lo, hi)
                : cub::DeviceRadixSort::SortPairs(p, s, a.get(), b.get(), x.get(), y.get(), n, lo,
                                                  hi);
  });
  auto key = [&](double i) {
    if constexpr (std::is_integral_v<K>) {
      auto u = (unsigned long long)k[int(i)];
      u >>= lo;
      int w = hi - lo;
      return w >= 64 ? u : u & ((1ull << w) - 1);
    } else
      return (double)k[int(i)];
  };
  std::stable_sort(v.begin(), v.end(),
                   [&](double p, double q) { return desc ? key(p) > key(q) : key(p) < key(q); });
  EXPECT(y.host() == v);
}

SUITE_TEST(bitRanges) {
  pairs<unsigned>(n, false, 3, 9);
  pairs<unsigned long long>(n, true, 0, 12);
  pairs<unsigned short>(n, false, 1, 2);
}

SUITE_TEST(floatKeys) {
  pairs<float>(n, true, 0, 32);
  pairs<double>(n, false, 0, 64);
}

SUITE_TEST(doubleBufferKeys) {
  auto k = suite::values<unsigned char>(n, 250);
  suite::Device<unsigned char> a(k), b(n);
  cub::DoubleBuffer<unsigned char> db(a.get(), b.get());
  withStorage(
      [&](void *p, size_t &s) { return cub::DeviceRadixSort::SortKeysDescending(p, s, db, n); });
  std::sort(k.begin(), k.end(), std::greater<unsigned char>());
  EXPECT((db.Current() == a.get() ? a : b).host() == k);
}

struct Custom {
  float f;
  int unused;
  long long l;
};

struct Dec {
  __host__ __device__ cuda::std::tuple<float &, long long &> operator()(Custom &c) const {
    return {c.f, c.l};
  }
};

SUITE_TEST(decomposer) {
  if (n > 1000)
    return;
  std::vector<Custom> v;
  auto a = suite::values(n, 5), b = suite::values(n, 50, 2);
  for (int i = 0; i < n; ++i)
    v.push_back({float(a[i]) - 2, i, b[i]});
  suite::Device<Custom> x(v), y(n);
  withStorage([&](void *p, size_t &s) {
    return cub::DeviceRadixSort::SortKeys(p, s, x.get(), y.get(), n, Dec{});
  });
  std::stable_sort(v.begin(), v.end(),
                   [](auto &p, auto &q) { return std::pair(p.f, p.l) < std::pair(q.f, q.l); });
  auto h = y.host();
  for (int i = 0; i < n; ++i)
    EXPECT(h[i].f == v[i].f && h[i].l == v[i].l && h[i].unused == v[i].unused);
}

SUITE_TEST(multiHistogram) {
  auto px = suite::values<unsigned char>(4 * n, 256);
  suite::Device<unsigned char> in(px);
  suite::Device<int> r(256), g(64), b(16);
  int *h[3] = {r.get(), g.get(), b.get()};
  int lv[3] = {257, 65, 17}, lo[3] = {0, 0, 0}, up[3] = {256, 256, 256};
  withStorage([&](void *p, size_t &s) {
    return cub::DeviceHistogram::MultiHistogramEven<4, 3>(p, s, in.get(), h, lv, lo, up, n);
  });
  std::vector<int> w(256), x(64), y(16);
  for (int i = 0; i < n; ++i)
    ++w[px[4 * i]], ++x[px[4 * i + 1] / 4], ++y[px[4 * i + 2] / 16];
  EXPECT(r.host() == w);
  EXPECT(g.host() == x);
  EXPECT(b.host() == y);
  auto f = suite::values<float>(n, 1000);
  suite::Device<float> df(f);
  std::vector<float> lev = {0, 10, 11, 500, 999};
  suite::Device<float> dl(lev);
  suite::Device<unsigned long long> hh(4);
  withStorage([&](void *p, size_t &s) {
    return cub::DeviceHistogram::HistogramRange(p, s, df.get(), hh.get(), 5, dl.get(), n);
  });
  std::vector<unsigned long long> q(4);
  for (float v : f)
    for (int i = 0; i < 4; ++i)
      q[i] += v >= lev[i] && v < lev[i + 1];
  EXPECT(hh.host() == q);
  int rows = 7, cols = n / 7;
  suite::Device<int> hr(16);
  withStorage([&](void *p, size_t &s) {
    return cub::DeviceHistogram::HistogramEven(p, s, in.get(), hr.get(), 17, 0, 256, cols, rows,
                                               (size_t)4 * cols);
  });
  std::vector<int> z(16);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j)
      ++z[px[i * 4 * cols + j] / 16];
  EXPECT(hr.host() == z);
}

std::vector<int> segments(int n) {
  std::vector<int> o{0};
  auto l = suite::values(n, 300, 9);
  for (int i = 0; o.back() < n; ++i)
    o.push_back(std::min(n, o.back() + l[i] * l[i] / 200));
  o.push_back(n);
  return o;
}

SUITE_TEST(segmentedReduce) {
  auto v = suite::values(n, 100);
  auto o = segments(n);
  int m = o.size() - 1;
  suite::Device<int> d(v), off(o), s(m), mx(m);
  suite::Device<cub::KeyValuePair<int, int>> am(m);
  withStorage([&](void *p, size_t &b) {
    return cub::DeviceSegmentedReduce::Sum(p, b, d.get(), s.get(), m, off.get(), off.get() + 1);
  });
  withStorage([&](void *p, size_t &b) {
    return cub::DeviceSegmentedReduce::Max(p, b, d.get(), mx.get(), m, off.get(), off.get() + 1);
  });
  withStorage([&](void *p, size_t &b) {
    return cub::DeviceSegmentedReduce::ArgMin(p, b, d.get(), am.get(), m, off.get(), off.get() + 1);
  });
  auto h = s.host(), x = mx.host();
  auto q = am.host();
  for (int i = 0; i < m; ++i) {
    EXPECT(h[i] == std::accumulate(v.begin() + o[i], v.begin() + o[i + 1], 0));
    if (o[i] < o[i + 1]) {
      EXPECT(x[i] == *std::max_element(v.begin() + o[i], v.begin() + o[i + 1]));
      EXPECT(q[i].key ==
             std::min_element(v.begin() + o[i], v.begin() + o[i + 1]) - v.begin() - o[i]);
    }
  }
}

SUITE_TEST(segmentedRadixSort) {
  auto v = suite::values<unsigned>(n, 10000);
  auto o = segments(n);
  int m = o.size() - 1;
  suite::Device<unsigned> d(v), r(n);
  suite::Device<int> off(o);
  withStorage([&](void *p, size_t &b) {
    return cub::DeviceSegmentedRadixSort::SortKeys(p, b, d.get(), r.get(), n, m, off.get(),
                                                   off.get() + 1);
  });
  for (int i = 0; i < m; ++i)
    std::sort(v.begin() + o[i], v.begin() + o[i + 1]);
  EXPECT(r.host() == v);
}

SUITE_TEST(segmentedSort) {
  auto v = suite::values<short>(n, 1000);
  auto o = segments(n);
  int m = o.size() - 1;
  suite::Device<short> d(v), r(n);
  std::vector<int> ix(n);
  std::iota(ix.begin(), ix.end(), 0);
  suite::Device<int> off(o), vi(ix), vo(n);
  withStorage([&](void *p, size_t &b) {
    return cub::DeviceSegmentedSort::StableSortPairs(p, b, d.get(), r.get(), vi.get(), vo.get(), n,
                                                     m, off.get(), off.get() + 1);
  });
  for (int i = 0; i < m; ++i)
    std::stable_sort(ix.begin() + o[i], ix.begin() + o[i + 1],
                     [&](int a, int b) { return v[a] < v[b]; });
  EXPECT(vo.host() == ix);
}

struct S20 {
  int k;
  double a;
  bool operator==(const S20 &o) const { return k == o.k && a == o.a; }
};

struct LessS {
  __host__ __device__ bool operator()(const S20 &a, const S20 &b) const { return a.k < b.k; }
};

SUITE_TEST(mergeSortStructs) {
  if (n > 1000)
    return;
  auto k = suite::values(n, 30);
  std::vector<S20> v;
  for (int i = 0; i < n; ++i)
    v.push_back({k[i], i * 0.5});
  suite::Device<S20> d(v);
  withStorage([&](void *p, size_t &b) {
    return cub::DeviceMergeSort::StableSortKeys(p, b, d.get(), n, LessS());
  });
  std::stable_sort(v.begin(), v.end(), [](auto &a, auto &b) { return a.k < b.k; });
  EXPECT(d.host() == v);
}

SUITE_TEST(encodeBytes) {
  auto k = suite::values<char>(n, 2);
  suite::Device<char> d(k), u(n);
  suite::Device<short> l(n);
  suite::Device<int> c(1);
  withStorage([&](void *p, size_t &b) {
    return cub::DeviceRunLengthEncode::Encode(p, b, d.get(), u.get(), l.get(), c.get(), n);
  });
  std::vector<short> w;
  for (int i = 0; i < n; ++i) {
    if (!i || k[i] != k[i - 1])
      w.push_back(0);
    ++w.back();
  }
  EXPECT(c.host()[0] == (int)w.size());
  EXPECT(l.host(w.size()) == w);
}
} // namespace cub_device_sorts
