// One pass of edge relaxation: atomicMin on the targets of edges without locality.
#include "bench.h"

__global__ void relax(const unsigned *from, const unsigned *to, const unsigned *weight,
                      const unsigned *distance, unsigned *next, size_t edges) {
  size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < edges)
    atomicMin(&next[to[i]], distance[from[i]] + weight[i] % 64);
}

int main(int argc, char **argv) {
  Bench bench("relax", argc, argv, 1 << 24);
  size_t n = bench.n;
  std::vector<unsigned> ends = scattered(2 * n), initial(n, 1u << 30);
  std::vector<unsigned> sources(ends.begin(), ends.begin() + n), targets(ends.begin() + n, ends.end());
  for (unsigned &s : sources)
    s %= n;
  for (unsigned &t : targets)
    t %= n;
  unsigned *from = bench.upload(sources), *to = bench.upload(targets), *weight = bench.upload(sources);
  unsigned *distance = bench.upload(targets), *next = bench.upload(initial);
  bench.measure(reinterpret_cast<void *>(relax), [&] {
    relax<<<unsigned((n + 255) / 256), 256>>>(from, to, weight, distance, next, n);
  });
  bench.result(next, 1 << 20);
  return 0;
}
