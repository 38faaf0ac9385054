// scopesan-test: what the completion of bulk copies tells, and to whom (rows of the litmus table)
//
// variant fixed
//   why an arrival that expects the bytes releases its thread's past
//   verdict clean
//   proof S10 S12
//   litmus SPEC2/bulk-arrive-expecttx-transitive
// variant no_wait -DRACY=1
//   why a copy is not part of program order
//   verdict findings
//   require D10 load take(load,weak) memory=tile
//   proof S12 D10
//   litmus SPEC2/bulk-g2s-nowait
// variant relaxed_wait -DRACY=2
//   why a relaxed wait acquires nothing
//   verdict findings
//   label full
//   require D10 load take(load,weak) memory=tile
//   allow   D1 note read_note
//   proof S10 S12 D10
//   litmus SPEC2/bulk-g2s-relaxedwait
// variant wrong_mbarrier -DRACY=3
//   why a completion tells of its own copy only
//   verdict findings
//   label full
//   require D10 other take_other(load,weak) memory=second
//   proof S12 D10
//   litmus SPEC2/bulk-g2s-wrong-mbar
// variant not_transitive -DRACY=4
//   why a completion does not carry what the issuer wrote before
//   verdict findings
//   require D1 note(store,weak) read_note(load,weak)
//   proof S12 D1
//   litmus SPEC2/bulk-not-transitive
// variant store_no_fence -DRACY=5
//   why what was written generically needs a proxy fence before the copy
//   verdict findings
//   require D9 change(store,weak) store memory=tile
//   proof S13 D9
//   litmus SPEC2/bulk-s2g-noproxyfence
// variant store_fence -DCLEAN=1
//   why the fence lies between write and copy
//   why .read waits until the source is free
//   why the kernel's end completes what it stored
//   verdict clean
//   label full
//   proof S12 S13
//   litmus SPEC2/bulk-s2g-proxyfence SPEC2/bulk-s2g-src-reuse-waitread SPEC2/bulk-s2g-kernel-end
// variant fence_after_barrier -DCLEAN=2
//   why the fence may be the issuer's
//   verdict clean
//   proof S7 S13
//   litmus SPEC2/bulk-s2g-bar-then-fence
// variant early_reuse -DRACY=6
//   why the source is written while the copy may read it
//   verdict findings
//   require D10 store reuse(store,weak) memory=tile
//   proof S12 D10
//   litmus SPEC2/bulk-s2g-src-reuse-nowait
// variant read_then_load -DCLEAN=3
//   why a load after generic reads needs no proxy fence
//   verdict clean
//   label full
//   proof S12
//   litmus SPEC2/bulk-war-generic-read-then-tma
#include "check.h"
#include "hopper.h"

#ifndef RACY
#define RACY 0
#endif
#ifndef CLEAN
#define CLEAN 0
#endif
constexpr bool kStores = RACY == 5 || RACY == 6 || CLEAN == 1 || CLEAN == 2;

__global__ void rules(int *out, const int *in, int *message) {
  __shared__ alignas(16) int tile[4];
  __shared__ alignas(16) int second[4];
  __shared__ uint64_t full[2];
  const bool issuer = threadIdx.x == 0, consumer = threadIdx.x == 32;
  if (issuer) {
    mbarrierInit(&full[0], 1);
    mbarrierInit(&full[1], 1);
    shareMbarriers();
  }
  __syncthreads();
  if (issuer && RACY == 4)
    mbarrierArriveExpect(&full[0], sizeof(tile)); // before what it does not release
  if (issuer && !kStores) {
    *message = 1; // @note
    if (RACY != 4)
      mbarrierArriveExpect(&full[0], sizeof(tile));
    mbarrierArriveExpect(&full[1], sizeof(second));
    bulkLoad(tile, in, sizeof(tile), &full[0]);         // @load
    bulkLoad(second, in + 4, sizeof(second), &full[1]); // @other
  }
  if (consumer && !kStores) {
    if (RACY == 2)
      mbarrierWaitRelaxed(&full[0], 0);
    else if (RACY != 1)
      mbarrierWait(&full[0], 0);
    if (RACY == 0 && CLEAN != 3)
      mbarrierWait(&full[1], 0);
    int sum = tile[0]; // @take
    if (RACY == 3)
      sum += second[0]; // @take_other
    if (RACY == 0 || RACY == 4)
      sum += *message; // @read_note
    *out = sum;
  }
  if (CLEAN == 3) {
    __syncthreads();
    if (issuer) {
      mbarrierArriveExpect(&full[0], sizeof(tile));
      bulkLoad(tile, in + 4, sizeof(tile), &full[0]);
    }
    mbarrierWait(&full[0], 1);
  }
  if (kStores && issuer) {
    tile[0] = 40; // @change
    if (RACY != 5 && CLEAN != 2)
      fenceProxyAsync();
  }
  if (kStores) {
    __syncthreads();
    if (issuer) {
      if (CLEAN == 2)
        fenceProxyAsync();
      bulkStore(out, tile, sizeof(tile)); // @store
      if (RACY != 6)
        bulkWaitRead();
      tile[0] = 0; // @reuse
      if (RACY == 6)
        bulkWaitRead();
    }
  }
  __syncthreads();
}

int main() {
  int *memory = nullptr, result = 0, values[16] = {0, 0, 0, 0, 39, 0, 0, 0, 2, 0, 0, 0, 0};
  CHECK(cudaMalloc(&memory, sizeof(values)));
  CHECK(cudaMemcpy(memory, values, sizeof(values), cudaMemcpyHostToDevice));
  rules<<<1, 64>>>(memory, memory + 4, memory + 12);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&result, memory, sizeof(result), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(memory));
  return verdict(result == 40);
}
