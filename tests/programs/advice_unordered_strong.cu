// scopesan-test: two blocks store into one atomic, and nothing says who is last
//
// variant last_wins -DLAST_WINS
//   why morally strong, so no race; but which of the stores is last depends on the schedule
//   options --advise
//   verdict clean
//   advise unordered-strong last last
//   proof P4 A1
// variant largest_wins
//   why a read-modify-write sees what was there before; whoever waits for the flag sees its store
//   options --advise
//   verdict clean
//   may-advise progress-not-promised flag_load flag_store
//   proof S1 S2 S3 A1
// variant not_asked -DLAST_WINS
//   verdict clean
//   proof A1
#include "check.h"
#include <cuda/atomic>

__device__ cuda::atomic<int, cuda::thread_scope_device> winner{0}, flag{0};

__global__ void compete(int *seen) {
  const int me = int(blockIdx.x) + 1;
#ifdef LAST_WINS
  winner.store(me, cuda::memory_order_relaxed); // @last
#else
  winner.fetch_max(me, cuda::memory_order_relaxed);
  if (blockIdx.x == 0) {
    flag.store(1, cuda::memory_order_release); // @flag_store
  } else {
    while (flag.load(cuda::memory_order_acquire) != 1) { // @flag_load
    }
    *seen = winner.load(cuda::memory_order_relaxed);
  }
#endif
}

int main() {
  int *seen = nullptr, value = 2;
  CHECK(cudaMalloc(&seen, sizeof(int)));
  CHECK(cudaMemcpy(seen, &value, sizeof(int), cudaMemcpyHostToDevice));
  compete<<<2, 1>>>(seen);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&value, seen, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(seen));
  return verdict(value == 2);
}
