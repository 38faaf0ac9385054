// scopesan-test: atomics of every type, warp intrinsics, bit-fields and unions, small floats, copies, variables, inline PTX, templates
//
// variant all
//   verdict clean
//   proof P1 P5 S7
//   args --sizes=0,1,33,257,1000,4099
#include "suite.h"

#include <array>
#include <assert.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline_primitives.h>
#include <type_traits>

namespace language_builtins {
__global__ void atomics(float *f, double *d, __half *h, __half2 *h2, __nv_bfloat16 *b, unsigned *u,
                        unsigned long long *ull, int *s, unsigned short *us) {
  int i = threadIdx.x;
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
  atomicAdd(h, __half(1.0f));
  atomicAdd(h2, __half2(1.0f, 2.0f));
  atomicAdd(b, __nv_bfloat16(1.0f));
  atomicInc(u, 9);
  atomicDec(u + 1, 20);
  atomicMax(ull, (unsigned long long)i << 33);
  atomicMin((long long *)ull + 1, -(long long)i);
  atomicOr(ull + 2, 1ull << i);
  atomicAnd(s, ~(1 << (i & 15)));
  atomicXor(s + 1, i);
  atomicExch(s + 2, 5);
  atomicSub(s + 3, i);
  atomicCAS(s + 4, 0, i + 1);
  atomicAdd_block(s + 5, 1);
  atomicAdd_system(s + 6, 1);
  unsigned short o = us[1];
  (void)o;
  atomicCAS(us, (unsigned short)0, (unsigned short)9);
  atomicAdd((float2 *)(f + 2), make_float2(1, 2));
  atomicAdd((float4 *)(f + 4), make_float4(1, 2, 3, 4));
}

SUITE_TEST(allAtomics) {
  if (n > 33)
    return;
  suite::Device<float> f(8, 0);
  suite::Device<double> d(1, 0);
  suite::Device<__half> h(2, 0);
  suite::Device<__half2> h2(1, 0);
  suite::Device<__nv_bfloat16> b(2, 0);
  suite::Device<unsigned> u(2, 0);
  suite::Device<unsigned long long> l(3, 0);
  suite::Device<int> s(8, 0);
  suite::Device<unsigned short> us(2, 0);
  atomics<<<1, 64>>>(f.get(), d.get(), h.get(), h2.get(), b.get(), u.get(), l.get(), s.get(),
                     us.get());
  CHECK(cudaGetLastError());
  auto hf = f.host();
  EXPECT(hf[0] == 32 && hf[2] == 64 && hf[3] == 128 && hf[7] == 256);
  EXPECT(d.host()[0] == 16);
  EXPECT(float(h.host()[0]) == 64);
  EXPECT(float(h2.host()[0].y) == 128);
  EXPECT(float(b.host()[0]) == 64);
  EXPECT(u.host()[0] == 64 % 10);
  auto hl = l.host();
  EXPECT(hl[0] == 63ull << 33);
  EXPECT((long long)hl[1] == -63);
  EXPECT(hl[2] == ~0ull);
  auto hs = s.host();
  EXPECT(hs[1] == 0 && hs[2] == 5 && hs[3] == -2016 && hs[4] > 0 && hs[5] == 64 && hs[6] == 64);
  EXPECT(us.host()[0] == 9);
}

__global__ void warps(int *o) {
  unsigned m = 0xffffffffu;
  int i = threadIdx.x, l = i & 31, v = i * 3;
  int a = __shfl_sync(m, v, 31 - l) + __shfl_up_sync(m, v, 2) + __shfl_down_sync(m, v, 3, 16) +
          __shfl_xor_sync(m, v, 5);
  int b = __popc(__ballot_sync(m, l & 1)) + __any_sync(m, l == 4) + __all_sync(m, l < 32) +
          __popc(__match_any_sync(m, l / 4));
  int p;
  unsigned ma = __match_all_sync(m, 9, &p);
  int r = __reduce_add_sync(m, l) + __reduce_max_sync(m, l) + __reduce_min_sync(m, l) +
          (int)__reduce_or_sync(m, 1u << (l & 3)) + (int)__reduce_xor_sync(m, 1u << l >> 1);
  unsigned half = l < 16 ? 0xffffu : 0xffff0000u;
  int hs = __reduce_add_sync(half, 1);
  double d = __shfl_sync(m, i * 0.5, 1);
  __half2 hh = __shfl_xor_sync(m, __half2(float(l), 1.0f), 1);
  o[i] = a + b + r + hs + int(d) + (ma == m && p) + int(__low2float(hh)) + __fns(0xf0, 0, 2) +
         __ffs(l) + __clz(v) + __brev(l) * 0 + __byte_perm(l, 0, 0x4440) +
         __funnelshift_l(1, 1, l & 7) * 0;
}

SUITE_TEST(warpIntrinsics) {
  if (n > 33)
    return;
  suite::Device<int> o(64);
  warps<<<1, 64>>>(o.get());
  CHECK(cudaGetLastError());
  auto h = o.host();
  EXPECT(h[40] != 0);
}

struct Bits {
  unsigned a : 5, b : 11, c : 16;
};
union Un {
  float f;
  unsigned u;
  unsigned char b[4];
};
enum class Kind : unsigned char { A, B, C };

__global__ void odds(Bits *bs, Un *us, int *o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Bits b = bs[i];
  b.a += 1;
  b.c = i;
  bs[i] = b;
  us[i].f = float(i);
  us[i].b[3] |= 0x80;
  Kind k = Kind(i % 3);
  int r = 0;
  switch (k) {
  case Kind::A:
    r = 1;
    break;
  case Kind::B:
    r = 22;
    [[fallthrough]];
  case Kind::C:
    r += 300;
  }
  __int128 w = (__int128)i << 70;
  r += int(w >> 70) + int((unsigned __int128)w >> 100);
  int *al = (int *)__builtin_alloca(sizeof(int) * 8);
  for (int j = 0; j < 8; ++j)
    al[j] = i + j;
  r += al[i & 7];
  goto end;
  r = -1;
end:
  constexpr int t[] = {5, 6, 7};
  static const int st[] = {1, 2, 3, 4};
  o[i] = r + t[i % 3] + st[i & 3];
  assert(o[i] >= 0);
}

SUITE_TEST(oddLanguage) {
  suite::Device<Bits> b(n, 0);
  suite::Device<Un> u(n, 0);
  suite::Device<int> o(n);
  odds<<<suite::blocksFor(n, 96), 96>>>(b.get(), u.get(), o.get(), n);
  CHECK(cudaGetLastError());
  auto hb = b.host();
  auto hu = u.host();
  auto h = o.host();
  const int st[] = {1, 2, 3, 4}, t[] = {5, 6, 7};
  for (int i = 0; i < n; ++i) {
    EXPECT(hb[i].a == 1 && hb[i].c == (unsigned)i);
    EXPECT(hu[i].f == -float(i) || !i);
    int r = i % 3 == 0 ? 1 : i % 3 == 1 ? 322 : 300;
    r += i + ((long long)i >> 30) + i + (i & 7);
    EXPECT(h[i] == r + t[i % 3] + st[i & 3]);
  }
}

__global__ void small(const float *f, float *o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  __half h = __float2half(f[i]);
  __nv_bfloat16 b = __float2bfloat16(f[i]);
  __nv_fp8_e4m3 e(f[i]);
  __half2 h2 = __halves2half2(h, h);
  h2 = __hfma2(h2, h2, h2);
  o[i] = __half2float(__hadd(h, h)) + __bfloat162float(b) + float(e) * 0 + __low2float(h2) +
         __expf(0) + rsqrtf(1) + fmaf(f[i], 2, 1) + __fdividef(4, 2) + sinpif(0) +
         float(__double2int_rn(2.5)) + __ldg(f + i) + __ldcg(f + i) + __ldcs(f + i);
  __stwt(o + i, __ldcv(o + i));
}

SUITE_TEST(smallFloats) {
  auto a = suite::values<float>(n, 16);
  suite::Device<float> in(a), o(n);
  small<<<suite::blocksFor(n, 96), 96>>>(in.get(), o.get(), n);
  CHECK(cudaGetLastError());
  auto h = o.host();
  for (int i = 0; i < n; ++i) {
    float x = a[i];
    EXPECT(h[i] == 2 * x + x + x * x + x + 1 + 1 + 2 * x + 1 + 2 + 2 + 3 * x);
  }
}

__global__ void prims(const int *a, int *o, int n) {
  __shared__ int4 s[2][32];
  int t = threadIdx.x;
  for (int k = 0; k < 2; ++k) {
    if ((k * 32 + t) * 4 + 3 < n)
      __pipeline_memcpy_async(&s[k][t], a + (k * 32 + t) * 4, 16);
    else
      __pipeline_memcpy_async(&s[k][t], a, 16, 16);
    __pipeline_commit();
  }
  for (int k = 0; k < 2; ++k) {
    if (k)
      __pipeline_wait_prior(0);
    else
      __pipeline_wait_prior(1);
    __syncthreads();
    int4 v = s[k][31 - t];
    int *p = o + (k * 32 + t) * 4;
    p[0] = v.x;
    p[1] = v.y;
    p[2] = v.z;
    p[3] = v.w;
  }
}

SUITE_TEST(pipelinePrimitives) {
  auto a = suite::values(std::max(n, 4), 1000);
  suite::Device<int> in(a), o(256);
  prims<<<1, 32>>>(in.get(), o.get(), n);
  CHECK(cudaGetLastError());
  auto h = o.host();
  for (int k = 0; k < 2; ++k)
    for (int t = 0; t < 32; ++t)
      for (int j = 0; j < 4; ++j) {
        int src = (k * 32 + 31 - t) * 4;
        EXPECT(h[(k * 32 + t) * 4 + j] == (src + 3 < n ? a[src + j] : 0));
      }
}

__device__ int Global = 41;
__constant__ float Coef[4] = {1, 2, 3, 4};

__device__ const int Fixed[3] = {7, 8, 9};
__managed__ int Managed = 6;

__device__ __managed__ float ManagedArray[8] = {1, 2};
static __device__ int FileStatic[2] = {3};

struct Init {
  int a = 4;
  float b[2] = {1.5f, 2.5f};
};

__device__ Init WithInit;

template <class T> __device__ T Variable = T(12);
inline __device__ int InlineVar = 13;

__global__ void globals(int *o) {
  if (!threadIdx.x) {
    *o = Global + int(Coef[3]) + Fixed[2] + Managed + int(ManagedArray[1]) + FileStatic[0] +
         WithInit.a + int(WithInit.b[1]) + Variable<int> + int(Variable<double>) + InlineVar;
    Managed = 100;
  }
}

SUITE_TEST(globalVariables) {
  Managed = 6;
  suite::Device<int> o(1);
  globals<<<1, 32>>>(o.get());
  CHECK(cudaDeviceSynchronize());
  EXPECT(o.host()[0] == 41 + 4 + 9 + 6 + 2 + 3 + 4 + 2 + 12 + 12 + 13);
  EXPECT(Managed == 100);
  float c[4] = {9, 9, 9, 9};
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaMemcpyToSymbolAsync(Coef, c, 16, 0, cudaMemcpyHostToDevice, s));
  globals<<<1, 32, 0, s>>>(o.get());
  CHECK(cudaStreamSynchronize(s));
  EXPECT(o.host()[0] == 50 + 9 + 100 + 2 + 3 + 4 + 2 + 12 + 12 + 13);
  float back[4] = {1, 2, 3, 4};
  CHECK(cudaMemcpyToSymbol(Coef, back, 16));
  CHECK(cudaStreamDestroy(s));
  void *sp;
  size_t sz;
  CHECK(cudaGetSymbolAddress(&sp, Global));
  CHECK(cudaGetSymbolSize(&sz, ManagedArray));
  EXPECT(sz == 32 && sp);
}

__global__ void ptx(int *o, int n) {
  __shared__ int s[64];
  unsigned sa = __cvta_generic_to_shared(s + threadIdx.x);
  asm volatile("st.shared.s32 [%0], %1;" ::"r"(sa), "r"(threadIdx.x * 2) : "memory");
  asm volatile("bar.sync 1, %0;" ::"r"(blockDim.x) : "memory");
  int v;
  asm volatile("{ .reg .pred p; .reg .s32 t; setp.gt.s32 p, %1, 5; @p ld.shared.s32 t, [%2]; @!p "
               "mov.s32 t, 7; mov.s32 %0, t; }"
               : "=r"(v)
               : "r"(threadIdx.x), "r"((unsigned)__cvta_generic_to_shared(s + 63 - threadIdx.x))
               : "memory");
  unsigned lane, sm;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  int r;
  asm volatile("ld.global.relaxed.gpu.s32 %0, [%1];" : "=r"(r) : "l"(o + threadIdx.x));
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  asm volatile("prefetch.global.L2 [%0];" ::"l"(o));
  o[threadIdx.x] = v + r + int(lane) + (__isShared(s) ? 1000 : 0) + (__isGlobal(o) ? 1000 : 0) +
                   (t == 0) + int(sm) * 0 + (clock64() < 0);
}

SUITE_TEST(inlinePtx) {
  if (n > 33)
    return;
  suite::Device<int> o(64, 0);
  ptx<<<1, 64>>>(o.get(), n);
  CHECK(cudaGetLastError());
  auto h = o.host();
  for (int i = 0; i < 64; ++i)
    EXPECT(h[i] == (i > 5 ? 2 * (63 - i) : 7) + i % 32 + 2000);
}

__global__ void say(int n) {
  if (threadIdx.x < 2 && n == 1)
    printf("thread %d of %s: %5.2f %c %p %%\n", threadIdx.x, "say", 1.5, 'x', nullptr);
  assert(n >= 0);
}

SUITE_TEST(printing) {
  say<<<1, 64>>>(n);
  CHECK(cudaDeviceSynchronize());
}

template <template <class> class P, class T> __global__ void policies(T *o) {
  P<T>::run(o + threadIdx.x);
}

template <class T> struct Fill {
  __device__ static void run(T *p) {
    if constexpr (std::is_floating_point_v<T>)
      *p = T(0.5);
    else
      *p = T(3);
  }
};

SUITE_TEST(templates) {
  suite::Device<float> f(64);
  suite::Device<char> c(64);
  policies<Fill><<<1, 64>>>(f.get());
  policies<Fill, char><<<1, 64>>>(c.get());
  CHECK(cudaGetLastError());
  EXPECT(f.host()[63] == 0.5f && c.host()[63] == 3);
}

__global__ void constexprUser(int *o) {
  constexpr std::array<int, 3> a{1, 2, 3};
  o[threadIdx.x] =
      a[threadIdx.x % 3] + std::min(4, int(threadIdx.x)) + std::max<int>(1, threadIdx.x);
}

SUITE_TEST(relaxedConstexpr) {
  suite::Device<int> o(64);
  constexprUser<<<1, 64>>>(o.get());
  CHECK(cudaGetLastError());
  EXPECT(o.host()[10] == 2 + 4 + 10);
}
} // namespace language_builtins
