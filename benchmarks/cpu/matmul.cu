// Tiled matrix product, 16 x 16 tiles in shared memory, against the same loops in C++.
//   matmul [n] [repeats]
#include "bench.h"

constexpr int Tile = 16;

__global__ void product(const float *a, const float *b, float *c, int n) {
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

/// The kernel's work in its order: tile by tile, element by element.
static void productOnHost(const float *a, const float *b, float *c, int n) {
  float ta[Tile][Tile], tb[Tile][Tile], sums[Tile][Tile];
  for (int by = 0; by < n; by += Tile)
    for (int bx = 0; bx < n; bx += Tile) {
      for (auto &row : sums)
        std::fill(row, row + Tile, 0.0f);
      for (int t = 0; t < n; t += Tile) {
        for (int y = 0; y < Tile; ++y)
          for (int x = 0; x < Tile; ++x) {
            ta[y][x] = a[(by + y) * n + t + x];
            tb[y][x] = b[(t + y) * n + bx + x];
          }
        for (int y = 0; y < Tile; ++y)
          for (int x = 0; x < Tile; ++x)
            for (int k = 0; k < Tile; ++k)
              sums[y][x] += ta[y][k] * tb[k][x];
      }
      for (int y = 0; y < Tile; ++y)
        for (int x = 0; x < Tile; ++x)
          c[(by + y) * n + bx + x] = sums[y][x];
    }
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 256, repeats = argc > 2 ? atoi(argv[2]) : 3;
  size_t count = size_t(n) * n, bytes = count * sizeof(float);
  std::vector<float> a(count), b(count), right(count), got(count);
  for (size_t i = 0; i < count; ++i) {
    a[i] = float(i % 7);
    b[i] = float(i % 5);
  }
  float *da, *db, *dc;
  CHECK(cudaMalloc(&da, bytes));
  CHECK(cudaMalloc(&db, bytes));
  CHECK(cudaMalloc(&dc, bytes));
  CHECK(cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice));
  Seconds kernel = best(repeats, [&] {
    product<<<dim3(n / Tile, n / Tile), dim3(Tile, Tile)>>>(da, db, dc, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  });
  CHECK(cudaMemcpy(got.data(), dc, bytes, cudaMemcpyDeviceToHost));
  Seconds native = best(repeats, [&] { productOnHost(a.data(), b.data(), right.data(), n); });
  return finish("matmul", double(count) * n, kernel, native, got == right); // whole numbers: exact
}
