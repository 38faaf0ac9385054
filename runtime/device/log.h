// How a device thread appends records to the log. Included by the files of the device runtime.
#pragma once

#include "scopesan/gpu_abi.h"

#define DEVICE extern "C" __attribute__((device, used, noinline))
#define INLINE_MEMBER __attribute__((device, always_inline)) inline
#define INLINE static INLINE_MEMBER

using namespace scopesan;
using namespace scopesan::gpu;

/// Set by the collector. Weak where several units are linked to one module.
extern "C" {
__attribute__((device)) extern Log *__scopesan_gpu_state;
}

/// `how` of __scopesan_gpu_mark.
enum : uint32_t { MarkRead = 0, MarkWrite = 1, MarkStrong = 2, MarkNonCoherent = 4 };
#ifdef SCOPESAN_CLUSTERS
DEVICE void __scopesan_gpu_mark(const void *pointer, uint64_t bytes, uint32_t how, uint32_t site);
#else
/// No kernel of such code has a fast form: nobody looks for marks.
INLINE void __scopesan_gpu_mark(const void *, uint64_t, uint32_t, uint32_t) {}
#endif

DEVICE Log *__scopesan_gpu_overlapping(Log *shared);

namespace {

INLINE uint64_t fetch(uint64_t address) {
  uint64_t v;
  asm volatile("ld.global.b64 %0, [%1];" : "=l"(v) : "l"(address));
  return v;
}
INLINE uint32_t fetch32(const uint32_t *p) {
  uint32_t v;
  asm volatile("ld.global.b32 %0, [%1];" : "=r"(v) : "l"(p));
  return v;
}

/// The Log that belongs to the thread's launch, where `shared` is the state's.
INLINE Log *ownLog(Log *shared) {
  return fetch32(&shared->overlaps) ? __scopesan_gpu_overlapping(shared) : shared;
}
/// The same for the thread itself; null = there is no collector.
INLINE Log *currentLog() {
  Log *shared = __scopesan_gpu_state;
  return shared ? ownLog(shared) : nullptr;
}

struct Ticket {
  uint64_t at; ///< address of the record, 0 = do not record
  uint32_t stamp;

  /// The second of two tickets.
  INLINE_MEMBER Ticket next() const { return {at ? at + sizeof(Record) : 0, stamp}; }
};

/// Takes `Count` tickets in a row, all or none. `dependency`: a value that must exist before; one
/// value in 2^64 takes one ticket more.
template <uint32_t Count = 1> INLINE Ticket take(uint64_t dependency) {
  Ticket t{0, 0};
  Log *shared = __scopesan_gpu_state;
  Log *log = shared ? ownLog(shared) : nullptr;
  if (!log)
    return t;
  uint64_t records;
  uint32_t capacity;
  // Plain loads: the host writes a launch's log before it starts.
  asm volatile("ld.global.v2.b64 {%0, %1}, [%2];" : "=l"(records), "=l"(t.at) : "l"(log));
  capacity = uint32_t(t.at);
  t.stamp = uint32_t(t.at >> 32);
  t.at = 0;
  if (!capacity)
    return t;
  uint64_t slot;
  asm volatile("{\n\t"
               ".reg .pred p;\n\t"
               ".reg .b64 n;\n\t"
               "setp.eq.u64 p, %2, 0x9E3779B97F4A7C15;\n\t"
               "selp.u64 n, %3, %4, p;\n\t"
               "atom.relaxed.gpu.global.add.u64 %0, [%1+16], n;\n\t"
               "}"
               : "=l"(slot)
               : "l"(shared), "l"(dependency), "n"(Count + 1), "n"(Count)
               : "memory");
  if (slot + Count <= capacity)
    t.at = records + slot * sizeof(Record);
  return t;
}

INLINE uint32_t blockIndex() {
  uint32_t x, y, z, nx, ny;
  asm("mov.u32 %0, %%ctaid.x;" : "=r"(x));
  asm("mov.u32 %0, %%ctaid.y;" : "=r"(y));
  asm("mov.u32 %0, %%ctaid.z;" : "=r"(z));
  asm("mov.u32 %0, %%nctaid.x;" : "=r"(nx));
  asm("mov.u32 %0, %%nctaid.y;" : "=r"(ny));
  return x + nx * (y + ny * z);
}

INLINE uint32_t threadIndex() {
  uint32_t x, y, z, nx, ny;
  asm("mov.u32 %0, %%tid.x;" : "=r"(x));
  asm("mov.u32 %0, %%tid.y;" : "=r"(y));
  asm("mov.u32 %0, %%tid.z;" : "=r"(z));
  asm("mov.u32 %0, %%ntid.x;" : "=r"(nx));
  asm("mov.u32 %0, %%ntid.y;" : "=r"(ny));
  return x + nx * (y + ny * z);
}

/// `phase`: of the block, in fast kernels.
INLINE void record(const Ticket &t, EventKind kind, uint64_t value, uint32_t low, uint32_t high,
                   uint32_t extra, uint32_t phase = 0) {
  if (!t.at)
    return;
  uint32_t who = t.stamp | threadIndex() << 16 | uint32_t(kind) << 26;
  asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};\n\t"
               "st.global.v4.b32 [%0+16], {%5, %6, %7, %8};"
               :
               : "l"(t.at), "r"(uint32_t(value)), "r"(uint32_t(value >> 32)), "r"(blockIndex()),
                 "r"(who), "r"(low), "r"(high), "r"(extra), "r"(t.stamp | phase << 16)
               : "memory");
}

#ifdef SCOPESAN_CLUSTERS
/// The record's form of an address in a cluster peer's shared memory, `other` for any other
/// address. Mapping keeps offsets, so the peer's window begins where offset 0 is mapped to.
INLINE uint64_t peerPlace(uint64_t p, uint64_t other) {
  uint64_t result;
  asm("{\n\t"
      ".reg .pred c, own;\n\t"
      ".reg .b32 a, rank, mine, base, high;\n\t"
      ".reg .b64 w, r;\n\t"
      "mov.b64 r, %2;\n\t"
      "isspacep.shared::cluster c, %1;\n\t"
      "@c cvta.to.shared::cluster.u64 w, %1;\n\t"
      "@c cvt.u32.u64 a, w;\n\t"
      "@c getctarank.shared::cluster.u32 rank, a;\n\t"
      "mov.u32 mine, %%cluster_ctarank;\n\t"
      "mov.b32 base, 0;\n\t"
      "@c mapa.shared::cluster.u32 base, base, rank;\n\t"
      "sub.u32 a, a, base;\n\t"
      "or.b32 high, rank, 0xC0000000;\n\t"
      "setp.eq.u32 own, rank, mine;\n\t"
      "selp.b32 high, 0x80000000, high, own;\n\t"
      "@c mov.b64 r, {a, high};\n\t"
      "mov.b64 %0, r;\n\t"
      "}"
      : "=l"(result)
      : "l"(p), "l"(other));
  return result;
}
#else
INLINE uint64_t peerPlace(uint64_t, uint64_t other) { return other; }
#endif

/// P5: private and constant memory is never checked. Returns 0 for those, else the record's form.
INLINE uint64_t place(const void *pointer) {
  uint64_t p = uint64_t(pointer), result;
  asm("{\n\t"
      ".reg .pred s, l, c, k;\n\t"
      ".reg .b64 o;\n\t"
      "isspacep.shared s, %1;\n\t"
      "isspacep.local l, %1;\n\t"
      "isspacep.const c, %1;\n\t"
      "cvta.to.shared.u64 o, %1;\n\t"
      "or.b64 o, o, 0x8000000000000000;\n\t"
      "selp.b64 %0, o, %1, s;\n\t"
      "or.pred l, l, c;\n\t"
      "selp.b64 %0, 0, %0, l;\n\t"
      "}"
      : "=l"(result)
      : "l"(p));
  return result == p && p ? peerPlace(p, p) : result;
}

} // namespace
