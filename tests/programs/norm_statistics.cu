// scopesan-test: mean and mean square of a row: two block reductions through one scratch array
//
// variant fixed
//   why a barrier keeps the second fill away from the read of the first sum
//   verdict clean
//   proof S7
// variant no_barrier_between -DRACY
//   why a fast warp starts the second reduction while others still read the first sum
//   verdict findings
//   require D1 fill(store,weak) sum(load,weak) memory=scratch
//   proof S7 D1
#include "check.h"

constexpr int kThreads = 128, kRows = 2;

__device__ float reduce(float *scratch, float mine) {
  scratch[threadIdx.x] = mine; // @fill
  __syncthreads();
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    if (int(threadIdx.x) < stride)
      scratch[threadIdx.x] += scratch[threadIdx.x + stride];
    __syncthreads();
  }
  return scratch[0]; // @sum
}

__global__ void statistics(const float *rows, float *mean, float *square) {
  __shared__ float scratch[kThreads];
  const float x = rows[blockIdx.x * kThreads + threadIdx.x];
  const float sum = reduce(scratch, x);
#ifndef RACY
  __syncthreads();
#endif
  const float squares = reduce(scratch, x * x);
  if (threadIdx.x == 0) {
    mean[blockIdx.x] = sum / kThreads;
    square[blockIdx.x] = squares / kThreads;
  }
}

int main() {
  float host[kRows * kThreads], mean[kRows], square[kRows];
  for (int i = 0; i < kRows * kThreads; ++i)
    host[i] = float(i % 2 + 1);
  float *rows = nullptr, *means = nullptr, *squares = nullptr;
  CHECK(cudaMalloc(&rows, sizeof(host)));
  CHECK(cudaMalloc(&means, sizeof(mean)));
  CHECK(cudaMalloc(&squares, sizeof(square)));
  CHECK(cudaMemcpy(rows, host, sizeof(host), cudaMemcpyHostToDevice));
  statistics<<<kRows, kThreads>>>(rows, means, squares);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(mean, means, sizeof(mean), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(square, squares, sizeof(square), cudaMemcpyDeviceToHost));
  for (void *p : {rows, means, squares})
    CHECK(cudaFree(p));
  return verdict(mean[0] == 1.5f && mean[1] == 1.5f && square[0] == 2.5f && square[1] == 2.5f);
}
