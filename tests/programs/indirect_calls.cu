// scopesan-test: accesses inside virtual functions, function pointers and recursion
//
// variant fixed
//   verdict clean
//   proof P1
// variant shared_cell -DRACY=1
//   why the threads of both blocks write one cell, each in another function
//   verdict findings
//   require D1 virtual_store(store,weak) virtual_store(store,weak)
//   require D1 pointer_store(store,weak) pointer_store(store,weak)
//   require D1 recursive_store(store,weak) recursive_store(store,weak)
//   proof D1
#include "check.h"

struct Writer {
  __device__ virtual void write(int *cell, int value) const = 0;
};
struct Plain : Writer {
  __device__ void write(int *cell, int value) const override;
};
struct Negating : Writer {
  __device__ void write(int *cell, int value) const override { *cell = -value; } // @virtual_store
};
__device__ __noinline__ void Plain::write(int *cell, int value) const {
  *cell = value; // @virtual_store
}

__device__ __noinline__ void plus(int *cell, int value) {
  *cell = value + 1; // @pointer_store
}
__device__ __noinline__ void minus(int *cell, int value) {
  *cell = value - 1; // @pointer_store
}

__device__ __noinline__ int depth(int *cell, int n) {
  if (n == 0) {
    *cell = 1; // @recursive_store
    return 0;
  }
  return 1 + depth(cell + (n < 0), n - 1);
}

__global__ void call(int *cells, int which) {
#if RACY == 1
  int *mine = cells;
#else
  int *mine = cells + 3 * (blockIdx.x * blockDim.x + threadIdx.x);
#endif
  const Plain plain;
  const Negating negating;
  const Writer *writer =
      (int(threadIdx.x) + which) % 2 ? static_cast<const Writer *>(&plain) : &negating;
  writer->write(mine, int(threadIdx.x));
  void (*function)(int *, int) = (int(threadIdx.x) + which) % 2 ? plus : minus;
  function(mine + 1, int(threadIdx.x));
  if (depth(mine + 2, int(threadIdx.x) % 8 + which) < 0)
    mine[0] = 0;
}

int main() {
  constexpr int blocks = 2, threads = 32, count = 3 * blocks * threads;
  int host[count], *cells = nullptr;
  CHECK(cudaMalloc(&cells, sizeof(host)));
  CHECK(cudaMemset(cells, 0, sizeof(host)));
  call<<<blocks, threads>>>(cells, 0);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, cells, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(cells));
  bool right = true;
  for (int i = 0; i < blocks * threads; ++i) {
    const int t = i % threads;
    right = right && host[3 * i] == (t % 2 ? t : -t) &&
            host[3 * i + 1] == (t % 2 ? t + 1 : t - 1) && host[3 * i + 2] == 1;
  }
  return verdict(right);
}
