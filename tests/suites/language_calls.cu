// scopesan-test: virtual calls, function pointers, recursion
//
// variant all
//   verdict clean
//   proof P5 S14
#include "suite.h"

namespace language_calls {

struct Shape {
  __device__ virtual int area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  int side;
  __device__ explicit Square(int side) : side(side) {}
  __device__ int area() const override { return side * side; }
};
struct Box : Shape {
  int width, height;
  __device__ Box(int width, int height) : width(width), height(height) {}
  __device__ int area() const override { return width * height; }
};

__global__ void virtualCalls(int n, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Square square(i % 100);
  Box box(i % 100, 3);
  const Shape *shape = i & 1 ? static_cast<const Shape *>(&square) : &box;
  out[i] = shape->area();
}

SUITE_TEST(callsVirtual) {
  suite::Device<int> out(n);
  virtualCalls<<<suite::blocksFor(n, 128), 128>>>(n, out.get());
  CHECK(cudaGetLastError());
  std::vector<int> got = out.host();
  for (int i = 0; i < n; ++i)
    EXPECT(got[i] == (i & 1 ? (i % 100) * (i % 100) : 3 * (i % 100)));
}

/// Objects in global memory, made by one kernel, called in another, deleted in a third.
__global__ void make(Shape **shapes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    shapes[i] = i & 1 ? static_cast<Shape *>(new Square(i)) : new Box(i, 2);
}
__global__ void call(Shape **shapes, int n, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = shapes[(i + 1) % n]->area();
}
__global__ void destroy(Shape **shapes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    delete shapes[i];
}

SUITE_TEST(callsVirtualOnTheHeap) {
  if (!n)
    return;
  int blocks = suite::blocksFor(n, 128);
  suite::Device<Shape *> shapes(n);
  suite::Device<int> out(n);
  make<<<blocks, 128>>>(shapes.get(), n);
  call<<<blocks, 128>>>(shapes.get(), n, out.get());
  destroy<<<blocks, 128>>>(shapes.get(), n);
  CHECK(cudaGetLastError());
  std::vector<int> got = out.host();
  for (int i = 0; i < n; ++i) {
    int j = (i + 1) % n;
    EXPECT(got[i] == (j & 1 ? j * j : 2 * j));
  }
}

__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
using Function = int (*)(int);
__device__ Function Table[] = {twice, square};
__constant__ Function ConstantFunction = square;

__global__ void pointers(Function fromHost, int n, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = Table[i & 1](i % 1000) + ConstantFunction(3) + fromHost(1);
}

SUITE_TEST(callsThroughPointers) {
  Function fromHost;
  CHECK(cudaMemcpyFromSymbol(&fromHost, Table, sizeof(Function)));
  suite::Device<int> out(n);
  pointers<<<suite::blocksFor(n, 128), 128>>>(fromHost, n, out.get());
  CHECK(cudaGetLastError());
  std::vector<int> got = out.host();
  for (int i = 0; i < n; ++i)
    EXPECT(got[i] == (i & 1 ? (i % 1000) * (i % 1000) : 2 * (i % 1000)) + 9 + 2);
}

__device__ __noinline__ int fibonacci(int k) {
  return k < 2 ? k : fibonacci(k - 1) + fibonacci(k - 2);
}
/// Mutual, with a local array that each level passes on.
__device__ int odd(int k, const int *path);
__device__ __noinline__ int even(int k, const int *path) {
  int mine[4] = {k, path[0], path[1], path[2]};
  return k == 0 ? mine[1] + mine[2] : odd(k - 1, mine);
}
__device__ __noinline__ int odd(int k, const int *path) {
  int mine[4] = {k, path[0], path[1], path[2]};
  return k == 0 ? -1 : even(k - 1, mine);
}

__global__ void recursion(int n, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int start[4] = {0, 0, 0, 0};
  if (i < n)
    out[i] = 10 * fibonacci(i % 11) + even(i % 40, start);
}

SUITE_TEST(callsRecursive) {
  suite::Device<int> out(n);
  recursion<<<suite::blocksFor(n, 128), 128>>>(n, out.get());
  CHECK(cudaGetLastError());
  std::vector<int> got = out.host();
  const int fib[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55};
  for (int i = 0; i < n; ++i) {
    int k = i % 40; // the last level sees 1 and 2, or what `start` holds
    int path = k == 0 ? 0 : k % 2 ? -1 : 3;
    EXPECT(got[i] == 10 * fib[i % 11] + path);
  }
}

} // namespace language_calls
