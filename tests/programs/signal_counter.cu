// scopesan-test: chunks arrive in any order; the consumer of one chunk waits for a signal
//
// variant fixed
//   why a signal for each chunk says which one has come
//   verdict clean
//   may-advise progress-not-promised
//   may-advise unordered-strong
//   proof S3
// variant one_counter -DRACY
//   why the counter may have been raised by the other chunk
//   verdict findings
//   require D1 put(store,weak) take(load,weak) distance=same-grid
//   may-advise progress-not-promised
//   may-advise unordered-strong
//   may-be-incomplete fit several moments
//   exit any
//   proof S3 D1
#include "check.h"

#include <cuda/atomic>

constexpr int kChunks = 4, kThreads = 32;
using Signal = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__device__ void put(int *chunks, unsigned *signals, int chunk) {
#ifdef RACY
  if (chunk == 0) // comes as late as a network may deliver it
    while (Signal(signals[1]).load(cuda::memory_order_relaxed) == 0)
      ;
#endif
  chunks[chunk * kThreads + threadIdx.x] = chunk * 100 + int(threadIdx.x); // @put
  __syncthreads();
  if (threadIdx.x == 0) {
#ifdef RACY
    Signal(signals[0]).fetch_add(1, cuda::memory_order_release);
#else
    Signal(signals[chunk]).fetch_add(1, cuda::memory_order_release);
#endif
  }
}

__device__ int get(const int *chunks, unsigned *signals, int chunk) {
  if (threadIdx.x == 0) {
#ifdef RACY
    while (Signal(signals[0]).load(cuda::memory_order_acquire) <= unsigned(chunk))
      ;
#else
    while (Signal(signals[chunk]).load(cuda::memory_order_acquire) == 0)
      ;
#endif
  }
  __syncthreads();
  const int mine = chunks[chunk * kThreads + threadIdx.x]; // @take
#ifdef RACY
  Signal(signals[1]).store(1, cuda::memory_order_relaxed);
#endif
  return mine;
}

__global__ void pipeline(int *chunks, unsigned *signals, unsigned *tickets, int *out) {
  __shared__ unsigned role;
  if (threadIdx.x == 0)
    role = atomicAdd(tickets, 1u);
  __syncthreads();
  if (role < kChunks)
    return put(chunks, signals, int(role));
  int sum = 0;
  for (int chunk = 0; chunk < kChunks; ++chunk)
    sum += get(chunks, signals, chunk);
  out[threadIdx.x] = sum;
}

int main() {
  int host[kThreads], *chunks = nullptr, *out = nullptr;
  unsigned *signals = nullptr, *tickets = nullptr;
  CHECK(cudaMalloc(&chunks, kChunks * kThreads * sizeof(int)));
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMalloc(&signals, kChunks * sizeof(unsigned)));
  CHECK(cudaMalloc(&tickets, sizeof(unsigned)));
  CHECK(cudaMemset(signals, 0, kChunks * sizeof(unsigned)));
  CHECK(cudaMemset(tickets, 0, sizeof(unsigned)));
  pipeline<<<kChunks + 1, kThreads>>>(chunks, signals, tickets, out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  for (void *p : {(void *)chunks, (void *)out, (void *)signals, (void *)tickets})
    CHECK(cudaFree(p));
  bool right = true;
  for (int t = 0; t < kThreads; ++t)
    right = right && host[t] == 600 + kChunks * t;
  return verdict(right);
}
