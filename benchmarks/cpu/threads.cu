// Threads that do one addition each, against a C++ loop.
//   threads [n] [repeats]
#include "bench.h"

__global__ void increment(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] += i;
}

static __attribute__((noinline)) void incrementOnHost(int *data, int n) {
  for (int i = 0; i < n; ++i)
    data[i] += i;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1 << 20, repeats = argc > 2 ? atoi(argv[2]) : 3;
  std::vector<int> data(n), got(n);
  int *device;
  CHECK(cudaMalloc(&device, n * sizeof(int)));
  CHECK(cudaMemset(device, 0, n * sizeof(int)));
  Seconds kernel = best(repeats, [&] {
    increment<<<(n + 255) / 256, 256>>>(device, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  });
  Seconds native = best(repeats, [&] { incrementOnHost(data.data(), n); });
  CHECK(cudaMemcpy(got.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost));
  return finish("threads", n, kernel, native, got == data);
}
