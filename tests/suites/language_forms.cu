// scopesan-test: virtual bases, tables of functions, shared memory by template, lambdas, grid constants, recursion, objects on the heap
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

namespace language_forms {
struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};

struct Named {
  __device__ virtual int id() const { return 7; }
  __device__ virtual ~Named() {}
};

struct Square : Shape, Named {
  float s;
  __device__ Square(float s) : s(s) {}
  __device__ float area() const override { return s * s; }
  __device__ int id() const override { return 1; }
};

struct Circle final : virtual Shape {
  float r;
  __device__ Circle(float r) : r(r) {}
  __device__ float area() const override { return 3 * r * r; }
};

__global__ void makeShapes(Shape **s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    if (i & 1)
      s[i] = new Square(float(i % 50));
    else
      s[i] = new Circle(float(i % 50));
  }
}

__global__ void areas(Shape **s, float *o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    o[i] = s[n - 1 - i]->area();
  }
}

__global__ void dropShapes(Shape **s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    delete s[i];
}

SUITE_TEST(virtualCalls) {
  if (n > 1000)
    return;
  suite::Device<Shape *> s(n);
  suite::Device<float> o(n);
  int b = suite::blocksFor(n, 64);
  makeShapes<<<b, 64>>>(s.get(), n);
  areas<<<b, 64>>>(s.get(), o.get(), n);
  dropShapes<<<b, 64>>>(s.get(), n);
  CHECK(cudaGetLastError());
  auto h = o.host();
  for (int i = 0; i < n; ++i) {
    int k = n - 1 - i, v = k % 50;
    EXPECT(h[i] == (k & 1 ? v * v : 3 * v * v));
  }
}

using Op = int (*)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int mul(int a, int b) { return a * b; }
__device__ int sub(int a, int b) { return a - b; }
__constant__ Op ConstOps[3] = {add, mul, sub};

__device__ Op DevOps[] = {sub, add};

template <Op F> __global__ void byTemplate(int *o) { o[threadIdx.x] = F(threadIdx.x, 3); }
struct Member {
  int k;
  __device__ int f(int x) { return k + x; }
  __device__ int g(int x) { return k * x; }
};

__global__ void pointers(const int *a, int *o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Member m{i};
  int (Member::*p)(int) = i & 1 ? &Member::f : &Member::g;
  o[i] = ConstOps[i % 3](a[i], 3) + DevOps[i & 1](i, 1) + (m.*p)(2);
}

SUITE_TEST(functionTables) {
  auto a = suite::values(n, 1000);
  suite::Device<int> in(a), o(n), q(32);
  pointers<<<suite::blocksFor(n, 64), 64>>>(in.get(), o.get(), n);
  byTemplate<mul><<<1, 32>>>(q.get());
  CHECK(cudaGetLastError());
  auto h = o.host();
  for (int i = 0; i < n; ++i) {
    int w = i % 3 == 0 ? a[i] + 3 : i % 3 == 1 ? a[i] * 3 : a[i] - 3;
    w += i & 1 ? i + 1 : i - 1;
    w += i & 1 ? i + 2 : i * 2;
    EXPECT(h[i] == w);
  }
  EXPECT(q.host()[31] == 93);
}

template <class T> struct Shared {
  __device__ operator T *() {
    extern __shared__ int raw[];
    return (T *)raw;
  }
};

template <> struct Shared<double> {
  __device__ operator double *() {
    extern __shared__ double rawd[];
    return rawd;
  }
};

template <class T> __global__ void rev(T *a, int n) {
  T *s = Shared<T>();
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = s[n - 1 - threadIdx.x];
}

template <class T> void runRev(int n) {
  int m = std::min(std::max(n, 1), 257);
  auto v = suite::values<T>(m, 100);
  suite::Device<T> d(v);
  rev<<<1, m, m * sizeof(T)>>>(d.get(), m);
  CHECK(cudaGetLastError());
  std::reverse(v.begin(), v.end());
  EXPECT(d.host() == v);
}

SUITE_TEST(sharedTemplates) {
  runRev<char>(n);
  runRev<short>(n);
  runRev<int>(n);
  runRev<float>(n);
  runRev<double>(n);
  runRev<long long>(n);
}

__global__ void mixedDynamic(const int *a, double *o, int n) {
  extern __shared__ __align__(16) unsigned char pool[];
  double *d = (double *)pool;
  int *i = (int *)(d + blockDim.x);
  short *h = (short *)(i + blockDim.x);
  char *c = (char *)(h + blockDim.x);
  int t = threadIdx.x;
  d[t] = a[t] * 0.5;
  i[t] = t;
  h[t] = -t;
  c[t] = 1;
  __syncthreads();
  int r = blockDim.x - 1 - t;
  o[t] = d[r] + i[r] + h[r] + c[r];
}

SUITE_TEST(dynamicSharedOfManyTypes) {
  int m = std::min(std::max(n, 1), 257);
  auto a = suite::values(m, 100);
  suite::Device<int> in(a);
  suite::Device<double> o(m);
  mixedDynamic<<<1, m, m * 15>>>(in.get(), o.get(), m);
  CHECK(cudaGetLastError());
  auto h = o.host();
  for (int i = 0; i < m; ++i)
    EXPECT(h[i] == a[m - 1 - i] * 0.5 + 1);
}

template <class F> __global__ void apply(F f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    f(i);
}

template <class F, class... A> __global__ void variadic(F f, int *o, A... a) {
  o[threadIdx.x] = f(a...) + (0 + ... + a);
}

SUITE_TEST(lambdas) {
  suite::Device<int> o(n);
  int *p = o.get(), k = n;
  std::array<int, 3> cap{1, 2, 3};
  apply<<<suite::blocksFor(n, 64), 64>>>([=] __device__(int i) { p[i] = i + k + cap[i % 3]; }, n);
  apply<<<suite::blocksFor(n, 64), 64>>>(
      [=] __device__(auto i) {
        auto g = [&](auto x) { return x * 2; };
        p[i] = g(p[i]);
      },
      n);
  suite::Device<int> q(32);
  variadic<<<1, 32>>>([] __device__(auto... x) { return int(sizeof...(x)); }, q.get(), 1, 2, 3);
  CHECK(cudaGetLastError());
  auto h = o.host();
  for (int i = 0; i < n; ++i)
    EXPECT(h[i] == 2 * (i + n + i % 3 + 1));
  EXPECT(q.host()[5] == 9);
}

struct Params {
  int *out;
  int n;
  float table[100];
  int tail;
};

__global__ void __launch_bounds__(128, 2) gridConst(const __grid_constant__ Params p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float *t = p.table;
  if (i < p.n)
    p.out[i] = int(t[i % 100]) + p.tail;
}

__global__ void __launch_bounds__(64) byValue(Params p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  p.table[i % 100] += 1;
  if (i < p.n)
    p.out[i] += int(p.table[i % 100]);
}

SUITE_TEST(gridConstant) {
  suite::Device<int> o(n);
  Params p{o.get(), n, {}, 5};
  for (int i = 0; i < 100; ++i)
    p.table[i] = i;
  gridConst<<<suite::blocksFor(n, 128), 128>>>(p);
  byValue<<<suite::blocksFor(n, 64), 64>>>(p);
  CHECK(cudaGetLastError());
  auto h = o.host();
  for (int i = 0; i < n; ++i)
    EXPECT(h[i] == 2 * (i % 100) + 6);
}

__device__ int ack(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1));
}

__device__ void quick(int *a, int lo, int hi) {
  if (lo >= hi)
    return;
  int p = a[(lo + hi) / 2], i = lo, j = hi;
  while (i <= j) {
    while (a[i] < p)
      ++i;
    while (a[j] > p)
      --j;
    if (i <= j) {
      int t = a[i];
      a[i++] = a[j];
      a[j--] = t;
    }
  }
  quick(a, lo, j);
  quick(a, i, hi);
}

__global__ void recur(int *a, int per, int n, int *o) {
  int i = threadIdx.x;
  int lo = min(n, i * per), hi = min(n, lo + per);
  quick(a, lo, hi - 1);
  o[i] = ack(2, i % 5);
}

SUITE_TEST(recursion) {
  auto a = suite::values(n, 1000);
  suite::Device<int> d(a), o(32);
  int per = (n + 31) / 32;
  recur<<<1, 32>>>(d.get(), per, n, o.get());
  CHECK(cudaGetLastError());
  for (int i = 0; i < 32 && per; ++i)
    std::sort(a.begin() + std::min(n, i * per), a.begin() + std::min(n, i * per + per));
  EXPECT(d.host() == a);
  auto h = o.host();
  for (int i = 0; i < 32; ++i)
    EXPECT(h[i] == 2 * (i % 5) + 3);
}

struct Node {
  int v;
  Node *next;
};

__device__ int Destroyed;

struct Counted {
  int x;
  __device__ Counted() : x(3) {}
  __device__ ~Counted() { atomicAdd(&Destroyed, 1); }
};

__global__ void lists(int *o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Node *h = nullptr;
  for (int k = 0; k < i % 6; ++k)
    h = new Node{k, h};
  int s = 0;
  while (h) {
    s += h->v;
    Node *x = h->next;
    delete h;
    h = x;
  }
  Counted *c = new Counted[i % 4 + 1];
  for (int k = 0; k <= i % 4; ++k)
    s += c[k].x;
  delete[] c;
  alignas(8) char raw[sizeof(Counted)];
  Counted *pl = new (raw) Counted;
  s += pl->x;
  pl->~Counted();
  o[i] = s;
  free(nullptr);
}

SUITE_TEST(heapLists) {
  if (n > 1000)
    return;
  int z = 0;
  CHECK(cudaMemcpyToSymbol(Destroyed, &z, 4));
  suite::Device<int> o(n);
  lists<<<suite::blocksFor(n, 64), 64>>>(o.get(), n);
  CHECK(cudaMemcpyFromSymbol(&z, Destroyed, 4));
  auto h = o.host();
  int d = 0;
  for (int i = 0; i < n; ++i) {
    int m = i % 6;
    EXPECT(h[i] == m * (m - 1) / 2 + 3 * (i % 4 + 1) + 3);
    d += i % 4 + 2;
  }
  EXPECT(z == d);
}
} // namespace language_forms
