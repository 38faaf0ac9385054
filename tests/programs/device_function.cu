// scopesan-test: findings inside a called and inside an inlined device function
//
// variant fixed
//   verdict clean
//   proof P1
// variant shared_cells -DRACY
//   why every block bumps and marks the cells of block 0
//   verdict findings
//   require D1 bump bump function=bump distance=same-grid
//   require D1 mark(store,weak) mark(store,weak) function=mark hazard=WAW distance=same-grid
//   chain mark mark_call
//   proof D1
#include "check.h"

constexpr int kBlocks = 4;

__noinline__ __device__ void bump(int *cell) {
  *cell += 1; // @bump
}

__forceinline__ __device__ void mark(int *cell, int value) {
  *cell = value; // @mark
}

__global__ void touch(int *bumped, int *marked) {
#ifdef RACY
  const int mine = 0;
#else
  const int mine = int(blockIdx.x);
#endif
  bump(bumped + mine);
  mark(marked + mine, int(blockIdx.x) + 10); // @mark_call
}

int main() {
  int *cells = nullptr, out[2 * kBlocks];
  CHECK(cudaMalloc(&cells, sizeof(out)));
  CHECK(cudaMemset(cells, 0, sizeof(out)));
  touch<<<kBlocks, 1>>>(cells, cells + kBlocks);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out, cells, sizeof(out), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(cells));
  bool right = true;
  for (int b = 0; b < kBlocks; ++b)
    right = right && out[b] == 1 && out[kBlocks + b] == b + 10;
  return verdict(right);
}
