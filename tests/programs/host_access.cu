// scopesan-test: host code reads and writes managed memory before, while and after a kernel uses it
//
// Compiled with -fscopesan-host, which instruments host code.
//
// variant fixed -fscopesan-host
//   why the launch follows what the host wrote before it, the host waits before it reads
//   verdict clean
//   litmus API/host-write-launch API/host-read-streamsync
//   proof S14 S15
// variant query -fscopesan-host -DQUERY
//   why a query that returns success orders like a wait
//   verdict clean
//   label full
//   litmus API/host-query-success
//   proof S14 S15
// variant write_after_launch -fscopesan-host -DRACY=1
//   why the kernel may read before or after the host writes
//   verdict findings
//   require D1 host_write(store) kernel_read distance=host-device memory=managed
//   litmus API/host-write-after-launch
//   proof S14 S15 D1
// variant read_before_wait -fscopesan-host -DRACY=2
//   why nothing says that the kernel has ended
//   verdict findings
//   label full
//   require D1 host_read(load) kernel_write(store) distance=host-device memory=managed
//   litmus API/host-read-nosync
//   proof S14 S15 D1
// variant wait_for_another_stream -fscopesan-host -DRACY=3
//   verdict findings
//   require D1 host_read(load) kernel_write(store) distance=host-device memory=managed
//   proof S14 S15 D1
// variant plain
//   why without the flag only API calls are known, and the report says so
//   verdict clean
//   proof S15
#include "check.h"

constexpr int kCount = 64;

__global__ void increment(const int *in, int *out) {
  const int value = in[threadIdx.x]; // @kernel_read
  out[threadIdx.x] = value + 1;      // @kernel_write
}

int main() {
  int *in = nullptr, *out = nullptr;
  CHECK(cudaMallocManaged(&in, kCount * sizeof(int)));
  CHECK(cudaMallocManaged(&out, kCount * sizeof(int)));
  cudaStream_t stream, other;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  for (int i = 0; i < kCount; ++i)
    in[i] = i;
  increment<<<1, kCount, 0, stream>>>(in, out);
  CHECK(cudaGetLastError());
#if RACY == 1
  in[3] = 7; // @host_write
#endif
#if RACY == 3
  CHECK(cudaStreamSynchronize(other));
#elif defined(QUERY)
  while (cudaStreamQuery(stream) == cudaErrorNotReady)
    ;
#elif RACY != 2
  CHECK(cudaStreamSynchronize(stream));
#endif
  bool right = true;
  for (int i = 0; i < kCount; ++i)
    right = right && out[i] == i + 1; // @host_read
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaStreamDestroy(other));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  return verdict(right);
}
