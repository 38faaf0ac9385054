// scopesan-test: threads arrive at a cuda::barrier, do work of their own, and wait later
//
// variant fixed
//   why the neighbour's value was stored before it arrived, and is read after the wait
//   verdict clean
//   proof S10
// variant read_before_wait -DRACY=1
//   why between arrival and wait nothing is known of the others
//   verdict findings
//   require D1 store(store,weak) early(load,weak) memory=values distance=same-block
//   allow   D1 store(store,weak) early(load,weak) memory=values distance=same-warp
//   proof S10 D1
// variant store_after_arrive -DRACY=2
//   why the arrival publishes what precedes it only
//   verdict findings
//   require D1 late(store,weak) read(load,weak) memory=values distance=same-block
//   allow   D1 late(store,weak) read(load,weak) memory=values distance=same-warp
//   proof S10 D1
#include "check.h"

#include <cuda/barrier>
#include <cuda/std/utility>

constexpr int kThreads = 96;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void exchange(int *out) {
  __shared__ int values[kThreads];
  __shared__ alignas(Barrier) char storage[sizeof(Barrier)];
  Barrier *barrier = reinterpret_cast<Barrier *>(storage);
  const int i = int(threadIdx.x), other = (i + 33) % kThreads;
  if (i == 0)
    init(barrier, kThreads);
  __syncthreads();
#if RACY != 2
  values[i] = i * i; // @store
#endif
  Barrier::arrival_token token = barrier->arrive();
  int own = 0;
  for (int k = 0; k < 5; ++k)
    own += k * i;
#if RACY == 1
  const int neighbour = values[other]; // @early
#endif
#if RACY == 2
  values[i] = i * i; // @late
#endif
  barrier->wait(cuda::std::move(token));
#if RACY != 1
  const int neighbour = values[other]; // @read
#endif
  out[i] = own + neighbour;
}

int main() {
  int host[kThreads], *out = nullptr;
  CHECK(cudaMalloc(&out, sizeof(host)));
  exchange<<<1, kThreads>>>(out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(out));
  bool right = true;
  for (int i = 0; i < kThreads; ++i) {
    const int other = (i + 33) % kThreads;
    right = right && host[i] == 10 * i + other * other;
  }
  return verdict(right);
}
