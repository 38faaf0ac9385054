// scopesan-test: libcu++: wide atomics, flags, semaphores, pipelines, vocabulary types, timed waits
//
// variant all
//   verdict clean
//   may-advise progress-not-promised
//   proof S1 S2 S3 S10 S12
//   args --sizes=0,1,33,257,1000,4099
#include "suite.h"

#include <cooperative_groups.h>
#include <cuda/annotated_ptr>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/bit>
#include <cuda/std/bitset>
#include <cuda/std/chrono>
#include <cuda/std/complex>
#include <cuda/std/expected>
#include <cuda/std/functional>
#include <cuda/std/mdspan>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/variant>

namespace cuda_objects {
using DevBarrier = cuda::barrier<cuda::thread_scope_block>;
struct alignas(16) Wide {
  long long a, b;
  __host__ __device__ bool operator==(const Wide &o) const { return a == o.a && b == o.b; }
};

__global__ void wide2(cuda::atomic<Wide, cuda::thread_scope_device> *p, Wide *out) {
  if (blockIdx.x == 0) {
    if (!threadIdx.x) {
      p->store(Wide{7, 9}, cuda::std::memory_order_release);
    }
  } else if (!threadIdx.x) {
    Wide v;
    while ((v = p->load(cuda::std::memory_order_acquire)).a != 7)
      ;
    *out = p->exchange(Wide{1, 2});
    out->b += v.b;
  }
}

SUITE_TEST(atomic128Object) {
  if (n != 1)
    return;
  suite::Device<cuda::atomic<Wide, cuda::thread_scope_device>> p(1);
  CHECK(cudaMemset(p.get(), 0, 16));
  suite::Device<Wide> o(1);
  wide2<<<2, 32>>>(p.get(), o.get());
  CHECK(cudaGetLastError());
  EXPECT(o.host()[0].b == 18);
}

__device__ cuda::std::atomic_flag lockFlag;
__device__ int guarded;

__global__ void flagLock(int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (bool done = false; !done;)
    if (!lockFlag.test_and_set(cuda::std::memory_order_acquire)) {
      guarded += i;
      lockFlag.clear(cuda::std::memory_order_release);
      done = true;
    }
}

SUITE_TEST(atomicFlag) {
  if (n > 257)
    return;
  int z = 0;
  CHECK(cudaMemcpyToSymbol(guarded, &z, 4));
  flagLock<<<suite::blocksFor(n, 32), 32>>>(n);
  CHECK(cudaMemcpyFromSymbol(&z, guarded, 4));
  EXPECT(z == n * (n - 1) / 2);
}

__global__ void sem(int *data, int *out, int n) {
  __shared__ cuda::counting_semaphore<cuda::thread_scope_block, 4> s;
  __shared__ cuda::binary_semaphore<cuda::thread_scope_block> m;
  using L = cuda::latch<cuda::thread_scope_block>;
  __shared__ alignas(L) char raw[sizeof(L)];
  L &l = *reinterpret_cast<L *>(raw);
  __shared__ int sum, inside;
  if (!threadIdx.x) {
    new (&l) L(blockDim.x);
    new (&s) cuda::counting_semaphore<cuda::thread_scope_block, 4>(3);
    new (&m) cuda::binary_semaphore<cuda::thread_scope_block>(1);
    sum = 0;
    inside = 0;
  }
  __syncthreads();
  s.acquire();
  m.acquire();
  sum += data[threadIdx.x];
  ++inside;
  m.release();
  s.release();
  l.arrive_and_wait();
  if (m.try_acquire()) {
    out[threadIdx.x] = sum + inside;
    m.release();
  } else
    out[threadIdx.x] = -1;
}

SUITE_TEST(semaphoresAndLatch) {
  if (n > 33)
    return;
  auto a = suite::values(64, 100, n);
  suite::Device<int> d(a), o(64);
  sem<<<1, 64>>>(d.get(), o.get(), n);
  CHECK(cudaGetLastError());
  int w = std::accumulate(a.begin(), a.end(), 64), right = 0;
  for (int v : o.host()) {
    EXPECT(v == w || v == -1);
    right += v == w;
  }
  EXPECT(right > 0);
}

struct Completion {
  int *total;
  const int *parts;
  int count;
  __device__ void operator()() noexcept {
    int s = 0;
    for (int i = 0; i < count; ++i)
      s += parts[i];
    *total += s;
  }
};

__global__ void completes(int *out, int n) {
  using B = cuda::barrier<cuda::thread_scope_block, Completion>;
  __shared__ alignas(B) char raw[sizeof(B)];
  B *b = reinterpret_cast<B *>(raw);
  __shared__ int total, parts[96];
  if (!threadIdx.x) {
    total = 0;
    new (b) B(blockDim.x, Completion{&total, parts, (int)blockDim.x});
  }
  __syncthreads();
  for (int r = 0; r < 3; ++r) {
    parts[threadIdx.x] = threadIdx.x + r;
    b->arrive_and_wait();
    out[r * 96 + threadIdx.x] = total;
    b->arrive_and_wait();
  }
  __syncthreads();
  if (!threadIdx.x)
    b->~B();
}

SUITE_TEST(completionFunction) {
  if (n > 33)
    return;
  suite::Device<int> o(288);
  completes<<<1, 96>>>(o.get(), n);
  CHECK(cudaGetLastError());
  auto h = o.host();
  int base = 96 * 95 / 2;
  int t = 0;
  for (int r = 0; r < 3; ++r) {
    int s = base + r * 96;
    t += s;
    EXPECT(h[r * 96] == t);
    EXPECT(h[r * 96 + 95] == t);
    t += s;
  }
}

template <cuda::thread_scope Sc, int S> __global__ void pipe(const int *in, int *out, int n) {
  auto g = cooperative_groups::this_thread_block();
  __shared__ alignas(16) int buf[S][64];
  __shared__ cuda::pipeline_shared_state<Sc, S> st;
  auto p = cuda::make_pipeline(g, &st);
  int tiles = (n + 63) / 64, f = 0;
  for (int t = 0; t < tiles; ++t) {
    for (; f < tiles && f < t + S; ++f) {
      p.producer_acquire();
      int c = min(64, n - f * 64);
      cuda::memcpy_async(g, buf[f % S], in + f * 64, sizeof(int) * c, p);
      p.producer_commit();
    }
    p.consumer_wait();
    int i = t * 64 + threadIdx.x;
    if (i < n)
      out[i] = buf[t % S][min(63, n - t * 64 - 1) - threadIdx.x];
    p.consumer_release();
  }
  g.sync();
}

SUITE_TEST(pipelines) {
  auto a = suite::values(n, 1000);
  suite::Device<int> in(a), o(n);
  pipe<cuda::thread_scope_block, 1><<<1, 64>>>(in.get(), o.get(), n);
  pipe<cuda::thread_scope_block, 4><<<1, 64>>>(in.get(), o.get(), n);
  CHECK(cudaGetLastError());
  auto h = o.host();
  for (int i = 0; i < n; ++i) {
    int t = i / 64 * 64;
    EXPECT(h[i] == a[t + std::min(63, n - t - 1) - i % 64]);
  }
}

__global__ void threadPipe(const int4 *in, int4 *out, int n) {
  __shared__ int4 b[2][64];
  auto p = cuda::make_pipeline();
  int s = 0;
  for (int i = threadIdx.x; i < n; i += 64, s ^= 1) {
    p.producer_acquire();
    cuda::memcpy_async(&b[s][threadIdx.x], in + i, cuda::aligned_size_t<16>(16), p);
    p.producer_commit();
    cuda::pipeline_consumer_wait_prior<0>(p);
    int4 v = b[s][threadIdx.x];
    v.x += 1;
    out[i] = v;
    p.consumer_release();
  }
}

SUITE_TEST(threadPipeline) {
  auto a = suite::values(4 * n, 1000);
  suite::Device<int> in(a), o(4 * n);
  threadPipe<<<1, 64>>>((int4 *)in.get(), (int4 *)o.get(), n);
  CHECK(cudaGetLastError());
  auto h = o.host();
  for (int i = 0; i < 4 * n; ++i)
    EXPECT(h[i] == a[i] + (i % 4 == 0));
}

__global__ void barCopy(const double *in, double *out, int n) {
  __shared__ alignas(16) double s[256];
  __shared__ DevBarrier b;
  if (!threadIdx.x)
    init(&b, blockDim.x);
  __syncthreads();
  auto g = cooperative_groups::this_thread_block();
  for (int t = 0; t < n; t += 256) {
    int c = min(256, n - t) & ~1;
    cuda::memcpy_async(g, s, in + t, cuda::aligned_size_t<16>(c * 8), b);
    auto tok = b.arrive();
    int k = threadIdx.x;
    b.wait(std::move(tok));
    for (int i = k; i < c; i += blockDim.x)
      out[t + i] = s[c - 1 - i];
    b.arrive_and_wait();
  }
  if (n % 2 && !threadIdx.x)
    out[n - 1] = in[n - 1];
}

SUITE_TEST(barrierCopy) {
  auto a = suite::values<double>(n, 1000);
  suite::Device<double> in(a), o(n);
  barCopy<<<1, 96>>>(in.get(), o.get(), n);
  CHECK(cudaGetLastError());
  auto h = o.host();
  for (int i = 0; i < n; ++i) {
    int t = i / 256 * 256, c = std::min(256, n - t) & ~1;
    EXPECT(h[i] == (i - t < c ? a[t + c - 1 - (i - t)] : a[i]));
  }
}

__global__ void hints(int *a, int *out, int n) {
  cuda::access_property prop(cuda::access_property::persisting{});
  cuda::annotated_ptr<int, cuda::access_property::streaming> p(a);
  cuda::annotated_ptr<int, cuda::access_property> q(out, prop);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    q[i] = p[i] * 2;
  }
  if (!i && n >= 32) {
    cuda::apply_access_property(a, 128, cuda::access_property::normal{});
  }
  __shared__ int sh[64];
  cuda::annotated_ptr<int, cuda::access_property::shared> s(sh);
  s[threadIdx.x] = i;
  __syncthreads();
  if (i < n)
    q[i] += s[63 - threadIdx.x] * 0;
  int *al = cuda::associate_access_property(a, prop);
  if (i < n)
    q[i] += al[i];
}

__global__ void discard(char *scratch) {
  if (threadIdx.x == 0)
    cuda::discard_memory(scratch, 256);
  __syncthreads();
  scratch[threadIdx.x] = threadIdx.x;
}

SUITE_TEST(accessProperties) {
  auto a = suite::values(n, 1000);
  suite::Device<int> in(a), o(n);
  hints<<<suite::blocksFor(n, 64), 64>>>(in.get(), o.get(), n);
  CHECK(cudaGetLastError());
  auto h = o.host();
  for (int i = 0; i < n; ++i)
    EXPECT(h[i] == 3 * a[i]);
  suite::Device<char> c(256, 3);
  discard<<<1, 256>>>(c.get());
  CHECK(cudaGetLastError());
  auto x = c.host();
  for (int i = 0; i < 256; ++i)
    EXPECT(x[i] == char(i));
}

using Var = cuda::std::variant<int, float, cuda::std::array<short, 3>>;
struct Visit {
  __device__ float operator()(int v) const { return v; }
  __device__ float operator()(float v) const { return 2 * v; }
  __device__ float operator()(cuda::std::array<short, 3> v) const { return v[0] + v[1] + v[2]; }
};

__global__ void stdTypes(int *mat, float *out, int rows, int cols, Var *vars) {
  cuda::std::mdspan<int, cuda::std::dextents<int, 2>> m(mat, rows, cols);
  cuda::std::mdspan<int, cuda::std::extents<int, cuda::std::dynamic_extent, 4>,
                    cuda::std::layout_left>
      lm(mat, cols);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  cuda::std::span<float> o(out, rows * cols);
  if (i < rows * cols) {
    Var v = i % 3 == 0   ? Var(i)
            : i % 3 == 1 ? Var(float(i))
                         : Var(cuda::std::array<short, 3>{short(i), 1, 2});
    vars[i] = v;
    cuda::std::optional<int> opt;
    if (i & 1)
      opt = m(i / cols, i % cols);
    auto e = [&]() -> cuda::std::expected<int, short> {
      if (i % 5 == 0)
        return cuda::std::unexpected<short>(3);
      return i;
    }();
    cuda::std::tuple<int, float> t{i, 1.5f};
    auto [x, y] = t;
    cuda::std::complex<float> c(x, y);
    o[i] = cuda::std::visit(Visit{}, vars[i]) + opt.value_or(-5) + (e ? *e : e.error()) + c.imag() +
           cuda::std::popcount(unsigned(i)) + (rows > 4 ? lm.extent(1) : 4);
  }
}

SUITE_TEST(stdLibrary) {
  int rows = n ? n / 4 + 1 : 0, cols = 4, N = rows * cols;
  auto a = suite::values(N, 1000);
  suite::Device<int> m(a);
  suite::Device<float> o(N);
  suite::Device<Var> v(N);
  stdTypes<<<suite::blocksFor(N, 64), 64>>>(m.get(), o.get(), rows, cols, v.get());
  CHECK(cudaGetLastError());
  auto h = o.host();
  for (int i = 0; i < N; ++i) {
    float w = i % 3 == 0 ? i : i % 3 == 1 ? 2.0f * i : short(i) + 3;
    w += i & 1 ? a[i] : -5;
    w += i % 5 ? i : 3;
    w += 1.5f + __builtin_popcount(i) + 4;
    EXPECT(h[i] == w);
  }
}

__global__ void clocks(long long *out, int *flag) {
  using namespace cuda::std::chrono;
  auto t0 = system_clock::now();
  auto s0 = high_resolution_clock::now();
  __nanosleep(100);
  auto d = system_clock::now() - t0;
  out[threadIdx.x] = duration_cast<nanoseconds>(d).count() >= 0 &&
                     (high_resolution_clock::now() - s0).count() >= 0;
  __shared__ DevBarrier b;
  if (!threadIdx.x)
    init(&b, blockDim.x);
  __syncthreads();
  auto tok = b.arrive();
  while (!b.try_wait_for(std::move(tok), nanoseconds(10)))
    ;
  auto ph = b.arrive();
  while (!b.try_wait_until(std::move(ph), system_clock::now() + microseconds(1)))
    ;
  cuda::std::bitset<40> bs(0x123456789ull);
  out[threadIdx.x] += bs.count();
}

SUITE_TEST(clocksAndTimedWaits) {
  if (n > 33)
    return;
  suite::Device<long long> o(64);
  suite::Device<int> f(1, 0);
  clocks<<<1, 64>>>(o.get(), f.get());
  CHECK(cudaGetLastError());
  for (auto v : o.host())
    EXPECT(v == 1 + __builtin_popcountll(0x123456789ull));
}

__global__ void fences(int *data, int *flag, int *out) {
  cuda::atomic_ref<int, cuda::thread_scope_system> f(*flag);
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x * 3;
    __syncthreads();
    if (!threadIdx.x) {
      cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
      f.store(1, cuda::memory_order_relaxed);
      f.notify_all();
    }
  } else {
    if (!threadIdx.x) {
      f.wait(0, cuda::memory_order_relaxed);
      cuda::std::atomic_thread_fence(cuda::std::memory_order_acquire);
    }
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x];
    cuda::atomic_signal_fence(cuda::memory_order_seq_cst);
  }
}

SUITE_TEST(fencesAndWait) {
  if (n > 33)
    return;
  suite::Device<int> d(64), f(1, 0), o(64);
  fences<<<2, 64>>>(d.get(), f.get(), o.get());
  CHECK(cudaGetLastError());
  auto h = o.host();
  for (int i = 0; i < 64; ++i)
    EXPECT(h[i] == 3 * i);
}

__global__ void fetchOps(float *f, double *d, unsigned *u, long long *l, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  cuda::atomic_ref<float, cuda::thread_scope_device>(*f).fetch_add(1.0f);
  cuda::atomic_ref<double>(*d).fetch_sub(0.5);
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> r(*u);
  r.fetch_max(i);
  cuda::atomic_ref<unsigned, cuda::thread_scope_device>(u[1]).fetch_or(1u << i % 20);
  cuda::atomic_ref<long long, cuda::thread_scope_device> q(*l);
  q.fetch_min(-i);
  ++q;
  q -= 1;
  cuda::atomic_ref<float, cuda::thread_scope_device>(f[1]).fetch_max(float(i));
}

SUITE_TEST(fetchOperations) {
  suite::Device<float> f(2, 0);
  suite::Device<double> d(1, 0);
  suite::Device<unsigned> u(2, 0);
  suite::Device<long long> l(1, 0);
  fetchOps<<<suite::blocksFor(n, 128), 128>>>(f.get(), d.get(), u.get(), l.get(), n);
  CHECK(cudaGetLastError());
  EXPECT(f.host()[0] == n);
  EXPECT(d.host()[0] == -0.5 * n);
  if (n) {
    EXPECT(f.host()[1] == n - 1);
    EXPECT(u.host()[0] == n - 1u);
    EXPECT(u.host()[1] == (1u << std::min(n, 20)) - 1);
  }
}
} // namespace cuda_objects
