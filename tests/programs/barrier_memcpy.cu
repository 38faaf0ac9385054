// scopesan-test: cuda::memcpy_async fills a tile, a cuda::barrier tells when it is there
//
// variant fixed
//   why the copy is bound to the barrier's phase, which every thread waits for
//   verdict clean
//   proof S10 S12
// variant no_wait -DRACY=1
//   why the tile is read before the phase is over
//   verdict findings
//   require D10 copy read memory=tile
//   proof S12 D10
// variant bulk -DBULK
//   why one thread's bulk copy completes on the same barrier
//   verdict clean
//   proof S10 S12
// variant bulk_no_wait -DBULK -DRACY=1
//   why the tile is read before the phase is over
//   verdict findings
//   require D10 copy read memory=tile
//   proof S12 D10
#include "check.h"

#include <cooperative_groups.h>
#include <cuda/barrier>

constexpr int kThreads = 64;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void __launch_bounds__(kThreads) fill(int *out, const int *in) {
  __shared__ alignas(16) int tile[kThreads];
  __shared__ alignas(8) char storage[sizeof(Barrier)];
  Barrier *full = reinterpret_cast<Barrier *>(storage);
  auto block = cooperative_groups::this_thread_block();
  const int i = int(threadIdx.x);
  if (i == 0)
    init(full, kThreads);
  block.sync();
#ifdef BULK
  if (i == 0)
    cuda::memcpy_async(tile, in, cuda::aligned_size_t<16>(sizeof(tile)), *full); // @copy
#else
  cuda::memcpy_async(block, tile, in, sizeof(tile), *full); // @copy
#endif
#if RACY != 1
  full->arrive_and_wait();
#endif
  out[i] = tile[kThreads - 1 - i]; // @read
#if RACY == 1
  full->arrive_and_wait();
#endif
}

int main() {
  int host[kThreads], *in = nullptr, *out = nullptr;
  for (int i = 0; i < kThreads; ++i)
    host[i] = 7 * i;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  fill<<<1, kThreads>>>(out, in);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  bool right = true;
  for (int i = 0; i < kThreads; ++i)
    right = right && host[i] == 7 * (kThreads - 1 - i);
  return verdict(right);
}
