// scopesan-test: a block reverses its part in dynamic shared memory
//
// variant fixed
//   verdict clean
//   proof P5 S7
// variant no_barrier -DRACY=1
//   verdict findings
//   require D1 put(store,weak) take(load,weak) memory=dynamic-shared
//   proof P5 S7 D1
// variant overlapping_parts -DRACY=2
//   why the second array starts inside the first one
//   verdict findings
//   require D1 put(store,weak) put_flag(store,weak) hazard=WAW memory=dynamic-shared
//   proof P1 P5 S7 D1
#include "check.h"

constexpr unsigned kThreads = 96, kBlocks = 3;

__global__ void reverse(int *data, unsigned char *flags) {
  extern __shared__ int values[];
#if RACY == 2
  auto *odd = reinterpret_cast<unsigned char *>(values + kThreads - 1);
#else
  auto *odd = reinterpret_cast<unsigned char *>(values + kThreads);
#endif
  const unsigned t = threadIdx.x, first = blockIdx.x * kThreads;
  values[t] = data[first + t];                              // @put
  odd[t] = static_cast<unsigned char>(data[first + t] & 1); // @put_flag
#if RACY != 1
  __syncthreads();
#endif
  data[first + t] = values[kThreads - 1 - t]; // @take
  flags[first + t] = odd[t];                  // @take_flag
}

int main() {
  constexpr unsigned n = kThreads * kBlocks;
  int data[n], out[n], *device = nullptr;
  unsigned char flags[n], *deviceFlags = nullptr;
  for (unsigned i = 0; i < n; ++i)
    data[i] = int(i * 5 % 31);
  CHECK(cudaMalloc(&device, sizeof(data)));
  CHECK(cudaMalloc(&deviceFlags, sizeof(flags)));
  CHECK(cudaMemcpy(device, data, sizeof(data), cudaMemcpyHostToDevice));
  reverse<<<kBlocks, kThreads, kThreads * (sizeof(int) + 1)>>>(device, deviceFlags);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out, device, sizeof(out), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(flags, deviceFlags, sizeof(flags), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  CHECK(cudaFree(deviceFlags));
  bool right = true;
  for (unsigned b = 0; b < kBlocks; ++b)
    for (unsigned t = 0; t < kThreads; ++t) {
      right = right && out[b * kThreads + t] == data[b * kThreads + kThreads - 1 - t];
      right = right && flags[b * kThreads + t] == data[b * kThreads + t] % 2;
    }
  return verdict(right);
}
