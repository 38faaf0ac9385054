// scopesan-test: cooperative groups: every operation, partitions, staged copies, clusters
//
// variant all
//   verdict clean
//   may-advise progress-not-promised
//   proof S7 S8 S9 S12
//   args --sizes=0,1,33,257,1000,4099
#include "suite.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>

namespace cg_operations {
namespace cg = cooperative_groups;
template <class T, class Op, int L> __global__ void red(const T *in, T *r, T *i, T *e, Op op) {
  auto t = cg::tiled_partition<L>(cg::this_thread_block());
  T v = in[threadIdx.x];
  r[threadIdx.x] = cg::reduce(t, v, op);
  i[threadIdx.x] = cg::inclusive_scan(t, v, op);
  T x = cg::exclusive_scan(t, v, op);
  e[threadIdx.x] = t.thread_rank() ? x : T();
}

template <class T, class Op, int L, class H = Op> void runRed(std::vector<T> a, Op op, H hop = {}) {
  int N = a.size();
  suite::Device<T> in(a), r(N), i(N), e(N);
  red<T, Op, L><<<1, N>>>(in.get(), r.get(), i.get(), e.get(), op);
  CHECK(cudaGetLastError());
  auto hr = r.host(), hi = i.host(), he = e.host();
  for (int b = 0; b < N; b += L) {
    T run = a[b];
    for (int k = 0; k < L; ++k) {
      if (k) {
        EXPECT(he[b + k] == run);
        run = hop(run, a[b + k]);
      }
      EXPECT(hi[b + k] == run);
    }
    for (int k = 0; k < L; ++k)
      EXPECT(hr[b + k] == run);
  }
}

struct HPlus {
  template <class T> T operator()(T a, T b) const { return a + b; }
};

struct HMin {
  template <class T> T operator()(T a, T b) const { return a < b ? a : b; }
};

struct HMax {
  template <class T> T operator()(T a, T b) const { return a > b ? a : b; }
};

struct HAnd {
  template <class T> T operator()(T a, T b) const { return a & b; }
};

struct HOr {
  template <class T> T operator()(T a, T b) const { return a | b; }
};

struct HXor {
  template <class T> T operator()(T a, T b) const { return a ^ b; }
};

template <class T, int L> void ints(int n) {
  auto a = suite::values<T>(64, 1000, n);
  runRed<T, cg::plus<T>, L, HPlus>(a, {});
  runRed<T, cg::less<T>, L, HMin>(a, {});
  runRed<T, cg::greater<T>, L, HMax>(a, {});
  runRed<T, cg::bit_and<T>, L, HAnd>(a, {});
  runRed<T, cg::bit_or<T>, L, HOr>(a, {});
  runRed<T, cg::bit_xor<T>, L, HXor>(a, {});
}

SUITE_TEST(allOpsInt) {
  if (n > 33)
    return;
  ints<int, 32>(n);
  ints<unsigned, 8>(n);
  ints<long long, 4>(n);
  ints<int, 1>(n);
  ints<unsigned long long, 16>(n);
  ints<short, 2>(n);
}

struct V3 {
  float x, y, z;
  __host__ __device__ V3() : x(0), y(0), z(0) {}
  __host__ __device__ V3(float a) : x(a), y(2 * a), z(-a) {}
  __host__ __device__ bool operator==(const V3 &o) const {
    return x == o.x && y == o.y && z == o.z;
  }
};

struct AddV {
  __host__ __device__ V3 operator()(V3 a, V3 b) const {
    a.x += b.x;
    a.y += b.y;
    a.z += b.z;
    return a;
  }
};

SUITE_TEST(otherTypes) {
  if (n > 33)
    return;
  auto f = suite::values<float>(96, 100, n);
  runRed<float, cg::plus<float>, 32, HPlus>(f, {});
  runRed<double, cg::greater<double>, 8, HMax>(suite::values<double>(96, 100, n), {});
  std::vector<V3> v;
  for (float x : f)
    v.push_back(x);
  runRed<V3, AddV, 16>(v, {});
  runRed<V3, AddV, 32>(v, {});
}

__global__ void parts(int *out, int *sum, int n) {
  auto b = cg::this_thread_block();
  auto w = cg::tiled_partition<32>(b);
  int i = b.thread_rank();
  auto l = cg::labeled_partition(w, i % 3);
  atomicAdd(&sum[i % 3], l.thread_rank() == 0 ? (int)l.size() : 0);
  int s = cg::reduce(l, i, cg::plus<int>());
  auto p = cg::binary_partition(w, i % 5 == 0);
  int s2 = cg::reduce(p, 1, cg::plus<int>());
  l.sync();
  p.sync();
  out[4 * i] = s;
  out[4 * i + 1] = s2;
  out[4 * i + 2] = p.shfl(i, 0);
  if (i % 7 < 3) {
    auto c = cg::coalesced_threads();
    auto q = cg::labeled_partition(c, i & 1);
    out[4 * i + 3] =
        cg::inclusive_scan(q, 1) + 100 * (int)c.size() + 10000 * (int)q.meta_group_rank();
    q.sync();
    c.sync();
  } else
    out[4 * i + 3] = -1;
}

SUITE_TEST(partitions) {
  if (n > 33)
    return;
  constexpr int N = 96;
  suite::Device<int> o(4 * N), s(3, 0);
  parts<<<1, N>>>(o.get(), s.get(), n);
  CHECK(cudaGetLastError());
  auto h = o.host(), g = s.host();
  EXPECT(g[0] == 32 && g[1] == 32 && g[2] == 32);
  for (int i = 0; i < N; ++i) {
    int w = 0, c = 0, first = -1, k7 = 0;
    for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
      if (j % 3 == i % 3)
        w += j;
      if ((j % 5 == 0) == (i % 5 == 0)) {
        ++c;
        if (first < 0)
          first = j;
      }
      if (j % 7 < 3)
        ++k7;
    }
    EXPECT(h[4 * i] == w);
    EXPECT(h[4 * i + 1] == c);
    EXPECT(h[4 * i + 2] == first);
    if (i % 7 < 3)
      EXPECT(h[4 * i + 3] / 100 % 100 == k7);
  }
}

__global__ void once(int *out, int *calls) {
  auto b = cg::this_thread_block();
  __shared__ int s;
  cg::invoke_one(b, [&] {
    s = 5;
    atomicAdd(calls, 1);
  });
  b.sync();
  auto t = cg::tiled_partition<32>(b);
  int r = cg::invoke_one_broadcast(t, [&] { return atomicAdd(calls, 1); });
  auto c = cg::coalesced_threads();
  int q = cg::invoke_one_broadcast(c, [&] { return (int)c.size(); });
  out[b.thread_rank()] = s + (r > 0) + q;
}

SUITE_TEST(invokeOne) {
  if (n > 33)
    return;
  suite::Device<int> o(64), c(1, 0);
  once<<<1, 64>>>(o.get(), c.get());
  CHECK(cudaGetLastError());
  EXPECT(c.host()[0] == 3);
  for (int v : o.host())
    EXPECT(v == 38);
}

template <int L> __global__ void big(const int *in, int *out) {
  __shared__ cg::block_tile_memory<512> m;
  auto b = cg::this_thread_block(m);
  auto t = cg::tiled_partition<L>(b);
  __shared__ int x[512];
  int i = threadIdx.x;
  x[i] = in[i];
  t.sync();
  int base = i / L * L;
  int v = x[base + (i + 1) % L];
  t.sync();
  x[i] = v;
  t.sync();
  out[i] = x[base + (i + L - 1) % L] + (int)t.meta_group_rank() * 1000000;
}

SUITE_TEST(bigTiles) {
  if (n > 33)
    return;
  auto a = suite::values(512, 1000, n);
  suite::Device<int> in(a), o(512);
  big<64><<<1, 512>>>(in.get(), o.get());
  auto h = o.host();
  for (int i = 0; i < 512; ++i)
    EXPECT(h[i] == a[i] + i / 64 * 1000000);
  big<256><<<1, 512>>>(in.get(), o.get());
  h = o.host();
  for (int i = 0; i < 512; ++i)
    EXPECT(h[i] == a[i] + i / 256 * 1000000);
  big<512><<<1, 512>>>(in.get(), o.get());
  CHECK(cudaGetLastError());
  h = o.host();
  EXPECT(h == a);
}

template <int S> __global__ void stages(const float *in, float *out, int n) {
  __shared__ alignas(16) float buf[S][128];
  auto b = cg::this_thread_block();
  int tiles = (n + 127) / 128;
  for (int s = 0; s < S - 1; ++s) {
    int c = min(128, n - s * 128);
    if (c > 0)
      cg::memcpy_async(b, buf[s], in + s * 128, sizeof(float) * c);
    else
      cg::memcpy_async(b, buf[s], in, 0);
  }
  for (int t = 0; t < tiles; ++t) {
    int p = t + S - 1;
    int c = min(128, n - p * 128);
    cg::memcpy_async(b, buf[p % S], in + (c > 0 ? p * 128 : 0), sizeof(float) * max(c, 0));
    cg::wait_prior<S - 1>(b);
    int i = t * 128 + threadIdx.x;
    if (i < n)
      out[i] =
          buf[t % S][127 - threadIdx.x < min(128, n - t * 128) ? 127 - threadIdx.x : threadIdx.x];
    b.sync();
  }
  cg::wait(b);
}

SUITE_TEST(memcpyStages) {
  auto a = suite::values<float>(n, 1000);
  suite::Device<float> in(a), o(n);
  stages<3><<<1, 128>>>(in.get(), o.get(), n);
  CHECK(cudaGetLastError());
  auto h = o.host();
  for (int i = 0; i < n; ++i) {
    int t = i / 128 * 128, r = 127 - i % 128, c = std::min(128, n - t);
    EXPECT(h[i] == a[t + (r < c ? r : i % 128)]);
  }
}

__global__ void alignedCopy(const char *in, char *out, int n) {
  extern __shared__ int4 sm[];
  char *s = (char *)sm;
  auto b = cg::this_thread_block();
  auto w = cg::tiled_partition<16>(b);
  cg::memcpy_async(b, s, cuda::aligned_size_t<16>(n / 16 * 16), in,
                   cuda::aligned_size_t<16>(n / 16 * 16));
  cg::wait(b);
  for (int i = threadIdx.x; i < n / 16 * 16; i += blockDim.x)
    out[i] = s[i];
  b.sync();
  if (w.meta_group_rank() == 0) {
    cg::memcpy_async(w, (int *)s, (const int *)in, cuda::aligned_size_t<4>(64));
    cg::wait(w);
    out[n / 16 * 16 + w.thread_rank()] = s[63 - w.thread_rank()];
  }
}

SUITE_TEST(alignedCopies) {
  if (n > 1000)
    return;
  auto a = suite::values<char>(n + 64, 100);
  suite::Device<char> in(a), o(n + 64);
  alignedCopy<<<1, 80, n + 64>>>(in.get(), o.get(), n);
  CHECK(cudaGetLastError());
  auto h = o.host();
  int m = n / 16 * 16;
  for (int i = 0; i < m; ++i)
    EXPECT(h[i] == a[i]);
  for (int i = 0; i < 16; ++i)
    EXPECT(h[m + i] == a[63 - i]);
}

__global__ void __cluster_dims__(4, 1, 1) cluster(const int *in, int *out, int n) {
  auto c = cg::this_cluster();
  __shared__ int x[64];
  __shared__ int acc;
  if (!threadIdx.x)
    acc = 0;
  x[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  auto tok = c.barrier_arrive();
  int local = threadIdx.x * 3;
  c.barrier_wait(std::move(tok));
  unsigned r = c.block_rank();
  int *next = c.map_shared_rank(x, (r + 1) % c.num_blocks());
  local += next[63 - threadIdx.x];
  int *a0 = c.map_shared_rank(&acc, 0);
  atomicAdd(a0, 1);
  c.sync();
  out[blockIdx.x * 64 + threadIdx.x] =
      local + *a0 * 100000 + (int)c.query_shared_rank(next) * 10000000;
  c.sync();
}

SUITE_TEST(clusterGroup) {
  if (n > 257)
    return;
  int blocks = suite::blocksFor(n, 64) + 3;
  blocks = blocks / 4 * 4;
  auto a = suite::values(blocks * 64, 1000);
  suite::Device<int> in(a), o(a.size());
  cluster<<<blocks, 64>>>(in.get(), o.get(), n);
  CHECK(cudaGetLastError());
  auto h = o.host();
  for (int i = 0; i < blocks * 64; ++i) {
    int b = i / 64, nb = b / 4 * 4 + (b + 1) % 4;
    EXPECT(h[i] == i % 64 * 3 + a[nb * 64 + 63 - i % 64] + 256 * 100000 + nb % 4 * 10000000);
  }
}

__global__ void grid(int *a, int *b, int n, int steps) {
  auto g = cg::this_grid();
  for (int s = 0; s < steps; ++s) {
    for (int i = g.thread_rank(); i < n; i += g.size())
      b[i] = a[i ? i - 1 : n - 1] + 1;
    auto t = g.barrier_arrive();
    g.barrier_wait(std::move(t));
    int *x = a;
    a = b;
    b = x;
  }
  g.sync();
  if (g.thread_rank() == 0 && n)
    a[0] += (int)g.num_blocks() * 1000 * (g.is_valid() ? 1 : 0);
}

SUITE_TEST(gridBarrier) {
  auto v = suite::values(n, 100);
  suite::Device<int> a(v), b(n);
  int *pa = a.get(), *pb = b.get(), steps = 3;
  void *args[] = {&pa, &pb, &n, &steps};
  CHECK(cudaLaunchCooperativeKernel((void *)grid, dim3(3), dim3(96), args, 0, 0));
  CHECK(cudaDeviceSynchronize());
  auto h = b.host();
  for (int i = 0; i < n; ++i)
    EXPECT(h[i] == v[((i - 3) % n + n) % n] + 3 + (i ? 0 : 3000));
}

__global__ void split(const int *in, int *out) {
  auto b = cg::this_thread_block();
  __shared__ int s[64];
  s[threadIdx.x] = in[threadIdx.x];
  auto t = b.barrier_arrive();
  int x = threadIdx.x * 2;
  b.barrier_wait(std::move(t));
  out[threadIdx.x] = x + s[63 - threadIdx.x];
  auto w = cg::tiled_partition(b, 16);
  w.sync();
  auto u = cg::tiled_partition<8>(cg::tiled_partition<32>(b));
  int v = u.shfl_xor(x, 1) + u.shfl_down(x, 2) + (int)u.ballot(threadIdx.x & 1) +
          u.any(threadIdx.x == 3) + u.match_any((int)threadIdx.x / 4);
  out[threadIdx.x] += v * 0;
  cg::sync(b);
}

SUITE_TEST(splitBlockBarrier) {
  if (n > 33)
    return;
  auto a = suite::values(64, 1000, n);
  suite::Device<int> in(a), o(64);
  split<<<1, 64>>>(in.get(), o.get());
  CHECK(cudaGetLastError());
  auto h = o.host();
  for (int i = 0; i < 64; ++i)
    EXPECT(h[i] == 2 * i + a[63 - i]);
}

__global__ void update(int *out, unsigned *count, int n) {
  auto b = cg::this_thread_block();
  auto t = cg::tiled_partition<32>(b);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool take = i < n && i % 3 == 0;
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> c(*count);
  unsigned at = cg::exclusive_scan_update(t, c, take ? 1u : 0u);
  if (take)
    out[at] = i;
  cg::reduce_update_async(t, c, 0u, cg::plus<unsigned>());
}

SUITE_TEST(scanUpdate) {
  suite::Device<int> o(n / 3 + 1);
  suite::Device<unsigned> c(1, 0);
  update<<<suite::blocksFor(n, 96), 96>>>(o.get(), c.get(), n);
  CHECK(cudaGetLastError());
  int m = (n + 2) / 3;
  EXPECT((int)c.host()[0] == m);
  auto h = o.host(m);
  std::sort(h.begin(), h.end());
  for (int i = 0; i < m; ++i)
    EXPECT(h[i] == 3 * i);
}
} // namespace cg_operations
