// scopesan-test: at -O0 each atomic of libcu++ is reported where the program calls it
//
// variant fixed -O0
//   verdict clean
//   proof O1 O3
// variant narrow_scope -O0 -DRACY
//   why two pairs of one atomic type and operation are two findings
//   verdict findings
//   require D2 count_hits(rmw,relaxed,block) count_hits(rmw,relaxed,block)
//   ...        blame=count_hits:device memory=hits
//   require D2 count_misses(rmw,relaxed,block) count_misses(rmw,relaxed,block)
//   ...        blame=count_misses:device memory=misses
//   proof O3 D2
#include "check.h"
#include <cuda/atomic>

#ifdef RACY
constexpr auto kScope = cuda::thread_scope_block;
#else
constexpr auto kScope = cuda::thread_scope_device;
#endif
using Counter = cuda::atomic<int, kScope>;

__device__ Counter hits{0}, misses{0};

__global__ void count() {
  hits.fetch_add(1, cuda::memory_order_relaxed);   // @count_hits
  misses.fetch_add(2, cuda::memory_order_relaxed); // @count_misses
}

int main() {
  count<<<2, 1>>>();
  CHECK(cudaDeviceSynchronize());
  int counted[2] = {0, 0};
  CHECK(cudaMemcpyFromSymbol(&counted[0], hits, sizeof(int)));
  CHECK(cudaMemcpyFromSymbol(&counted[1], misses, sizeof(int)));
  return verdict(counted[0] == 2 && counted[1] == 4);
}
