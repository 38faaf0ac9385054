// One Jacobi step on an n x n grid, tiles with their halo in shared memory.
#include "bench.h"

constexpr int X = 32, Y = 8;

__global__ void jacobi(const float *in, float *out, int n) {
  __shared__ float tile[Y + 2][X + 2];
  int x = blockIdx.x * X + threadIdx.x, y = blockIdx.y * Y + threadIdx.y;
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  auto at = [&](int i, int j) {
    return i < 0 || j < 0 || i >= n || j >= n ? 0.0f : in[size_t(j) * n + i];
  };
  tile[ty][tx] = at(x, y);
  if (threadIdx.x == 0)
    tile[ty][0] = at(x - 1, y);
  if (threadIdx.x == X - 1)
    tile[ty][X + 1] = at(x + 1, y);
  if (threadIdx.y == 0)
    tile[0][tx] = at(x, y - 1);
  if (threadIdx.y == Y - 1)
    tile[Y + 1][tx] = at(x, y + 1);
  __syncthreads();
  out[size_t(y) * n + x] =
      0.25f * (tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1]);
}

int main(int argc, char **argv) {
  Bench bench("jacobi", argc, argv, 8192);
  int n = int(bench.n);
  float *in = bench.upload(numbers(size_t(n) * n)), *out = bench.allocate<float>(size_t(n) * n);
  bench.measure(reinterpret_cast<void *>(jacobi),
                [&] { jacobi<<<dim3(n / X, n / Y), dim3(X, Y)>>>(in, out, n); });
  bench.result(out, 1 << 20);
  return 0;
}
