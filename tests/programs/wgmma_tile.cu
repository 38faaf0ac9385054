// scopesan-test: a warpgroup multiplies a 64 x 16 by a 16 x 8 matrix that it wrote to shared memory
//
// variant fixed --no-cuda-gpu-arch=sm_90 --cuda-gpu-arch=sm_90a
//   why writes pass a proxy fence, then a barrier; the reads are waited for
//   verdict clean
//   proof S12 S13
//   litmus SPEC2/wgmma-proxyfence
// variant no_proxy_fence -DRACY=1 --no-cuda-gpu-arch=sm_90 --cuda-gpu-arch=sm_90a
//   why the async proxy need not see what the block wrote
//   verdict findings
//   require D9 fill(store,weak) multiply
//   proof S13 D9
//   litmus SPEC2/wgmma-noproxyfence
// variant overwrite -DRACY=2 --no-cuda-gpu-arch=sm_90 --cuda-gpu-arch=sm_90a
//   why A is overwritten while it may still be read
//   verdict findings
//   require D10 multiply reuse(store,weak)
//   proof S12 D10
//   litmus SPEC2/wgmma-overwrite-smem-nowait
// variant no_barrier -DRACY=3 --no-cuda-gpu-arch=sm_90 --cuda-gpu-arch=sm_90a
//   why other warps may still write what a warp's part reads
//   verdict findings
//   require D10 fill(store,weak) multiply
//   allow   D9 fill(store,weak) multiply
//   allow   D1 fill(store,weak) reuse(store,weak)
//   proof S7 D10
#include "hopper.h"
#include "warpgroup.h"

constexpr int kM = 64, kN = 8, kK = 16;
// Core matrices are 8 x 16 bytes. Here they follow each other along K, then along M or N.
__device__ int place(int across, int along) {
  return across / 8 * 128 + along / 8 * 64 + across % 8 * 8 + along % 8;
}

__global__ void __launch_bounds__(128) multiply(const half *a, const half *b, float *out) {
  __shared__ alignas(128) half shared[(kM + kN) * kK];
  half *sa = shared, *sb = shared + kM * kK;
  const int i = int(threadIdx.x);
  for (int e = i; e < kM * kK; e += 128)
    sa[place(e / kK, e % kK)] = a[e]; // @fill
  for (int e = i; e < kN * kK; e += 128)
    sb[place(e / kK, e % kK)] = b[e]; // @fill
#if RACY != 1
  fenceProxyAsync();
#endif
#if RACY != 3
  __syncthreads();
#endif
  float d[4] = {};
  wgmmaFence();
  wgmmaM64N8K16(d, matrixDescriptor(sa, 128, 256, 0), // @multiply
                matrixDescriptor(sb, 128, 256, 0), 0);
  wgmmaCommit();
#if RACY != 2
  wgmmaWait();
#endif
  if (i < kM)
    sa[place(i, 0)] = half(0); // @reuse
#if RACY == 2
  wgmmaWait();
#endif
  const int warp = i / 32, group = i % 32 / 4, in = i % 4;
  for (int r = 0; r < 4; ++r)
    out[(warp * 16 + group + r / 2 * 8) * kN + in * 2 + r % 2] = d[r];
}

int main() { return verdict(multiplies(multiply, kM, kN, kK)); }
