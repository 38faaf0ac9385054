// scopesan-test: a kernel reads an epoch from device memory and leaves the next one for the next launch
//
// variant fixed
//   why all blocks have read the epoch before the grid barrier, the new one is stored after it
//   verdict clean
//   may-advise unordered-strong
//   proof S7 S11
// variant last_block -DTICKETS
//   why the block that takes the last ticket stores it, after all others have read
//   verdict clean
//   may-advise unordered-strong
//   proof S1 S2 S3
// variant early_bump -DRACY
//   why block 0 stores the new epoch while blocks that have not started yet still need the old one
//   verdict findings
//   require D1 read_epoch(load,weak) bump(store,weak)
//   proof D1
#include "check.h"

#include <cooperative_groups.h>

constexpr int kBlocks = 6, kThreads = 32, kLaunches = 2;

__global__ void step(int *epoch, unsigned *tickets, int *out) {
  const int now = *epoch; // @read_epoch
  out[blockIdx.x * kThreads + threadIdx.x] += now + 1;
  bool stores = blockIdx.x == 0 && threadIdx.x == 0;
#if defined(TICKETS)
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    stores = atomicInc(tickets, kBlocks - 1) == kBlocks - 1;
    __threadfence();
  }
#elif !defined(RACY)
  cooperative_groups::this_grid().sync();
#endif
  if (stores)
    *epoch = now + 1; // @bump
}

int main() {
  int host[kBlocks * kThreads], *epoch = nullptr, *out = nullptr;
  unsigned *tickets = nullptr;
  CHECK(cudaMalloc(&epoch, sizeof(int)));
  CHECK(cudaMalloc(&tickets, sizeof(unsigned)));
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMemset(epoch, 0, sizeof(int)));
  CHECK(cudaMemset(tickets, 0, sizeof(unsigned)));
  CHECK(cudaMemset(out, 0, sizeof(host)));
  void *args[] = {&epoch, &tickets, &out};
  for (int launch = 0; launch < kLaunches; ++launch)
    CHECK(cudaLaunchCooperativeKernel((void *)step, dim3(kBlocks), dim3(kThreads), args));
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  for (void *p : {(void *)epoch, (void *)tickets, (void *)out})
    CHECK(cudaFree(p));
  bool right = true;
  for (int value : host)
    right = right && value == kLaunches * (kLaunches + 1) / 2;
  return verdict(right);
}
