// Block reduction in shared memory with a barrier per step.
#include "bench.h"

constexpr int Threads = 256;

__global__ void reduction(const float *in, float *out, int n) {
  __shared__ float part[Threads];
  float sum = 0;
  for (int i = blockIdx.x * Threads + threadIdx.x; i < n; i += gridDim.x * Threads)
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
  int n = argc > 1 ? atoi(argv[1]) : 1 << 20, repeats = argc > 2 ? atoi(argv[2]) : 2;
  int blocks = 264;
  float *in, *out;
  CHECK(cudaMalloc(&in, n * sizeof(float)));
  CHECK(cudaMalloc(&out, blocks * sizeof(float)));
  CHECK(cudaMemset(in, 0, n * sizeof(float)));
  measure("reduction", n, repeats, [&] { reduction<<<blocks, Threads>>>(in, out, n); });
  return 0;
}
