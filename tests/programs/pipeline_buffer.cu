// scopesan-test: a cuda::pipeline copies the next tile while the block works on this one
//
// variant fixed
//   why a tile is read after its wait and the block barrier, refilled after the release and another
//   verdict clean
//   proof S7 S12
// variant no_wait -DRACY=1
//   why the copy of the tile may be under way when it is read
//   verdict findings
//   require D10 copy read memory=tiles
//   allow   D10 copy copy memory=tiles
//   proof S12 D10
// variant no_barrier -DRACY=2
//   why the wait concerns the thread's own copies; its neighbours' parts are still under way
//   verdict findings
//   require D10 copy read memory=tiles
//   proof S12 D10
// variant one_tile -DRACY=3
//   why the next copy goes where the block is reading
//   verdict findings
//   require D10 copy read memory=tiles
//   allow   D10 copy copy memory=tiles
//   proof S12 D10
#include "check.h"

#include <cuda/pipeline>

constexpr int kThreads = 64, kTiles = 5;

__global__ void __launch_bounds__(kThreads) sums(int *out, const int *in) {
  __shared__ alignas(16) int tiles[2][kThreads];
  const int i = int(threadIdx.x);
  auto pipeline = cuda::make_pipeline();
  auto fetch = [&](int tile) {
#if RACY == 3
    int *to = tiles[0];
#else
    int *to = tiles[tile % 2];
#endif
    pipeline.producer_acquire();
    if (tile < kTiles)
      cuda::memcpy_async(to + i, in + tile * kThreads + i, sizeof(int), pipeline); // @copy
    pipeline.producer_commit();
  };
  int sum = 0;
  fetch(0);
  for (int tile = 0; tile < kTiles; ++tile) {
    fetch(tile + 1);
#if RACY != 1
    cuda::pipeline_consumer_wait_prior<1>(pipeline);
#endif
#if RACY != 2
    __syncthreads();
#endif
#if RACY == 3
    sum += tiles[0][kThreads - 1 - i]; // @read
#else
    sum += tiles[tile % 2][kThreads - 1 - i]; // @read
#endif
    __syncthreads();
    pipeline.consumer_release();
  }
  out[i] = sum;
}

int main() {
  static int host[kTiles * kThreads];
  for (int i = 0; i < kTiles * kThreads; ++i)
    host[i] = i % 11;
  int *in = nullptr, *out = nullptr, result[kThreads];
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(result)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  sums<<<1, kThreads>>>(out, in);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  bool right = true;
  for (int i = 0; i < kThreads; ++i) {
    int sum = 0;
    for (int tile = 0; tile < kTiles; ++tile)
      sum += host[tile * kThreads + kThreads - 1 - i];
    right = right && result[i] == sum;
  }
  return verdict(right);
}
