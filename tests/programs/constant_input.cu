// scopesan-test: a kernel reads its input through the non-coherent path
//
// variant fixed
//   why the input was written by the kernel before
//   verdict clean
//   proof O6 S14
//   litmus SPEC2/ldnc-prior-kernel
// variant written -DRACY
//   why the kernel writes what it promises to be constant; its barrier does not help
//   verdict findings
//   require D11 write(store,weak) read(load,weak)
//   proof O6 D11
//   litmus SPEC2/ldnc-same-kernel
#include "check.h"

constexpr int kThreads = 64;

__global__ void fill(int *data) { data[threadIdx.x] = 2 * int(threadIdx.x); }

__global__ void reverse(int *out, const int *__restrict__ in, int *in_again) {
#ifdef RACY
  in_again[threadIdx.x] = 2 * int(threadIdx.x); // @write
#endif
  __syncthreads();
  out[threadIdx.x] = in[kThreads - 1 - threadIdx.x]; // @read
}

int main() {
  int host[kThreads], *in = nullptr, *out = nullptr;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(host)));
  fill<<<1, kThreads>>>(in);
  CHECK(cudaGetLastError());
  reverse<<<1, kThreads>>>(out, in, in);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  bool right = true;
  for (int i = 0; i < kThreads; ++i)
    right = right && host[i] == 2 * (kThreads - 1 - i);
  return verdict(right);
}
