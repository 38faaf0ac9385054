// Transposition of an n x n matrix through a padded tile in shared memory.
#include "bench.h"

constexpr int Tile = 32, Rows = 8;

__global__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[Tile][Tile + 1];
  int x = blockIdx.x * Tile + threadIdx.x, y = blockIdx.y * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += Rows)
    tile[threadIdx.y + j][threadIdx.x] = in[size_t(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * Tile + threadIdx.x, y = blockIdx.x * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += Rows)
    out[size_t(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main(int argc, char **argv) {
  Bench bench("transpose", argc, argv, 8192);
  int n = int(bench.n);
  float *in = bench.upload(numbers(size_t(n) * n)), *out = bench.allocate<float>(size_t(n) * n);
  bench.measure(reinterpret_cast<void *>(transpose),
                [&] { transpose<<<dim3(n / Tile, n / Tile), dim3(Tile, Rows)>>>(in, out, n); });
  bench.result(out, 1 << 20);
  return 0;
}
