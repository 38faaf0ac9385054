// scopesan-test: two devices: streams of each, copies between them, and the memory of a peer
//
// One GPU cannot be two devices: these need a second one with peer access.
//
// variant fixed
//   options --devices=2
//   why the second device waits for the first one's event, and has access to its memory
//   verdict clean
//   backends cpu
//   proof S14 P4
// variant no_event -DRACY=1
//   options --devices=2
//   why nothing orders the streams of two devices
//   verdict findings
//   require D1 fill add distance=between-kernels
//   backends cpu
//   proof S14 D1
// variant peer_copy -DPEER_COPY
//   options --devices=2
//   why cudaMemcpyPeer comes after all work of both devices and before all their later work
//   verdict clean
//   backends cpu
//   proof O7 S14
// variant peer_copy_async -DPEER_COPY -DRACY=2
//   label full
//   options --devices=2
//   why cudaMemcpyPeerAsync is in the order of its stream only
//   verdict findings
//   require D1 fill api:cudaMemcpyPeerAsync
//   allow D1 api:cudaMemcpyPeerAsync add
//   backends cpu
//   proof O7 S14 D1
// variant no_peer_access -DNO_ACCESS -DRACY=3
//   options --devices=2
//   why the second device was not given access to the first one's memory
//   verdict findings
//   require D8 nobody add
//   backends cpu
//   proof D8
// variant two_copies_of_a_variable -DVARIABLE
//   label full
//   options --devices=2
//   why a device variable exists once on each device
//   verdict clean
//   backends cpu
//   proof P2
#include "check.h"

constexpr int kCount = 64;

__device__ int counter;

__global__ void fill(int *data) {
  data[threadIdx.x] = 1; // @fill
}
__global__ void add(int *data) {
  data[threadIdx.x] += 1; // @add
}
__global__ void count(int by) {
  counter += by;
}

int main() {
  int devices = 0, out[kCount], *data = nullptr, *other = nullptr;
  CHECK(cudaGetDeviceCount(&devices));
  if (devices < 2) {
    printf("two devices are needed\n");
    return 2;
  }
  cudaStream_t first, second;
  cudaEvent_t filled;
  CHECK(cudaSetDevice(1));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaMalloc(&other, sizeof(out)));
#ifndef NO_ACCESS
  CHECK(cudaDeviceEnablePeerAccess(0, 0));
#endif
  CHECK(cudaSetDevice(0));
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
  CHECK(cudaMalloc(&data, sizeof(out)));

  fill<<<1, kCount, 0, first>>>(data);
  CHECK(cudaEventRecord(filled, first));
#ifdef VARIABLE
  count<<<1, 1, 0, first>>>(1);
#endif
  CHECK(cudaSetDevice(1));
  int *target = data;
#ifdef PEER_COPY
  target = other;
#if RACY == 2
  CHECK(cudaMemcpyPeerAsync(other, 1, data, 0, sizeof(out), second));
#else
  CHECK(cudaMemcpyPeer(other, 1, data, 0, sizeof(out)));
#endif
#elif RACY != 1
  CHECK(cudaStreamWaitEvent(second, filled, 0));
#endif
  add<<<1, kCount, 0, second>>>(target);
#ifdef VARIABLE
  count<<<1, 1, 0, second>>>(10);
#endif
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(second));
  CHECK(cudaSetDevice(0));
  CHECK(cudaStreamSynchronize(first));
  CHECK(cudaMemcpy(out, target, sizeof(out), cudaMemcpyDefault));
  bool right = true;
  for (int value : out)
    right = right && value == 2;
#ifdef VARIABLE
  int counted[2];
  CHECK(cudaMemcpyFromSymbol(&counted[0], counter, sizeof(int)));
  CHECK(cudaSetDevice(1));
  CHECK(cudaMemcpyFromSymbol(&counted[1], counter, sizeof(int)));
  right = right && counted[0] == 1 && counted[1] == 10;
#endif
  CHECK(cudaEventDestroy(filled));
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
  CHECK(cudaFree(data));
  CHECK(cudaFree(other));
  return verdict(right);
}
