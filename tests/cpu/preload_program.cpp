#include <cuda_runtime_api.h>

#include <stdio.h>

int main() {
  cudaDeviceProp P;
  if (cudaGetDeviceProperties(&P, 0) != cudaSuccess)
    return 1;
  printf("%s\n", P.name);
}
