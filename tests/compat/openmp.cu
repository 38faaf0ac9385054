// scopesan-compat: omp.h of the host compiler, without and with -Xcompiler -fopenmp
// plain 'omp.h' file not found
// plain-unless omp.h
// flags -std=c++17 -Xcompiler -fopenmp
// ways wrapper
#include "check.h"
#include <omp.h>

__global__ void square(int *values) { values[threadIdx.x] *= values[threadIdx.x]; }

int main() {
  double start = omp_get_wtime();
  int host[32], *values, sum = 0;
  for (int i = 0; i < 32; ++i)
    host[i] = i;
  CHECK(cudaMalloc(&values, sizeof host));
  CHECK(cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice));
  square<<<1, 32>>>(values);
  CHECK(cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost));
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 32; ++i)
    sum += host[i];
  return verdict(sum == 10416 && omp_get_max_threads() >= 1 && omp_get_wtime() >= start);
}
