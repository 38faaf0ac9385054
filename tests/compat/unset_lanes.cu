// scopesan-compat: values that only some lanes have set, handed to shuffles and functions
// kernels "void shuffled<int>(int*, int*)" "void shuffled<double>(int*, int*)" "passed(int*, int*)" "returned(int*, int*)" "broadcast(int*, int*)"
#include "check.h"

// clang marks arguments and results of functions as defined. A branch without which they are not
// defined is then taken by every lane.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <class T> __global__ void shuffled(int *calls, int *out) {
  T mine;
  if (threadIdx.x % 32 == 0)
    mine = atomicAdd(calls, 1);
  mine = __shfl_sync(~0u, mine, 0);
  out[threadIdx.x] = int(mine);
}

__device__ int fromFirst(int value, bool keep) {
  int first = __shfl_sync(~0u, value, 0);
  return keep ? value : first;
}

__global__ void passed(int *calls, int *out) {
  int mine;
  if (threadIdx.x % 32 == 0)
    mine = atomicAdd(calls, 1);
  out[threadIdx.x] = fromFirst(mine, threadIdx.x % 32 == 0);
}

__device__ int ofFirst(int *calls) {
  int mine;
  if (threadIdx.x % 32 == 0)
    mine = atomicAdd(calls, 1);
  return mine;
}

__global__ void returned(int *calls, int *out) {
  int mine = ofFirst(calls);
  out[threadIdx.x] = __shfl_sync(~0u, mine, 0);
}

__global__ void broadcast(int *calls, int *out) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  out[threadIdx.x] = cg::invoke_one_broadcast(warp, [&] { return atomicAdd(calls, 1); });
}

/// Each of the two warps takes one number, and every lane of it has it.
static bool right(void (*kernel)(int *, int *)) {
  int *calls, *out, count, values[64];
  CHECK(cudaMalloc(&calls, sizeof(int)));
  CHECK(cudaMalloc(&out, sizeof values));
  CHECK(cudaMemset(calls, 0, sizeof(int)));
  kernel<<<1, 64>>>(calls, out);
  CHECK(cudaMemcpy(&count, calls, sizeof count, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(calls));
  CHECK(cudaFree(out));
  bool same = count == 2 && values[0] + values[32] == 1;
  for (int i = 0; i < 64; ++i)
    same &= values[i] == values[i / 32 * 32];
  return same;
}

int main() {
  return verdict(right(shuffled<int>) && right(shuffled<double>) && right(passed) &&
                 right(returned) && right(broadcast));
}
