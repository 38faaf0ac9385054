// scopesan-test: two groups of warps synchronize among themselves by named barriers
//
// variant fixed
//   why each group has a barrier of its own
//   verdict clean
//   proof S7
// variant one_id -DRACY
//   why both use one barrier: the first two warps that arrive are let through, whoever they are
//   verdict findings
//   require D1 put(store,weak) take(load,weak) memory=values distance=same-block
//   allow   D7 meet meet
//   may-be-incomplete a kernel ended with an error
//   exit any
//   proof S7 D1
#include "check.h"

constexpr int kGroups = 2, kGroupThreads = 64, kRounds = 20; // even: all values come home

__device__ void groupBarrier(int group) {
#ifdef RACY
  asm volatile("bar.sync %0, %1;" ::"r"(1), "n"(kGroupThreads) : "memory"); // @meet
#else
  asm volatile("bar.sync %0, %1;" ::"r"(1 + group), "n"(kGroupThreads) : "memory");
#endif
}

__global__ void rotate(int *data) {
  __shared__ int values[kGroups][kGroupThreads];
  const int group = int(threadIdx.x) / kGroupThreads, t = int(threadIdx.x) % kGroupThreads;
  int x = data[threadIdx.x];
  for (int round = 0; round < kRounds; ++round) {
    if (t >= 32)
      __nanosleep(2000); // the second warp of each group comes late
    values[group][t] = x; // @put
    groupBarrier(group);
    x = values[group][(t + 32) % kGroupThreads] + 1; // @take
    groupBarrier(group);
  }
  data[threadIdx.x] = x;
}

int main() {
  constexpr int n = kGroups * kGroupThreads;
  int host[n], *data = nullptr;
  for (int i = 0; i < n; ++i)
    host[i] = 10 * i;
  CHECK(cudaMalloc(&data, sizeof(host)));
  CHECK(cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice));
  rotate<<<1, n>>>(data);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(data));
  bool right = true;
  for (int i = 0; i < n; ++i)
    right = right && host[i] == 10 * i + kRounds;
  return verdict(right);
}
