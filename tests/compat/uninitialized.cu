// scopesan-compat: Thrust builds elements in uninitialized memory by their constructor, not by assignment
// flags -std=c++17
#include <cuda_runtime.h>
#include <thrust/device_free.h>
#include <thrust/device_malloc.h>
#include <thrust/device_vector.h>
#include <thrust/uninitialized_copy.h>
#include <thrust/uninitialized_fill.h>

struct Counted {
  int value;
  __host__ __device__ explicit Counted(int v = 0) : value(v) {}
  __host__ __device__ Counted(const Counted &other) : value(other.value + 1) {}
  __host__ __device__ Counted &operator=(const Counted &other) {
    value = other.value + 1000;
    return *this;
  }
};

int main() {
  constexpr int n = 3;
  thrust::device_ptr<Counted> raw = thrust::device_malloc<Counted>(2 * n);
  thrust::uninitialized_fill(raw, raw + n, Counted(1));
  thrust::uninitialized_copy(raw, raw + n, raw + n);
  int got[2 * n];
  if (cudaMemcpy(got, raw.get(), sizeof(got), cudaMemcpyDeviceToHost) != cudaSuccess)
    return 2;
  thrust::device_free(raw);
  for (int i = 0; i < n; ++i)
    if (got[i] <= 1 || got[i] >= 1000 || got[n + i] != got[i] + 1)
      return 1;
  thrust::device_vector<Counted> more(n, Counted(5)), copy = more;
  return copy.size() == n ? 0 : 1;
}
