// scopesan-compat: default arguments in the definition of a class template's member
// plain default arguments cannot be added to an out-of-line definition
// flags -std=c++17
// ways wrapper
#include "check.h"

template <typename T> struct Vector {
  T values[4];
  __host__ __device__ T sum(int first, int count);
  __host__ __device__ T at(int index, T fallback);
};

template <typename T> __host__ __device__ T Vector<T>::sum(int first, int count = (1 + 1)) {
  T total = 0;
  for (int i = first; i < first + count; ++i)
    total += values[i];
  return total;
}

template <typename T>
__host__ __device__ T Vector<T>::at(int index = 3, T fallback = T(-1)) {
  return index < 4 ? values[index] : fallback;
}

__global__ void kernel(int *out) {
  Vector<int> v = {{1, 2, 3, 4}};
  out[0] = v.sum(1) + v.sum(0, 4) + v.at() + v.at(7) + v.at(8, 100);
}

int main() {
  int *out, host = 0;
  CHECK(cudaMalloc(&out, sizeof host));
  kernel<<<1, 1>>>(out);
  CHECK(cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost));
  return verdict(host == 5 + 10 + 4 - 1 + 100);
}
