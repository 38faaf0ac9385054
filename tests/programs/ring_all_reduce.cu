// scopesan-test: all-reduce of two devices in a ring: each adds what the neighbour sent
//
// Each rank puts its part into the neighbour's inbox and says so by a flag there.
//
// variant fixed
//   options --devices=2
//   verdict clean
//   may-advise progress-not-promised
//   backends cpu
//   proof P4 S3
// variant missing_wait -DRACY=1
//   options --devices=2
//   why the inbox is read before the flag says that it is filled
//   verdict findings
//   require D1 send take distance=between-kernels
//   allow D1 send api:cudaMemcpy
//   allow D1 publish api:cudaMemcpy
//   backends cpu
//   proof S3 D1
// variant two_rounds -DROUNDS=2
//   options --devices=2
//   why each round has an inbox of its own
//   verdict clean
//   may-advise progress-not-promised
//   may-advise unordered-strong
//   backends cpu
//   proof P4 S3
#include "check.h"

#include <cuda/atomic>

#ifdef RACY
constexpr int kCase = RACY;
#else
constexpr int kCase = 0;
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
constexpr int kCount = 32;

struct Rank {
  int value[kCount], inbox[ROUNDS][kCount];
  int flag;
};

__global__ void reduce(Rank *mine, Rank *neighbour) {
  const int i = int(threadIdx.x);
  for (int round = 0; round < ROUNDS; ++round) {
    neighbour->inbox[round][i] = mine->value[i]; // @send
    __syncthreads();
    if (i == 0) {
      cuda::atomic_ref<int, cuda::thread_scope_system> theirs(neighbour->flag), own(mine->flag);
      theirs.fetch_add(1, cuda::memory_order_release); // @publish
      if (kCase != 1)
        while (own.load(cuda::memory_order_acquire) <= round)
          ;
    }
    __syncthreads();
    mine->value[i] += mine->inbox[round][i]; // @take
  }
}

int main() {
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  if (devices < 2) {
    printf("two devices are needed\n");
    return 2;
  }
  Rank *ranks[2], host = {};
  for (int &value : host.value)
    value = 1;
  cudaStream_t streams[2];
  for (int d = 0; d < 2; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaDeviceEnablePeerAccess(1 - d, 0));
    CHECK(cudaMalloc(&ranks[d], sizeof(Rank)));
    CHECK(cudaMemcpy(ranks[d], &host, sizeof(Rank), cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamCreateWithFlags(&streams[d], cudaStreamNonBlocking));
  }
  for (int d = 0; d < 2; ++d) {
    CHECK(cudaSetDevice(d));
    reduce<<<1, kCount, 0, streams[d]>>>(ranks[d], ranks[1 - d]);
    CHECK(cudaGetLastError());
  }
  bool right = true;
  for (int d = 0; d < 2; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaStreamSynchronize(streams[d]));
    CHECK(cudaMemcpy(&host, ranks[d], sizeof(Rank), cudaMemcpyDeviceToHost));
    for (int value : host.value)
      right = right && value == (ROUNDS == 1 ? 2 : 4);
    CHECK(cudaStreamDestroy(streams[d]));
  }
  for (Rank *rank : ranks)
    CHECK(cudaFree(rank));
  return verdict(right);
}
