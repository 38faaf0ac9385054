// scopesan-test: two devices: copies, events and atomics between them
//
// One GPU cannot be two devices: these need a second one with peer access.
//
// variant copy_after_kernel -DCASE=1
//   options --devices=2
//   why the copy is in the order of the stream that filled its source, the reader waits for its event
//   verdict clean
//   backends cpu
//   proof O7 S14
// variant copy_beside_kernel -DCASE=1 -DRACY=1
//   options --devices=2
//   why the copy runs in the other device's stream, which waits for nothing
//   verdict findings
//   require D1 fill api:cudaMemcpyPeerAsync distance=between-kernels
//   backends cpu
//   proof O7 S14 D1
// variant event_of_the_other_device -DCASE=2
//   label full
//   options --devices=2
//   verdict clean
//   backends cpu
//   proof S14
// variant event_too_early -DCASE=2 -DRACY=2
//   label full
//   options --devices=2
//   why the event was recorded before the kernel
//   verdict findings
//   require D1 fill add distance=between-kernels
//   backends cpu
//   proof S14 D1
// variant native_atomics -DCASE=3
//   options --devices=2
//   why system-scope atomics on the peer's memory, which the devices support
//   verdict clean
//   may-advise unordered-strong
//   backends cpu
//   proof D6
// variant no_native_atomics -DCASE=3 -DRACY=3
//   options --devices=2 --p2p-native-atomics=0
//   why without native atomics between the devices they are not atomic towards each other
//   verdict findings
//   require D6 count count
//   may-advise unordered-strong
//   backends cpu
//   proof D6
// variant one_device_only -DCASE=4
//   label full
//   options --devices=2 --p2p-native-atomics=0
//   why only one device accesses the memory at a time
//   verdict clean
//   backends cpu
//   proof D6 S14
// variant device_scope_atomics -DCASE=3 -DSCOPE=cuda::thread_scope_device -DRACY=4
//   label full
//   options --devices=2
//   verdict findings
//   require D2 count count blame=count:system
//   backends cpu
//   proof P4 D2
#include "check.h"

#include <cuda/atomic>

#ifdef RACY
constexpr int kCase = RACY;
#else
constexpr int kCase = 0;
#endif
#ifndef SCOPE
#define SCOPE cuda::thread_scope_system
#endif
constexpr int kCount = 32;

__global__ void fillKernel(int *data) {
  data[threadIdx.x] = 1; // @fill
}
__global__ void addKernel(int *data) {
  data[threadIdx.x] += 1; // @add
}
__global__ void countKernel(int *data) {
  cuda::atomic_ref<int, SCOPE>(data[0]).fetch_add(1, cuda::memory_order_relaxed); // @count
}

int main() {
  int devices = 0, *data[2] = {}, out[kCount];
  CHECK(cudaGetDeviceCount(&devices));
  if (devices < 2) {
    printf("two devices are needed\n");
    return 2;
  }
  cudaStream_t streams[2];
  cudaEvent_t events[2];
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaSetDevice(i));
    CHECK(cudaDeviceEnablePeerAccess(1 - i, 0));
    CHECK(cudaMalloc(&data[i], sizeof(out)));
    CHECK(cudaMemset(data[i], 0, sizeof(out)));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&events[i], cudaEventDisableTiming));
  }
  CHECK(cudaSetDevice(0));
  int *result = data[0];
#if CASE <= 2
  if (kCase == 2)
    CHECK(cudaEventRecord(events[0], streams[0]));
  fillKernel<<<1, kCount, 0, streams[0]>>>(data[0]);
#if CASE == 1
  CHECK(cudaMemcpyPeerAsync(data[1], 1, data[0], 0, sizeof(out), streams[kCase == 1]));
  result = data[1];
#endif
  if (kCase != 2)
    CHECK(cudaEventRecord(events[0], streams[0]));
  CHECK(cudaSetDevice(1));
  CHECK(cudaStreamWaitEvent(streams[1], events[0], 0));
  addKernel<<<1, kCount, 0, streams[1]>>>(result);
#else
  countKernel<<<2, 1, 0, streams[0]>>>(data[0]);
#if CASE == 4
  CHECK(cudaEventRecord(events[0], streams[0]));
#endif
  CHECK(cudaSetDevice(1));
#if CASE == 4
  CHECK(cudaStreamWaitEvent(streams[1], events[0], 0));
#endif
  countKernel<<<2, 1, 0, streams[1]>>>(data[0]);
#endif
  CHECK(cudaGetLastError());
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaSetDevice(i));
    CHECK(cudaDeviceSynchronize());
  }
  CHECK(cudaMemcpy(out, result, sizeof(out), cudaMemcpyDefault));
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaEventDestroy(events[i]));
    CHECK(cudaStreamDestroy(streams[i]));
    CHECK(cudaFree(data[i]));
  }
  return verdict(out[0] == (CASE <= 2 ? 2 : 4));
}
