// scopesan-test: device-wide ArgMin, by key, unique, partition, difference, for, merge, transform, batched copies
//
// variant all -Xarch_host -O0
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S7 S8
//   args --sizes=0,1,33,257,1000,4099
#include "suite.h"

#include <cub/device/device_adjacent_difference.cuh>
#include <cub/device/device_copy.cuh>
#include <cub/device/device_for.cuh>
#include <cub/device/device_memcpy.cuh>
#include <cub/device/device_merge.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cub/device/device_transform.cuh>
#include <cuda/std/tuple>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace cub_device_items {
using suite::withStorage;
SUITE_TEST(argMin) {
  if (!n)
    return;
  auto a = suite::values<float>(n, 100000);
  suite::Device<float> in(a), v(1);
  suite::Device<long long> ix(1);
  withStorage([&](void *p, size_t &b) {
    return cub::DeviceReduce::ArgMin(p, b, in.get(), v.get(), ix.get(), (long long)n);
  });
  auto m = std::min_element(a.begin(), a.end());
  EXPECT(v.host()[0] == *m && ix.host()[0] == m - a.begin());
}

SUITE_TEST(argMinPair) {
  if (!n)
    return;
  auto a = suite::values<double>(n, 100);
  suite::Device<double> in(a);
  suite::Device<cub::KeyValuePair<int, double>> o(1);
  withStorage(
      [&](void *p, size_t &b) { return cub::DeviceReduce::ArgMin(p, b, in.get(), o.get(), n); });
  auto m = std::min_element(a.begin(), a.end());
  EXPECT(o.host()[0].key == m - a.begin());
}

struct MaxOp {
  template <class T> __host__ __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};

SUITE_TEST(reduceByKey) {
  auto k = suite::values<short>(n, 3);
  auto v = suite::values<double>(n, 100, 1);
  suite::Device<short> dk(k), uk(n);
  suite::Device<double> dv(v), o(n);
  suite::Device<int> c(1);
  withStorage([&](void *p, size_t &b) {
    return cub::DeviceReduce::ReduceByKey(p, b, dk.get(), uk.get(), dv.get(), o.get(), c.get(),
                                          MaxOp(), n);
  });
  std::vector<double> w;
  std::vector<short> wk;
  for (int i = 0; i < n; ++i) {
    if (!i || k[i] != k[i - 1])
      wk.push_back(k[i]), w.push_back(v[i]);
    else
      w.back() = std::max(w.back(), v[i]);
  }
  EXPECT(c.host()[0] == (int)w.size());
  EXPECT(o.host(w.size()) == w);
  EXPECT(uk.host(w.size()) == wk);
}

SUITE_TEST(scanByKey) {
  auto k = suite::values<long long>(n, 4);
  auto v = suite::values(n, 100, 1);
  std::sort(k.begin(), k.end());
  suite::Device<long long> dk(k);
  suite::Device<int> dv(v), o(n), e(n);
  withStorage([&](void *p, size_t &b) {
    return cub::DeviceScan::InclusiveScanByKey(p, b, dk.get(), dv.get(), o.get(), MaxOp(), n);
  });
  withStorage([&](void *p, size_t &b) {
    return cub::DeviceScan::ExclusiveSumByKey(p, b, dk.get(), dv.get(), e.get(), n);
  });
  auto h = o.host(), x = e.host();
  int m = 0, s = 0;
  for (int i = 0; i < n; ++i) {
    if (!i || k[i] != k[i - 1])
      m = v[i], s = 0;
    m = std::max(m, v[i]);
    EXPECT(h[i] == m);
    EXPECT(x[i] == s);
    s += v[i];
  }
}

SUITE_TEST(scanInit) {
  auto v = suite::values(n, 100);
  suite::Device<int> d(v), o(n), f(1);
  auto init = cub::FutureValue<int>(f.get());
  int five = 5;
  CHECK(cudaMemcpy(f.get(), &five, 4, cudaMemcpyHostToDevice));
  withStorage([&](void *p, size_t &b) {
    return cub::DeviceScan::ExclusiveScan(p, b, d.get(), o.get(), MaxOp(), init, n);
  });
  auto h = o.host();
  int m = 5;
  for (int i = 0; i < n; ++i) {
    EXPECT(h[i] == m);
    m = std::max(m, v[i]);
  }
  suite::Device<int> q(n);
  withStorage([&](void *p, size_t &b) {
    return cub::DeviceScan::InclusiveScanInit(p, b, d.get(), q.get(), cuda::std::plus<>(), 7, n);
  });
  h = q.host();
  int s = 7;
  for (int i = 0; i < n; ++i) {
    s += v[i];
    EXPECT(h[i] == s);
  }
}

SUITE_TEST(uniqueByKeyAndFlaggedIf) {
  auto k = suite::values(n, 3);
  std::vector<char> fl(n);
  for (int i = 0; i < n; ++i)
    fl[i] = i % 5;
  suite::Device<int> dk(k), ok(n), ov(n), c(1);
  suite::Device<char> f(fl);
  auto it = thrust::make_counting_iterator(0);
  withStorage([&](void *p, size_t &b) {
    return cub::DeviceSelect::UniqueByKey(p, b, dk.get(), it, ok.get(), ov.get(), c.get(), n);
  });
  std::vector<int> w;
  for (int i = 0; i < n; ++i)
    if (!i || k[i] != k[i - 1])
      w.push_back(i);
  EXPECT(c.host()[0] == (int)w.size());
  EXPECT(ov.host(w.size()) == w);
  withStorage([&](void *p, size_t &b) {
    return cub::DeviceSelect::FlaggedIf(p, b, dk.get(), f.get(), ok.get(), c.get(), n,
                                        [] __device__(char x) { return x > 2; });
  });
  w.clear();
  for (int i = 0; i < n; ++i)
    if (fl[i] > 2)
      w.push_back(k[i]);
  EXPECT(c.host()[0] == (int)w.size());
  EXPECT(ok.host(w.size()) == w);
}

struct Below {
  int v;
  __host__ __device__ bool operator()(int x) const { return x < v; }
};

SUITE_TEST(threeWay) {
  auto k = suite::values(n, 90);
  suite::Device<int> d(k), a(n), z(n), r(n), c(2);
  withStorage([&](void *p, size_t &b) {
    return cub::DevicePartition::If(p, b, d.get(), a.get(), z.get(), r.get(), c.get(), n, Below{30},
                                    Below{60});
  });
  std::vector<int> x, y, u;
  for (int v : k)
    (v < 30 ? x : v < 60 ? y : u).push_back(v);
  auto h = c.host();
  EXPECT(h[0] == (int)x.size() && h[1] == (int)y.size());
  EXPECT(a.host(x.size()) == x);
  EXPECT(z.host(y.size()) == y);
  auto g = r.host(u.size());
  EXPECT(g == u);
}

SUITE_TEST(partitionFlagged) {
  auto k = suite::values(n, 90);
  std::vector<unsigned char> fl(n);
  for (int i = 0; i < n; ++i)
    fl[i] = k[i] & 1;
  suite::Device<int> d(k), o(n), c(1);
  suite::Device<unsigned char> f(fl);
  withStorage([&](void *p, size_t &b) {
    return cub::DevicePartition::Flagged(p, b, d.get(), f.get(), o.get(), c.get(), n);
  });
  std::vector<int> w, r;
  for (int v : k)
    (v & 1 ? w : r).push_back(v);
  int m = w.size();
  w.insert(w.end(), r.rbegin(), r.rend());
  EXPECT(c.host()[0] == m);
  EXPECT(o.host() == w);
}

SUITE_TEST(adjacentDifference) {
  auto k = suite::values(n, 900);
  suite::Device<int> d(k), o(n), r(n);
  withStorage([&](void *p, size_t &b) {
    return cub::DeviceAdjacentDifference::SubtractLeftCopy(p, b, d.get(), o.get(), n);
  });
  withStorage([&](void *p, size_t &b) {
    return cub::DeviceAdjacentDifference::SubtractRightCopy(p, b, d.get(), r.get(), n);
  });
  withStorage([&](void *p, size_t &b) {
    return cub::DeviceAdjacentDifference::SubtractLeft(p, b, d.get(), n);
  });
  auto h = o.host(), g = r.host();
  EXPECT(d.host() == h);
  for (int i = 0; i < n; ++i) {
    EXPECT(h[i] == (i ? k[i] - k[i - 1] : k[i]));
    EXPECT(g[i] == (i + 1 < n ? k[i] - k[i + 1] : k[i]));
  }
}

SUITE_TEST(deviceFor) {
  suite::Device<int> o(n, 0);
  int *p = o.get();
  withStorage([&](void *s, size_t &b) {
    return cub::DeviceFor::Bulk(s, b, n, [p] __device__(int i) { p[i] = i * 2; });
  });
  CHECK(cub::DeviceFor::ForEachN(p, n, [] __device__(int &x) { x += 1; }));
  CHECK(cub::DeviceFor::ForEach(p, p + n, [] __device__(int &x) { x *= 3; }));
  suite::Device<int> sum(1, 0);
  int *q = sum.get();
  CHECK(cub::DeviceFor::ForEachCopyN(p, n, [q] __device__(int x) { atomicAdd(q, x); }));
  CHECK(cudaDeviceSynchronize());
  auto h = o.host();
  int w = 0;
  for (int i = 0; i < n; ++i) {
    EXPECT(h[i] == (2 * i + 1) * 3);
    w += h[i];
  }
  EXPECT(sum.host()[0] == w);
}

SUITE_TEST(merge) {
  if (n > 1000)
    return;
  auto a = suite::values(n, 1000), b = suite::values(n / 2 + 1, 1000, 4);
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  suite::Device<int> x(a), y(b), o(a.size() + b.size());
  withStorage([&](void *p, size_t &s) {
    return cub::DeviceMerge::MergeKeys(p, s, x.get(), (int)a.size(), y.get(), (int)b.size(),
                                       o.get());
  });
  std::vector<int> w(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), w.begin());
  EXPECT(o.host() == w);
}

SUITE_TEST(transform) {
  auto a = suite::values<float>(n, 100);
  auto b = suite::values<char>(n, 100, 5);
  suite::Device<float> x(a), o(n);
  suite::Device<char> y(b);
  CHECK(cub::DeviceTransform::Transform(cuda::std::make_tuple(x.get(), y.get()), o.get(), n,
                                        [] __device__(float p, char q) { return p * q; }));
  CHECK(cudaDeviceSynchronize());
  auto h = o.host();
  for (int i = 0; i < n; ++i)
    EXPECT(h[i] == a[i] * b[i]);
}

struct At {
  const char *b;
  const unsigned *o;
  __host__ __device__ const void *operator()(unsigned i) const { return b + o[i]; }
};

SUITE_TEST(batched) {
  auto len = suite::values<unsigned>(n, 70);
  if (n > 3)
    len[2] = 9000, len[3] = 1500;
  std::vector<unsigned> off(n);
  unsigned t = 0;
  for (int i = 0; i < n; ++i)
    off[i] = t, t += len[i];
  auto data = suite::values<char>(t, 100);
  suite::Device<char> in(data), out(t + 1), out2(t + 1);
  std::vector<const void *> src;
  std::vector<void *> dst;
  std::vector<const char *> cs;
  std::vector<char *> cd;
  for (int i = 0; i < n; ++i) {
    src.push_back(in.get() + off[i]), dst.push_back(out.get() + off[i]);
    cs.push_back(in.get() + off[i]), cd.push_back(out2.get() + off[i]);
  }
  suite::Device<const void *> s(src);
  suite::Device<void *> d(dst);
  suite::Device<unsigned> l(len);
  suite::Device<const char *> s2(cs);
  suite::Device<char *> d2(cd);
  withStorage([&](void *p, size_t &b) {
    return cub::DeviceMemcpy::Batched(p, b, s.get(), d.get(), l.get(), (unsigned)n);
  });
  withStorage([&](void *p, size_t &b) {
    return cub::DeviceCopy::Batched(p, b, s2.get(), d2.get(), l.get(), (unsigned)n);
  });
  EXPECT(out.host(t) == data);
  EXPECT(out2.host(t) == data);
}
} // namespace cub_device_items
