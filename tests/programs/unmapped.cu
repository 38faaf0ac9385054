// scopesan-test: a kernel that is given a pointer to host memory
//
// variant mapped
//   why pinned memory is mapped for the device
//   verdict clean
//   proof P5
// variant registered -DREGISTER
//   why cudaHostRegister maps it
//   verdict clean
//   label full
//   proof P5
// variant heap -DRACY=1
//   why the device cannot reach the host's heap
//   verdict findings
//   label full
//   require D8 nobody add
//   backends cpu
//   proof D8
// variant stack -DRACY=2
//   why the device cannot reach the host's stack
//   verdict findings
//   require D8 nobody add
//   backends cpu
//   proof D8
// variant pageable_access -DRACY=1
//   why a system with pageableMemoryAccess maps all host memory
//   label full
//   options --pageable-memory-access=1
//   verdict clean
//   backends cpu
//   proof D8 P5
// variant unregistered -DREGISTER -DRACY=3
//   why the memory was unregistered before the kernel ran
//   verdict findings
//   require D8 api:cudaHostUnregister add(load)
//   allow D8 api:cudaHostUnregister add(store)
//   allow D8 nobody add
//   backends cpu
//   proof D8
#include "check.h"

constexpr int kCount = 32;

__global__ void add(int *data) {
  data[threadIdx.x] += 1; // @add
}

int main() {
  int onStack[kCount] = {}, *data = onStack;
#if RACY == 1 || defined(REGISTER)
  data = static_cast<int *>(calloc(kCount, sizeof(int)));
#elif !defined(RACY)
  CHECK(cudaMallocHost(&data, kCount * sizeof(int)));
  for (int i = 0; i < kCount; ++i)
    data[i] = 0;
#endif
#ifdef REGISTER
  CHECK(cudaHostRegister(data, kCount * sizeof(int), cudaHostRegisterDefault));
#if RACY == 3
  CHECK(cudaHostUnregister(data));
#endif
#endif
  add<<<1, kCount>>>(data);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  bool right = true;
  for (int i = 0; i < kCount; ++i)
    right = right && data[i] == 1;
  return verdict(right);
}
