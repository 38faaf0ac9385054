// A user's program: neighbours exchange values through shared memory. -DFIXED adds the barrier.
#include <cstdio>

__global__ void exchange(int *out) {
  __shared__ int values[64];
  values[threadIdx.x] = threadIdx.x;
#ifdef FIXED
  __syncthreads();
#endif
  out[threadIdx.x] = values[63 - threadIdx.x];
}

int main() {
  int *out = nullptr, result[64] = {};
  if (cudaMalloc(&out, sizeof result) != cudaSuccess)
    return 1;
  exchange<<<1, 64>>>(out);
  cudaError_t error = cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
  printf("%s\n", cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}
