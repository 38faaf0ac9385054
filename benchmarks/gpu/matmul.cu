// Tiled matrix product, 16 x 16 tiles in shared memory.
#include "bench.h"

constexpr int Tile = 16;

__global__ void matmul(const float *a, const float *b, float *c, int n) {
  __shared__ float ta[Tile][Tile], tb[Tile][Tile];
  int x = blockIdx.x * Tile + threadIdx.x, y = blockIdx.y * Tile + threadIdx.y;
  float sum = 0;
  for (int t = 0; t < n / Tile; ++t) {
    ta[threadIdx.y][threadIdx.x] = a[y * n + t * Tile + threadIdx.x];
    tb[threadIdx.y][threadIdx.x] = b[(t * Tile + threadIdx.y) * n + x];
    __syncthreads();
    for (int k = 0; k < Tile; ++k)
      sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];
    __syncthreads();
  }
  c[y * n + x] = sum;
}

int main(int argc, char **argv) {
  Bench bench("matmul", argc, argv, 1024);
  int n = int(bench.n);
  float *a = bench.upload(numbers(size_t(n) * n)), *b = bench.upload(numbers(size_t(n) * n));
  float *c = bench.allocate<float>(size_t(n) * n);
  bench.measure(reinterpret_cast<void *>(matmul),
                [&] { matmul<<<dim3(n / Tile, n / Tile), dim3(Tile, Tile)>>>(a, b, c, n); });
  bench.result(c, size_t(n) * n);
  return 0;
}
