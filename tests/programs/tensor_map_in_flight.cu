// scopesan-test: one tensor map in global memory serves two matrices in turn
//
// variant fixed
//   why the first copy has been waited for before the map changes, then the map is released and acquired again
//   verdict clean
//   proof S12 S13
// variant patched_in_flight -DRACY
//   why the outstanding copy may still read the map
//   verdict findings
//   require D10 patch(store,weak) first
//   allow   D1 patch(store,weak) first
//   allow   D9 patch(store,weak) first
//   proof S12 S13 D10
#include "check.h"
#include "hopper.h"

constexpr int kRows = 8, kColumns = 16, kCount = kRows * kColumns;

__device__ void publish(uint64_t *map) {
  asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
  asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
}

__global__ void use(int *out, uint64_t *map, const __grid_constant__ CUtensorMap a,
                    const __grid_constant__ CUtensorMap b) {
  __shared__ alignas(128) int tiles[2][kCount];
  __shared__ uint64_t full[2];
  const int i = int(threadIdx.x);
  if (i == 0) {
    mbarrierInit(&full[0], 1);
    mbarrierInit(&full[1], 1);
    shareMbarriers();
    for (int w = 0; w < 16; ++w)
      map[w] = a.opaque[w];
    publish(map);
    mbarrierArriveExpect(&full[0], sizeof(tiles[0]));
    tensorLoad2d(tiles[0], reinterpret_cast<CUtensorMap *>(map), 0, 0, &full[0]); // @first
#ifndef RACY
    mbarrierWait(&full[0], 0);
#endif
    for (int w = 0; w < 16; ++w)
      map[w] = b.opaque[w]; // @patch
    publish(map);
    mbarrierArriveExpect(&full[1], sizeof(tiles[1]));
    tensorLoad2d(tiles[1], reinterpret_cast<CUtensorMap *>(map), 0, 0, &full[1]);
  }
  __syncthreads();
  mbarrierWait(&full[0], 0);
  mbarrierWait(&full[1], 0);
  out[i] = tiles[0][i] - tiles[1][i];
}

int main() {
  int host[2 * kCount], result[64], *in = nullptr, *out = nullptr;
  uint64_t *map = nullptr;
  for (int e = 0; e < 2 * kCount; ++e)
    host[e] = 3 * e;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(result)));
  CHECK(cudaMalloc(&map, sizeof(CUtensorMap)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  CUtensorMap a, b;
  if (!makeTensorMap(&a, in, 4, kColumns, kRows, kColumns, kRows, CU_TENSOR_MAP_SWIZZLE_NONE) ||
      !makeTensorMap(&b, in + kCount, 4, kColumns, kRows, kColumns, kRows,
                     CU_TENSOR_MAP_SWIZZLE_NONE))
    return 2;
  use<<<1, 64>>>(out, map, a, b);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
  for (void *p : {(void *)in, (void *)out, (void *)map})
    CHECK(cudaFree(p));
  bool right = true;
  for (int i = 0; i < 64; ++i)
    right = right && result[i] == -3 * kCount;
  return verdict(right);
}
