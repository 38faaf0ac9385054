// scopesan-test: two stages of a tile are filled by cp.async while the other is read
//
// variant fixed
//   why wait_group tells the copying thread, the barrier its peers; a second barrier frees the stage
//   verdict clean
//   proof S12 S7
// variant no_wait -DRACY=1
//   why the newest group may still be in flight when the tile is read
//   verdict findings
//   require D10 copy read memory=tile
//   allow   D10 copy copy memory=tile
//   proof S12 D10
// variant no_barrier -DRACY=2
//   why a thread knows its own copies only
//   verdict findings
//   require D10 copy read memory=tile
//   proof S12 S7 D10
#include "check.h"

constexpr int kThreads = 64, kRounds = 4;

__device__ void copy(int *to, const int *from) {
  unsigned shared = unsigned(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared), "l"(from) : "memory"); // @copy
}

__global__ void stages(int *out, const int *in) {
  __shared__ int tile[2][kThreads];
  const int i = int(threadIdx.x);
  copy(&tile[0][i], &in[i]);
  asm volatile("cp.async.commit_group;" ::: "memory");
  for (int round = 0; round < kRounds; ++round) {
    if (round + 1 < kRounds)
      copy(&tile[(round + 1) % 2][i], &in[(round + 1) * kThreads + i]);
    asm volatile("cp.async.commit_group;" ::: "memory");
#if RACY == 1
    asm volatile("cp.async.wait_group 2;" ::: "memory");
#else
    asm volatile("cp.async.wait_group 1;" ::: "memory");
#endif
#if RACY != 2
    __syncthreads();
#endif
    out[round * kThreads + i] = tile[round % 2][kThreads - 1 - i]; // @read
    __syncthreads();
  }
}

int main() {
  int host[kRounds * kThreads], *in = nullptr, *out = nullptr;
  for (int i = 0; i < kRounds * kThreads; ++i)
    host[i] = 3 * i;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  stages<<<1, kThreads>>>(out, in);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  bool right = true;
  for (int i = 0; i < kRounds * kThreads; ++i)
    right = right && host[i] == 3 * (i / kThreads * kThreads + kThreads - 1 - i % kThreads);
  return verdict(right);
}
