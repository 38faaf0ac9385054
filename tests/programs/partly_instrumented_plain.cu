// Second unit of partly_instrumented.cu: compiled without the instrumentation.
#include "check.h"

static __global__ void doubleThem(int *values) { values[threadIdx.x] *= 2; }

cudaError_t doubleInPlainUnit(int *values, int count) {
  doubleThem<<<1, count>>>(values);
  return cudaGetLastError();
}
