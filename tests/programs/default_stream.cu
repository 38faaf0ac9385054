// scopesan-test: the legacy default stream joins blocking streams, not non-blocking ones; the
// per-thread default stream is a blocking stream
//
// variant blocking
//   verdict clean
//   proof S14
// variant per_thread -DPER_THREAD
//   why the legacy default stream joins the per-thread default stream
//   verdict clean
//   proof S14
// variant destroyed -DDESTROY
//   why the legacy default stream still follows the work of a destroyed stream
//   verdict clean
//   proof S14
// variant non_blocking -DRACY=1
//   why a non-blocking stream does not join
//   verdict findings
//   require D1 set add distance=between-kernels
//   proof S14 D1
// variant two_blocking -DRACY=2
//   why blocking streams join the default stream only, not each other
//   verdict findings
//   require D1 set add distance=between-kernels
//   proof S14 D1
// variant priority -DRACY=3
//   why priorities order nothing
//   verdict findings
//   require D1 set add distance=between-kernels
//   proof S14 D1
#include "check.h"

constexpr int kCount = 64;

__global__ void set(int *data) {
  data[threadIdx.x] = 1; // @set
}
__global__ void add(int *data) {
  data[threadIdx.x] += 1; // @add
}

int main() {
  int *data = nullptr, out[kCount];
  CHECK(cudaMalloc(&data, sizeof(out)));
  cudaStream_t first = nullptr, second = nullptr; // the legacy default stream
#ifdef PER_THREAD
  first = cudaStreamPerThread;
#elif RACY == 1
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
#elif RACY == 2
  CHECK(cudaStreamCreate(&first));
  CHECK(cudaStreamCreate(&second));
#elif RACY == 3
  int least, greatest;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CHECK(cudaStreamCreateWithPriority(&first, cudaStreamNonBlocking, greatest));
  CHECK(cudaStreamCreateWithPriority(&second, cudaStreamNonBlocking, least));
#else
  CHECK(cudaStreamCreate(&first));
#endif
  set<<<1, kCount, 0, first>>>(data);
#ifdef DESTROY
  CHECK(cudaStreamDestroy(first));
#endif
  add<<<1, kCount, 0, second>>>(data);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(out, data, sizeof(out), cudaMemcpyDeviceToHost));
#if !defined(PER_THREAD) && !defined(DESTROY)
  CHECK(cudaStreamDestroy(first));
#endif
  if (second)
    CHECK(cudaStreamDestroy(second));
  CHECK(cudaFree(data));
  bool right = true;
  for (int value : out)
    right = right && value == 2;
  return verdict(right);
}
