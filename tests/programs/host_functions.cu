// scopesan-test: host functions and callbacks stand in stream order
//
// variant fixed
//   why the callback has run when its stream is synchronized, and the second stream waits for it
//   verdict clean
//   output the host function saw 1
//   proof S14
// variant callback -DCALLBACK
//   verdict clean
//   output the host function saw 1
//   proof S14
// variant not_waited_for -DRACY=1
//   why the second stream does not wait for the first one's host function
//   verdict findings
//   require D1 set add distance=between-kernels
//   allow D1 add(store) api:cudaMemcpyAsync
//   proof S14 D1
#include "check.h"

constexpr int kCount = 64;

__global__ void set(int *data) {
  data[threadIdx.x] = 1; // @set
}
__global__ void add(int *data) {
  data[threadIdx.x] += 1; // @add
}

static void look(void *data) { printf("the host function saw %d\n", *static_cast<int *>(data)); }
static void callback(cudaStream_t, cudaError_t, void *data) { look(data); }

int main() {
  int *data = nullptr, *pinned = nullptr, out[kCount];
  CHECK(cudaMalloc(&data, sizeof(out)));
  CHECK(cudaMallocHost(&pinned, sizeof(int)));
  cudaStream_t first, second;
  cudaEvent_t looked;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&looked, cudaEventDisableTiming));
  set<<<1, kCount, 0, first>>>(data);
  CHECK(cudaMemcpyAsync(pinned, data, sizeof(int), cudaMemcpyDeviceToHost, first));
#ifdef CALLBACK
  CHECK(cudaStreamAddCallback(first, callback, pinned, 0));
#else
  CHECK(cudaLaunchHostFunc(first, look, pinned));
  (void)callback;
#endif
  CHECK(cudaEventRecord(looked, first));
#ifndef RACY
  CHECK(cudaStreamWaitEvent(second, looked, 0));
#endif
  add<<<1, kCount, 0, second>>>(data);
  CHECK(cudaStreamSynchronize(second));
  CHECK(cudaStreamSynchronize(first));
  CHECK(cudaMemcpy(out, data, sizeof(out), cudaMemcpyDeviceToHost));
  CHECK(cudaEventDestroy(looked));
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaFree(data));
  bool right = true;
  for (int value : out)
    right = right && value == 2;
  return verdict(right);
}
