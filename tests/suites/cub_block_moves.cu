// scopesan-test: BlockLoad and Store in every mode, Exchange, Shuffle, Discontinuity, Histogram, RunLengthDecode, MergeSort
//
// variant all -Xarch_host -O0
//   verdict clean
//   proof S7 S8
//   args --sizes=0,1,33,257,1000,4099
#include "suite.h"

#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_run_length_decode.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/block/block_store.cuh>
#include <cuda/std/functional>

namespace cub_block_moves {
template <int B, int I, cub::BlockLoadAlgorithm L, cub::BlockStoreAlgorithm S>
__global__ void __launch_bounds__(B) loadStore(const int *in, int n, int *out, int *per) {
  using Load = cub::BlockLoad<int, B, I, L>;
  using Store = cub::BlockStore<int, B, I, S>;
  __shared__ union {
    typename Load::TempStorage l;
    typename Store::TempStorage s;
  } t;
  int base = blockIdx.x * B * I, valid = n - base;
  int items[I];
  if (valid >= B * I)
    Load(t.l).Load(in + base, items);
  else
    Load(t.l).Load(in + base, items, max(valid, 0), -7);
  int sum = 0;
  for (int k = 0; k < I; ++k) {
    sum += items[k];
    items[k] += 1;
  }
  per[blockIdx.x * B + threadIdx.x] = sum;
  __syncthreads();
  if (valid >= B * I)
    Store(t.s).Store(out + base, items);
  else
    Store(t.s).Store(out + base, items, max(valid, 0));
}

template <int B, int I, cub::BlockLoadAlgorithm L, cub::BlockStoreAlgorithm S>
void run(int n, bool striped) {
  auto a = suite::values(n, 1000);
  suite::Device<int> in(a), out(n);
  int blocks = suite::blocksFor(n, B * I);
  suite::Device<int> per(blocks * B);
  loadStore<B, I, L, S><<<blocks, B>>>(in.get(), n, out.get(), per.get());
  CHECK(cudaGetLastError());
  auto h = out.host();
  for (int i = 0; i < n; ++i)
    EXPECT(h[i] == a[i] + 1);
  auto p = per.host();
  for (int b = 0; b < blocks; ++b)
    for (int t = 0; t < B; ++t) {
      int w = 0;
      for (int k = 0; k < I; ++k) {
        int i = b * B * I + (striped ? k * B + t : t * I + k);
        w += i < n ? a[i] : -7;
      }
      EXPECT(p[b * B + t] == w);
    }
}

SUITE_TEST(direct) {
  run<64, 4, cub::BLOCK_LOAD_DIRECT, cub::BLOCK_STORE_DIRECT>(n, false);
  run<96, 1, cub::BLOCK_LOAD_DIRECT, cub::BLOCK_STORE_DIRECT>(n, false);
}

SUITE_TEST(stripedMode) { run<64, 3, cub::BLOCK_LOAD_STRIPED, cub::BLOCK_STORE_STRIPED>(n, true); }

SUITE_TEST(vectorize) {
  run<64, 4, cub::BLOCK_LOAD_VECTORIZE, cub::BLOCK_STORE_VECTORIZE>(n, false);
  run<32, 6, cub::BLOCK_LOAD_VECTORIZE, cub::BLOCK_STORE_VECTORIZE>(n, false);
}

SUITE_TEST(transpose) {
  run<64, 5, cub::BLOCK_LOAD_TRANSPOSE, cub::BLOCK_STORE_TRANSPOSE>(n, false);
  run<33, 3, cub::BLOCK_LOAD_TRANSPOSE, cub::BLOCK_STORE_TRANSPOSE>(n, false);
}

SUITE_TEST(warpTranspose) {
  run<128, 7, cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::BLOCK_STORE_WARP_TRANSPOSE>(n, false);
}

SUITE_TEST(warpTransposeTimesliced) {
  run<96, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED, cub::BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED>(
      n, false);
}

template <int B, int I, bool Slice> __global__ void exchange(const int *in, int *out) {
  using E = cub::BlockExchange<int, B, I, Slice>;
  __shared__ typename E::TempStorage t;
  int v[I], r[I];
  int base = blockIdx.x * B * I;
  for (int k = 0; k < I; ++k)
    v[k] = in[base + threadIdx.x * I + k];
  E(t).BlockedToStriped(v);
  __syncthreads();
  E(t).StripedToBlocked(v);
  __syncthreads();
  E(t).BlockedToWarpStriped(v);
  __syncthreads();
  E(t).WarpStripedToBlocked(v);
  __syncthreads();
  for (int k = 0; k < I; ++k)
    r[k] = B * I - 1 - (threadIdx.x * I + k);
  E(t).ScatterToBlocked(v, r);
  __syncthreads();
  for (int k = 0; k < I; ++k)
    r[k] = B * I - 1 - (threadIdx.x * I + k);
  E(t).ScatterToStriped(v, r);
  for (int k = 0; k < I; ++k)
    out[base + k * B + threadIdx.x] = v[k];
}

template <int B, int I, bool S> void runExchange(int n) {
  int blocks = suite::blocksFor(n, B * I);
  auto a = suite::values(blocks * B * I, 1000);
  suite::Device<int> in(a), out(a.size());
  exchange<B, I, S><<<blocks, B>>>(in.get(), out.get());
  CHECK(cudaGetLastError());
  EXPECT(out.host() == a);
}

SUITE_TEST(exchanges) {
  if (n > 1000)
    return;
  runExchange<64, 5, false>(n);
  runExchange<128, 4, true>(n);
  runExchange<32, 1, false>(n);
  runExchange<50, 3, false>(n);
}

template <int B> __global__ void shuffle(const int *in, int *out) {
  using S = cub::BlockShuffle<int, B>;
  __shared__ typename S::TempStorage t;
  int v = in[threadIdx.x], o, r;
  S(t).Offset(v, o, 1);
  __syncthreads();
  S(t).Rotate(v, r, 3);
  __syncthreads();
  int x[2] = {v, v + 1}, u[2], d[2], suf;
  S(t).Up(x, u, suf);
  __syncthreads();
  S(t).Down(x, d);
  out[4 * threadIdx.x] = threadIdx.x + 1 < B ? o : -1;
  out[4 * threadIdx.x + 1] = r;
  out[4 * threadIdx.x + 2] = threadIdx.x ? u[0] : suf;
  out[4 * threadIdx.x + 3] = threadIdx.x + 1 < B ? d[1] : -1;
}

SUITE_TEST(shuffles) {
  constexpr int B = 70;
  auto a = suite::values(B, 1000, n);
  suite::Device<int> in(a), out(4 * B);
  shuffle<B><<<1, B>>>(in.get(), out.get());
  CHECK(cudaGetLastError());
  auto h = out.host();
  for (int i = 0; i < B; ++i) {
    EXPECT(h[4 * i] == (i + 1 < B ? a[i + 1] : -1));
    EXPECT(h[4 * i + 1] == a[(i + 3) % B]);
    EXPECT(h[4 * i + 2] == (i ? a[i - 1] + 1 : a[B - 1] + 1));
    EXPECT(h[4 * i + 3] == (i + 1 < B ? a[i + 1] : -1));
  }
}

template <int B, int I>
__global__ void flags(const int *in, int *head, int *tail, int *diff, int *right) {
  using D = cub::BlockDiscontinuity<int, B>;
  using A = cub::BlockAdjacentDifference<int, B>;
  __shared__ union {
    typename D::TempStorage d;
    typename A::TempStorage a;
  } t;
  int v[I], h[I], l[I];
  for (int k = 0; k < I; ++k)
    v[k] = in[threadIdx.x * I + k];
  D(t.d).FlagHeadsAndTails(h, l, v, cuda::std::not_equal_to<>());
  __syncthreads();
  for (int k = 0; k < I; ++k) {
    head[threadIdx.x * I + k] = h[k];
    tail[threadIdx.x * I + k] = l[k];
  }
  D(t.d).FlagHeads(h, v, cuda::std::not_equal_to<>(), v[0]);
  __syncthreads();
  D(t.d).FlagTails(l, v, cuda::std::not_equal_to<>());
  __syncthreads();
  int o[I];
  A(t.a).SubtractLeft(v, o, cuda::std::minus<int>());
  __syncthreads();
  for (int k = 0; k < I; ++k)
    diff[threadIdx.x * I + k] = o[k];
  A(t.a).SubtractRight(v, o, cuda::std::minus<int>());
  for (int k = 0; k < I; ++k)
    right[threadIdx.x * I + k] = o[k];
}

SUITE_TEST(discontinuity) {
  constexpr int B = 48, I = 3, N = B * I;
  auto a = suite::values(N, 3, n);
  suite::Device<int> in(a), h(N), t(N), d(N), r(N);
  flags<B, I><<<1, B>>>(in.get(), h.get(), t.get(), d.get(), r.get());
  CHECK(cudaGetLastError());
  auto hh = h.host(), tt = t.host(), dd = d.host(), rr = r.host();
  for (int i = 0; i < N; ++i) {
    EXPECT(hh[i] == (!i || a[i] != a[i - 1]));
    EXPECT(tt[i] == (i == N - 1 || a[i] != a[i + 1]));
    EXPECT(dd[i] == (i ? a[i] - a[i - 1] : a[0]));
    EXPECT(rr[i] == (i < N - 1 ? a[i] - a[i + 1] : a[i]));
  }
}

template <int B, int I, cub::BlockHistogramAlgorithm A>
__global__ void histo(const unsigned char *in, unsigned *out) {
  using H = cub::BlockHistogram<unsigned char, B, I, 256, A>;
  __shared__ typename H::TempStorage t;
  __shared__ unsigned bins[256];
  unsigned char v[I];
  for (int k = 0; k < I; ++k)
    v[k] = in[threadIdx.x * I + k];
  H(t).Histogram(v, bins);
  __syncthreads();
  for (int k = 0; k < I; ++k)
    v[k] = 5;
  H(t).Composite(v, bins);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += B)
    out[i] = bins[i];
}

template <cub::BlockHistogramAlgorithm A> void runHisto(int n) {
  constexpr int B = 96, I = 3;
  auto a = suite::values<unsigned char>(B * I, 60, n);
  suite::Device<unsigned char> in(a);
  suite::Device<unsigned> out(256);
  histo<B, I, A><<<1, B>>>(in.get(), out.get());
  CHECK(cudaGetLastError());
  std::vector<unsigned> w(256);
  for (auto c : a)
    ++w[c];
  w[5] += B * I;
  EXPECT(out.host() == w);
}

SUITE_TEST(histograms) {
  runHisto<cub::BLOCK_HISTO_SORT>(n);
  runHisto<cub::BLOCK_HISTO_ATOMIC>(n);
}

template <int B, int R, int D>
__global__ void decode(const int *vals, const unsigned *lens, int *out, unsigned *total,
                       unsigned *offs) {
  using L = cub::BlockRunLengthDecode<int, B, R, D>;
  __shared__ typename L::TempStorage t;
  int v[R];
  unsigned l[R];
  for (int k = 0; k < R; ++k)
    v[k] = vals[threadIdx.x * R + k], l[k] = lens[threadIdx.x * R + k];
  unsigned n = 0;
  L d(t, v, l, n);
  if (!threadIdx.x)
    *total = n;
  for (unsigned w = 0; w < n; w += B * D) {
    int r[D];
    unsigned o[D];
    d.RunLengthDecode(r, o, w);
    for (int k = 0; k < D; ++k)
      if (w + threadIdx.x * D + k < n)
        out[w + threadIdx.x * D + k] = r[k], offs[w + threadIdx.x * D + k] = o[k];
  }
}

SUITE_TEST(runLengthDecode) {
  constexpr int B = 64, R = 2, D = 3;
  auto v = suite::values(B * R, 1000, n);
  auto l = suite::values<unsigned>(B * R, 9, n + 1);
  for (auto &x : l)
    ++x;
  std::vector<int> w;
  std::vector<unsigned> wo;
  for (int i = 0; i < B * R; ++i)
    for (unsigned k = 0; k < l[i]; ++k)
      w.push_back(v[i]), wo.push_back(k);
  suite::Device<int> dv(v), out(w.size());
  suite::Device<unsigned> dl(l), tot(1), offs(w.size());
  decode<B, R, D><<<1, B>>>(dv.get(), dl.get(), out.get(), tot.get(), offs.get());
  CHECK(cudaGetLastError());
  EXPECT(tot.host()[0] == w.size());
  EXPECT(out.host() == w);
  EXPECT(offs.host() == wo);
}

struct Pair {
  int k;
  double v;
};

struct LessK {
  __device__ bool operator()(const Pair &a, const Pair &b) const { return a.k < b.k; }
};

template <int B, int I> __global__ void mergeSort(Pair *p, int n) {
  using M = cub::BlockMergeSort<Pair, B, I>;
  __shared__ typename M::TempStorage t;
  Pair v[I];
  for (int k = 0; k < I; ++k) {
    int i = threadIdx.x * I + k;
    v[k] = i < n ? p[i] : Pair{1 << 30, 0};
  }
  M(t).StableSort(v, LessK(), n, Pair{1 << 30, 0});
  for (int k = 0; k < I; ++k) {
    int i = threadIdx.x * I + k;
    if (i < n)
      p[i] = v[k];
  }
}

SUITE_TEST(blockMergeSort) {
  constexpr int B = 64, I = 5;
  int m = std::min(n, B * I);
  auto a = suite::values(m, 20);
  std::vector<Pair> v;
  for (int i = 0; i < m; ++i)
    v.push_back({a[i], double(i)});
  suite::Device<Pair> d(v);
  mergeSort<B, I><<<1, B>>>(d.get(), m);
  CHECK(cudaGetLastError());
  std::stable_sort(v.begin(), v.end(), [](auto &a, auto &b) { return a.k < b.k; });
  auto h = d.host();
  for (int i = 0; i < m; ++i)
    EXPECT(h[i].k == v[i].k && h[i].v == v[i].v);
}
} // namespace cub_block_moves
