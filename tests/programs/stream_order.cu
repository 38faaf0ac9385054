// scopesan-test: kernels on two streams add into one buffer
//
// variant fixed
//   why the event orders the second stream's kernel after the first one's
//   verdict clean
//   proof S14
// variant no_event -DRACY=1
//   why streams that nothing joins are unordered, whatever order the device picks
//   verdict findings
//   require D1 add add distance=between-kernels
//   proof S14 D1
// variant event_recorded_too_early -DRACY=2
//   why the wait takes the latest record at the call, which precedes the first kernel
//   verdict findings
//   require D1 add add distance=between-kernels
//   proof S14 D1
#include "check.h"

constexpr int kCount = 256;

__global__ void addTo(int *buffer, int value) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  buffer[i] += value; // @add
}

int main() {
  int *buffer = nullptr, out[kCount];
  CHECK(cudaMalloc(&buffer, sizeof(out)));
  CHECK(cudaMemset(buffer, 0, sizeof(out)));
  CHECK(cudaDeviceSynchronize());
  cudaStream_t first, second;
  cudaEvent_t firstDone;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&firstDone, cudaEventDisableTiming));

#if RACY == 2
  CHECK(cudaEventRecord(firstDone, first));
#endif
  addTo<<<kCount / 64, 64, 0, first>>>(buffer, 1);
  CHECK(cudaGetLastError());
#if !defined(RACY)
  CHECK(cudaEventRecord(firstDone, first));
#endif
#if RACY != 1
  CHECK(cudaStreamWaitEvent(second, firstDone, 0));
#endif
  addTo<<<kCount / 64, 64, 0, second>>>(buffer, 10);
  CHECK(cudaGetLastError());

  CHECK(cudaStreamSynchronize(first));
  CHECK(cudaStreamSynchronize(second));
  CHECK(cudaMemcpy(out, buffer, sizeof(out), cudaMemcpyDeviceToHost));
  CHECK(cudaEventDestroy(firstDone));
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
  CHECK(cudaFree(buffer));
  bool right = true;
  for (int value : out)
    right = right && value == 11;
  return verdict(right);
}
