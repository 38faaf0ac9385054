// scopesan-test: two warps multiply 16 x 16 tiles by wmma that they stage in shared memory
//
// variant fixed
//   why a barrier lies between the stores and the fragment loads, and before the tile is reused
//   verdict clean
//   proof S7
// variant no_barrier -DRACY=1
//   why the fragments are loaded while the other warp may still store the tile
//   verdict findings
//   require D1 stage(store,weak) load(load,weak) memory=tile distance=same-block
//   allow   D1 stage(store,weak) load(load,weak) memory=tile distance=same-warp
//   proof S7 D1
// variant shared_result -DRACY=2
//   why both warps store their result to the same place
//   verdict findings
//   require D1 result(store,weak) result(store,weak) distance=same-block
//   proof D1
#include "check.h"
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;
constexpr int kSize = 16, kTile = kSize * kSize, kThreads = 64;

__global__ void multiply(const half *a, const half *b, float *out) {
  __shared__ half tile[2][kTile];
  const int i = int(threadIdx.x);
  for (int e = i; e < kTile; e += kThreads) {
    tile[0][e] = a[e]; // @stage
    tile[1][e] = b[e]; // @stage
  }
#if RACY == 1
  __syncwarp();
#else
  __syncthreads();
#endif
  wmma::fragment<wmma::matrix_a, kSize, kSize, kSize, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, kSize, kSize, kSize, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, kSize, kSize, kSize, float> sum;
  wmma::fill_fragment(sum, float(i / 32));
  wmma::load_matrix_sync(fa, tile[0], kSize); // @load
  wmma::load_matrix_sync(fb, tile[1], kSize); // @load
  wmma::mma_sync(sum, fa, fb, sum);
#if RACY == 2
  wmma::store_matrix_sync(out, sum, kSize, wmma::mem_row_major); // @result
#else
  wmma::store_matrix_sync(out + i / 32 * kTile, sum, kSize, wmma::mem_row_major); // @result
#endif
}

int main() {
  half host[2][kTile], *in = nullptr;
  float result[2 * kTile], *out = nullptr;
  for (int e = 0; e < kTile; ++e) {
    host[0][e] = __float2half(float(e % 5 - 2));
    host[1][e] = __float2half(float(e % 7 - 3));
  }
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(result)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  multiply<<<1, kThreads>>>(in, in + kTile, out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  bool right = true;
  for (int w = 0; w < 2; ++w)
    for (int i = 0; i < kSize; ++i)
      for (int j = 0; j < kSize; ++j) {
        float sum = float(w);
        for (int k = 0; k < kSize; ++k) // B lies column by column
          sum += float((i * kSize + k) % 5 - 2) * float((j * kSize + k) % 7 - 3);
        right = right && result[w * kTile + i * kSize + j] == sum;
      }
  return verdict(right);
}
