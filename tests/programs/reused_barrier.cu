// scopesan-test: a counter barrier that is used again before all blocks have left it
//
// variant fixed
//   why a generation number of its own: the next phase does not change what the last one waits for
//   verdict clean
//   may-advise unordered-strong
//   proof S11 D12
// variant modulo -DRACY
//   why a fast block counts itself into the next phase, and a slow one never sees a full count
//   verdict findings
//   require D12 await await
//   may-be-incomplete a kernel ended with an error
//   may-advise progress-not-promised
//   exit any
//   backends cpu
//   proof D12
#include "check.h"

constexpr unsigned kBlocks = 4, kThreads = 1,
                   kPhases = 40; // enough for any schedule to fall into it

struct Barrier {
  unsigned count, generation;
};

/// Of the leaders of all blocks.
__device__ void sync(Barrier *barrier) {
  __threadfence();
#ifdef RACY
  atomicAdd(&barrier->count, 1u);
  while (atomicAdd(&barrier->count, 0u) % kBlocks != 0) // @await
    ;
#else
  const unsigned generation = atomicAdd(&barrier->generation, 0u);
  if (atomicAdd(&barrier->count, 1u) == kBlocks - 1) {
    atomicExch(&barrier->count, 0u);
    __threadfence();
    atomicAdd(&barrier->generation, 1u);
  } else {
    while (atomicAdd(&barrier->generation, 0u) == generation)
      ;
  }
#endif
  __threadfence();
}

__global__ void phases(int *data, Barrier *barrier) {
  static_assert(kPhases % kBlocks == 0, "each value has come home");
  int *from = data, *to = data + kBlocks;
  for (unsigned phase = 0; phase < kPhases; ++phase) {
    to[blockIdx.x] = from[(blockIdx.x + 1) % kBlocks] + 1;
    sync(barrier);
    int *swap = from;
    from = to;
    to = swap;
  }
}

int main() {
  int host[2 * kBlocks] = {}, *data = nullptr;
  Barrier *barrier = nullptr;
  for (int b = 0; b < int(kBlocks); ++b)
    host[b] = 10 * b;
  CHECK(cudaMalloc(&data, sizeof(host)));
  CHECK(cudaMalloc(&barrier, sizeof(Barrier)));
  CHECK(cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(barrier, 0, sizeof(Barrier)));
  void *args[] = {&data, &barrier};
  CHECK(cudaLaunchCooperativeKernel((void *)phases, dim3(kBlocks), dim3(kThreads), args));
  CHECK(cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(data));
  CHECK(cudaFree(barrier));
  bool right = true;
  for (int b = 0; b < int(kBlocks); ++b)
    right = right && host[b] == 10 * b + int(kPhases);
  return verdict(right);
}
