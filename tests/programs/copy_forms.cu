// scopesan-test: every form of copy and fill is an access in stream order
//
// variant fixed
//   why the kernel waits for the stream of the copy
//   verdict clean
//   proof O7 S14
// variant rows -DRACY=1
//   verdict findings
//   label full
//   require D1 api:cudaMemcpy2DAsync add(load)
//   allow D1 api:cudaMemcpy2DAsync add(store)
//   proof O7 S14 D1
// variant planes -DRACY=2
//   verdict findings
//   label full
//   require D1 api:cudaMemcpy3DAsync add(load)
//   allow D1 api:cudaMemcpy3DAsync add(store)
//   proof O7 S14 D1
// variant symbol -DRACY=3
//   verdict findings
//   require D1 api:cudaMemcpyToSymbolAsync add_symbol memory=table
//   proof O7 S14 D1
// variant fill_rows -DRACY=4
//   verdict findings
//   label full
//   require D1 api:cudaMemset2DAsync add(load)
//   allow D1 api:cudaMemset2DAsync add(store)
//   proof O7 S14 D1
// variant batch -DRACY=5
//   verdict findings
//   require D1 api:cudaMemcpyBatchAsync add(load)
//   allow D1 api:cudaMemcpyBatchAsync add(store)
//   proof O7 S14 D1
// variant within_a_batch -DRACY=6
//   why the copies of a batch are in no order among themselves
//   verdict findings
//   require D1 api:cudaMemcpyBatchAsync api:cudaMemcpyBatchAsync
//   proof O7 S14 D1
#include "check.h"

#ifdef RACY
constexpr int kCase = RACY;
#else
constexpr int kCase = 0;
#endif
constexpr int kWidth = 16, kRows = 8, kCount = kWidth * kRows;
constexpr size_t kBytes = kCount * sizeof(int), kRow = kWidth * sizeof(int);

__device__ int table[kCount];

__global__ void add(int *data) {
  data[threadIdx.x] += 1; // @add
}
__global__ void addSymbol(int *data) {
  data[threadIdx.x] += table[threadIdx.x]; // @add_symbol
}

static void batch(int *first, int *firstFrom, int *second, int *secondFrom, cudaStream_t stream) {
  void *to[] = {first, second};
  const void *from[] = {firstFrom, secondFrom};
  size_t sizes[] = {kBytes, kBytes}, starts[] = {0};
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  CHECK(cudaMemcpyBatchAsync(to, from, sizes, 2, &attributes, starts, 1, stream));
}

int main() {
  int *data = nullptr, *spare = nullptr, *third = nullptr, *host = nullptr;
  CHECK(cudaMalloc(&data, kBytes));
  CHECK(cudaMalloc(&spare, kBytes));
  CHECK(cudaMalloc(&third, kBytes));
  CHECK(cudaMallocHost(&host, kBytes));
  for (int i = 0; i < kCount; ++i)
    host[i] = i;
  cudaStream_t copies, work;
  cudaEvent_t copied;
  CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));

  if (kCase == 0 || kCase == 1)
    CHECK(cudaMemcpy2DAsync(data, kRow, host, kRow, kRow, kRows, cudaMemcpyHostToDevice, copies));
  if (kCase == 0 || kCase == 2) {
    cudaMemcpy3DParms planes = {};
    planes.srcPtr = make_cudaPitchedPtr(host, kRow, kRow, 2);
    planes.dstPtr = make_cudaPitchedPtr(data, kRow, kRow, 2);
    planes.extent = make_cudaExtent(kRow, 2, kRows / 2);
    planes.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3DAsync(&planes, copies));
  }
  if (kCase == 0 || kCase == 3)
    CHECK(cudaMemcpyToSymbolAsync(table, host, kBytes, 0, cudaMemcpyHostToDevice, copies));
  if (kCase == 0 || kCase == 4)
    CHECK(cudaMemset2DAsync(data, kRow, 0, kRow, kRows, copies));
  if (kCase == 0 || kCase == 5)
    batch(data, host, spare, host, copies);
  if (kCase == 6)
    batch(data, host, spare, data, copies); // the second copy reads what the first one writes
  CHECK(cudaEventRecord(copied, copies));
  if (kCase == 0 || kCase == 6)
    CHECK(cudaStreamWaitEvent(work, copied, 0));
  add<<<1, kCount, 0, work>>>(data);
  addSymbol<<<1, kCount, 0, work>>>(third);
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(copies));
  CHECK(cudaStreamSynchronize(work));
  int out[kCount];
  CHECK(cudaMemcpy(out, data, kBytes, cudaMemcpyDeviceToHost));

  bool right = true;
  for (int i = 0; i < kCount; ++i)
    right = right && out[i] == i + 1;
  CHECK(cudaEventDestroy(copied));
  CHECK(cudaStreamDestroy(copies));
  CHECK(cudaStreamDestroy(work));
  CHECK(cudaFreeHost(host));
  CHECK(cudaFree(data));
  CHECK(cudaFree(spare));
  CHECK(cudaFree(third));
  return verdict(right);
}
