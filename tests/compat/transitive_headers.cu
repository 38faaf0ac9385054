// scopesan-compat: names of standard headers that nobody includes
// plain (vector|assert|clock|undeclared identifier)
// flags -std=c++17
#include <cuda_runtime.h>

__global__ void fill(int *out) {
  assert(out != nullptr);
  out[threadIdx.x] = int(threadIdx.x);
}

int main() {
  std::vector<int> host(32);
  int *out;
  if (cudaMalloc(&out, host.size() * sizeof(int)) != cudaSuccess)
    return 2;
  fill<<<1, 32>>>(out);
  cudaMemcpy(host.data(), out, host.size() * sizeof(int), cudaMemcpyDeviceToHost);
  int sum = 0;
  for (int value : host)
    sum += value;
  char text[INT_MAX > 100 ? 16 : 8];
  snprintf(text, sizeof text, "%d", sum);
  return strcmp(text, "496") == 0 && clock() >= 0 ? 0 : 1;
}
