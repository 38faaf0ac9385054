// scopesan-test: a program that is linked with the driver's library starts without a driver
//
// variant fixed -lcuda
//   verdict clean
//   proof S14
// variant no_wait -lcuda -DRACY=1
//   why the second stream does not wait for the event
//   verdict findings
//   require D1 fill use distance=between-kernels
//   proof S14 D1
// variant lacking -lcuda -DLACKING
//   why a function of the driver that the CPU backend does not have fails and is named
//   verdict incomplete
//   incomplete lacks the driver function cuPointerGetAttribute
//   output the driver function failed with 801
//   backends cpu
//   proof X1
#include "check.h"

#include <cuda.h>

constexpr int kCount = 32;

__global__ void fill(int *data) {
  data[threadIdx.x] = 1; // @fill
}
__global__ void use(int *data) {
  data[threadIdx.x] += 1; // @use
}

static void checkDriver(CUresult result) {
  const char *name = nullptr;
  if (result == CUDA_SUCCESS)
    return;
  cuGetErrorName(result, &name);
  fprintf(stderr, "driver: %s\n", name);
  exit(1);
}

int main() {
  int *data = nullptr, out[kCount], count = 0;
  checkDriver(cuInit(0));
  checkDriver(cuDeviceGetCount(&count));
  CHECK(cudaMalloc(&data, sizeof(out)));
  CUcontext context = nullptr;
  checkDriver(cuCtxGetCurrent(&context));
  CUstream first, second;
  CUevent filled;
  checkDriver(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
  checkDriver(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
  checkDriver(cuEventCreate(&filled, CU_EVENT_DISABLE_TIMING));
  fill<<<1, kCount, 0, first>>>(data);
  CHECK(cudaGetLastError());
  checkDriver(cuEventRecord(filled, first));
#ifndef RACY
  checkDriver(cuStreamWaitEvent(second, filled, 0));
#endif
  use<<<1, kCount, 0, second>>>(data);
  CHECK(cudaGetLastError());
  checkDriver(cuStreamSynchronize(second));
  checkDriver(cuCtxSynchronize());
#ifdef LACKING
  unsigned kind = 0;
  CUresult result =
      cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CUdeviceptr(data));
  printf("the driver function failed with %d\n", int(result));
#endif
  CHECK(cudaMemcpy(out, data, sizeof(out), cudaMemcpyDeviceToHost));
  checkDriver(cuStreamDestroy(first));
  checkDriver(cuStreamDestroy(second));
  CHECK(cudaFree(data));
  return verdict(context && count > 0);
}
