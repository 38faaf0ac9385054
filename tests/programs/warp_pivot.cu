// scopesan-test: a warp gathers from a base row of its shared vector, also the lane that owns the base
//
// variant fixed
//   why the owner leaves its slot alone, and the lanes meet before the vector changes again
//   verdict clean
//   proof S8
// variant self_store -DRACY=1
//   why the owner of the base stores it onto itself while the others read it; the value stays the same
//   verdict findings
//   require D1 gather(load,weak) keep(store,weak) memory=vectors distance=same-warp
//   proof S8 D1
// variant no_syncwarp -DRACY=2
//   why the next step moves the base on while lanes may still store or read
//   verdict findings
//   require D1 keep(store,weak) gather(load,weak) memory=vectors distance=same-warp
//   proof S8 D1
#include "check.h"

#ifndef RACY
#define RACY 0
#endif
constexpr int kWarps = 2, kThreads = 32 * kWarps, kSteps = 3;

__global__ void spread(int *data) {
  __shared__ int vectors[kWarps][32];
  const int lane = int(threadIdx.x) % 32;
  int *vector = vectors[threadIdx.x / 32];
  vector[lane] = data[threadIdx.x];
  for (int step = 0; step < kSteps; ++step) {
    const int base = step * 7;
    if (RACY != 2 || step == 0)
      __syncwarp();
    const int value = vector[base]; // @gather
    if (RACY == 1 || lane != base)
      vector[lane] = value; // @keep
  }
  data[threadIdx.x] = vector[lane];
}

int main() {
  int host[kThreads], *data = nullptr;
  for (int i = 0; i < kThreads; ++i)
    host[i] = i;
  CHECK(cudaMalloc(&data, sizeof(host)));
  CHECK(cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice));
  spread<<<1, kThreads>>>(data);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(data));
  bool right = true;
  for (int i = 0; i < kThreads; ++i)
    right = right && host[i] == i / 32 * 32;
  return verdict(right);
}
