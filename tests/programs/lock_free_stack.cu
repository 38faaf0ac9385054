// scopesan-test: some blocks push nodes on a lock-free stack, the others pop them
//
// variant fixed
//   why a node is written before the release that links it and read after the acquire that finds it
//   verdict clean
//   may-advise unordered-strong
//   may-advise progress-not-promised
//   proof S1 S2 S3 S4
// variant relaxed_push -DRACY=1
//   why the link does not publish the node
//   verdict findings
//   require D1 fill(store,weak) take(load,weak) distance=same-grid
//   allow   D1 link(store,weak) follow(load,weak) distance=same-grid
//   may-advise unordered-strong
//   may-advise progress-not-promised
//   proof S1 D1
// variant relaxed_pop -DRACY=2
//   why whoever finds the node has not acquired it
//   verdict findings
//   require D1 fill(store,weak) take(load,weak) distance=same-grid
//   allow   D1 link(store,weak) follow(load,weak) distance=same-grid
//   may-advise unordered-strong
//   may-advise progress-not-promised
//   proof S2 D1
// variant block_scope -DRACY=3
//   why the stack is shared by blocks
//   verdict findings
//   require D2 push(cas,release,block) pop blame=push:device
//   allow   D2 push push
//   allow   D2 push(cas,release,block) first
//   allow   D2 first pop
//   allow   D3 fill(store,weak) take(load,weak)
//   allow   D3 link(store,weak) follow(load,weak)
//   allow   D1 fill(store,weak) take(load,weak)
//   allow   D1 link(store,weak) follow(load,weak)
//   may-be-incomplete observations of a location with many readers were forgotten
//   may-advise unordered-strong
//   may-advise progress-not-promised
//   proof S3 D2 D3
#include "check.h"

#include <cuda/atomic>

constexpr int kBlocks = 4, kThreads = 32, kNodes = kBlocks / 2 * kThreads;
constexpr auto kRelaxed = cuda::memory_order_relaxed;
#if RACY == 1
constexpr auto kPush = cuda::memory_order_relaxed, kPop = cuda::memory_order_acquire;
#elif RACY == 2
constexpr auto kPush = cuda::memory_order_release, kPop = cuda::memory_order_relaxed;
#else
constexpr auto kPush = cuda::memory_order_release, kPop = cuda::memory_order_acquire;
#endif
#if RACY == 3
constexpr auto kPushScope = cuda::thread_scope_block;
#else
constexpr auto kPushScope = cuda::thread_scope_device;
#endif

#ifdef RACY
constexpr int kPolls =
    20000; // a faulty stack may lose nodes: whoever finds none for so long gives up
#else
constexpr int kPolls = 0; // nodes are never lost: without end
#endif

struct Node {
  int value, next; // next: index + 1, 0 = end of the stack
};

__device__ void push(int *head, Node *nodes, int index) {
  cuda::atomic_ref<int, kPushScope> top(*head);
  nodes[index].value = index * index; // @fill
  int old = top.load(kRelaxed);       // @first
  do
    nodes[index].next = old; // @link
  while (!top.compare_exchange_weak(old, index + 1, kPush, kRelaxed)); // @push
}

/// A node is pushed once, so the head never returns to an old value.
__device__ int pop(int *head, const Node *nodes) {
  cuda::atomic_ref<int, cuda::thread_scope_device> top(*head);
  int old = 0;
  for (int polls = 0;;) {
    while (!old) {
      old = top.load(kPop); // @pop
      if (kPolls && ++polls == kPolls)
        return 0;
    }
    const int next = nodes[old - 1].next;                 // @follow
    if (top.compare_exchange_weak(old, next, kPop, kPop)) // @pop
      return nodes[old - 1].value;                        // @take
  }
}

__global__ void exchange(int *head, Node *nodes, int *sum) {
  const int i = int(blockIdx.x / 2 * blockDim.x + threadIdx.x);
  if (blockIdx.x % 2 == 0)
    push(head, nodes, i);
  else
    atomicAdd(sum, pop(head, nodes)); // @sum
}

int main() {
  int *head = nullptr, *sum = nullptr, result = 0, expected = 0;
  Node *nodes = nullptr;
  CHECK(cudaMalloc(&head, sizeof(int)));
  CHECK(cudaMalloc(&sum, sizeof(int)));
  CHECK(cudaMalloc(&nodes, kNodes * sizeof(Node)));
  CHECK(cudaMemset(head, 0, sizeof(int)));
  CHECK(cudaMemset(sum, 0, sizeof(int)));
  exchange<<<kBlocks, kThreads>>>(head, nodes, sum);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&result, sum, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(head));
  CHECK(cudaFree(sum));
  CHECK(cudaFree(nodes));
  for (int i = 0; i < kNodes; ++i)
    expected += i * i;
  return verdict(result == expected);
}
