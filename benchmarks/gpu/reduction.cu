// Block reduction in shared memory with a barrier per step.
#include "bench.h"

constexpr int Threads = 256, Blocks = 1056;

__global__ void reduction(const float *in, float *out, size_t n) {
  __shared__ float part[Threads];
  float sum = 0;
  for (size_t i = blockIdx.x * Threads + threadIdx.x; i < n; i += size_t(gridDim.x) * Threads)
    sum += in[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = Threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = part[0];
}

int main(int argc, char **argv) {
  Bench bench("reduction", argc, argv, 1 << 27);
  float *in = bench.allocate<float>(bench.n), *out = bench.allocate<float>(Blocks);
  bench.measure(reinterpret_cast<void *>(reduction),
                [&] { reduction<<<Blocks, Threads>>>(in, out, bench.n); });
  bench.result(out, Blocks);
  return 0;
}
