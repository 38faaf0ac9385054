// Instructions that the asynchronous programs share. Macros, not functions: what they expand to
// belongs to the line of the program that uses them.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define INLINE __device__ __forceinline__

INLINE unsigned address(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }

#define mbarrierInit(m, arrivals)                                                                  \
  do {                                                                                             \
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(m)), "r"(arrivals)        \
                 : "memory");                                                                      \
  } while (0)
/// What the inits wrote is there for the cluster and for asynchronous copies.
#define shareMbarriers()                                                                           \
  do {                                                                                             \
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");                             \
    asm volatile("fence.proxy.async;" ::: "memory");                                               \
  } while (0)
#define mbarrierArrive(m)                                                                          \
  do {                                                                                             \
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(m)) : "memory");         \
  } while (0)
#define mbarrierArriveExpect(m, bytes)                                                             \
  do {                                                                                             \
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(m)),       \
                 "r"(unsigned(bytes))                                                              \
                 : "memory");                                                                      \
  } while (0)
#define mbarrierWait(m, parity)                                                                    \
  do {                                                                                             \
    asm volatile("{\n\t.reg .pred P1;\n\tLAB_WAIT:\n\t"                                            \
                 "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n\t"                      \
                 "@P1 bra DONE;\n\tbra LAB_WAIT;\n\tDONE:\n\t}" ::"r"(address(m)),                 \
                 "r"(unsigned(parity))                                                             \
                 : "memory");                                                                      \
  } while (0)
#define mbarrierWaitRelaxed(m, parity)                                                             \
  do {                                                                                             \
    asm volatile("{\n\t.reg .pred P1;\n\tLAB_WAIT:\n\t"                                            \
                 "mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 P1, [%0], %1;\n\t"          \
                 "@P1 bra DONE;\n\tbra LAB_WAIT;\n\tDONE:\n\t}" ::"r"(address(m)),                 \
                 "r"(unsigned(parity))                                                             \
                 : "memory");                                                                      \
  } while (0)
#define fenceProxyAsync()                                                                          \
  do {                                                                                             \
    asm volatile("fence.proxy.async;" ::: "memory");                                               \
  } while (0)
#define clusterSync()                                                                              \
  do {                                                                                             \
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");                                  \
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");                                    \
  } while (0)
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
#define bulkLoad(to, from, bytes, m)                                                               \
  do {                                                                                             \
    asm volatile(                                                                                  \
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "       \
        "[%3];" ::"r"(address(to)),                                                                \
        "l"(from), "r"(unsigned(bytes)), "r"(address(m))                                           \
        : "memory");                                                                               \
  } while (0)
#define bulkStore(to, from, bytes)                                                                 \
  do {                                                                                             \
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),          \
                 "r"(address(from)), "r"(unsigned(bytes))                                          \
                 : "memory");                                                                      \
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");                                      \
  } while (0)
#define bulkWait()                                                                                 \
  do {                                                                                             \
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");                                      \
  } while (0)
#define bulkWaitRead()                                                                             \
  do {                                                                                             \
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");                                 \
  } while (0)

#define tensorLoad2d(to, map, x, y, m)                                                             \
  do {                                                                                             \
    asm volatile(                                                                                  \
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "       \
        "[%1, {%2, %3}], [%4];" ::"r"(address(to)),                                                \
        "l"(map), "r"(x), "r"(y), "r"(address(m))                                                  \
        : "memory");                                                                               \
  } while (0)
#define tensorStore2d(map, x, y, from)                                                             \
  do {                                                                                             \
    asm volatile(                                                                                  \
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(       \
            (map)),                                                                                \
        "r"(x), "r"(y), "r"(address(from))                                                         \
        : "memory");                                                                               \
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");                                      \
  } while (0)

#define wgmmaFence()                                                                               \
  do {                                                                                             \
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                        \
  } while (0)
#define wgmmaCommit()                                                                              \
  do {                                                                                             \
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                                 \
  } while (0)
#define wgmmaWait()                                                                                \
  do {                                                                                             \
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");                                 \
  } while (0)

/// Descriptor of a K-major matrix in shared memory; byte offsets as in PTX ISA 9.7.16.5.1.
/// `swizzle`: 0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes.
INLINE uint64_t matrixDescriptor(const void *p, unsigned leading, unsigned stride,
                                 unsigned swizzle) {
  return uint64_t((address(p) & 0x3ffff) >> 4) | uint64_t(leading >> 4) << 16 |
         uint64_t(stride >> 4) << 32 | uint64_t(swizzle) << 62;
}
/// D (64 x 8, 4 registers a thread) = A x B + D with 16 steps along K, f16 factors.
#define wgmmaM64N8K16(d, a, b, accumulate)                                                         \
  asm volatile(                                                                                    \
      "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %6, 0;\n\t"                                            \
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, "         \
      "1, 0, 0;\n\t}"                                                                              \
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                             \
      : "l"(a), "l"(b), "r"(int(accumulate))                                                       \
      : "memory")

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
  return encode(map, bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_INT32,
                2, memory, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}
