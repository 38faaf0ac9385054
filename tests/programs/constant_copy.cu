// scopesan-test: a copy into a constant variable beside a kernel that reads it
//
// variant fixed
//   why the copy is in the kernels' stream, and the host waits before it writes by the other stream
//   verdict clean
//   proof O6 O7 S14
// variant copy_first -DRACY=1
//   why nothing orders the kernel after the copy in the other stream
//   verdict findings
//   require D1 api:cudaMemcpyToSymbolAsync use memory=coefficients distance=between-kernels
//   backends cpu
//   proof O6 O7 S14 D1
// variant kernel_first -DRACY=2
//   why the copy may arrive while the kernel still reads
//   verdict findings
//   label full
//   require D1 use api:cudaMemcpyToSymbolAsync memory=coefficients distance=between-kernels
//   backends cpu
//   proof O6 O7 S14 D1
// variant other_bytes -DRACY=2 -DOFFSET=64
//   why the kernel reads the first half, the copy writes the second one
//   verdict clean
//   label full
//   backends cpu
//   proof P1 O6 O7 S14
// variant by_address -DRACY=3
//   why a fill by the variable's address is no better
//   verdict findings
//   label full
//   require D1 use api:cudaMemsetAsync memory=coefficients distance=between-kernels
//   backends cpu
//   proof O6 O7 S14 D1
// variant inline_ptx -DRACY=2 -DPTX
//   why ld.const in inline PTX reads it, too
//   verdict findings
//   label full
//   require D1 use api:cudaMemcpyToSymbolAsync memory=coefficients distance=between-kernels
//   backends cpu
//   proof O6 O7 S14 D1
// variant written_by_kernel -DRACY=4
//   why a kernel writes through the variable's address what a kernel beside it reads
//   verdict findings
//   require D1 use store memory=coefficients distance=between-kernels
//   backends cpu
//   proof O6 S14 D1
// variant copy_first_gpu -DRACY=1
//   why the GPU does not record reads of constants: the copy is not ordered with a kernel that may read
//   verdict incomplete
//   incomplete copy into constant variable
//   backends gpu
//   proof O6 X1
#include "check.h"

#ifndef RACY
#define RACY 0
#endif
#ifndef OFFSET
#define OFFSET 0
#endif
constexpr int kCount = 64;

__constant__ int coefficients[2 * kCount];

__device__ int coefficient(int i) {
#ifdef PTX
  int value;
  asm volatile( // @use
      "{ .reg .u64 a; cvta.to.const.u64 a, %1; ld.const.s32 %0, [a]; }"
      : "=r"(value)
      : "l"(&coefficients[i]));
  return value;
#else
  return coefficients[i]; // @use
#endif
}

__global__ void scale(int *out) { out[threadIdx.x] = coefficient(int(threadIdx.x)); }

__global__ void change(int *constants) {
  constants[threadIdx.x] = 3; // @store
}

int main() {
  const size_t bytes = kCount * sizeof(int);
  int *out = nullptr, *host = nullptr, *address = nullptr;
  CHECK(cudaMalloc(&out, bytes));
  CHECK(cudaMallocHost(&host, bytes));
  CHECK(cudaGetSymbolAddress(reinterpret_cast<void **>(&address), coefficients));
  for (int i = 0; i < kCount; ++i)
    host[i] = 3;
  cudaStream_t kernels, copies;
  CHECK(cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  CHECK(cudaMemcpyToSymbolAsync(coefficients, host, bytes, 0, cudaMemcpyHostToDevice, kernels));
  CHECK(cudaStreamSynchronize(kernels));

  if (RACY == 1)
    CHECK(cudaMemcpyToSymbolAsync(coefficients, host, bytes, 0, cudaMemcpyHostToDevice, copies));
  scale<<<1, kCount, 0, kernels>>>(out);
  CHECK(cudaGetLastError());
  if (RACY == 0)
    CHECK(cudaStreamSynchronize(kernels));
  if (RACY == 0 || RACY == 2)
    CHECK(cudaMemcpyToSymbolAsync(coefficients, host, bytes, OFFSET * sizeof(int),
                                  cudaMemcpyHostToDevice, copies));
  if (RACY == 3)
    CHECK(cudaMemsetAsync(address, 0, bytes, copies));
  if (RACY == 4)
    change<<<1, kCount, 0, copies>>>(address);
  CHECK(cudaDeviceSynchronize());

  int result[kCount];
  CHECK(cudaMemcpy(result, out, bytes, cudaMemcpyDeviceToHost));
  bool right = true;
  for (int value : result)
    right = right && (value == 3 || RACY == 3);
  CHECK(cudaStreamDestroy(kernels));
  CHECK(cudaStreamDestroy(copies));
  CHECK(cudaFree(out));
  CHECK(cudaFreeHost(host));
  return verdict(right);
}
