// scopesan-test: two devices push their parts to each other and count the launches by flags, call after call
//
// variant fixed
//   options --devices=2
//   why each protocol has its own counter; the flag is released and acquired at system scope
//   verdict clean
//   may-advise progress-not-promised
//   backends cpu
//   proof P4 S3 D12
// variant no_release -DRACY=1
//   options --devices=2
//   why the peer sees the flag, and nothing publishes the payload before it
//   verdict findings
//   require D1 push(store,weak) take(load,weak) distance=between-kernels
//   allow   D1 take(load,weak) push(store,weak) distance=between-kernels
//   may-advise progress-not-promised
//   may-advise unordered-strong
//   backends cpu
//   proof S1 D1
// variant shared_counter -DRACY=2
//   options --devices=2
//   why one rank runs a call of the other protocol on the same counter: its flag runs ahead, so the
//   why peer reads a part before it is there, and the rank itself waits for a call that never comes
//   verdict findings
//   require D12 await await
//   require D1 push(store,weak) take(load,weak) distance=between-kernels
//   may-be-incomplete a kernel ended with an error
//   may-advise progress-not-promised
//   exit any
//   backends cpu
//   proof D12
#include "check.h"

#include <cuda/atomic>

constexpr int kThreads = 32, kCalls = 3;
#if RACY == 1
constexpr auto kRelease = cuda::memory_order_relaxed;
#else
constexpr auto kRelease = cuda::memory_order_release;
#endif

struct Workspace {
  int parts[kCalls][kThreads];
  int arrived;     // calls that the peer has pushed
  int mine, other; // calls of this rank: of the all-reduce, and of another collective
};
using Flag = cuda::atomic_ref<int, cuda::thread_scope_system>;

/// Another collective; rank 0 alone is asked for it.
__global__ void probe(Workspace *own) {
#if RACY == 2
  ++own->mine;
#else
  ++own->other;
#endif
}

__global__ void allReduce(Workspace *own, Workspace *peer, int *data, int call) {
  const int t = int(threadIdx.x), slot = call % kCalls;
  __shared__ int turn;
  if (t == 0)
    turn = ++own->mine;
  peer->parts[slot][t] = data[t]; // @push
  __syncthreads();
  if (t == 0) {
    Flag(peer->arrived).store(turn, kRelease);
    while (Flag(own->arrived).load(cuda::memory_order_acquire) < turn) // @await
      ;
  }
  __syncthreads();
  data[t] += own->parts[slot][t]; // @take
}

int main() {
  int devices = 0, *data[2], host[kThreads];
  CHECK(cudaGetDeviceCount(&devices));
  if (devices < 2) {
    printf("two devices are needed\n");
    return 2;
  }
  Workspace *space[2];
  cudaStream_t stream[2];
  for (int d = 0; d < 2; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaDeviceEnablePeerAccess(1 - d, 0));
    CHECK(cudaMalloc(&space[d], sizeof(Workspace)));
    CHECK(cudaMalloc(&data[d], sizeof(host)));
    CHECK(cudaMemset(space[d], 0, sizeof(Workspace)));
    for (int i = 0; i < kThreads; ++i)
      host[i] = i + d;
    CHECK(cudaMemcpy(data[d], host, sizeof(host), cudaMemcpyHostToDevice));
    CHECK(cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());
  }
  for (int call = 0; call < kCalls; ++call)
    for (int d = 0; d < 2; ++d) {
      CHECK(cudaSetDevice(d));
      if (call == 1 && d == 0)
        probe<<<1, 1, 0, stream[d]>>>(space[d]);
      allReduce<<<1, kThreads, 0, stream[d]>>>(space[d], space[1 - d], data[d], call);
    }
  CHECK(cudaGetLastError());
  bool right = true;
  for (int d = 0; d < 2; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaStreamSynchronize(stream[d]));
  }
  for (int d = 0; d < 2; ++d) {
    CHECK(cudaMemcpy(host, data[d], sizeof(host), cudaMemcpyDeviceToHost));
    for (int i = 0; i < kThreads; ++i)
      right = right && host[i] == 4 * (2 * i + 1);
  }
  for (int d = 0; d < 2; ++d) {
    CHECK(cudaFree(space[d]));
    CHECK(cudaFree(data[d]));
  }
  return verdict(right);
}
