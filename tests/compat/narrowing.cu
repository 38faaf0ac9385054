// scopesan-compat: errors of clang that nvcc takes for warnings
// plain (narrowed|template argument list|space between literal)
// flags -std=c++17 -Werror -Xcompiler -Wno-error
#include "check.h"
#include <inttypes.h>

struct Adder {
  int base;
  template <typename T> __host__ __device__ T plus(T value) const { return T(base + value); }
};

template <typename Functor> __global__ void kernel(int *out, Functor functor) {
  out[threadIdx.x] = functor.template plus(int(threadIdx.x));
}

int main() {
  int count = 32, host[32], *out;
  CHECK(cudaMalloc(&out, sizeof host));
  dim3 block{count, 1, 1};
  kernel<<<1, block>>>(out, Adder{10});
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  char text[32];
  snprintf(text, sizeof text, "%"PRId64, int64_t(host[31]));
  return verdict(strcmp(text, "41") == 0);
}
