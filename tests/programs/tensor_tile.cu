// scopesan-test: a tensor copy brings a swizzled tile of a matrix in, another takes it out again
//
// variant fixed
//   why the load completes on an mbarrier; a proxy fence lies before the store
//   verdict clean
//   proof S12 S13
// variant no_wait -DRACY=1
//   why the tile is changed while it is being filled
//   verdict findings
//   require D10 fill change memory=tile
//   allow   D10 fill drain memory=tile
//   allow   D10 fill reuse(store,weak) memory=tile
//   proof S12 D10
// variant no_proxy_fence -DRACY=2
//   why the async proxy need not see what the block wrote
//   verdict findings
//   require D9 change(store,weak) drain memory=tile
//   proof S13 D9
// variant early_reuse -DRACY=3
//   why the tile is written again while the store may still read it
//   verdict findings
//   require D10 drain reuse(store,weak) memory=tile
//   proof S12 D10
#include "check.h"
#include "hopper.h"

constexpr int kRows = 16, kColumns = 32, kWidth = 48, kHeight = 20; // a tile and its tensor
constexpr int kX = 32, kY = 8;                                      // part of it lies outside

/// Word of the tile where the 128-byte swizzle puts element (row, column).
__device__ int place(int row, int column) { return row * 32 + (column ^ (row % 8 * 4)); }

__global__ void __launch_bounds__(128)
    change(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to) {
  __shared__ alignas(1024) int tile[kRows * kColumns];
  __shared__ uint64_t full;
  const int i = int(threadIdx.x);
  if (i == 0) {
    mbarrierInit(&full, 1);
    shareMbarriers();
  }
  __syncthreads();
  if (i == 0) {
    mbarrierArriveExpect(&full, sizeof(tile));
    tensorLoad2d(tile, &from, kX, kY, &full); // @fill
  }
#if RACY != 1
  mbarrierWait(&full, 0);
#endif
  for (int e = i; e < kRows * kColumns; e += 128)
    tile[place(e / kColumns, e % kColumns)] += e; // @change
#if RACY != 2
  fenceProxyAsync();
#endif
  __syncthreads();
  if (i == 0) {
    tensorStore2d(&to, kX, kY, tile); // @drain
#if RACY != 3
    bulkWaitRead();
#endif
    tile[0] = 0; // @reuse
    bulkWait();
  }
}

int main() {
  static int host[kHeight * kWidth], back[kHeight * kWidth];
  int *in = nullptr, *out = nullptr;
  for (int e = 0; e < kHeight * kWidth; ++e)
    host[e] = 7 * e;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(out, 0, sizeof(host)));
  CUtensorMap from, to;
  if (!makeTensorMap(&from, in, 4, kWidth, kHeight, kColumns, kRows, CU_TENSOR_MAP_SWIZZLE_128B) ||
      !makeTensorMap(&to, out, 4, kWidth, kHeight, kColumns, kRows, CU_TENSOR_MAP_SWIZZLE_128B))
    return 2;
  change<<<1, 128>>>(from, to);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(back, out, sizeof(back), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  bool right = true;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      bool inside = x >= kX && x < kX + kColumns && y >= kY && y < kY + kRows;
      int e = y * kWidth + x, element = (y - kY) * kColumns + x - kX;
      right = right && back[e] == (inside ? 7 * e + element : 0);
    }
  return verdict(right);
}
