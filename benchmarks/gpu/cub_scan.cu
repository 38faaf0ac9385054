// CUB's DeviceScan.
#include "bench.h"

#include <cub/device/device_scan.cuh>

int main(int argc, char **argv) {
  Bench bench("cub_scan", argc, argv, 1 << 26);
  int n = int(bench.n);
  unsigned *in = bench.upload(scattered(n)), *out = bench.allocate<unsigned>(n);
  size_t bytes = 0;
  CHECK(cub::DeviceScan::InclusiveSum(nullptr, bytes, in, out, n));
  char *scratch = bench.allocate<char>(bytes);
  bench.measure(nullptr,
                [&] { CHECK(cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, n)); });
  bench.result(out, 1 << 20);
  return 0;
}
