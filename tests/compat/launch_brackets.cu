// scopesan-compat: launches with blanks between the brackets
// plain expected expression
// flags -std=c++17
// ways wrapper
#include "check.h"

// clang-format off
template <typename T> __global__ void add(T *cell, T value) { *cell += value; }

int main() {
  int *cell, host = 0;
  dim3 grid(1);
  CHECK(cudaMalloc(&cell, sizeof host));
  CHECK(cudaMemset(cell, 0, sizeof host));
  add<int><< <grid, 1>> >(cell, 1);
  add<int><< <dim3(grid.x), 1, (1 > 2), 0 >> > (cell, 20);
  add << <
      1, 1 >>> (cell, 300);
  CHECK(cudaMemcpy(&host, cell, sizeof host, cudaMemcpyDeviceToHost));
  return verdict(host == 321);
}
