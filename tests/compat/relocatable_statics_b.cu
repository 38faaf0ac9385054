// The other unit of relocatable_statics.cu.
#include "check.h"

static __device__ int table[4] = {5, 6, 7, 8};
namespace {
__device__ int added = 10;
__constant__ int scale = 20;
__global__ void read(int *out) { *out = table[3] + added + scale; }
} // namespace

int readOther() {
  int value = 6, *out = nullptr;
  CHECK(cudaMemcpyToSymbol(table, &value, sizeof value, 3 * sizeof value));
  CHECK(cudaMalloc(&out, sizeof *out));
  read<<<1, 1>>>(out);
  CHECK(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(out));
  return value;
}
