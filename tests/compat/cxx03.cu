// scopesan-compat: the oldest dialect that nvcc takes
// flags -std=c++03
// config-flags -std=c++03
// kernels "scale(float*, int, float)"
#include <algorithm>
#include <cuda_runtime.h>
#include <vector>

__global__ void scale(float *data, int n, float by) {
  __shared__ float tile[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? data[i] : 0;
  __syncthreads();
  if (i < n)
    data[i] = by * tile[threadIdx.x] + fminf(1.0f, float(min(i, 2)));
}

int main() {
  std::vector<float> values(200, 3.0f);
  float *data = NULL;
  size_t bytes = values.size() * sizeof(float);
  if (cudaMalloc((void **)&data, bytes) != cudaSuccess)
    return 2;
  cudaMemcpy(data, &values[0], bytes, cudaMemcpyHostToDevice);
  scale<<<2, 128>>>(data, 200, 2.0f);
  cudaMemcpy(&values[0], data, bytes, cudaMemcpyDeviceToHost);
  bool right = values[0] == 6 && std::count(values.begin(), values.end(), 7.0f) == 199;
  return cudaFree(data) != cudaSuccess || !right;
}
