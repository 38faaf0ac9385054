// scopesan-test: connected components: labels sink along edges by atomicMin and are read in between
//
// variant fixed
//   why labels are read by relaxed atomic loads; any older label is a right one
//   verdict clean
//   may-advise unordered-strong
//   proof O3 D1
// variant plain_read -DRACY
//   why a plain read of what other threads change atomically
//   verdict findings
//   require D1 sink read_label(load,weak)
//   proof O1 D1
#include "check.h"

#include <cuda/atomic>

constexpr int kBlocks = 4, kThreads = 32, kNodes = kBlocks * kThreads;

__device__ int label(int *labels, int node) {
#ifdef RACY
  return labels[node]; // @read_label
#else
  return cuda::atomic_ref<int, cuda::thread_scope_device>(labels[node])
      .load(cuda::memory_order_relaxed);
#endif
}

__global__ void propagate(int *labels, int *changed) {
  const int a = int(blockIdx.x * kThreads + threadIdx.x), b = (a + 1) % kNodes;
  const int la = label(labels, a), lb = label(labels, b);
  if (la == lb)
    return;
  atomicMin(&labels[la < lb ? b : a], la < lb ? la : lb); // @sink
  atomicExch(changed, 1);
}

int main() {
  int host[kNodes], *labels = nullptr, *changed = nullptr, more = 1;
  for (int i = 0; i < kNodes; ++i)
    host[i] = i;
  CHECK(cudaMalloc(&labels, sizeof(host)));
  CHECK(cudaMalloc(&changed, sizeof(int)));
  CHECK(cudaMemcpy(labels, host, sizeof(host), cudaMemcpyHostToDevice));
  for (int round = 0; more && round < 2 * kNodes; ++round) {
    CHECK(cudaMemset(changed, 0, sizeof(int)));
    propagate<<<kBlocks, kThreads>>>(labels, changed);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&more, changed, sizeof(int), cudaMemcpyDeviceToHost));
  }
  CHECK(cudaMemcpy(host, labels, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(labels));
  CHECK(cudaFree(changed));
  bool right = true;
  for (int l : host)
    right = right && l == 0;
  return verdict(right);
}
