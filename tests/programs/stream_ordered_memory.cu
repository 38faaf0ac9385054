// scopesan-test: stream-ordered allocation: memory is alive from its allocation to its free in
// stream order, for everybody who is ordered after the one and before the other
//
// variant fixed
//   why the second stream waits for the allocation, the free for the second stream's kernel
//   verdict clean
//   proof S14 D8
// variant used_before_allocation -DRACY=1
//   why the second stream does not wait for the allocation
//   verdict findings
//   require D8 api:cudaMallocAsync fill
//   allow D8 api:cudaMallocAsync api:cudaMemcpyAsync
//   proof S14 D8
// variant freed_too_early -DRACY=2
//   why the free follows the first stream only
//   verdict findings
//   require D8 fill api:cudaFreeAsync
//   allow D8 api:cudaMemcpyAsync api:cudaFreeAsync
//   proof S14 D8
// variant used_after_free -DRACY=3
//   why a kernel after the free still uses the pointer
//   verdict findings
//   require D8 api:cudaFreeAsync fill
//   proof S14 D8
// variant host_free -DRACY=4
//   why cudaFree does not wait where the memory is stream-ordered
//   verdict findings
//   require D8 fill api:cudaFree
//   allow D8 api:cudaMallocAsync api:cudaFree
//   allow D8 api:cudaMemcpyAsync api:cudaFree
//   proof S14 D8
// variant copy_after_free -DRACY=5
//   why the copy on the other stream is not ordered before the free
//   verdict findings
//   require D8 api:cudaMemcpyAsync api:cudaFreeAsync
//   proof S14 O7 D8
#include "check.h"

constexpr int kCount = 64;

__global__ void fill(int *data, int value) {
  data[threadIdx.x] = value; // @fill
}

int main() {
  int *data = nullptr, *out = nullptr;
  const size_t bytes = kCount * sizeof(int);
  CHECK(cudaMallocHost(&out, bytes));
  cudaStream_t first, second;
  cudaEvent_t allocated, used;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&allocated, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&used, cudaEventDisableTiming));

  CHECK(cudaMallocAsync(&data, bytes, first));
#if RACY != 1
  CHECK(cudaEventRecord(allocated, first));
  CHECK(cudaStreamWaitEvent(second, allocated, 0));
#endif
  fill<<<1, kCount, 0, second>>>(data, 7);
  CHECK(cudaGetLastError());
#if RACY == 5
  CHECK(cudaEventRecord(used, second));
#endif
  CHECK(cudaMemcpyAsync(out, data, bytes, cudaMemcpyDeviceToHost, second));
#if RACY != 5
  CHECK(cudaEventRecord(used, second));
#endif
#if RACY != 2
  CHECK(cudaStreamWaitEvent(first, used, 0));
#endif
#if RACY == 4
  CHECK(cudaFree(data));
#else
  CHECK(cudaFreeAsync(data, first));
#endif
#if RACY == 3
  fill<<<1, kCount, 0, first>>>(data, 8);
#endif
  CHECK(cudaStreamSynchronize(first));
  CHECK(cudaStreamSynchronize(second));

  bool right = true;
  for (int i = 0; i < kCount; ++i)
    right = right && out[i] == 7;
  CHECK(cudaEventDestroy(allocated));
  CHECK(cudaEventDestroy(used));
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
  CHECK(cudaFreeHost(out));
  return verdict(right);
}
