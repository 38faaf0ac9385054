// scopesan-test: what copies promise to the host that calls them, and so to work on other streams
//
// variant fixed
//   why the host waits for the legacy default stream before it uses the other stream
//   verdict clean
//   proof O7 S14
// variant pinned -DPINNED
//   why a synchronous copy from pinned memory is complete when it returns
//   verdict clean
//   label full
//   proof O7 S14
// variant blocking_stream -DBLOCKING -DNO_WAIT
//   why a blocking stream follows the legacy default stream anyway
//   verdict clean
//   proof O7 S14
// variant pageable_staged -DNO_WAIT -DRACY=1
//   why a copy from pageable memory returns when its source is staged; the device may still receive it
//   verdict findings
//   require D1 api:cudaMemcpy use(load)
//   allow D1 api:cudaMemcpy use(store)
//   proof O7 S14 D1
// variant pageable_complete -DNO_WAIT
//   why the option takes every synchronous copy as complete, as many programs do
//   label full
//   options --pageable-copy=complete
//   verdict clean
//   proof O7 S14
// variant device_to_device -DRACY=2
//   why a copy within the device does not make the host wait
//   verdict findings
//   label full
//   require D1 api:cudaMemcpy use(load)
//   allow D1 api:cudaMemcpy use(store)
//   proof O7 S14 D1
// variant fill -DRACY=3
//   why a fill of device memory does not make the host wait
//   verdict findings
//   label full
//   require D1 api:cudaMemset use(load)
//   allow D1 api:cudaMemset use(store)
//   proof O7 S14 D1
// variant host_write_after_launch -DRACY=4
//   why the copy to the device is not ordered after the kernel that reads there
//   verdict findings
//   require D1 use api:cudaMemcpy
//   proof O7 S14 D1
// variant host_read_before_synchronize -DRACY=5
//   why the copy back does not wait for the non-blocking stream
//   verdict findings
//   require D1 use(store) api:cudaMemcpy
//   proof O7 S14 D1
#include "check.h"

#ifdef RACY
constexpr int kCase = RACY;
#else
constexpr int kCase = 0;
#endif
constexpr int kCount = 256;

__global__ void use(int *data) {
  data[threadIdx.x] += 1; // @use
}

int main() {
  const size_t bytes = kCount * sizeof(int);
  int *data = nullptr, *other = nullptr, *host = nullptr, out[kCount];
  CHECK(cudaMalloc(&data, bytes));
  CHECK(cudaMalloc(&other, bytes));
#ifdef PINNED
  CHECK(cudaMallocHost(&host, bytes));
#else
  host = static_cast<int *>(malloc(bytes));
#endif
  for (int i = 0; i < kCount; ++i)
    host[i] = 5;
  cudaStream_t stream;
#ifdef BLOCKING
  CHECK(cudaStreamCreate(&stream));
#else
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
#endif

  CHECK(cudaMemcpy(data, host, bytes, cudaMemcpyHostToDevice));
#if !defined(PINNED) && !defined(NO_WAIT)
  CHECK(cudaStreamSynchronize(nullptr));
#endif
  if (kCase == 2) {
    CHECK(cudaMemset(other, 0, bytes));
    CHECK(cudaStreamSynchronize(nullptr));
    CHECK(cudaMemcpy(data, other, bytes, cudaMemcpyDeviceToDevice));
  }
  if (kCase == 3)
    CHECK(cudaMemset(data, 0, bytes));
  use<<<1, kCount, 0, stream>>>(data);
  CHECK(cudaGetLastError());
  if (kCase == 4)
    CHECK(cudaMemcpy(data, host, bytes, cudaMemcpyHostToDevice));
  if (kCase != 5)
    CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(out, data, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaDeviceSynchronize());

  bool right = true;
  for (int value : out)
    right = right && value == 6;
#ifdef PINNED
  CHECK(cudaFreeHost(host));
#else
  free(host);
#endif
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(data));
  CHECK(cudaFree(other));
  return verdict(right);
}
