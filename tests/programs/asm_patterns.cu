// scopesan-test: a pipeline written as libraries write it: waits that loop, predicates, branches and
// several operations inside one asm statement
//
// variant fixed
//   why the producer waits for the consumer's release of a stage, the consumer for its copy
//   verdict clean
//   proof S10 S12 S13
// variant early_release -DRACY=1
//   why the consumer releases the stage before it reads it
//   verdict findings
//   require D10 load take(load,weak) memory=stages
//   proof S10 S12 D10
// variant late_wait -DRACY=2
//   why the consumer reads the stage before it waits for the copy
//   verdict findings
//   require D10 load take(load,weak) memory=stages
//   proof S12 D10
#include "check.h"
#include "hopper.h"

#ifndef RACY
#define RACY 0
#endif
constexpr int kStages = 2, kWords = 64, kTiles = 8;

/// One lane of the warp.
__device__ bool elected() {
  unsigned is = 0;
  asm volatile("{\n\t.reg .b32 %%rx;\n\t.reg .pred %%px;\n\telect.sync %%rx|%%px, %1;\n\t"
               "@%%px mov.s32 %0, 1;\n\t}"
               : "+r"(is)
               : "r"(0xffffffffu));
  return is;
}
/// Waits if `wait`; a branch leads past it otherwise.
#define waitIf(wait, m, parity)                                                                    \
  do {                                                                                             \
    unsigned done = !(wait);                                                                       \
    while (!done)                                                                                  \
      asm volatile("{\n\t.reg .pred p, q;\n\tsetp.eq.u32 q, %3, 0;\n\t@q bra.uni PAST;\n\t"        \
                   "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"                     \
                   "PAST:\n\tselp.u32 %0, 1, 0, p;\n\t}"                                           \
                   : "=r"(done)                                                                    \
                   : "r"(address(m)), "r"(unsigned(parity)), "r"(1u)                               \
                   : "memory");                                                                    \
  } while (0)

/// One lane arrives for its warp.
#define release(m)                                                                                 \
  do {                                                                                             \
    asm volatile("{\n\t.reg .pred p;\n\tsetp.eq.u32 p, %1, 0;\n\t"                                 \
                 "@p mbarrier.arrive.shared::cta.b64 _, [%0];\n\t}" ::"r"(address(m)),             \
                 "r"(threadIdx.x % 32)                                                             \
                 : "memory");                                                                      \
  } while (0)

__global__ void pipeline(const int *in, int *out) {
  __shared__ alignas(16) int stages[kStages][kWords];
  __shared__ uint64_t full[kStages], empty[kStages];
  if (threadIdx.x == 0)
    for (int s = 0; s < kStages; ++s) {
      mbarrierInit(&full[s], 1);
      mbarrierInit(&empty[s], 2);
    }
  if (threadIdx.x == 0)
    shareMbarriers();
  __syncthreads();
  if (threadIdx.x < 32) { // producer
    const bool leads = elected();
    for (int tile = 0; leads && tile < kTiles; ++tile) {
      const int s = tile % kStages, round = tile / kStages;
      waitIf(true, &empty[s], round % 2 ^ 1);
      asm volatile( // @load
          "{\n\t.reg .pred skip;\n\tsetp.ne.u32 skip, %4, 1;\n\t@skip bra NOTHING;\n\t"
          "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%3], 256;\n\t"
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
          "[%0], [%2], 128, [%3];\n\t"
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
          "[%1], [%2+128], 128, [%3];\n\tNOTHING:\n\t}" ::"r"(address(stages[s])),
          "r"(address(stages[s] + 32)), "l"(in + tile * kWords), "r"(address(&full[s])), "r"(1u)
          : "memory");
    }
  } else { // consumers
    int sum = 0;
    for (int tile = 0; tile < kTiles; ++tile) {
      const int s = tile % kStages, round = tile / kStages;
      waitIf(RACY != 2, &full[s], round % 2);
      if (RACY == 1)
        release(&empty[s]);
      sum += stages[s][threadIdx.x - 32]; // @take
      waitIf(RACY == 2, &full[s], round % 2);
      __syncwarp();
      if (RACY != 1)
        release(&empty[s]);
    }
    out[threadIdx.x - 32] = sum;
  }
}

int main() {
  int host[kWords * kTiles], result[kWords], *in = nullptr, *out = nullptr;
  for (int i = 0; i < kWords * kTiles; ++i)
    host[i] = i;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(result)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  pipeline<<<1, 96>>>(in, out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  bool right = true;
  for (int i = 0; i < kWords; ++i)
    right &= result[i] == kTiles * i + kWords * kTiles * (kTiles - 1) / 2;
  return verdict(right);
}
