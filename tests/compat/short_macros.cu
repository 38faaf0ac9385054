// scopesan-compat: macros of one letter on the command line
// plain error: expected
// plain-flags -DN=32 -DX=3
// flags -std=c++17 -DN=32 -DX=3
#include "check.h"

__global__ void kernel(int *out) { out[threadIdx.x] = X * int(threadIdx.x); }

int main() {
  int host[N], *out;
  CHECK(cudaMalloc(&out, sizeof host));
  kernel<<<1, N>>>(out);
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  return verdict(host[N - 1] == X * (N - 1));
}
