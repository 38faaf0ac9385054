// scopesan-test: the host prints what a kernel left in mapped pinned memory
//
// variant fixed -fscopesan-host
//   why the host waits for the stream first
//   verdict clean
//   proof S14 S15
// variant read_after_launch -fscopesan-host -DRACY
//   why a system fence inside the kernel does not make the host wait
//   verdict findings
//   require D1 result(store,weak) print(load,weak) distance=host-device
//   proof S15 D1
#include "check.h"

constexpr int kCount = 32;

__global__ void square(int *mapped) {
  mapped[threadIdx.x] = int(threadIdx.x * threadIdx.x); // @result
  __threadfence_system();
}

int main() {
  int *host = nullptr, *mapped = nullptr, sum = 0;
  CHECK(cudaHostAlloc(&host, kCount * sizeof(int), cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer(&mapped, host, 0));
  square<<<1, kCount>>>(mapped);
  CHECK(cudaGetLastError());
#ifndef RACY
  CHECK(cudaDeviceSynchronize());
#endif
  for (int i = 0; i < kCount; ++i)
    sum += host[i]; // @print
  printf("sum %d\n", sum);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFreeHost(host));
  return verdict(sum == 31 * 32 * 63 / 6);
}
