// Tensor copies, changes of tensor maps and wgmma: the device says which map or matrix it was, the
// host knows what that accesses.
#pragma once

#include "log.h"

namespace {

/// Two words of a tensor map.
INLINE void loadWords(const char *p, uint64_t &a, uint64_t &b) {
  // A copy of the map in global memory may be younger than what this multiprocessor has cached.
  asm volatile("{\n\t"
               ".reg .pred g;\n\t"
               "isspacep.global g, %2;\n\t"
               "@g ld.relaxed.gpu.b64 %0, [%2];\n\t"
               "@g ld.relaxed.gpu.b64 %1, [%2+8];\n\t"
               "@!g ld.b64 %0, [%2];\n\t"
               "@!g ld.b64 %1, [%2+8];\n\t"
               "}"
               : "=&l"(a), "=&l"(b)
               : "l"(p)
               : "memory");
}

INLINE uint64_t hashOfMap(const void *map) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < tensor::MapWords; i += 2) {
    uint64_t a, b;
    loadWords(static_cast<const char *>(map) + i * 8, a, b);
    hash = tensor::hashStep(tensor::hashStep(hash, a), b);
  }
  return hash;
}

/// One of the lanes that are here.
INLINE bool isFirstLane() {
  uint32_t mask, below;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  return !(mask & below);
}

INLINE bool recording() { return __scopesan_gpu_state; }

} // namespace

DEVICE void __scopesan_gpu_tensor_copy(const void *map, const void *shared, const void *barrier,
                                       uint32_t x0, uint32_t x1, uint32_t x2, uint32_t x3,
                                       uint32_t x4, uint32_t how, uint32_t receivers,
                                       uint32_t site) {
  if (!recording())
    return;
  uint64_t hash = hashOfMap(map), b = barrier ? place(barrier) : 0;
  Ticket t = take<3>(0);
  record(t, EventKind::Operands, place(shared), how | (receivers & tensor::ReceiversMask),
         uint32_t(b), uint32_t(b >> 32));
  record(t.next(), EventKind::TensorStart, x0 | uint64_t(x1) << 32, x2, x3, x4);
  record(t.next().next(), EventKind::TensorCopy, place(map), uint32_t(hash), site,
         uint32_t(hash >> 32));
}

DEVICE void __scopesan_gpu_tensormap_before(const void *map, uint32_t field, uint32_t index,
                                            uint64_t value) {
  if (recording())
    record(take(0), EventKind::Operands, hashOfMap(map), field | index << 8, uint32_t(value),
           uint32_t(value >> 32));
}

DEVICE void __scopesan_gpu_tensormap_after(const void *map, uint32_t site) {
  if (!recording())
    return;
  uint64_t hash = hashOfMap(map);
  record(take(hash), EventKind::TensorMapReplace, hash, 0, site, 0);
}

DEVICE void __scopesan_gpu_wgmma(uint64_t a, uint64_t b, uint32_t shape, uint32_t transposedA,
                                 uint32_t transposedB, uint32_t site) {
  if (!recording())
    return;
  if (!isFirstLane())
    return record(take(0), EventKind::Wgmma, 0, 0, site, 0);
  Ticket t = take<2>(0);
  record(t, EventKind::Operands, a,
         shape | (transposedA ? wgmma::TransposedABit : 0) |
             (transposedB ? wgmma::TransposedBBit : 0),
         0, 0);
  record(t.next(), EventKind::Wgmma, b, 1, site, 0);
}

DEVICE void __scopesan_gpu_wgmma_commit(uint32_t site) {
  if (recording() && isFirstLane())
    record(take(0), EventKind::WgmmaCommit, 0, 0, site, 0);
}

DEVICE void __scopesan_gpu_wgmma_wait(uint32_t allowed, uint32_t site) {
  record(take(0), EventKind::WgmmaWait, 0, allowed, site, 0);
}
