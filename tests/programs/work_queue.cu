// scopesan-test: blocks draw items from a queue to which they add further items
//
// variant fixed
//   why an item is stored before its slot is released, and loaded after it is acquired
//   verdict clean
//   may-advise unordered-strong
//   may-advise progress-not-promised
//   proof S1 S2 S3
// variant relaxed_slot -DRACY=1
//   why the flag says that the item is there and does not publish it
//   verdict findings
//   require D1 item_store(store,weak) item_load(load,weak) distance=same-grid
//   may-advise unordered-strong
//   may-advise progress-not-promised
//   proof S1 S2 D1
// variant plain_slot -DRACY=2
//   why a plain flag is a race of its own
//   verdict findings
//   require D1 flag_store(store,weak) flag_load distance=same-grid
//   may-be-incomplete values fit no order
//   allow   D1 item_store(store,weak) item_load(load,weak) distance=same-grid
//   allow   D1 flag_store(store,weak) flag_load distance=same-grid
//   may-advise unordered-strong
//   may-advise progress-not-promised
//   proof S4 D1
#include "check.h"

#include <cuda/atomic>

constexpr int kBlocks = 4, kDepth = 5, kItems = (1 << (kDepth + 1)) - 1;
using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

struct Queue {
  unsigned head, tail; // items drawn, items added
  int ready[kItems], item[kItems];
};

__device__ void add(Queue *q, int item) {
  const unsigned slot = atomicAdd(&q->tail, 1u); // @tail
  q->item[slot] = item;                          // @item_store
#if RACY == 1
  Flag(q->ready[slot]).store(1, cuda::memory_order_relaxed); // @flag_store
#elif RACY == 2
  q->ready[slot] = 1; // @flag_store
#else
  Flag(q->ready[slot]).store(1, cuda::memory_order_release); // @flag_store
#endif
}

__device__ int take(Queue *q, unsigned slot) {
#if RACY == 1
  while (!Flag(q->ready[slot]).load(cuda::memory_order_relaxed)) // @flag_load
#else
  while (!Flag(q->ready[slot]).load(cuda::memory_order_acquire)) // @flag_load
#endif
    ;
  return q->item[slot]; // @item_load
}

// Every item of the first half adds two more. How many there are follows from the slots and not
// from the items, which a racy queue may deliver stale. One thread per block works.
__global__ void walk(Queue *q, int *sum) {
  for (;;) {
    const unsigned slot = atomicAdd(&q->head, 1u); // @head
    if (slot >= kItems)
      return;
    const int item = take(q, slot);
    if (2 * slot + 2 < kItems) {
      add(q, int(2 * slot + 2));
      add(q, int(2 * slot + 3));
    }
    atomicAdd(sum, item); // @sum
  }
}

int main() {
  Queue *q = nullptr, start = {};
  int *sum = nullptr, result = 0;
  start.tail = 1;
  start.item[0] = 1;
  start.ready[0] = 1;
  CHECK(cudaMalloc(&q, sizeof(Queue)));
  CHECK(cudaMalloc(&sum, sizeof(int)));
  CHECK(cudaMemcpy(q, &start, sizeof(Queue), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(sum, 0, sizeof(int)));
  walk<<<kBlocks, 1>>>(q, sum);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&result, sum, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(q));
  CHECK(cudaFree(sum));
  return verdict(result == kItems * (kItems + 1) / 2);
}
