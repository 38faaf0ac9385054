// scopesan-test: a block-sum helper whose last barrier depends on whether all threads want the sum
//
// variant fixed
//   why the helper ends with a barrier in both cases, so that the next call may use the scratch
//   verdict clean
//   proof S7
// variant barrier_only_if_shared -DRACY
//   why the second call's warps store while the first warp still reads the first call's sums
//   verdict findings
//   require D1 put(store,weak) gather(load,weak) memory=scratch distance=same-block
//   proof S7 D1
#include "check.h"

constexpr unsigned kThreads = 128, kWarps = kThreads / 32;

__device__ int warpSum(int x) {
  for (unsigned offset = 16; offset > 0; offset /= 2)
    x += __shfl_down_sync(0xffffffffu, x, offset);
  return x;
}

template <bool Shared> __device__ int blockSum(int *scratch, int x) {
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  x = warpSum(x);
  if (lane == 0)
    scratch[warp] = x; // @put
  __syncthreads();
  if (warp == 0) {
    x = warpSum(lane < kWarps ? scratch[lane] : 0); // @gather
    if (Shared && lane == 0)
      scratch[kWarps] = x;
  }
#ifdef RACY
  if (Shared)
    __syncthreads();
#else
  __syncthreads();
#endif
  return Shared ? scratch[kWarps] : x;
}

__global__ void sums(const int *a, const int *b, int *out) {
  __shared__ int scratch[kWarps + 1];
  const int first = blockSum<false>(scratch, a[threadIdx.x]);
  const int second = blockSum<false>(scratch, b[threadIdx.x]);
  if (threadIdx.x == 0) {
    out[0] = first;
    out[1] = second;
  }
}

int main() {
  int host[2 * kThreads], out[2], expected[2] = {}, *in = nullptr, *result = nullptr;
  for (int i = 0; i < 2 * int(kThreads); ++i)
    expected[i / int(kThreads)] += host[i] = i % 9 - 2;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&result, sizeof(out)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  sums<<<1, kThreads>>>(in, in + kThreads, result);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out, result, sizeof(out), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(result));
  return verdict(out[0] == expected[0] && out[1] == expected[1]);
}
