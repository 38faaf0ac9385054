// scopesan-test: the host fills a pinned staging buffer chunk by chunk for asynchronous copies
//
// variant fixed -fscopesan-host
//   why the host waits for the event after a copy before it fills the buffer again
//   verdict clean
//   proof O7 S14 S15
// variant refilled_early -fscopesan-host -DRACY
//   why the copy engine may still read the chunk that the host overwrites
//   verdict findings
//   require D1 refill(store,weak) api:cudaMemcpyAsync distance=host-device
//   proof O7 S15 D1
#include "check.h"

constexpr int kChunks = 3, kWords = 64;

__global__ void accumulate(const int *chunk, int *sums) { sums[threadIdx.x] += chunk[threadIdx.x]; }

int main() {
  int *staging = nullptr, *chunk = nullptr, *sums = nullptr, host[kWords];
  cudaStream_t stream;
  cudaEvent_t copied;
  CHECK(cudaHostAlloc(&staging, kWords * sizeof(int), cudaHostAllocDefault));
  CHECK(cudaMalloc(&chunk, sizeof(host)));
  CHECK(cudaMalloc(&sums, sizeof(host)));
  CHECK(cudaMemset(sums, 0, sizeof(host)));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
  for (int c = 0; c < kChunks; ++c) {
#ifndef RACY
    CHECK(cudaEventSynchronize(copied)); // returns at once before the first record
#endif
    for (int i = 0; i < kWords; ++i)
      staging[i] = c * 1000 + i; // @refill
    CHECK(cudaMemcpyAsync(chunk, staging, sizeof(host), cudaMemcpyHostToDevice, stream));
    CHECK(cudaEventRecord(copied, stream));
    accumulate<<<1, kWords, 0, stream>>>(chunk, sums);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpyAsync(host, sums, sizeof(host), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaEventDestroy(copied));
  CHECK(cudaFreeHost(staging));
  CHECK(cudaFree(chunk));
  CHECK(cudaFree(sums));
  bool right = true;
  for (int i = 0; i < kWords; ++i)
    right = right && host[i] == 3000 + 3 * i;
  return verdict(right);
}
