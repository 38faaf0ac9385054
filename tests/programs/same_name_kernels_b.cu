// Second unit of same_name_kernels.cu: a kernel with the same name and signature, another body.
#include "check.h"

static __global__ void fill(int *out) {
#ifdef RACY
  const unsigned cell = threadIdx.x / 2;
#else
  const unsigned cell = threadIdx.x;
#endif
  out[cell] = 1000 - int(threadIdx.x); // @other_fill
}

void fillFromOtherUnit(int *device, int count) {
  fill<<<1, count>>>(device);
  CHECK(cudaGetLastError());
}
