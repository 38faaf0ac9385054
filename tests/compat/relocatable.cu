// scopesan-compat: device functions and variables of other units, static kernels of one name
// units relocatable_b.cu
// flags -std=c++17 -rdc=true
// config-flags -std=c++17 -fgpu-rdc
// steps separate
// kernels "same(int*)" "same()"
#include "check.h"

extern __device__ int total;
extern __constant__ int factor;
extern __managed__ int seen;
extern __device__ int addOne(int value);
extern __device__ int (*operation)(int);
void launchOther();

static __global__ void same(int *out) {
  __shared__ int mine[2];
  mine[0] = 40;
  out[0] = addOne(3) * factor + mine[0];
  out[1] = operation(10);
  total += 5;
  seen = 7;
}

int main() {
  int *out, host[2], sum = 0;
  CHECK(cudaMalloc(&out, sizeof host));
  same<<<1, 1>>>(out);
  launchOther();
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpyFromSymbol(&sum, total, sizeof sum));
  return verdict(host[0] == 4 * 10 + 40 && host[1] == 11 && sum == 210 && seen == 7);
}
