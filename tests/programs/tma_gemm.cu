// scopesan-test: a GEMM tile by tensor copies into swizzled stages and wgmma out of them
//
// variant fixed --no-cuda-gpu-arch=sm_90 --cuda-gpu-arch=sm_90a
//   why the stage is released when the multiplication that reads it is complete
//   verdict clean
//   proof S10 S12 S13
// variant early_release -DRACY=1 --no-cuda-gpu-arch=sm_90 --cuda-gpu-arch=sm_90a
//   why the stage is released before wgmma.wait_group
//   verdict findings
//   require D10 load_a multiply
//   allow   D10 load_b multiply
//   proof S12 D10
// variant no_full_wait -DRACY=2 --no-cuda-gpu-arch=sm_90 --cuda-gpu-arch=sm_90a
//   why the multiplication starts while the tile may still arrive
//   verdict findings
//   require D10 load_a multiply
//   allow   D10 load_b multiply
//   allow   D10 load_a load_a
//   allow   D10 load_b load_b
//   allow   D7 expect expect
//   proof S12 D10
#include "hopper.h"
#include "warpgroup.h"

#ifndef RACY
#define RACY 0
#endif
// Tiles of 64 elements along K: rows of 128 bytes, swizzled, in groups of 8 rows.
constexpr int kM = 64, kN = 8, kDepth = 64, kSteps = 3, kStages = 2;

struct alignas(1024) Stage {
  half a[kM * kDepth], b[kN * kDepth];
};

__global__ void __launch_bounds__(160)
    gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *out) {
  __shared__ Stage stages[kStages];
  __shared__ uint64_t full[kStages], empty[kStages];
  const int i = int(threadIdx.x);
  if (i == 0) {
    for (int s = 0; s < kStages; ++s) {
      mbarrierInit(&full[s], 1);
      mbarrierInit(&empty[s], 1);
    }
    shareMbarriers();
  }
  __syncthreads();
  if (i >= 128) { // the producer warp
    if (i == 128)
      for (int t = 0; t < kSteps; ++t) {
        int s = t % kStages, round = t / kStages;
        if (round > 0)
          mbarrierWait(&empty[s], unsigned(round - 1) & 1);
        mbarrierArriveExpect(&full[s], sizeof(Stage));          // @expect
        tensorLoad2d(stages[s].a, &a, t * kDepth, 0, &full[s]); // @load_a
        tensorLoad2d(stages[s].b, &b, t * kDepth, 0, &full[s]); // @load_b
      }
    return;
  }
  float d[4] = {};
  for (int t = 0; t < kSteps; ++t) {
    int s = t % kStages, round = t / kStages;
#if RACY != 2
    mbarrierWait(&full[s], unsigned(round) & 1);
#endif
    wgmmaFence();
    for (int k = 0; k < kDepth; k += 16)
      wgmmaM64N8K16(d, matrixDescriptor(stages[s].a + k, 16, 1024, 1), // @multiply
                    matrixDescriptor(stages[s].b + k, 16, 1024, 1), t + k > 0);
    wgmmaCommit();
    if (RACY != 1)
      wgmmaWait();
    if (i == 0) // one thread for its warpgroup
      mbarrierArrive(&empty[s]);
  }
  wgmmaWait();
  const int warp = i / 32, group = i % 32 / 4, in = i % 4;
  for (int r = 0; r < 4; ++r)
    out[(warp * 16 + group + r / 2 * 8) * kN + in * 2 + r % 2] = d[r];
}

int main() {
  constexpr int kK = kDepth * kSteps;
  const std::vector<half> ha = factor(kM * kK, factorA), hb = factor(kN * kK, factorB);
  float result[kM * kN], *out = nullptr;
  half *a = nullptr, *b = nullptr;
  CHECK(cudaMalloc(&a, ha.size() * sizeof(half)));
  CHECK(cudaMalloc(&b, hb.size() * sizeof(half)));
  CHECK(cudaMalloc(&out, sizeof(result)));
  CHECK(cudaMemcpy(a, ha.data(), ha.size() * sizeof(half), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(b, hb.data(), hb.size() * sizeof(half), cudaMemcpyHostToDevice));
  CUtensorMap mapA, mapB;
  if (!makeTensorMap(&mapA, a, 2, kK, kM, kDepth, kM, CU_TENSOR_MAP_SWIZZLE_128B) ||
      !makeTensorMap(&mapB, b, 2, kK, kN, kDepth, kN, CU_TENSOR_MAP_SWIZZLE_128B))
    return 2;
  gemm<<<1, 160>>>(mapA, mapB, out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
  for (void *p : {(void *)a, (void *)b, (void *)out})
    CHECK(cudaFree(p));
  return verdict(isProduct(result, kM, kN, kK));
}
