// scopesan-compat: virtual functions of another unit, which may need more registers than a kernel has
// units relocatable_virtual_b.cu
// flags -std=c++17 -rdc=true -maxrregcount=128
// steps separate
// ways wrapper
#include "check.h"
#include "relocatable_virtual.h"

__global__ void apply(const float *in, float *out) {
  Operation *op = makeOperation(int(threadIdx.x) % 2);
  out[threadIdx.x] = op->apply(in[threadIdx.x]);
  delete op;
}

int main() {
  float *in, *out, host[64];
  unsigned count = 0;
  for (int i = 0; i < 64; ++i)
    host[i] = float(i);
  CHECK(cudaMalloc(&in, sizeof host));
  CHECK(cudaMalloc(&out, sizeof host));
  CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  apply<<<1, 64>>>(in, out);
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpyFromSymbol(&count, calls, sizeof count));
  return verdict(count == 64 && host[10] == 13 && host[11] == 22);
}
