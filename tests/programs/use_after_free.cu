// scopesan-test: device memory that is freed before, while or after a kernel uses it
//
// variant fixed
//   why the kernel is complete when its memory is freed
//   verdict clean
//   proof S14 D8
// variant free_right_after_launch -DFREE_EARLY
//   why cudaFree waits for the device; that orders the free after the kernel and nothing else
//   verdict clean
//   proof S14 D8
// variant launch_after_free -DRACY=1
//   why the kernel was launched with a pointer that had been freed
//   verdict findings
//   require D8 api:cudaFree add(load) memory=cudaMalloc
//   allow D8 api:cudaFree add(store)
//   proof D8
// variant free_is_no_promise -DFREE_EARLY -DRACY=2
//   why CUDA does not promise that cudaFree waits, and the option asks for promises only
//   options --free-waits=0
//   verdict findings
//   require D8 add api:cudaFree
//   proof S14 D8
// variant reset -DRACY=3
//   why cudaDeviceReset frees all memory
//   verdict findings
//   require D8 api:cudaDeviceReset add(load)
//   allow D8 api:cudaDeviceReset add(store)
//   proof D8
#include "check.h"

constexpr int kCount = 64;

__global__ void add(int *data) {
  data[threadIdx.x] += 1; // @add
}

int main() {
  int *data = nullptr, *other = nullptr;
  CHECK(cudaMalloc(&data, kCount * sizeof(int)));
  CHECK(cudaMemset(data, 0, kCount * sizeof(int)));
  add<<<1, kCount>>>(data);
  CHECK(cudaGetLastError());
#ifndef FREE_EARLY
  CHECK(cudaDeviceSynchronize());
#endif
#if RACY == 3
  CHECK(cudaDeviceReset());
#else
  CHECK(cudaFree(data));
#endif
  CHECK(cudaMalloc(&other, kCount * sizeof(int)));
  CHECK(cudaMemset(other, 0, kCount * sizeof(int)));
#if RACY == 1 || RACY == 3
  add<<<1, kCount>>>(data);
#else
  add<<<1, kCount>>>(other);
#endif
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(other));
  return verdict(true);
}
