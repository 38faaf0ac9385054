// out[i] = in[index[i]] with indices without locality.
#include "bench.h"

__global__ void gather(const float *in, const unsigned *index, float *out, size_t n) {
  size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[index[i]];
}

int main(int argc, char **argv) {
  Bench bench("gather", argc, argv, 1 << 24);
  size_t n = bench.n;
  float *in = bench.upload(numbers(n)), *out = bench.allocate<float>(n);
  unsigned *index = bench.upload(scattered(n));
  bench.measure(reinterpret_cast<void *>(gather),
                [&] { gather<<<unsigned((n + 255) / 256), 256>>>(in, index, out, n); });
  bench.result(out, 1 << 20);
  return 0;
}
