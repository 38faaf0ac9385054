// Ten Jacobi steps on an n x n grid in one cooperative kernel, with a grid barrier between them.
#include "bench.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int Steps = 10, Threads = 256;

__global__ void stencil(float *a, float *b, int n) {
  cg::grid_group grid = cg::this_grid();
  for (int step = 0; step < Steps; ++step) {
    for (size_t i = grid.thread_rank(); i < size_t(n) * n; i += grid.size()) {
      size_t x = i % n, y = i / n;
      float left = x ? a[i - 1] : 0, right = x + 1 < n ? a[i + 1] : 0;
      float up = y ? a[i - n] : 0, down = y + 1 < n ? a[i + n] : 0;
      b[i] = 0.25f * (left + right + up + down);
    }
    grid.sync();
    float *t = a;
    a = b;
    b = t;
  }
}

int main(int argc, char **argv) {
  Bench bench("grid_stencil", argc, argv, 2048);
  int n = int(bench.n), multiprocessors = 0, perMultiprocessor = 0;
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perMultiprocessor, stencil, Threads, 0));
  std::vector<float> values = numbers(size_t(n) * n);
  float *a = bench.upload(values), *b = bench.allocate<float>(size_t(n) * n);
  void *arguments[] = {&a, &b, &n};
  bench.measure(
      reinterpret_cast<void *>(stencil),
      [&] {
        CHECK(cudaMemcpy(a, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
      },
      [&] {
        CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void *>(stencil),
                                          dim3(multiprocessors * std::min(perMultiprocessor, 4)),
                                          dim3(Threads), arguments, 0, nullptr));
      });
  bench.result(a, size_t(n) * n);
  return 0;
}
