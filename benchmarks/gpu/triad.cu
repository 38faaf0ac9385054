// a[i] = b[i] + s * c[i]
#include "bench.h"

__global__ void triad(float *a, const float *b, const float *c, float s, size_t n) {
  size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = b[i] + s * c[i];
}

int main(int argc, char **argv) {
  Bench bench("triad", argc, argv, 1 << 26);
  size_t n = bench.n;
  float *a = bench.allocate<float>(n), *b = bench.allocate<float>(n), *c = bench.allocate<float>(n);
  bench.measure(reinterpret_cast<void *>(triad),
                [&] { triad<<<unsigned((n + 255) / 256), 256>>>(a, b, c, 2.0f, n); });
  bench.result(a, 1000);
  return 0;
}
