// Two units linked on the device (-fgpu-rdc): the access is in the other unit. `rdc` is clean,
// `rdc racy` is not.
#include <cuda_runtime.h>
#include <stdio.h>

__device__ void put(unsigned *data, unsigned place, unsigned value);

__global__ void work(unsigned *data, bool racy) {
  put(data, racy ? 0 : blockIdx.x * blockDim.x + threadIdx.x, threadIdx.x);
}

int main(int argc, char **) {
  unsigned *data = nullptr;
  if (cudaMalloc(&data, 1 << 20) != cudaSuccess)
    return 2;
  work<<<64, 128>>>(data, argc > 1);
  cudaError_t e = cudaDeviceSynchronize();
  if (e != cudaSuccess)
    printf("%s\n", cudaGetErrorName(e));
  return e != cudaSuccess;
}
