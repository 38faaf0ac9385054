// CUB's DeviceRadixSort: 32-bit keys with 32-bit values.
#include "bench.h"

#include <cub/device/device_radix_sort.cuh>

int main(int argc, char **argv) {
  Bench bench("cub_radix_sort", argc, argv, 1 << 24);
  int n = int(bench.n);
  unsigned *keys = bench.upload(scattered(n)), *values = bench.upload(scattered(n));
  unsigned *sortedKeys = bench.allocate<unsigned>(n), *sortedValues = bench.allocate<unsigned>(n);
  size_t bytes = 0;
  auto sort = [&](void *scratch) {
    CHECK(cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, sortedKeys, values, sortedValues,
                                          n));
  };
  sort(nullptr);
  char *scratch = bench.allocate<char>(bytes);
  bench.measure(nullptr, [&] { sort(scratch); });
  bench.result(sortedKeys, 1 << 20);
  return 0;
}
