// scopesan-compat: typeof with -std=c++17, register variables
// plain (undeclared identifier 'typeof'|'register' storage class)
// flags -std=c++17 -Werror
#include "check.h"

#define SWAP(a, b)                                                                                 \
  do {                                                                                             \
    typeof(a) old = a;                                                                             \
    a = b;                                                                                         \
    b = old;                                                                                       \
  } while (0)

__global__ void kernel(int *pair) {
  register int first = pair[0];
  register int second = pair[1];
  SWAP(first, second);
  pair[0] = first;
  pair[1] = second;
}

int main() {
  register int *pair;
  int host[2] = {1, 2};
  CHECK(cudaMalloc(&pair, sizeof host));
  CHECK(cudaMemcpy(pair, host, sizeof host, cudaMemcpyHostToDevice));
  kernel<<<1, 1>>>(pair);
  CHECK(cudaMemcpy(host, pair, sizeof host, cudaMemcpyDeviceToHost));
  SWAP(host[0], host[1]);
  return verdict(host[0] == 1 && host[1] == 2);
}
