// scopesan-test: a block must not end before its copies have read its shared memory
//
// variant fixed
//   why .read is enough: the kernel's end completes what the copy writes
//   verdict clean
//   proof S12 D8
// variant no_wait -DRACY=1
//   why nobody waits for the copy, so another block may get the memory that it reads
//   verdict findings
//   require D8 nobody drain(load,weak) memory=tile
//   proof S12 D8
// variant not_committed -DRACY=2
//   why a copy in no group is not waited for
//   verdict findings
//   require D8 nobody drain(load,weak) memory=tile
//   proof S12 D8
// variant wrong_thread -DRACY=3
//   why only the thread that issued the copy can wait for it
//   verdict findings
//   require D8 nobody drain(load,weak) memory=tile
//   proof S12 D8
#include "check.h"
#include "hopper.h"

#ifndef RACY
#define RACY 0
#endif
constexpr int kWords = 256, kBlocks = 8;

__global__ void store(int *out) {
  __shared__ alignas(16) int tile[kWords];
  for (int i = int(threadIdx.x); i < kWords; i += int(blockDim.x))
    tile[i] = int(blockIdx.x) + i;
  fenceProxyAsync();
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile( // @drain
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
            out + kWords * int(blockIdx.x)),
        "r"(address(tile)), "r"(unsigned(sizeof(tile)))
        : "memory");
    if (RACY != 2)
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    if (RACY == 0 || RACY == 2)
      bulkWaitRead();
  }
  if (RACY == 3 && threadIdx.x == 1)
    bulkWaitRead();
}

int main() {
  int *out = nullptr, *host = new int[kWords * kBlocks];
  CHECK(cudaMalloc(&out, sizeof(int) * kWords * kBlocks));
  store<<<kBlocks, 64>>>(out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, out, sizeof(int) * kWords * kBlocks, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(out));
  bool right = true;
  for (int i = 0; i < kWords * kBlocks; ++i)
    right &= host[i] == i / kWords + i % kWords;
  return verdict(right);
}
