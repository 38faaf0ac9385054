// scopesan-test: a warp moves a tensor map to another matrix in shared memory and publishes it
//
// variant fixed --no-cuda-gpu-arch=sm_90 --cuda-gpu-arch=sm_90a
//   why the copy of the map releases it to the tensor-map proxy, and its user acquires it there
//   verdict clean
//   proof S8 S13
// variant no_acquire -DRACY=1 --no-cuda-gpu-arch=sm_90 --cuda-gpu-arch=sm_90a
//   why the tensor-map proxy need not see the copy
//   verdict findings
//   require D9 publish(store,weak) load
//   proof S13 D9
// variant no_barrier -DRACY=2 --no-cuda-gpu-arch=sm_90 --cuda-gpu-arch=sm_90a
//   why the map is used while it is being published
//   verdict findings
//   require D10 load publish(store,weak)
//   allow   D1 publish(store,weak) load
//   allow   D1 publish(store,weak) acquire
//   may-be-incomplete a kernel ended with an error
//   may-be-incomplete a tensor map that was not seen to be made
//   exit any
//   proof S7 S12 D10
// variant early_replace -DRACY=3 --no-cuda-gpu-arch=sm_90 --cuda-gpu-arch=sm_90a
//   why another warp changes the map in shared memory while it is copied
//   verdict findings
//   require D1 late(store,weak) publish(load,weak)
//   allow   D1 move(store,weak) late(store,weak)
//   may-be-incomplete a kernel ended with an error
//   may-be-incomplete a tensor map that was not seen to be made
//   exit any
//   proof S7 D1
#include "check.h"
#include "hopper.h"

#ifndef RACY
#define RACY 0
#endif
constexpr int kRows = 8, kColumns = 16, kOtherRows = 5;

__global__ void use(int *out, int *other, uint64_t *published,
                    const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int tile[kRows * kColumns];
  __shared__ alignas(128) uint64_t draft[16];
  __shared__ uint64_t full;
  const int i = int(threadIdx.x);
  if (i == 0) {
    mbarrierInit(&full, 1);
    shareMbarriers();
    for (int w = 0; w < 16; ++w)
      draft[w] = map.opaque[w];
  }
  __syncthreads();
  if (i == 0) {
    asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"( // @move
                     address(draft)),
                 "l"(other)
                 : "memory");
    asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"( // @move
                     address(draft)),
                 "r"(kOtherRows)
                 : "memory");
  }
  if (RACY == 3 && i == 32)
    asm volatile("tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], 0;" ::"r"( // @late
                     address(draft))
                 : "memory");
  __syncwarp();
  if (i < 32)
    asm volatile( // @publish
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
        "[%0], [%1], 128;" ::"l"(published),
        "r"(address(draft))
        : "memory");
  if (RACY != 2)
    __syncthreads();
  if (i == 32) {
    if (RACY != 1)
      asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"( // @acquire
                       published)
                   : "memory");
    mbarrierArriveExpect(&full, sizeof(tile));
    tensorLoad2d(tile, published, 0, 0, &full); // @load
  }
  mbarrierWait(&full, 0);
  out[i] = tile[i];
  out[i + 64] = tile[i + 64];
}

int main() {
  constexpr int kCount = kRows * kColumns;
  int host[kCount], result[kCount], *in = nullptr, *other = nullptr, *out = nullptr;
  uint64_t *published = nullptr;
  for (int e = 0; e < kCount; ++e)
    host[e] = 3 * e + 1;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&other, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(result)));
  CHECK(cudaMalloc(&published, sizeof(CUtensorMap)));
  CHECK(cudaMemset(in, 0, sizeof(host)));
  CHECK(cudaMemcpy(other, host, sizeof(host), cudaMemcpyHostToDevice));
  CUtensorMap map;
  if (!makeTensorMap(&map, in, 4, kColumns, kRows, kColumns, kRows, CU_TENSOR_MAP_SWIZZLE_NONE))
    return 2;
  CHECK(cudaMemcpy(published, &map, sizeof(map), cudaMemcpyHostToDevice));
  use<<<1, 64>>>(out, other, published, map);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
  for (void *p : {(void *)in, (void *)other, (void *)out, (void *)published})
    CHECK(cudaFree(p));
  bool right = true;
  for (int e = 0; e < kCount; ++e)
    right = right && result[e] == (e < kOtherRows * kColumns ? host[e] : 0);
  return verdict(right);
}
