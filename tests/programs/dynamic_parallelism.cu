// scopesan-test: a kernel launches a kernel
//
// The CPU backend cannot run such kernels: it says so (X1) and calls nothing clean. What is expected here are its words,
// so the variants are for it alone.
//
// variant parent_to_child -fgpu-rdc -DCASE=0
//   why the child comes after what its launcher did before
//   verdict incomplete
//   incomplete __cudaCDP2GetParameterBuffer
//   incomplete a kernel ended with an error
//   exit 2
//   litmus API/cdp-parent-child
//   backends cpu
//   proof S14 X1
// variant other_thread -fgpu-rdc -DCASE=1
//   why no barrier between the other thread's write and the launch
//   verdict incomplete
//   incomplete __cudaCDP2GetParameterBuffer
//   incomplete a kernel ended with an error
//   exit 2
//   litmus API/cdp-other-thread-nosync
//   backends cpu
//   proof S14 X1
// variant child_to_parent -fgpu-rdc -DCASE=2
//   why a parent's code is never ordered after its child
//   verdict incomplete
//   incomplete __cudaCDP2GetParameterBuffer
//   incomplete a kernel ended with an error
//   exit 2
//   litmus API/cdp-child-to-parent
//   backends cpu
//   proof S14 X1
#include "check.h"

__global__ void child(int *g, int *out) {
  if (CASE == 2)
    *g = 1;
  else
    *out = *g;
}

__global__ void parent(int *g, int *out) {
  const unsigned writer = CASE == 1 ? 1 : 0;
  if (threadIdx.x == writer && CASE != 2)
    *g = 1;
  if (threadIdx.x == 0) {
    child<<<1, 1>>>(g, out);
    if (CASE == 2)
      *out = *g;
  }
}

int main() {
  int *g = nullptr, result[2] = {};
  CHECK(cudaMalloc(&g, sizeof(result)));
  CHECK(cudaMemset(g, 0, sizeof(result)));
  parent<<<1, 64>>>(g, g + 1);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(result, g, sizeof(result), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(g));
  return verdict(CASE != 0 || result[1] == 1);
}
