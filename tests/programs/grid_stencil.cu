// scopesan-test: a cooperative grid computes stencil steps with grid.sync between them
//
// variant fixed
//   why grid.sync is a block barrier, atomics with fences, and a block barrier: steps of all blocks
//   why are ordered
//   verdict clean
//   may-advise unordered-strong
//   proof S7 S11
// variant block_sync_only -DRACY=1
//   why __syncthreads orders the threads of one block; neighbours of its edges are in another
//   verdict findings
//   require D1 update(store,weak) left(load,weak) distance=same-grid
//   require D1 update(store,weak) right(load,weak) distance=same-grid
//   proof S7 D1
// variant one_sync_missing -DRACY=2
//   why one buffer is overwritten while the next block may still read it
//   verdict findings
//   require D1 update_in_place(store,weak) left(load,weak)
//   require D1 update_in_place(store,weak) right(load,weak)
//   may-advise unordered-strong
//   proof S11 D1
#include "check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;
constexpr int kBlocks = 4, kThreads = 64, kCells = kBlocks * kThreads, kSteps = 3;

__global__ void stencil(int *a, int *b) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  for (int step = 0; step < kSteps; ++step) {
    const int left = a[(i + kCells - 1) % kCells]; // @left
    const int right = a[(i + 1) % kCells];         // @right
#if RACY == 2
    a[i] = left + right; // @update_in_place
#else
    b[i] = left + right; // @update
    int *swap = a;
    a = b;
    b = swap;
#endif
#if RACY == 1
    __syncthreads();
#else
    cg::this_grid().sync();
#endif
  }
}

int main() {
  static int host[kCells], next[kCells];
  for (int i = 0; i < kCells; ++i)
    host[i] = i % 7;
  int *a = nullptr, *b = nullptr;
  CHECK(cudaMalloc(&a, sizeof(host)));
  CHECK(cudaMalloc(&b, sizeof(host)));
  CHECK(cudaMemcpy(a, host, sizeof(host), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(b, 0, sizeof(host)));
  void *args[] = {&a, &b};
  CHECK(cudaLaunchCooperativeKernel((void *)stencil, dim3(kBlocks), dim3(kThreads), args));
  static int out[kCells];
  CHECK(cudaMemcpy(out, kSteps % 2 ? b : a, sizeof(out), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  for (int step = 0; step < kSteps; ++step) {
    for (int i = 0; i < kCells; ++i)
      next[i] = host[(i + kCells - 1) % kCells] + host[(i + 1) % kCells];
    for (int i = 0; i < kCells; ++i)
      host[i] = next[i];
  }
  bool right = true;
  for (int i = 0; i < kCells; ++i)
    right = right && out[i] == host[i];
  return verdict(right);
}
