// scopesan-test: two warps hand a value back and forth through two mbarriers
//
// variant fixed
//   why arrivals release, waits acquire, phase by phase
//   verdict clean
//   proof S10
// variant relaxed_arrival -DRACY=1
//   why a relaxed arrival publishes nothing without a fence
//   verdict findings
//   require D1 produce(store,weak) consume(load,weak) memory=value distance=same-block
//   allow   D1 produce(store,weak) produce(store,weak)
//   proof S10 D1
// variant late_wait -DRACY=2
//   why the consumer waits for the producer's arrival after it read
//   verdict findings
//   require D1 produce(store,weak) consume(load,weak) memory=value distance=same-block
//   proof S10 D1
// variant fenced_relaxed -DFENCED
//   why a relaxed arrival after a release fence publishes what precedes the fence
//   verdict clean
//   proof S1 S10
#include "check.h"

constexpr int kWarp = 32, kRounds = 3;

__device__ unsigned address(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }

__device__ void arrive(unsigned long long *b) {
#if RACY == 1
  asm volatile("mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%0];" ::"r"(address(b)) : "memory");
#elif defined(FENCED)
  asm volatile("fence.acq_rel.cta;" ::: "memory");
  asm volatile("mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%0];" ::"r"(address(b)) : "memory");
#else
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(b)) : "memory");
#endif
}

__device__ void wait(unsigned long long *b, unsigned parity) {
  unsigned done = 0;
  while (!done)
    asm volatile("{\n\t.reg .pred p;\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                 "selp.u32 %0, 1, 0, p;\n\t}"
                 : "=r"(done)
                 : "r"(address(b)), "r"(parity)
                 : "memory");
}

__global__ void handover(int *out) {
  __shared__ unsigned long long full, empty;
  __shared__ int value[kWarp];
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(&full)), "r"(kWarp));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(&empty)), "r"(kWarp));
  }
  __syncthreads();
  const int lane = int(threadIdx.x) % kWarp;
  for (int round = 0; round < kRounds; ++round) {
    if (threadIdx.x < kWarp) {
      if (round)
        wait(&empty, (round - 1) & 1);
      value[lane] = 10 * round + lane; // @produce
      arrive(&full);
    } else {
#if RACY != 2
      wait(&full, round & 1);
#endif
      const int got = value[kWarp - 1 - lane]; // @consume
#if RACY == 2
      wait(&full, round & 1);
#endif
      out[round * kWarp + lane] = got;
      arrive(&empty);
    }
  }
}

int main() {
  int host[kRounds * kWarp], *out = nullptr;
  CHECK(cudaMalloc(&out, sizeof(host)));
  handover<<<1, 2 * kWarp>>>(out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(out));
  bool right = true;
  for (int i = 0; i < kRounds * kWarp; ++i)
    right = right && host[i] == 10 * (i / kWarp) + kWarp - 1 - i % kWarp;
  return verdict(right);
}
