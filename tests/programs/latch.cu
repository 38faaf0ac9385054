// scopesan-test: blocks count down a cuda::latch that one block waits for
//
// variant fixed
//   why count_down releases and wait acquires at the latch's scope
//   verdict clean
//   may-advise unordered-strong
//   may-advise progress-not-promised
//   proof S11
// variant store_after_count_down -DRACY=1
//   why what is stored after the count is not published
//   verdict findings
//   require D1 late(store,weak) read(load,weak) distance=same-grid
//   may-advise unordered-strong
//   may-advise progress-not-promised
//   proof S11 D1
// variant try_wait_once -DRACY=2
//   why a try_wait that found the latch closed orders nothing
//   verdict findings
//   require D1 store(store,weak) read(load,weak) distance=same-grid
//   may-advise unordered-strong
//   proof S11 D1
#include "check.h"

#include <cuda/latch>
#include <new>

constexpr int kBlocks = 4;
using Latch = cuda::latch<cuda::thread_scope_device>;

__global__ void prepare(Latch *latch) { new (latch) Latch(kBlocks); }

// The last block is the reader: with the latch closed it cannot have come too late (variant 2).
__global__ void work(Latch *latch, int *values, int *out) {
  const int block = int(blockIdx.x);
  if (block < kBlocks) {
#if RACY == 1
    latch->count_down();       // @count
    values[block] = block + 1; // @late
#elif RACY == 2
    values[block] = block + 1; // @store
    if (block)
      latch->count_down(); // @count
#else
    values[block] = block + 1; // @store
    latch->count_down();       // @count
#endif
    return;
  }
#if RACY == 2
  latch->try_wait(); // @wait
#else
  latch->wait(); // @wait
#endif
  int sum = 0;
  for (int i = 0; i < kBlocks; ++i)
    sum += values[i]; // @read
  *out = sum;
}

int main() {
  Latch *latch = nullptr;
  int *values = nullptr, *out = nullptr, result = 0;
  CHECK(cudaMalloc(&latch, sizeof(Latch)));
  CHECK(cudaMalloc(&values, kBlocks * sizeof(int)));
  CHECK(cudaMalloc(&out, sizeof(int)));
  CHECK(cudaMemset(values, 0, kBlocks * sizeof(int)));
  prepare<<<1, 1>>>(latch);
  work<<<kBlocks + 1, 1>>>(latch, values, out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(latch));
  CHECK(cudaFree(values));
  CHECK(cudaFree(out));
  return verdict(result == kBlocks * (kBlocks + 1) / 2);
}
