// scopesan-test: two bulk copies complete on one mbarrier; how many bytes does its phase expect?
//
// variant fixed
//   why the phase expects the bytes of both copies
//   verdict clean
//   proof S10 S12
// variant first_copy_only -DRACY
//   why the phase ends when as many bytes as one copy has have come
//   verdict findings
//   require D10 load take(load,weak) memory=tiles
//   may-be-incomplete a kernel ended with an error
//   exit any
//   proof S12 D10
#include "check.h"
#include "hopper.h"

constexpr int kWords = 64;

__global__ void add(const int *a, const int *b, int *out) {
  __shared__ alignas(128) int tiles[2][kWords];
  __shared__ uint64_t full;
  if (threadIdx.x == 0) {
    mbarrierInit(&full, 1);
    shareMbarriers();
#ifdef RACY
    mbarrierArriveExpect(&full, sizeof(tiles[0]));
#else
    mbarrierArriveExpect(&full, sizeof(tiles));
#endif
    for (int i = 0; i < 2; ++i)
      bulkLoad(tiles[i], i ? b : a, sizeof(tiles[i]), &full); // @load
  }
  __syncthreads();
  mbarrierWait(&full, 0);
  out[threadIdx.x] = tiles[0][threadIdx.x] + tiles[1][threadIdx.x]; // @take
}

int main() {
  int host[2 * kWords], result[kWords], *in = nullptr, *out = nullptr;
  for (int i = 0; i < 2 * kWords; ++i)
    host[i] = i;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(result)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  add<<<1, kWords>>>(in, in + kWords, out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  bool right = true;
  for (int i = 0; i < kWords; ++i)
    right = right && result[i] == 2 * i + kWords;
  return verdict(right);
}
