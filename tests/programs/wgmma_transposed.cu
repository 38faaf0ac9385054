// scopesan-test: a warpgroup multiplies matrices that lie transposed in shared memory
//
// variant fixed --no-cuda-gpu-arch=sm_90 --cuda-gpu-arch=sm_90a
//   why writes pass a proxy fence, then a barrier; the reads are waited for
//   verdict clean
//   proof S12 S13
// variant swizzled -DSWIZZLED --no-cuda-gpu-arch=sm_90 --cuda-gpu-arch=sm_90a
//   why the same with rows of 32 bytes of B, in the pattern of 32 bytes
//   verdict clean
//   proof S12 S13
// variant fence_of_one_thread -DRACY=1 --no-cuda-gpu-arch=sm_90 --cuda-gpu-arch=sm_90a
//   why a proxy fence is for what is known to its thread: other threads' writes come after it
//   verdict findings
//   require D9 fill_a(store,weak) multiply
//   allow   D9 fill_b(store,weak) multiply
//   proof S13 D9
// variant early_reuse -DRACY=2 --no-cuda-gpu-arch=sm_90 --cuda-gpu-arch=sm_90a
//   why B is overwritten before the group is complete
//   verdict findings
//   require D10 multiply reuse(store,weak)
//   proof S12 D10
#include "hopper.h"
#include "warpgroup.h"

#ifndef RACY
#define RACY 0
#endif
constexpr int kM = 64, kN = 16, kK = 16;
#ifdef SWIZZLED
constexpr unsigned kSwizzle = 3, kLeadingB = 0, kStrideB = 256;
/// Rows of 16 elements along N, eight of them along K; the halves of every second four swap.
__device__ int placeB(int n, int k) {
  return k / 8 * 128 + k % 8 * 16 + ((n / 8) ^ (k / 4 & 1)) * 8 + n % 8;
}
#else
constexpr unsigned kSwizzle = 0, kLeadingB = 256, kStrideB = 128;
/// Core matrices of 8 rows along K of 8 elements along N; they follow each other along N, then K.
__device__ int placeB(int n, int k) { return k / 8 * 128 + n / 8 * 64 + k % 8 * 8 + n % 8; }
#endif
/// The same of A, with 8 core matrices along M.
__device__ int placeA(int m, int k) { return k / 8 * 512 + m / 8 * 64 + k % 8 * 8 + m % 8; }

__global__ void __launch_bounds__(128) multiply(const half *a, const half *b, float *out) {
  __shared__ alignas(256) half sa[kM * kK];
  __shared__ alignas(256) half sb[kN * kK];
  const int i = int(threadIdx.x);
  for (int e = i; e < kM * kK; e += 128)
    sa[placeA(e / kK, e % kK)] = a[e]; // @fill_a
  for (int e = i; e < kN * kK; e += 128)
    sb[placeB(e / kK, e % kK)] = b[e]; // @fill_b
  if (RACY != 1 || i == 0)
    fenceProxyAsync();
  __syncthreads();
  float d[8] = {};
  wgmmaFence();
  asm volatile( // @multiply
      "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, "
      "%8, %9, 0, 1, 1, 1, 1;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
        "+f"(d[7])
      : "l"(matrixDescriptor(sa, 1024, 128, 0)),
        "l"(matrixDescriptor(sb, kLeadingB, kStrideB, kSwizzle))
      : "memory");
  wgmmaCommit();
  if (RACY != 2)
    wgmmaWait();
  if (i < kN)
    sb[placeB(i, 0)] = half(0); // @reuse
  if (RACY == 2)
    wgmmaWait();
  const int warp = i / 32, group = i % 32 / 4, in = i % 4;
  for (int r = 0; r < 8; ++r)
    out[(warp * 16 + group + r / 2 % 2 * 8) * kN + r / 4 * 8 + in * 2 + r % 2] = d[r];
}

int main() { return verdict(multiplies(multiply, kM, kN, kK)); }
