// scopesan-test: two blocks add their tiles to one array by reducing bulk copies
//
// variant fixed
//   why each element is a relaxed operation at device scope
//   verdict clean
//   proof O1 S12
//   litmus SPEC2/bulkreduce-bulkreduce
// variant plain_store -DRACY=1
//   why one block's copy does not reduce
//   verdict findings
//   require D10 store add
//   proof S12 D10
// variant read_early -DRACY=2
//   why an element is read while additions may be under way
//   verdict findings
//   require D10 add peek(load,weak)
//   proof S12 D10
// variant two_devices -DRACY=3
//   options --devices=2
//   why an element is added to at device scope, by two devices
//   verdict findings
//   require D2 add add blame=add:system distance=between-kernels
//   backends cpu
//   proof O1 P4 D2
//   litmus SPEC2/bulkreduce-diffgpu
#include "check.h"
#include "hopper.h"

#ifndef RACY
#define RACY 0
#endif
constexpr int kWords = 32;

__global__ void addAll(int *sum, int *out) {
  __shared__ alignas(16) int tile[kWords];
  const int i = int(threadIdx.x);
  tile[i] = i + int(blockIdx.x);
  fenceProxyAsync();
  __syncthreads();
  if (i == 0) {
    if (RACY == 1 && blockIdx.x == 1)
      bulkStore(sum, tile, sizeof(tile)); // @store
    else
      asm volatile( // @add
          "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;" ::"l"(sum),
          "r"(address(tile)), "r"(unsigned(sizeof(tile)))
          : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    if (RACY == 2 && blockIdx.x == 0)
      *out = sum[0]; // @peek
    bulkWait();
  }
}

int main() {
  int *memory = nullptr, result[kWords];
  CHECK(cudaMalloc(&memory, 2 * sizeof(result)));
  CHECK(cudaMemset(memory, 0, 2 * sizeof(result)));
  CHECK(cudaDeviceSynchronize());
  addAll<<<RACY == 3 ? 1 : 2, kWords>>>(memory, memory + kWords);
  CHECK(cudaGetLastError());
  if (RACY == 3) {
    CHECK(cudaSetDevice(1));
    CHECK(cudaDeviceEnablePeerAccess(0, 0));
    addAll<<<1, kWords>>>(memory, memory + kWords);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaSetDevice(0));
  }
  CHECK(cudaMemcpy(result, memory, sizeof(result), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(memory));
  bool right = true;
  for (int i = 0; i < kWords; ++i)
    right = right && result[i] == 2 * i + 1;
  return verdict(right);
}
