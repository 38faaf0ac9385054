// scopesan-test: fill, kernel, copy back: the API's fills and copies are accesses in stream order
//
// variant one_stream
//   verdict clean
//   proof O7 S14
// variant legacy_stream -DLEGACY
//   why a blocking stream joins the legacy default stream, which carries the fill and the copy
//   verdict clean
//   proof O7 S14
// variant fill_elsewhere -DRACY=1
//   why the fill is on a stream that the kernel does not wait for
//   verdict findings
//   require D1 api:cudaMemsetAsync double_it
//   allow D1 api:cudaMemsetAsync api:cudaMemcpyAsync
//   proof O7 S14 D1
// variant copy_elsewhere -DRACY=2
//   why the copy reads the buffer while the kernel may still write it
//   verdict findings
//   require D1 double_it(store,weak) api:cudaMemcpyAsync
//   allow D1 api:cudaMemsetAsync api:cudaMemcpyAsync
//   proof O7 S14 D1
#include "check.h"

constexpr int kCount = 512;

__global__ void doubleThem(unsigned *buffer) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  buffer[i] *= 2; // @double_it
}

int main() {
  unsigned *buffer = nullptr, *out = nullptr;
  const size_t bytes = kCount * sizeof(unsigned);
  CHECK(cudaMalloc(&buffer, bytes));
  CHECK(cudaMallocHost(&out, bytes)); // pinned: the copies are truly asynchronous
  cudaStream_t work, other;
#ifdef LEGACY
  CHECK(cudaStreamCreate(&work));
#else
  CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
#endif
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  cudaStream_t fillStream = work, copyStream = work;
#if defined(LEGACY)
  fillStream = copyStream = nullptr;
#elif RACY == 1
  fillStream = other;
#elif RACY == 2
  copyStream = other;
#endif

  CHECK(cudaMemsetAsync(buffer, 1, bytes, fillStream));
  doubleThem<<<kCount / 128, 128, 0, work>>>(buffer);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpyAsync(out, buffer, bytes, cudaMemcpyDeviceToHost, copyStream));
  CHECK(cudaStreamSynchronize(work));
  CHECK(cudaStreamSynchronize(other));
  CHECK(cudaStreamSynchronize(copyStream));

  bool right = true;
  for (int i = 0; i < kCount; ++i)
    right = right && out[i] == 0x02020202u;
  CHECK(cudaStreamDestroy(work));
  CHECK(cudaStreamDestroy(other));
  CHECK(cudaFreeHost(out));
  CHECK(cudaFree(buffer));
  return verdict(right);
}
