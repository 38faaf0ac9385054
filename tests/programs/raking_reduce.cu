// scopesan-test: raking lanes sum a block's values, then a warp reduction reuses the same storage
//
// variant fixed
//   why the lanes meet between the last raking read and the first store of the warp's part
//   verdict clean
//   proof S8
// variant no_syncwarp -DRACY
//   why both parts of the union are the same bytes, and other lanes may still read theirs
//   verdict findings
//   require D1 rake(load,weak) exchange(store,weak) memory=storage distance=same-warp
//   proof P1 S8 D1
#include "check.h"

constexpr unsigned kThreads = 128, kLanes = 32, kPerLane = kThreads / kLanes;

union Storage {
  int items[kThreads];
  int warp[kLanes];
};

__global__ void sum(const int *in, int *out) {
  __shared__ Storage storage;
  storage.items[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x >= kLanes)
    return;
  const unsigned lane = threadIdx.x;
  int partial = 0;
  for (unsigned i = 0; i < kPerLane; ++i)
    partial += storage.items[lane * kPerLane + i]; // @rake
  for (unsigned offset = kLanes / 2; offset > 0; offset /= 2) {
#ifndef RACY
    __syncwarp();
#endif
    storage.warp[lane] = partial; // @exchange
    __syncwarp();
    partial += storage.warp[lane ^ offset];
    __syncwarp();
  }
  if (lane == 0)
    *out = partial;
}

int main() {
  int host[kThreads], expected = 0, result = 0, *in = nullptr, *out = nullptr;
  for (int i = 0; i < int(kThreads); ++i)
    expected += host[i] = i * i % 11;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(int)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  sum<<<1, kThreads>>>(in, out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  return verdict(result == expected);
}
