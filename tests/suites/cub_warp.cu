// scopesan-test: warp-wide reduce, scan, exchange, sort and moves of logical warps; odd blocks
//
// variant all -Xarch_host -O0
//   verdict clean
//   proof S7 S8 D7
//   args --sizes=0,1,33,257,1000,4099
// variant odd_logical_warps -DSEVERAL_ODD -Xarch_host -O0
//   why the mask of a logical warp whose size is no power of two names the first lanes:
//   why docs/known-library-findings.md
//   verdict findings
//   require D7 odd_sum odd_sum
//   exit any
//   may-be-incomplete a kernel ended with an error
//   args --sizes=1 --only=oddLogical
//   backends cpu
//   proof D7
#include "suite.h"

#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_exchange.cuh>
#include <cub/warp/warp_load.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cub/warp/warp_store.cuh>

namespace cub_warp {
struct Big {
  double a;
  int b;
  __host__ __device__ Big operator+(const Big &o) const { return {a + o.a, b + o.b}; }
  __host__ __device__ bool operator==(const Big &o) const { return a == o.a && b == o.b; }
};

struct Add {
  template <class T> __host__ __device__ T operator()(const T &a, const T &b) const {
    return a + b;
  }
};

template <class T, int L>
__global__ void reduceScan(const T *in, T *sum, T *incl, T *excl, T *seg, T *part) {
  using R = cub::WarpReduce<T, L>;
  using S = cub::WarpScan<T, L>;
  constexpr int W = 96 / L;
  __shared__ typename R::TempStorage r[W];
  __shared__ typename S::TempStorage s[W];
  int t = threadIdx.x, w = t / L, l = t % L;
  if (w >= W)
    return;
  T v = in[t];
  T a = R(r[w]).Reduce(v, Add());
  if (l == 0)
    sum[w] = a;
  __syncwarp(__activemask());
  T i, e;
  S(s[w]).InclusiveScan(v, i, Add());
  __syncwarp(__activemask());
  S(s[w]).ExclusiveScan(v, e, in[0], Add());
  incl[t] = i;
  excl[t] = e;
  __syncwarp(__activemask());
  T h = R(r[w]).HeadSegmentedReduce(v, l % 3 == 0, Add());
  if (l % 3 == 0)
    seg[t] = h;
  __syncwarp(__activemask());
  T p = R(r[w]).Reduce(v, Add(), L - 1);
  if (l == 0)
    part[w] = p;
}

template <class T, int L> void run(std::vector<T> a) {
  constexpr int W = 96 / L, N = W * L;
  suite::Device<T> in(a), sum(W), i(96), e(96), g(96), p(W);
  reduceScan<T, L><<<1, N>>>(in.get(), sum.get(), i.get(), e.get(), g.get(), p.get());
  CHECK(cudaGetLastError());
  auto hs = sum.host(), hi = i.host(), he = e.host(), hg = g.host(), hp = p.host();
  for (int w = 0; w < W; ++w) {
    T r = a[w * L];
    for (int l = 0; l < L; ++l) {
      if (l)
        r = r + a[w * L + l];
      EXPECT(hi[w * L + l] == r);
      if (l + 1 < L)
        EXPECT(he[w * L + l + 1] == a[0] + r);
      if (l == L - 2)
        EXPECT(hp[w] == r);
    }
    EXPECT(hs[w] == r);
    for (int l = 0; l < L; l += 3) {
      T q = a[w * L + l];
      for (int k = l + 1; k < L && k < l + 3; ++k)
        q = q + a[w * L + k];
      EXPECT(hg[w * L + l] == q);
    }
  }
}

template <int L> void both(int n) {
  run<int, L>(suite::values(96, 1000, n));
  std::vector<Big> b;
  for (int v : suite::values(96, 99, n))
    b.push_back({v * 0.5, v});
  run<Big, L>(b);
  run<float, L>(suite::values<float>(96, 1000, n));
}

SUITE_TEST(logical4) {
  if (n > 33)
    return;
  both<4>(n);
}

SUITE_TEST(logical8) {
  if (n > 33)
    return;
  both<8>(n);
}

SUITE_TEST(logical16) {
  if (n > 33)
    return;
  both<16>(n);
}

SUITE_TEST(logical32) {
  if (n > 33)
    return;
  both<32>(n);
}

SUITE_TEST(logical2) {
  if (n > 33)
    return;
  both<2>(n);
}

template <int L> __global__ void oddReduce(const int *in, int *out, int *sc) {
  using R = cub::WarpReduce<int, L>;
  using S = cub::WarpScan<int, L>;
  __shared__ typename R::TempStorage r[32 / L];
  __shared__ typename S::TempStorage s[32 / L];
  int t = threadIdx.x, w = t / L;
  if (w >= 32 / L)
    return;
  int v = R(r[w]).Sum(in[t]); // @odd_sum
  if (t % L == 0)
    out[w] = v;
  int x;
  S(s[w]).InclusiveSum(in[t], x);
  sc[t] = x;
}
#ifdef SEVERAL_ODD
constexpr int OddWarps = 6;
#else
constexpr int OddWarps = 1;
#endif

SUITE_TEST(oddLogical) {
  if (n > 33)
    return;
  auto a = suite::values(32, 100, n);
  suite::Device<int> in(a), out(8), sc(32);
  oddReduce<5><<<1, 5 * OddWarps>>>(in.get(), out.get(), sc.get());
  CHECK(cudaGetLastError());
  auto h = out.host(), s = sc.host();
  for (int w = 0; w < OddWarps; ++w) {
    int r = 0;
    for (int k = 0; k < 5; ++k) {
      r += a[5 * w + k];
      EXPECT(s[5 * w + k] == r);
    }
    EXPECT(h[w] == r);
  }
}

template <int L, int I> __global__ void moves(const int *in, int *out, int n) {
  using Ld = cub::WarpLoad<int, I, cub::WARP_LOAD_TRANSPOSE, L>;
  using St = cub::WarpStore<int, I, cub::WARP_STORE_TRANSPOSE, L>;
  using M = cub::WarpMergeSort<int, I, L>;
  using X = cub::WarpExchange<int, I, L>;
  constexpr int W = 64 / L;
  __shared__ union U {
    typename Ld::TempStorage l;
    typename St::TempStorage s;
    typename M::TempStorage m;
    typename X::TempStorage x;
  } t[W];
  int w = threadIdx.x / L, base = (blockIdx.x * W + w) * L * I;
  int v[I];
  unsigned mask = L == 32 ? ~0u : ((1u << L) - 1) << (threadIdx.x % 32 / L * L);
  Ld(t[w].l).Load(in + base, v, max(0, min(n - base, L * I)), 1 << 30);
  __syncwarp(mask);
  M(t[w].m).Sort(v, [](int a, int b) { return a < b; });
  __syncwarp(mask);
  X(t[w].x).BlockedToStriped(v, v);
  __syncwarp(mask);
  X(t[w].x).StripedToBlocked(v, v);
  __syncwarp(mask);
  St(t[w].s).Store(out + base, v, max(0, min(n - base, L * I)));
}

template <int L, int I> void runMoves(int n) {
  auto a = suite::values(n, 5000);
  suite::Device<int> in(a), out(n);
  moves<L, I><<<suite::blocksFor(n, 64 * I), 64>>>(in.get(), out.get(), n);
  CHECK(cudaGetLastError());
  for (int i = 0; i < n; i += L * I)
    std::sort(a.begin() + i, a.begin() + std::min(n, i + L * I));
  EXPECT(out.host() == a);
}

SUITE_TEST(warpMoves) {
  if (n > 1000)
    return;
  runMoves<4, 3>(n);
  runMoves<8, 4>(n);
  runMoves<16, 1>(n);
  runMoves<32, 5>(n);
}

template <int B, int I, class K> __global__ void radix(K *k, short *v) {
  using S = cub::BlockRadixSort<K, B, I, short>;
  __shared__ typename S::TempStorage t;
  K a[I];
  short b[I];
  for (int i = 0; i < I; ++i)
    a[i] = k[threadIdx.x * I + i], b[i] = v[threadIdx.x * I + i];
  S(t).SortBlockedToStriped(a, b);
  for (int i = 0; i < I; ++i)
    k[i * B + threadIdx.x] = a[i], v[i * B + threadIdx.x] = b[i];
}

template <int B, int I, class K> void runRadix(int n) {
  auto a = suite::values<K>(B * I, 100, n);
  std::vector<short> v(B * I);
  std::iota(v.begin(), v.end(), 0);
  suite::Device<K> k(a);
  suite::Device<short> d(v);
  radix<B, I, K><<<1, B>>>(k.get(), d.get());
  CHECK(cudaGetLastError());
  std::stable_sort(v.begin(), v.end(), [&](int x, int y) { return a[x] < a[y]; });
  EXPECT(d.host() == v);
}

SUITE_TEST(radixOddBlocks) {
  if (n > 33)
    return;
  runRadix<33, 1, int>(n);
  runRadix<45, 3, float>(n);
  runRadix<64, 9, unsigned char>(n);
  runRadix<100, 2, long long>(n);
}

template <cub::BlockReduceAlgorithm A> __global__ void reduce3d(const int *in, int *out, int n) {
  using R = cub::BlockReduce<int, 5, A, 7, 3>;
  __shared__ typename R::TempStorage t;
  int i = threadIdx.x + 5 * (threadIdx.y + 7 * threadIdx.z);
  int v = R(t).Reduce(i < n ? in[i] : 0, [](int a, int b) { return a > b ? a : b; }, min(n, 105));
  if (!i)
    *out = v;
}

template <cub::BlockReduceAlgorithm A> void run3d(int n) {
  if (!n)
    return;
  int m = std::min(n, 105);
  auto a = suite::values(m, 1000);
  suite::Device<int> in(a), o(1);
  reduce3d<A><<<1, dim3(5, 7, 3)>>>(in.get(), o.get(), m);
  CHECK(cudaGetLastError());
  EXPECT(o.host()[0] == *std::max_element(a.begin(), a.end()));
}

SUITE_TEST(blocks3d) {
  run3d<cub::BLOCK_REDUCE_RAKING>(n);
  run3d<cub::BLOCK_REDUCE_WARP_REDUCTIONS>(n);
  run3d<cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(n);
}

struct Prefix {
  int run;
  __device__ int operator()(int agg) {
    int o = run;
    run += agg;
    return o;
  }
};

template <cub::BlockScanAlgorithm A> __global__ void running(const int *in, int *out, int n) {
  using S = cub::BlockScan<int, 64, A>;
  __shared__ typename S::TempStorage t;
  Prefix p{10};
  for (int b = 0; b < n; b += 64 * 2) {
    int v[2];
    for (int k = 0; k < 2; ++k) {
      int i = b + threadIdx.x * 2 + k;
      v[k] = i < n ? in[i] : 0;
    }
    S(t).ExclusiveSum(v, v, p);
    __syncthreads();
    for (int k = 0; k < 2; ++k) {
      int i = b + threadIdx.x * 2 + k;
      if (i < n)
        out[i] = v[k];
    }
  }
}

template <cub::BlockScanAlgorithm A> void runRunning(int n) {
  auto a = suite::values(n, 100);
  suite::Device<int> in(a), o(n);
  running<A><<<1, 64>>>(in.get(), o.get(), n);
  CHECK(cudaGetLastError());
  auto h = o.host();
  int s = 10;
  for (int i = 0; i < n; ++i) {
    EXPECT(h[i] == s);
    s += a[i];
  }
}

SUITE_TEST(scanPrefixCallback) {
  runRunning<cub::BLOCK_SCAN_RAKING>(n);
  runRunning<cub::BLOCK_SCAN_RAKING_MEMOIZE>(n);
  runRunning<cub::BLOCK_SCAN_WARP_SCANS>(n);
}
} // namespace cub_warp
