// scopesan-test: events: the latest record at the call counts; queries and synchronization order
//
// variant recorded_again
//   why the wait takes the second record, which follows the second kernel
//   verdict clean
//   proof S14
// variant query -DQUERY
//   why a query that returns success orders what the host does next
//   verdict clean
//   proof S14
// variant synchronize -DSYNCHRONIZE
//   verdict clean
//   label full
//   proof S14
// variant stream_query -DSTREAM_QUERY
//   verdict clean
//   label full
//   proof S14
// variant waited_before_second_record -DRACY=1
//   why the wait took the first record; recording again later does not change it
//   verdict findings
//   require D1 second use distance=between-kernels
//   proof S14 D1
// variant not_recorded -DRACY=2
//   why waiting for an event that was never recorded orders nothing
//   verdict findings
//   label full
//   require D1 first use distance=between-kernels
//   allow D1 second use distance=between-kernels
//   proof S14 D1
// variant query_ignored -DRACY=3
//   why a query of another event, which succeeds, says nothing about this work
//   verdict findings
//   require D1 second use distance=between-kernels
//   allow D1 first use distance=between-kernels
//   proof S14 D1
#include "check.h"

constexpr int kCount = 64;

__global__ void first(int *data) {
  data[threadIdx.x] = 1; // @first
}
__global__ void second(int *data) {
  data[threadIdx.x + kCount] = 2; // @second
}
__global__ void use(int *data) {
  data[threadIdx.x] += data[threadIdx.x + kCount]; // @use
}

int main() {
  int *data = nullptr, out[2 * kCount];
  CHECK(cudaMalloc(&data, sizeof(out)));
  cudaStream_t work, other;
  cudaEvent_t done;
  CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));

  first<<<1, kCount, 0, work>>>(data);
#if RACY != 2
  CHECK(cudaEventRecord(done, work));
#endif
#if RACY == 1
  CHECK(cudaStreamWaitEvent(other, done, 0));
#endif
  second<<<1, kCount, 0, work>>>(data);
#if RACY != 2
  CHECK(cudaEventRecord(done, work));
#endif
#if defined(QUERY)
  while (cudaEventQuery(done) == cudaErrorNotReady)
    ;
#elif defined(STREAM_QUERY)
  while (cudaStreamQuery(work) == cudaErrorNotReady)
    ;
#elif defined(SYNCHRONIZE)
  CHECK(cudaEventSynchronize(done));
#elif RACY == 3
  cudaEvent_t never;
  CHECK(cudaEventCreate(&never));
  CHECK(cudaEventQuery(never)); // success: it was never recorded
  CHECK(cudaEventDestroy(never));
#elif RACY != 1
  CHECK(cudaStreamWaitEvent(other, done, 0));
#endif
  use<<<1, kCount, 0, other>>>(data);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(out, data, sizeof(out), cudaMemcpyDeviceToHost));
  CHECK(cudaEventDestroy(done));
  CHECK(cudaStreamDestroy(work));
  CHECK(cudaStreamDestroy(other));
  CHECK(cudaFree(data));
  bool right = true;
  for (int i = 0; i < kCount; ++i)
    right = right && out[i] == 3;
  return verdict(right);
}
