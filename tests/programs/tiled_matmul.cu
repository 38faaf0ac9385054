// scopesan-test: matrix product through tiles in shared memory
//
// variant fixed
//   verdict clean
//   proof S7
// variant no_second_barrier -DRACY=1
//   why the next tile overwrites elements that slower threads still read
//   verdict findings
//   require D1 use(load,weak) load_a(store,weak) memory=tileA
//   require D1 use(load,weak) load_b(store,weak) memory=tileB
//   proof P1 S7 D1
// variant no_first_barrier -DRACY=2
//   why elements are read before their owners are known to have stored them
//   verdict findings
//   require D1 use(load,weak) load_a(store,weak) memory=tileA
//   require D1 use(load,weak) load_b(store,weak) memory=tileB
//   proof P1 S7 D1
#include "check.h"
#include <vector>

constexpr int kTile = 8, kSize = 32;

__global__ void multiply(const float *a, const float *b, float *c) {
  __shared__ float tileA[kTile][kTile];
  __shared__ float tileB[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty, column = blockIdx.x * kTile + tx;
  float sum = 0;
  for (int tile = 0; tile < kSize / kTile; ++tile) {
    tileA[ty][tx] = a[row * kSize + tile * kTile + tx];      // @load_a
    tileB[ty][tx] = b[(tile * kTile + ty) * kSize + column]; // @load_b
#if RACY != 2
    __syncthreads();
#endif
    for (int k = 0; k < kTile; ++k)
      sum += tileA[ty][k] * tileB[k][tx]; // @use
#if RACY != 1
    __syncthreads();
#endif
  }
  c[row * kSize + column] = sum;
}

int main() {
  const size_t bytes = kSize * kSize * sizeof(float);
  std::vector<float> a(kSize * kSize), b(kSize * kSize), c(kSize * kSize);
  for (int i = 0; i < kSize * kSize; ++i) {
    a[i] = float(i % 7);
    b[i] = float(i % 5) - 2;
  }
  float *da = nullptr, *db = nullptr, *dc = nullptr;
  CHECK(cudaMalloc(&da, bytes));
  CHECK(cudaMalloc(&db, bytes));
  CHECK(cudaMalloc(&dc, bytes));
  CHECK(cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice));
  multiply<<<dim3(kSize / kTile, kSize / kTile), dim3(kTile, kTile)>>>(da, db, dc);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dc));
  bool right = true;
  for (int row = 0; row < kSize; ++row)
    for (int column = 0; column < kSize; ++column) {
      float sum = 0; // small integers: exact in any order
      for (int k = 0; k < kSize; ++k)
        sum += a[row * kSize + k] * b[k * kSize + column];
      right = right && c[row * kSize + column] == sum;
    }
  return verdict(right);
}
