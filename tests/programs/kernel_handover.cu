// scopesan-test: kernels of two streams run at the same time and wait for each other
//
// They give up after a while, since nothing promises that the later one starts (D12).
//
// variant fixed
//   verdict clean
//   options --concurrent=overlap
//   may-advise progress-not-promised
//   proof S1 S2 S3
// variant relaxed -DRACY=1
//   why the reply is not released: what came before it is not ordered
//   verdict findings
//   require D1 reply_store reply_load memory=reply distance=between-kernels
//   options --concurrent=overlap
//   may-advise progress-not-promised
//   proof S1 D1
// variant copied -DCOPIED
//   why the copy precedes the answering kernel in its stream, and so its release
//   verdict clean
//   options --concurrent=overlap
//   may-advise progress-not-promised
//   proof S14 S3
// variant copied_too_late -DCOPIED -DRACY=2
//   why the copy follows the kernel that answers: nothing orders it before the asking kernel's read
//   verdict findings
//   require D1 reply_load api:cudaMemcpyAsync distance=between-kernels
//   options --concurrent=overlap
//   may-advise progress-not-promised
//   proof S14 D1
#include "check.h"
#include <cuda/atomic>

constexpr int kCount = 64;
using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__device__ int question, answered;
__device__ int reply[kCount];

#if RACY == 1
constexpr auto kAnswer = cuda::memory_order_relaxed;
#else
constexpr auto kAnswer = cuda::memory_order_release;
#endif

__device__ bool waitFor(int &flag) {
  for (int attempts = 0; attempts < 100000000; ++attempts)
    if (Flag(flag).load(cuda::memory_order_acquire))
      return true;
  return false;
}

__global__ void ask(int *seen) {
  bool came = true;
  if (threadIdx.x == 0) {
    Flag(question).store(1, cuda::memory_order_release);
    came = waitFor(answered);
  }
  if (__syncthreads_and(came))
    seen[threadIdx.x] = reply[threadIdx.x]; // @reply_load
}

__global__ void answer() {
  if (!__syncthreads_and(threadIdx.x != 0 || waitFor(question)))
    return;
#ifndef COPIED
  reply[threadIdx.x] = int(threadIdx.x) + 1; // @reply_store
#endif
  __syncthreads();
  if (threadIdx.x == 0)
    Flag(answered).store(1, kAnswer);
}

int main() {
  int *seen = nullptr, *source = nullptr, out[kCount];
  void *target = nullptr;
  CHECK(cudaMalloc(&seen, sizeof(out)));
  CHECK(cudaMallocHost(&source, sizeof(out)));
  for (int i = 0; i < kCount; ++i)
    source[i] = i + 1;
  CHECK(cudaGetSymbolAddress(&target, reply));
  cudaStream_t asking, answering;
  CHECK(cudaStreamCreateWithFlags(&asking, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&answering, cudaStreamNonBlocking));
  CHECK(cudaDeviceSynchronize());

  ask<<<1, kCount, 0, asking>>>(seen);
  CHECK(cudaGetLastError());
#if defined(COPIED) && RACY != 2
  CHECK(cudaMemcpyAsync(target, source, sizeof(out), cudaMemcpyHostToDevice, answering));
#endif
  answer<<<1, kCount, 0, answering>>>();
  CHECK(cudaGetLastError());
#if defined(COPIED) && RACY == 2
  CHECK(cudaMemcpyAsync(target, source, sizeof(out), cudaMemcpyHostToDevice, answering));
#endif
  CHECK(cudaStreamSynchronize(asking));
  CHECK(cudaStreamSynchronize(answering));
  CHECK(cudaMemcpy(out, seen, sizeof(out), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < kCount; ++i)
    right = right && out[i] == i + 1;
  CHECK(cudaFree(seen));
  CHECK(cudaFreeHost(source));
  return verdict(right);
}
