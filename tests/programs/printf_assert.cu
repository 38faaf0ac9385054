// scopesan-test: device printf and assert
//
// variant fixed
//   verdict clean
//   output block 0 counted 64
//   output block 1 counted 64
//   proof S7
// variant plain_counter -DRACY
//   why the threads of a block count with a plain increment
//   verdict findings
//   require D1 count count memory=counted
//   output block 0 counted
//   proof D1
// variant failing_assert -DFAIL
//   why the kernel stops with an error that the program turns into its exit code
//   verdict incomplete
//   incomplete a kernel ended with an error
//   exit 3
//   proof S7
#include "check.h"
#include <assert.h>

constexpr int kBlocks = 2, kThreads = 64;

__global__ void report(int expected) {
  __shared__ int counted;
  if (threadIdx.x == 0)
    counted = 0; // @reset
  __syncthreads();
#ifdef RACY
  counted += 1; // @count
#else
  atomicAdd(&counted, 1); // @count
#endif
  __syncthreads();
  if (threadIdx.x == 0) {
    printf("block %d counted %d%s\n", int(blockIdx.x), counted, counted > 0 ? "" : "!");
    assert(counted <= expected && "more counts than threads");
  }
}

int main() {
#ifdef FAIL
  const int expected = kThreads - 1;
#else
  const int expected = kThreads;
#endif
  report<<<kBlocks, kThreads>>>(expected);
  CHECK(cudaGetLastError());
  const cudaError_t status = cudaDeviceSynchronize();
  if (status == cudaErrorAssert) {
    printf("the kernel's assertion failed\n");
    return 3;
  }
  CHECK(status);
  return 0;
}
