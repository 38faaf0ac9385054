// scopesan-test: threads of several blocks store neighbouring bytes of the same words
//
// variant fixed
//   why a location is a byte: sharing a word, a sector or a cache line is no race
//   verdict clean
//   proof P1
// variant same_byte -DRACY
//   why two threads store each even byte
//   verdict findings
//   require D1 byte_store(store,weak) byte_store(store,weak) hazard=WAW distance=same-warp
//   proof P1 D1
#include "check.h"

constexpr unsigned kBlocks = 4, kThreads = 33; // an odd size: words are shared between blocks too

__global__ void fillBytes(unsigned char *bytes) {
  const unsigned me = blockIdx.x * kThreads + threadIdx.x;
#ifdef RACY
  const unsigned mine = blockIdx.x * kThreads + (threadIdx.x & ~1u);
#else
  const unsigned mine = me;
#endif
  bytes[mine] = static_cast<unsigned char>(me * 3); // @byte_store
}

int main() {
  constexpr unsigned n = kBlocks * kThreads;
  unsigned char *device = nullptr, out[n];
  CHECK(cudaMalloc(&device, n));
  CHECK(cudaMemset(device, 0, n));
  fillBytes<<<kBlocks, kThreads>>>(device);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out, device, n, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  bool right = true;
  for (unsigned i = 0; i < n; ++i)
    right = right && out[i] == static_cast<unsigned char>(i * 3);
  return verdict(right);
}
