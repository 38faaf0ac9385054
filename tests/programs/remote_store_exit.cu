// scopesan-test: kernels of two devices store into each other's buffers; when is the result there?
//
// variant fixed
//   options --devices=2
//   why each kernel ends only when the peer has told that its remote stores are done
//   verdict clean
//   may-advise progress-not-promised
//   backends cpu
//   proof S3 S14
// variant exits_early -DRACY
//   options --devices=2
//   why the end of a device's own kernel says nothing of the stores that the peer still makes
//   verdict findings
//   require D1 push(store,weak) api:cudaMemcpyAsync
//   backends cpu
//   proof S14 D1
#include "check.h"

#include <cuda/atomic>

constexpr int kThreads = 32;
using Semaphore = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;

__global__ void push(int *remote, unsigned *remoteDone, unsigned *ownDone, int rank) {
  remote[threadIdx.x] = 1000 * rank + int(threadIdx.x); // @push
#ifndef RACY
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence_system();
    Semaphore(*remoteDone).store(1, cuda::memory_order_release);
    while (Semaphore(*ownDone).load(cuda::memory_order_acquire) == 0)
      ;
  }
  __syncthreads();
#endif
}

int main() {
  int devices = 0, *buffer[2], host[2][kThreads];
  unsigned *done[2];
  cudaStream_t stream[2];
  CHECK(cudaGetDeviceCount(&devices));
  if (devices < 2) {
    printf("two devices are needed\n");
    return 2;
  }
  for (int d = 0; d < 2; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaDeviceEnablePeerAccess(1 - d, 0));
    CHECK(cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking));
    CHECK(cudaMalloc(&buffer[d], sizeof(host[d])));
    CHECK(cudaMalloc(&done[d], sizeof(unsigned)));
    CHECK(cudaMemset(done[d], 0, sizeof(unsigned)));
    CHECK(cudaDeviceSynchronize());
  }
  for (int d = 0; d < 2; ++d) {
    CHECK(cudaSetDevice(d));
    push<<<1, kThreads, 0, stream[d]>>>(buffer[1 - d], done[1 - d], done[d], d + 1);
    CHECK(cudaGetLastError());
  }
  for (int d = 0; d < 2; ++d) { // each rank looks at its own buffer when its own kernel has ended
    CHECK(cudaSetDevice(d));
    CHECK(cudaMemcpyAsync(host[d], buffer[d], sizeof(host[d]), cudaMemcpyDeviceToHost, stream[d]));
    CHECK(cudaStreamSynchronize(stream[d]));
  }
  for (int d = 0; d < 2; ++d) {
    CHECK(cudaFree(buffer[d]));
    CHECK(cudaFree(done[d]));
  }
  return verdict(host[0][5] == 2005 && host[1][5] == 1005);
}
