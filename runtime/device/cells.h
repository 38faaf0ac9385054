// Cells of the shadow memory and the log's fields, as the device reaches them. Inline PTX: what the
// runtime itself orders must not be taken apart by the compiler.
#pragma once

#include "block_cells.h"
#include "log.h"

#define COLD extern "C" __attribute__((device, used, noinline, cold))
#define HOOK extern "C" __attribute__((device, used, always_inline))

namespace {

/// `what` of an access: FastAccess, flags, bytes of the whole access.
enum : uint32_t {
  KindWrite = uint32_t(FastAccess::Write),
  KindRead = uint32_t(FastAccess::Read),
  KindRmw = uint32_t(FastAccess::Rmw),
  KindNonCoherent = uint32_t(FastAccess::NonCoherent),
  KindMask = 3,
  IsShared = 4,
  IsMixed = FastInMixed,
  OnlyMarks = 16, ///< of a kernel that logs every event: the access has a record already
  InBlock = FastInBlock,
  BytesShift = 8,
  WarpTickShift = 16 ///< above: tick of the thread's last warp barrier (mixed kernels)
};
INLINE uint32_t bytesOf(uint32_t what) { return what >> BytesShift & 0xff; }

constexpr uint64_t TimeLow = ~((uint64_t(1) << mark::TimeShift) - 1);

// ---------------------------------------------------------------- the log

INLINE void count(const Log *log, Counter c, uint64_t n) {
  uint32_t row;
  asm("mov.u32 %0, %%smid;" : "=r"(row));
  uint64_t at = fetch(uint64_t(&log->counters)) +
                (row % CounterRows * Counters + uint32_t(c)) * sizeof(uint64_t);
  asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" : : "l"(at), "l"(n) : "memory");
}

// ---------------------------------------------------------------- cells

INLINE Cell loadCell(uint64_t cell) {
  Cell c;
  asm volatile("ld.global.v2.b64 {%0, %1}, [%2];" : "=l"(c.w), "=l"(c.r) : "l"(cell) : "memory");
  return c;
}
INLINE Cell exchangeCell(uint64_t cell, Cell c) {
  Cell o;
  asm volatile("{\n\t"
               ".reg .b128 n, o;\n\t"
               "mov.b128 n, {%3, %4};\n\t"
               "atom.relaxed.gpu.global.exch.b128 o, [%2], n;\n\t"
               "mov.b128 {%0, %1}, o;\n\t"
               "}"
               : "=l"(o.w), "=l"(o.r)
               : "l"(cell), "l"(c.w), "l"(c.r)
               : "memory");
  return o;
}
INLINE Cell compareExchangeCell(uint64_t cell, Cell expected, Cell wanted) {
  Cell o;
  asm volatile("{\n\t"
               ".reg .b128 e, n, o;\n\t"
               "mov.b128 e, {%3, %4};\n\t"
               "mov.b128 n, {%5, %6};\n\t"
               "atom.relaxed.gpu.global.cas.b128 o, [%2], e, n;\n\t"
               "mov.b128 {%0, %1}, o;\n\t"
               "}"
               : "=l"(o.w), "=l"(o.r)
               : "l"(cell), "l"(expected.w), "l"(expected.r), "l"(wanted.w), "l"(wanted.r)
               : "memory");
  return o;
}
INLINE uint64_t maxRead(uint64_t cell, uint64_t r) {
  uint64_t old;
  asm volatile("atom.relaxed.gpu.global.max.u64 %0, [%1+8], %2;"
               : "=l"(old)
               : "l"(cell), "l"(r)
               : "memory");
  return old;
}
INLINE uint64_t loadWrite(uint64_t cell) {
  uint64_t w;
  asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];" : "=l"(w) : "l"(cell) : "memory");
  return w;
}

/// A cell in the block's shared memory (block_cells.h).
struct BlockWord {
  uint32_t cell;

  INLINE_MEMBER uint64_t load() {
    uint64_t v;
    asm volatile("ld.relaxed.cta.shared.b64 %0, [%1];" : "=l"(v) : "r"(cell) : "memory");
    return v;
  }
  INLINE_MEMBER uint64_t exchange(uint64_t v) {
    uint64_t old;
    asm volatile("atom.relaxed.cta.shared.exch.b64 %0, [%1], %2;"
                 : "=l"(old)
                 : "r"(cell), "l"(v)
                 : "memory");
    return old;
  }
  INLINE_MEMBER uint64_t compareExchange(uint64_t expected, uint64_t wanted) {
    uint64_t old;
    asm volatile("atom.relaxed.cta.shared.cas.b64 %0, [%1], %2, %3;"
                 : "=l"(old)
                 : "r"(cell), "l"(expected), "l"(wanted)
                 : "memory");
    return old;
  }
};

/// Entry of the table of chunks. Written between kernels only. No side effect: equal look-ups are
/// one.
INLINE uint64_t chunkOf(uint64_t table, uint32_t mask, uint64_t address) {
  uint64_t entry, at = table + (uint32_t(address >> ChunkShift) & mask) * sizeof(uint64_t);
  asm("ld.global.nc.b64 %0, [%1];" : "=l"(entry) : "l"(at));
  return entry;
}
/// Cell of a word of global memory; 0 = it has none.
INLINE uint64_t globalCell(uint64_t table, uint32_t mask, uint64_t address) {
  return table ? cellOf(chunkOf(table, mask, address), address) : 0;
}
/// The same where the mask is not at hand.
INLINE uint64_t globalCell(const Log *log, uint64_t table, uint64_t address) {
  return globalCell(table, table ? fetch32(&log->tableMask) : 0, address);
}
/// `base`: of the slot; 0 = none.
INLINE uint64_t sharedCell(uint64_t base, uint32_t offset) {
  return base ? base + (offset & ~3u) * 4 : 0;
}

/// Calls `f(at, bytes, mask)` for each word of [at, at + bytes): its part of the range, and the
/// bits of a mark that stand for it.
template <class F> INLINE void forParts(uint64_t at, uint64_t bytes, F f) {
#pragma unroll 1
  for (uint64_t end = at + bytes; at < end;) {
    uint32_t first = uint32_t(at) & 3;
    uint32_t n = uint32_t(end - at < 4 - first ? end - at : 4 - first);
    f(at, n, ((1u << n) - 1) << first);
    at += n;
  }
}

} // namespace
