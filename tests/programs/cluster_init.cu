// scopesan-test: what the fence of mbarrier initialisations tells the cluster, and what it does not
//
// variant fixed
//   why init, fence.mbarrier_init, arrive.relaxed and wait order the init before a peer's arrival
//   why the peer's arrival and the owner's wait have cluster scope
//   verdict clean
//   proof S9 S10
// variant no_fence -DRACY=1
//   why arrive.relaxed publishes nothing by itself: neither the init, nor that the block has begun
//   verdict findings
//   require D1 init arrive memory=full
//   allow   D8 nobody arrive
//   allow   D1 init wait memory=full
//   allow   D7 arrive arrive
//   may-be-incomplete a kernel ended with an error
//   exit any
//   proof S9 S10 D1
// variant data -DRACY=2
//   why the fence publishes the thread's initialisations and nothing else it did
//   verdict findings
//   require D1 note(store,weak) read_note(load,weak) memory=notes distance=same-cluster
//   proof S9 D1
// variant data_by_release_fence -DCLEAN
//   why a release fence of cluster scope before arrive.relaxed publishes all that precedes it
//   verdict clean
//   proof S1 S9 S10
// variant default_scope -DRACY=3
//   why an arrival without a scope has block scope, which excludes the peer that owns the mbarrier
//   verdict findings
//   require D2 arrive wait blame=arrive:cluster memory=full
//   allow   D2 arrive arrive memory=full
//   require D3 value(store,weak) take(load,weak) memory=values
//   ... blame=arrive:cluster
//   proof P4 S10 D2 D3
#include "check.h"
#include "hopper.h"

#ifndef RACY
#define RACY 0
#endif
#ifdef CLEAN
#define FENCE "fence.acq_rel.cluster;"
#elif RACY == 1
#define FENCE ""
#else
#define FENCE "fence.mbarrier_init.release.cluster;"
#endif
#if RACY == 3
#define ARRIVE "mbarrier.arrive.shared::cluster.b64 _, [peer];"
#else
#define ARRIVE "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [peer];"
#endif

__device__ int notes[2], values[2];

__global__ void __cluster_dims__(2) meet(int *out) {
  __shared__ uint64_t full;
  const unsigned rank = clusterRank(), other = rank ^ 1;
  if (threadIdx.x == 0) {
#if RACY == 2 || defined(CLEAN)
    notes[rank] = 40; // @note
#endif
    mbarrierInit(&full, 1); // @init
    asm volatile(FENCE ::: "memory");
  }
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  if (threadIdx.x == 0) {
    int sum = 1;
#if RACY == 2 || defined(CLEAN)
    sum = notes[other] - 39; // @read_note
#endif
    values[rank] = 41; // @value
    asm volatile(      // @arrive
        "{\n\t.reg .pred p;\n\t.reg .b32 peer;\n\tsetp.eq.u32 p, %2, 1;\n\t"
        "@p mapa.shared::cluster.u32 peer, %0, %1;\n\t@p " ARRIVE "\n\t}" ::"r"(address(&full)),
        "r"(other), "r"(1u)
        : "memory");
    asm volatile( // @wait
        "{\n\t.reg .pred P1;\n\tLAB_WAIT:\n\t"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 P1, [%0], 0;\n\t"
        "@P1 bra DONE;\n\tbra LAB_WAIT;\n\tDONE:\n\t}" ::"r"(address(&full))
        : "memory");
    out[rank] = sum + values[other]; // @take
  }
  clusterSync();
}

int main() {
  int *out = nullptr, result[2] = {};
  CHECK(cudaMalloc(&out, sizeof(result)));
  meet<<<2, 32>>>(out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(out));
  return verdict(result[0] == 42 && result[1] == 42);
}
