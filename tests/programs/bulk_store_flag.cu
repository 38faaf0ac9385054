// scopesan-test: a block stores a tile by a bulk copy and raises a flag for another block
//
// variant fixed
//   why wait_group says that the tile is in global memory; then the flag is released
//   verdict clean
//   may-advise progress-not-promised
//   proof S1 S3 S12
// variant wait_read -DRACY=1
//   why wait_group.read says that the source may change, not that the destination has
//   verdict findings
//   require D10 drain take(load,weak) distance=same-grid
//   may-advise progress-not-promised
//   proof S12 D10
// variant flag_of_another_thread -DRACY=2
//   why the thread that raises the flag did not issue the copy, and nothing tells it of the end
//   verdict findings
//   require D10 drain take(load,weak) distance=same-grid
//   may-advise progress-not-promised
//   proof S12 D10
#include "check.h"
#include "hopper.h"

#include <cuda/atomic>

#ifndef RACY
#define RACY 0
#endif
constexpr int kThreads = 64;
using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__global__ void relay(int *middle, int *flag, int *out) {
  __shared__ alignas(128) int tile[kThreads];
  const int t = int(threadIdx.x);
  if (blockIdx.x == 0) {
    tile[t] = 9 * t;
    fenceProxyAsync();
    __syncthreads();
    if (t == 0) {
      bulkStore(middle, tile, sizeof(tile)); // @drain
      if (RACY == 1)
        bulkWaitRead();
      else if (RACY == 0)
        bulkWait();
    }
    if (t == (RACY == 2 ? 32 : 0))
      Flag(*flag).store(1, cuda::memory_order_release);
    if (RACY && t == 0)
      bulkWait();
  } else {
    while (Flag(*flag).load(cuda::memory_order_acquire) == 0)
      ;
    out[t] = middle[t] + 1; // @take
  }
}

int main() {
  int host[kThreads], *middle = nullptr, *flag = nullptr, *out = nullptr;
  CHECK(cudaMalloc(&middle, sizeof(host)));
  CHECK(cudaMalloc(&flag, sizeof(int)));
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMemset(flag, 0, sizeof(int)));
  relay<<<2, kThreads>>>(middle, flag, out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  for (int *p : {middle, flag, out})
    CHECK(cudaFree(p));
  bool right = true;
  for (int i = 0; i < kThreads; ++i)
    right = right && host[i] == 9 * i + 1;
  return verdict(right);
}
