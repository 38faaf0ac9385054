// cub::DeviceRadixSort of 32-bit keys, against a radix sort in C++ with the same digits.
//   radix_sort [n] [repeats]
#include "bench.h"

#include <cub/device/device_radix_sort.cuh>

static void sortOnHost(std::vector<unsigned> &keys) {
  std::vector<unsigned> other(keys.size());
  for (int shift = 0; shift < 32; shift += 8) {
    size_t offsets[257] = {};
    for (unsigned k : keys)
      ++offsets[(k >> shift & 255) + 1];
    for (int d = 0; d < 256; ++d)
      offsets[d + 1] += offsets[d];
    for (unsigned k : keys)
      other[offsets[k >> shift & 255]++] = k;
    keys.swap(other);
  }
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1 << 18, repeats = argc > 2 ? atoi(argv[2]) : 1;
  std::vector<unsigned> keys(n), right, got(n);
  unsigned state = 1;
  for (unsigned &k : keys)
    k = state = state * 1664525u + 1013904223u;
  unsigned *in, *out;
  CHECK(cudaMalloc(&in, n * sizeof(unsigned)));
  CHECK(cudaMalloc(&out, n * sizeof(unsigned)));
  CHECK(cudaMemcpy(in, keys.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
  void *storage = nullptr;
  size_t bytes = 0;
  CHECK(cub::DeviceRadixSort::SortKeys(storage, bytes, in, out, n));
  CHECK(cudaMalloc(&storage, bytes));
  Seconds kernel = best(repeats, [&] {
    CHECK(cub::DeviceRadixSort::SortKeys(storage, bytes, in, out, n));
    CHECK(cudaDeviceSynchronize());
  });
  CHECK(cudaMemcpy(got.data(), out, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
  Seconds native = best(repeats, [&] {
    right = keys;
    sortOnHost(right);
  });
  return finish("radix_sort", n, kernel, native, got == right);
}
