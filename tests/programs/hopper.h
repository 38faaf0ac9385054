// Instructions that the asynchronous programs share, each as one device function that is inlined,
// so that findings name the line that calls it.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define INLINE __device__ __forceinline__

INLINE unsigned address(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }

INLINE void mbarrierInit(uint64_t *m, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(m)), "r"(arrivals)
               : "memory");
}
/// What the inits wrote is there for the cluster and for asynchronous copies.
INLINE void shareMbarriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async;" ::: "memory");
}
INLINE void mbarrierArrive(uint64_t *m) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(m)) : "memory");
}
INLINE void mbarrierArriveExpect(uint64_t *m, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(m)),
               "r"(bytes)
               : "memory");
}
INLINE void mbarrierWait(uint64_t *m, unsigned parity) {
  asm volatile("{\n\t.reg .pred P1;\n\tLAB_WAIT:\n\t"
               "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n\t"
               "@P1 bra DONE;\n\tbra LAB_WAIT;\n\tDONE:\n\t}" ::"r"(address(m)),
               "r"(parity)
               : "memory");
}
INLINE void mbarrierWaitRelaxed(uint64_t *m, unsigned parity) {
  asm volatile("{\n\t.reg .pred P1;\n\tLAB_WAIT:\n\t"
               "mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 P1, [%0], %1;\n\t"
               "@P1 bra DONE;\n\tbra LAB_WAIT;\n\tDONE:\n\t}" ::"r"(address(m)),
               "r"(parity)
               : "memory");
}
INLINE void fenceProxyAsync() { asm volatile("fence.proxy.async;" ::: "memory"); }
INLINE void clusterSync() {
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}
INLINE unsigned clusterRank() {
  unsigned r;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return r;
}
INLINE unsigned peerAddress(const void *own, unsigned rank) {
  unsigned a;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a) : "r"(address(own)), "r"(rank));
  return a;
}
INLINE void bulkLoad(void *to, const void *from, unsigned bytes, uint64_t *m) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
               "[%3];" ::"r"(address(to)),
               "l"(from), "r"(bytes), "r"(address(m))
               : "memory");
}
INLINE void bulkStore(void *to, const void *from, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
               "r"(address(from)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
INLINE void bulkWait() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
INLINE void bulkWaitRead() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }

INLINE void tensorLoad2d(void *to, const CUtensorMap *map, int x, int y, uint64_t *m) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
               "[%1, {%2, %3}], [%4];" ::"r"(address(to)),
               "l"(map), "r"(x), "r"(y), "r"(address(m))
               : "memory");
}
INLINE void tensorStore2d(const CUtensorMap *map, int x, int y, const void *from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(
                   map),
               "r"(x), "r"(y), "r"(address(from))
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

INLINE void wgmmaFence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
INLINE void wgmmaCommit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
INLINE void wgmmaWait() { asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); }

/// Descriptor of a K-major matrix in shared memory; byte offsets as in PTX ISA 9.7.16.5.1.
/// `swizzle`: 0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes.
INLINE uint64_t matrixDescriptor(const void *p, unsigned leading, unsigned stride,
                                 unsigned swizzle) {
  return uint64_t((address(p) & 0x3ffff) >> 4) | uint64_t(leading >> 4) << 16 |
         uint64_t(stride >> 4) << 32 | uint64_t(swizzle) << 62;
}
/// D (64 x 8, 4 registers a thread) = A x B + D with 16 steps along K, f16 factors.
INLINE void wgmmaM64N8K16(float (&d)[4], uint64_t a, uint64_t b, int accumulate) {
  asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %6, 0;\n\t"
               "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, "
               "1, 0, 0;\n\t}"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "l"(a), "l"(b), "r"(accumulate)
               : "memory");
}

// ------------------------------------------------------------------ host

/// A tensor map of a matrix of `rows` x `columns` elements of `bytes` (2: f16, 4: s32).
inline bool makeTensorMap(CUtensorMap *map, void *memory, unsigned bytes, uint64_t columns,
                          uint64_t rows, uint32_t boxColumns, uint32_t boxRows,
                          CUtensorMapSwizzle swizzle) {
  void *function = nullptr;
  cudaDriverEntryPointQueryResult found;
  if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                       cudaEnableDefault, &found) != cudaSuccess ||
      !function)
    return false;
  auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
  cuuint64_t sizes[] = {columns, rows}, strides[] = {columns * bytes};
  cuuint32_t box[] = {boxColumns, boxRows}, steps[] = {1, 1};
  return encode(map,
                bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_INT32, 2,
                memory, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                CU_TENSOR_MAP_L2_PROMOTION_NONE,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}
