// scopesan-test: a reader takes a consistent copy of two words by a sequence lock
//
// variant fixed
//   why the words are relaxed atomics, so that a read which will be thrown away is no race
//   verdict clean
//   may-advise unordered-strong
//   may-advise progress-not-promised
//   proof O1 S1 S2
// variant plain_data -DRACY
//   why the copy is thrown away when the sequence has changed, but the plain read has raced
//   verdict findings
//   require D1 write_pair(store,weak) read_pair(load,weak) distance=same-grid
//   may-advise unordered-strong
//   may-advise progress-not-promised
//   proof D1
#include "check.h"

#include <cuda/atomic>

constexpr int kUpdates = 20;
using Word = cuda::atomic_ref<int, cuda::thread_scope_device>;

struct Shared {
  int sequence, a, b, started;
};

__device__ void put(int &word, int value) {
#ifdef RACY
  word = value; // @write_pair
#else
  Word(word).store(value, cuda::memory_order_relaxed);
#endif
}
__device__ int get(int &word) {
#ifdef RACY
  return word; // @read_pair
#else
  return Word(word).load(cuda::memory_order_relaxed);
#endif
}

__global__ void work(Shared *shared, int *wrong) {
  if (blockIdx.x == 1) { // waits for a lower block (D12)
    while (Word(shared->started).load(cuda::memory_order_relaxed) == 0)
      ; // of interest is what a reader does meanwhile
    for (int i = 1; i <= kUpdates; ++i) {
      Word(shared->sequence).store(2 * i - 1, cuda::memory_order_relaxed);
      cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
      put(shared->a, i);
      put(shared->b, -i);
      Word(shared->sequence).store(2 * i, cuda::memory_order_release);
    }
    return;
  }
  for (int before = 0, after = 0; after < 2 * kUpdates;) {
    before = Word(shared->sequence).load(cuda::memory_order_acquire);
    const int a = get(shared->a), b = get(shared->b);
    Word(shared->started).store(1, cuda::memory_order_relaxed);
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    after = Word(shared->sequence).load(cuda::memory_order_relaxed);
    if (before == after && before % 2 == 0 && a != -b)
      ++*wrong;
  }
}

int main() {
  Shared *shared = nullptr;
  int *wrong = nullptr, host = 1;
  CHECK(cudaMalloc(&shared, sizeof(Shared)));
  CHECK(cudaMalloc(&wrong, sizeof(int)));
  CHECK(cudaMemset(shared, 0, sizeof(Shared)));
  CHECK(cudaMemset(wrong, 0, sizeof(int)));
  work<<<2, 1>>>(shared, wrong);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&host, wrong, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(shared));
  CHECK(cudaFree(wrong));
  return verdict(host == 0);
}
