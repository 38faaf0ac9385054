// scopesan-test: a range of managed memory is discarded and prefetched while a kernel of another stream still reads it
//
// variant fixed
//   why an event orders the discard after the kernel
//   verdict clean
//   proof S14 O7
// variant no_event -DRACY
//   why discarded bytes have no value until they are written again: a discard is a write
//   verdict findings
//   require D1 read(load,weak) api:cudaMemDiscardAndPrefetchBatchAsync distance=between-kernels
//   allow D1 read fill distance=between-kernels
//   proof S14 D1
#include "check.h"

constexpr int kThreads = 64;

__global__ void sum(const int *data, int *out) {
  atomicAdd(out, data[threadIdx.x]); // @read
}

__global__ void fill(int *data) { data[threadIdx.x] = 2; } // @fill

int main() {
  int *data = nullptr, *out = nullptr, result = 0;
  cudaStream_t reader, owner;
  cudaEvent_t done;
  CHECK(cudaMallocManaged(&data, kThreads * sizeof(int)));
  CHECK(cudaMalloc(&out, sizeof(int)));
  CHECK(cudaMemset(out, 0, sizeof(int)));
  CHECK(cudaStreamCreateWithFlags(&reader, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&owner, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  fill<<<1, kThreads>>>(data);
  CHECK(cudaDeviceSynchronize());

  sum<<<1, kThreads, 0, reader>>>(data, out);
  CHECK(cudaEventRecord(done, reader));
#ifndef RACY
  CHECK(cudaStreamWaitEvent(owner, done));
#endif
  void *starts[] = {data};
  size_t sizes[] = {kThreads * sizeof(int)}, first[] = {0};
  cudaMemLocation here{cudaMemLocationTypeDevice, {0}};
  CHECK(cudaMemDiscardAndPrefetchBatchAsync(starts, sizes, 1, &here, first, 1, 0, owner));
  fill<<<1, kThreads, 0, owner>>>(data);
  CHECK(cudaDeviceSynchronize());
  sum<<<1, kThreads, 0, owner>>>(data, out);
  CHECK(cudaMemcpyAsync(&result, out, sizeof(int), cudaMemcpyDeviceToHost, owner));
  CHECK(cudaDeviceSynchronize());
  for (int *p : {data, out})
    CHECK(cudaFree(p));
  return verdict(result == 4 * kThreads);
}
