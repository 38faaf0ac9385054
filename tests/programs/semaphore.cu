// scopesan-test: blocks share a counter under a cuda::binary_semaphore
//
// variant fixed
//   why release and acquire of the semaphore order the critical sections
//   verdict clean
//   may-be-incomplete fit several moments
//   may-be-incomplete values fit no order
//   may-advise unordered-strong
//   may-advise progress-not-promised
//   proof S11
// variant after_release -DRACY=1
//   why the section is left before the counter is written
//   verdict findings
//   may-be-incomplete fit several moments
//   may-be-incomplete values fit no order
//   require D1 add(store,weak) add(store,weak) distance=same-grid
//   allow   D1 add add distance=same-grid
//   may-advise unordered-strong
//   may-advise progress-not-promised
//   proof S11 D1
// variant block_scope -DRACY=2
//   why a semaphore of block scope does not reach other blocks; a GPU may read stale values
//   verdict findings
//   may-be-incomplete fit several moments
//   may-be-incomplete values fit no order
//   require D2 enter enter blame=enter:device
//   allow   D2 enter leave
//   allow   D2 leave leave
//   allow   D3 add add
//   may-advise unordered-strong
//   may-advise progress-not-promised
//   proof S11 D2
#include "check.h"

#include <cuda/semaphore>
#include <new>

constexpr int kBlocks = 4, kRounds = 3;
#if RACY == 2
using Semaphore = cuda::binary_semaphore<cuda::thread_scope_block>;
#else
using Semaphore = cuda::binary_semaphore<cuda::thread_scope_device>;
#endif

__global__ void prepare(Semaphore *semaphore) { new (semaphore) Semaphore(1); }

/// A block of a GPU that reads stale values may never see the semaphore released: that variant gives up.
__device__ bool enter(Semaphore *semaphore) {
#if RACY == 2
  for (int tries = 0; tries < 10000; ++tries)
    if (semaphore->try_acquire()) // @enter
      return true;
  return false;
#else
  semaphore->acquire(); // @enter
  return true;
#endif
}

__global__ void count(Semaphore *semaphore, int *counter) {
  for (int round = 0; round < kRounds; ++round) {
    if (!enter(semaphore))
      return;
#if RACY == 1
    semaphore->release(); // @leave
    *counter += 1;        // @add
#else
    *counter += 1;        // @add
    semaphore->release(); // @leave
#endif
  }
}

int main() {
  Semaphore *semaphore = nullptr;
  int *counter = nullptr, result = 0;
  CHECK(cudaMalloc(&semaphore, sizeof(Semaphore)));
  CHECK(cudaMalloc(&counter, sizeof(int)));
  CHECK(cudaMemset(counter, 0, sizeof(int)));
  prepare<<<1, 1>>>(semaphore);
  count<<<kBlocks, 1>>>(semaphore, counter);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&result, counter, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(semaphore));
  CHECK(cudaFree(counter));
  return verdict(result == kBlocks * kRounds);
}
