// The other unit of relocatable_virtual.cu.
#include "relocatable_virtual.h"

__constant__ float coefficients[4] = {1, 2, 3, 4};
__device__ unsigned calls;

struct Product : Operation {
  float factor;
  __device__ Product(float factor) : factor(factor) {}
  __device__ float apply(float value) const override {
    atomicAdd(&calls, 1u);
    return factor * value;
  }
};
struct Sum : Operation {
  __device__ float apply(float value) const override {
    atomicAdd(&calls, 1u);
    return value + coefficients[2];
  }
};

__device__ Operation *makeOperation(int kind) {
  if (kind)
    return new Product(coefficients[1]);
  return new Sum;
}
