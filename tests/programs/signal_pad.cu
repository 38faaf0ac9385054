// scopesan-test: a signal pad that its owner clears is signalled by a peer device
//
// variant fixed
//   options --devices=2
//   why the owner has waited for the clearing before the peer may signal
//   verdict clean
//   backends cpu
//   proof S14
// variant cleared_late -DRACY
//   options --devices=2
//   why the clearing is queued on the owner's stream, and the peer does not wait for that
//   verdict findings
//   require D1 api:cudaMemsetAsync signal distance=between-kernels
//   backends cpu
//   proof O7 S14 D1
#include "check.h"

#include <cuda/atomic>

constexpr int kPeers = 8;

using Signal = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;

__global__ void signalPeer(unsigned *pad, int rank) {
  Signal(pad[rank]).store(1, cuda::memory_order_release); // @signal
}

int main() {
  int devices = 0;
  unsigned host[kPeers], *pad = nullptr;
  cudaStream_t owner, peer;
  CHECK(cudaGetDeviceCount(&devices));
  if (devices < 2) {
    printf("two devices are needed\n");
    return 2;
  }
  CHECK(cudaSetDevice(0));
  CHECK(cudaStreamCreateWithFlags(&owner, cudaStreamNonBlocking));
  CHECK(cudaMalloc(&pad, sizeof(host))); // a collective: the peer knows the address now
  CHECK(cudaMemsetAsync(pad, 0, sizeof(host), owner));
#ifndef RACY
  CHECK(cudaStreamSynchronize(owner));
#endif
  CHECK(cudaSetDevice(1));
  CHECK(cudaDeviceEnablePeerAccess(0, 0));
  CHECK(cudaStreamCreateWithFlags(&peer, cudaStreamNonBlocking));
  signalPeer<<<1, 1, 0, peer>>>(pad, 1);
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(peer));
  CHECK(cudaSetDevice(0));
  CHECK(cudaStreamSynchronize(owner));
  CHECK(cudaMemcpy(host, pad, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(pad));
  return verdict(host[1] == 1);
}
