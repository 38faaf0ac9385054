// scopesan-test: a prefix sum in one pass: each block looks back at what its predecessors published
//
// variant fixed
//   why tickets name blocks in the order in which they started; a state is stored with release and
//   why read with acquire
//   verdict clean
//   may-advise unordered-strong
//   proof S1 S2 S3 D12
// variant relaxed_state -DRACY=1
//   why the value may be read before it is there
//   verdict findings
//   require D1 value_store(store,weak) value_load(load,weak) distance=same-grid
//   may-advise unordered-strong
//   proof S1 S2 D1
// variant block_scope -DRACY=2
//   why the predecessor is another block
//   verdict findings
//   require D3 value_store(store,weak) value_load(load,weak)
//   ... blame=state_store:device distance=same-grid
//   require D2 state_store(store,release,block) state_load(load,acquire,device)
//   ... blame=state_store:device
//   may-advise unordered-strong
//   proof S3 D2 D3
// variant by_block_index -DRACY=3
//   why nothing promises that a block with a lower index runs
//   verdict clean
//   may-advise unordered-strong
//   may-advise progress-not-promised
//   proof D12
#include "check.h"

#include <cuda/atomic>

constexpr int kBlocks = 8, kThreads = 64;
#if RACY == 1
constexpr auto kStore = cuda::memory_order_relaxed, kLoad = cuda::memory_order_relaxed;
#else
constexpr auto kStore = cuda::memory_order_release, kLoad = cuda::memory_order_acquire;
#endif

__device__ void publish(int *state) {
#if RACY == 2
  cuda::atomic_ref<int, cuda::thread_scope_block>(*state).store(1, kStore); // @state_store
#else
  cuda::atomic_ref<int, cuda::thread_scope_device>(*state).store(1, kStore); // @state_store
#endif
}
__device__ int look(int *state) {
  return cuda::atomic_ref<int, cuda::thread_scope_device>(*state).load(kLoad); // @state_load
}

__global__ void scan(const int *in, int *out, int *inclusive, int *states, unsigned *tickets) {
  __shared__ int before;
  __shared__ unsigned ticket;
  __shared__ int part[kThreads];
  if (threadIdx.x == 0)
#if RACY == 3
    ticket = blockIdx.x;
#else
    ticket = atomicAdd(tickets, 1u); // @ticket
#endif
  __syncthreads();
  const unsigned i = ticket * kThreads + threadIdx.x;
  part[threadIdx.x] = in[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0, start = 0;
    for (int k = 0; k < kThreads; ++k)
      part[k] = sum += part[k];
    if (ticket) {
      while (!look(&states[ticket - 1]))
        ;
      start = inclusive[ticket - 1]; // @value_load
    }
    inclusive[ticket] = start + sum; // @value_store
    publish(&states[ticket]);
    before = start;
  }
  __syncthreads();
  out[i] = before + part[threadIdx.x];
}

int main() {
  constexpr int n = kBlocks * kThreads;
  static int host[n], result[n];
  for (int i = 0; i < n; ++i)
    host[i] = i % 5 - 1;
  int *in = nullptr, *out = nullptr, *inclusive = nullptr, *states = nullptr;
  unsigned *tickets = nullptr;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMalloc(&inclusive, kBlocks * sizeof(int)));
  CHECK(cudaMalloc(&states, kBlocks * sizeof(int)));
  CHECK(cudaMalloc(&tickets, sizeof(unsigned)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(states, 0, kBlocks * sizeof(int)));
  CHECK(cudaMemset(tickets, 0, sizeof(unsigned)));
  scan<<<kBlocks, kThreads>>>(in, out, inclusive, states, tickets);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, out, sizeof(host), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0, sum = 0; i < n; ++i)
    right = right && result[i] == (sum += host[i]);
  return verdict(right);
}
