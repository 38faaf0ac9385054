// scopesan-test: blocks hand memory of the device heap to each other
//
// variant fixed
//   why the release publishes what malloc returned and what was written there
//   verdict clean
//   may-advise unordered-strong
//   may-advise progress-not-promised
//   proof P5 S1 S2
// variant relaxed_mailbox -DRACY=1
//   why the pointer arrives, what it points to need not
//   verdict findings
//   require D1 fill(store,weak) read(load,weak) distance=same-grid
//   may-advise unordered-strong
//   may-advise progress-not-promised
//   proof S1 D1
// variant reuse -DREUSE
//   why memory that malloc returns again is a new location: nothing orders its users, nothing must
//   verdict clean
//   proof P5
#include "check.h"

#include <cuda/atomic>
#include <stdlib.h>

constexpr int kThreads = 32;
using Box = cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>;
#if RACY == 1
constexpr auto kSend = cuda::memory_order_relaxed;
#else
constexpr auto kSend = cuda::memory_order_release;
#endif

__global__ void exchange(unsigned long long *boxes, int *out) {
  const int i = int(threadIdx.x);
#ifdef REUSE
  int *mine = static_cast<int *>(malloc(2 * sizeof(int)));
  mine[0] = int(blockIdx.x); // @own
  out[blockIdx.x * kThreads + i] = mine[0];
  free(mine);
#else
  if (blockIdx.x == 0) {
    int *mine = new int[2];
    mine[1] = 5 * i;                                                        // @fill
    Box(boxes[i]).store(reinterpret_cast<unsigned long long>(mine), kSend); // @send
    return;
  }
  unsigned long long sent;
  while (!(sent = Box(boxes[i]).load(cuda::memory_order_acquire))) // @receive
    ;
  int *theirs = reinterpret_cast<int *>(sent);
  out[i] = theirs[1]; // @read
  delete[] theirs;
#endif
}

int main() {
#ifdef REUSE
  constexpr int blocks = 32;
#else
  constexpr int blocks = 2;
#endif
  static int host[blocks * kThreads];
  unsigned long long *boxes = nullptr;
  int *out = nullptr;
  CHECK(cudaMalloc(&boxes, kThreads * sizeof(*boxes)));
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMemset(boxes, 0, kThreads * sizeof(*boxes)));
  CHECK(cudaMemset(out, 0, sizeof(host)));
  exchange<<<blocks, kThreads>>>(boxes, out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(boxes));
  CHECK(cudaFree(out));
  bool right = true;
  for (int i = 0; i < kThreads; ++i)
    right = right && host[i] == (blocks == 2 ? 5 * i : 0);
  return verdict(right);
}
