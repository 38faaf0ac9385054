// scopesan-test: a kernel writes a tensor map to global memory, and a tensor copy uses it
//
// variant fixed
//   why the proxy fences release and acquire the map
//   verdict clean
//   proof S13
//   litmus SPEC2/tensormap-modified
// variant no_acquire -DRACY=1
//   why the tensor-map proxy need not see what was written generically
//   verdict findings
//   require D9 write(store,weak) load
//   proof S13 D9
//   litmus SPEC2/tensormap-modified-noacq
// variant other_map -DRACY=2
//   why the acquire concerns the map at its address only
//   verdict findings
//   require D9 write(store,weak) load
//   proof S13 D9
// variant parameter -DPARAMETER
//   why a map that is a kernel parameter needs no fence
//   verdict clean
//   proof S13
#include "check.h"
#include "hopper.h"

#ifndef RACY
#define RACY 0
#endif

constexpr int kRows = 8, kColumns = 16;

__global__ void use(int *out, uint64_t *global, const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int tile[kRows * kColumns];
  __shared__ uint64_t full;
  const int i = int(threadIdx.x);
  const CUtensorMap *used = &map;
  if (i == 0) {
    mbarrierInit(&full, 1);
    shareMbarriers();
#ifndef PARAMETER
    for (int w = 0; w < 16; ++w)
      global[w] = map.opaque[w]; // @write
    asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
#endif
  }
  __syncthreads();
#ifndef PARAMETER
  used = reinterpret_cast<const CUtensorMap *>(global);
#endif
  if (i == 32) {
#if !defined(PARAMETER) && RACY != 1
    const CUtensorMap *acquired = used + (RACY == 2);
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(acquired)
                 : "memory");
#endif
    mbarrierArriveExpect(&full, sizeof(tile));
    tensorLoad2d(tile, used, 0, 0, &full); // @load
  }
  mbarrierWait(&full, 0);
  out[i] = tile[i] + tile[i + 64];
}

int main() {
  int host[kRows * kColumns], result[64], *in = nullptr, *out = nullptr;
  uint64_t *global = nullptr;
  for (int e = 0; e < kRows * kColumns; ++e)
    host[e] = 3 * e;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(result)));
  CHECK(cudaMalloc(&global, 2 * sizeof(CUtensorMap)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  CUtensorMap map;
  if (!makeTensorMap(&map, in, 4, kColumns, kRows, kColumns, kRows, CU_TENSOR_MAP_SWIZZLE_NONE))
    return 2;
  use<<<1, 64>>>(out, global, map);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
  for (void *p : {(void *)in, (void *)out, (void *)global})
    CHECK(cudaFree(p));
  bool right = true;
  for (int e = 0; e < 64; ++e)
    right = right && result[e] == 3 * e + 3 * (e + 64);
  return verdict(right);
}
