// scopesan-test: lanes that arrive at the same barrier let one of them arrive for all, with a count
//
// variant fixed
//   why __syncwarp brings the lanes' stores before the arrival of the one that counts for them
//   verdict clean
//   proof S8 S10
// variant match_only -DRACY
//   why the match tells who takes part and orders nothing
//   verdict findings
//   require D1 put(store,weak) take(load,weak) memory=values distance=same-block
//   proof S8 S10 D1
#include "check.h"
#include "hopper.h"

constexpr unsigned kWarps = 2, kThreads = 32 * kWarps;

__device__ void arrive(uint64_t *barrier) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned together = __match_any_sync(0xffffffffu, (unsigned long long)barrier);
#ifndef RACY
  __syncwarp(together);
#endif
  if (lane == unsigned(__ffs(int(together))) - 1)
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(address(barrier)),
                 "r"(__popc(together))
                 : "memory");
}

__global__ void exchange(int *data) {
  __shared__ int values[kThreads];
  __shared__ uint64_t barrier;
  const unsigned t = threadIdx.x;
  if (t == 0)
    mbarrierInit(&barrier, kThreads);
  __syncthreads();
  values[t] = data[t]; // @put
  arrive(&barrier);
  mbarrierWait(&barrier, 0);
  data[t] = values[(t + 33) % kThreads]; // @take
}

int main() {
  int host[kThreads], *data = nullptr;
  for (int i = 0; i < int(kThreads); ++i)
    host[i] = 7 * i;
  CHECK(cudaMalloc(&data, sizeof(host)));
  CHECK(cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice));
  exchange<<<1, kThreads>>>(data);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(data));
  bool right = true;
  for (int i = 0; i < int(kThreads); ++i)
    right = right && host[i] == 7 * ((i + 33) % int(kThreads));
  return verdict(right);
}
