// scopesan-test: threads claim slots of a hash table by compare-and-swap, others look keys up
//
// variant fixed
//   why the value is stored before the key is published, and a reader acquires the key
//   verdict clean
//   may-advise unordered-strong
//   may-advise progress-not-promised
//   proof S1 S2 S3
// variant no_publish -DRACY
//   why the key appears by the claim itself, before its value is there
//   verdict findings
//   require D1 put(store,weak) get(load,weak) distance=same-grid
//   may-advise unordered-strong
//   may-advise progress-not-promised
//   proof O3 S1 D1
#include "check.h"

#include <cuda/atomic>

constexpr unsigned kSlots = 64, kKeys = 32, kEmpty = 0, kClaimed = ~0u;
using Key = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

struct Slot {
  unsigned key;
  int value;
};

__device__ void insert(Slot *table, unsigned key, int value) {
  for (unsigned i = key * 7 % kSlots;; i = (i + 1) % kSlots) {
    unsigned expected = kEmpty;
#ifdef RACY
    if (Key(table[i].key).compare_exchange_strong(expected, key, cuda::memory_order_relaxed)) {
      table[i].value = value; // @put
      return;
    }
#else
    if (Key(table[i].key).compare_exchange_strong(expected, kClaimed, cuda::memory_order_relaxed)) {
      table[i].value = value; // @put
      Key(table[i].key).store(key, cuda::memory_order_release);
      return;
    }
#endif
  }
}
__device__ int find(Slot *table, unsigned key) {
  for (unsigned i = key * 7 % kSlots;; i = (i + 1) % kSlots) // until somebody has inserted it
    if (Key(table[i].key).load(cuda::memory_order_acquire) == key)
      return table[i].value; // @get
}

__global__ void work(Slot *table, int *found) {
  const unsigned key = threadIdx.x + 1;
  if (blockIdx.x == 0)
    insert(table, key, int(10 * key));
  else
    found[threadIdx.x] = find(table, key);
}

int main() {
  Slot *table = nullptr;
  int host[kKeys], *found = nullptr;
  CHECK(cudaMalloc(&table, kSlots * sizeof(Slot)));
  CHECK(cudaMalloc(&found, sizeof(host)));
  CHECK(cudaMemset(table, 0, kSlots * sizeof(Slot)));
  work<<<2, kKeys>>>(table, found);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, found, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(table));
  CHECK(cudaFree(found));
  bool right = true;
  for (int k = 0; k < int(kKeys); ++k)
    right = right && host[k] == 10 * (k + 1);
  return verdict(right);
}
