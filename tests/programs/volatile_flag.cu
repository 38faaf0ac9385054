// scopesan-test: a volatile flag: relaxed by default, plain under --volatile=weak
//
// variant with_fences
//   why with fences on both sides the volatile flag synchronizes in PTX; C++ does not promise it
//   verdict clean
//   may-advise volatile-sync
//   may-advise progress-not-promised flag_load flag_store
//   proof O2 O4 S1 S2 S3
// variant no_fences -DRACY
//   verdict findings
//   require D1 x_store(store,weak) x_load(load,weak) memory=x distance=same-grid
//   may-advise volatile-sync
//   may-advise unordered-strong flag_load flag_store
//   may-advise progress-not-promised flag_load flag_store
//   proof O2 S1 D1
// variant plain_volatile -DRACY=2
//   why under this option the flag itself races, and so orders nothing
//   options --volatile=weak
//   verdict findings
//   require D1 flag_store(store) flag_load(load) memory=flag distance=same-grid
//   require D1 x_store(store,weak) x_load(load,weak) memory=x distance=same-grid
//   may-advise progress-not-promised flag_load flag_store
//   proof O2 D1
#include "check.h"

__device__ int x = 0;
__device__ volatile int flag = 0;

__global__ void pass(int *seen) {
  if (blockIdx.x == 0) {
    x = 42; // @x_store
#if RACY != 1
    __threadfence();
#endif
    flag = 1; // @flag_store
  } else {
    while (flag != 1) { // @flag_load
    }
#if RACY != 1
    __threadfence();
#endif
    *seen = x; // @x_load
  }
}

int main() {
  int *seen = nullptr, value = 0;
  CHECK(cudaMalloc(&seen, sizeof(int)));
  pass<<<2, 1>>>(seen);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&value, seen, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(seen));
  return verdict(value == 42);
}
