// scopesan-compat: static variables and kernels of one name in two units of relocatable device code
// flags -rdc=true
// config-flags -fgpu-rdc
// units relocatable_statics_b.cu
// kernels "(anonymous namespace)::read(int*)" "(anonymous namespace)::read(int*)"
#include "check.h"

int readOther();

// The kernel comes before the host code that names the variables.
static __device__ int table[4] = {1, 2, 3, 4};
namespace {
__device__ int added = 100;
__constant__ int scale = 1000;
__global__ void read(int *out) { *out = table[3] + added + scale; }
} // namespace

int main() {
  int value = 5, *out = nullptr;
  CHECK(cudaMemcpyToSymbol(table, &value, sizeof value, 3 * sizeof value));
  value = 200;
  CHECK(cudaMemcpyToSymbol(added, &value, sizeof value));
  value = 2000;
  CHECK(cudaMemcpyToSymbol(scale, &value, sizeof value));
  CHECK(cudaMalloc(&out, sizeof *out));
  read<<<1, 1>>>(out);
  CHECK(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(out));
  return value != 2205 || readOther() != 36;
}
