// scopesan-test: a cluster leader refills a stage in both blocks by multicast copies, round after round
//
// variant fixed
//   why the consumers of both blocks tell the leader that they have read the stage
//   verdict clean
//   proof S9 S10 S12
// variant own_consumers_only -DRACY
//   why the leader hears of its own block alone; the copy overwrites what the peer still reads
//   verdict findings
//   require D10 send use(load,weak) memory=stage distance=same-cluster
//   allow   D10 send send memory=stage
//   exit any
//   proof S10 S12 D10
#include "check.h"
#include "hopper.h"

constexpr int kThreads = 32, kBlocks = 2, kRounds = 3;
#ifdef RACY
constexpr int kReaders = 1;
#else
constexpr int kReaders = kBlocks;
#endif

__global__ void broadcast(const int *in, int *out) {
  __shared__ alignas(128) int stage[kThreads];
  __shared__ uint64_t full[kRounds], empty;
  const int t = int(threadIdx.x);
  const unsigned rank = clusterRank();
  if (t == 0) {
    for (int round = 0; round < kRounds; ++round) {
      mbarrierInit(&full[round], 1);
    }
    mbarrierInit(&empty, kReaders);
    shareMbarriers();
    for (int round = 0; round < kRounds; ++round)
      mbarrierArriveExpect(&full[round], sizeof(stage));
  }
  clusterSync();
  int sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    if (rank == 0 && t == 0) {
      if (round > 0)
        asm volatile("{\n\t.reg .pred p;\n\tAGAIN:\n\t"
                     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n\t"
                     "@!p bra AGAIN;\n\t}" ::"r"(address(&empty)),
                     "r"(unsigned(round - 1) & 1)
                     : "memory");
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes" // @send
                   ".multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(address(stage)),
                   "l"(in + round * kThreads), "r"(unsigned(sizeof(stage))),
                   "r"(address(&full[round])), "h"(uint16_t(3))
                   : "memory");
    }
    mbarrierWait(&full[round], 0);
    sum += stage[t]; // @use
    __syncwarp();
    if (t == 0 && (rank == 0 || kReaders > 1))
      asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
                       peerAddress(&empty, 0))
                   : "memory");
  }
  out[blockIdx.x * kThreads + t] = sum;
  clusterSync();
}

int main() {
  int host[kRounds * kThreads], result[kBlocks * kThreads], *in = nullptr, *out = nullptr;
  for (int i = 0; i < kRounds * kThreads; ++i)
    host[i] = i;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(result)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  cudaLaunchAttribute shape[1];
  shape[0].id = cudaLaunchAttributeClusterDimension;
  shape[0].val.clusterDim = {kBlocks, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = kBlocks;
  config.blockDim = kThreads;
  config.attrs = shape;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, broadcast, (const int *)in, out));
  CHECK(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  bool right = true;
  for (int i = 0; i < kBlocks * kThreads; ++i)
    right = right && result[i] == 3 * (i % kThreads) + 3 * kThreads;
  return verdict(right);
}
