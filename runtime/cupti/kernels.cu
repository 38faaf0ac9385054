// The collector's own kernels: they keep the device's shadow memory where no kernel of the program
// does. Compiled to PTX without CUDA headers and embedded (kernels_image.cpp).
//
// None of them runs beside a kernel of the program that is checked, nor beside one another, so
// plain loads and stores suffice.
#include "cupti/kernels.h"

using namespace scopesan;
using namespace scopesan::gpu;
using namespace scopesan::cupti;

#ifdef __CUDA__
#define KERNEL extern "C" __attribute__((global)) void
#define INLINE_MEMBER __attribute__((device, always_inline)) inline
#define INLINE static INLINE_MEMBER

INLINE Cell load(uint64_t at) {
  Cell c;
  asm volatile("ld.global.v2.u64 {%0, %1}, [%2];" : "=l"(c.w), "=l"(c.r) : "l"(at) : "memory");
  return c;
}
INLINE void store(uint64_t at, Cell c) {
  asm volatile("st.global.v2.u64 [%0], {%1, %2};" : : "l"(at), "l"(c.w), "l"(c.r) : "memory");
}
INLINE uint64_t add64(uint64_t at, uint64_t n) {
  uint64_t old;
  asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(old) : "l"(at), "l"(n) : "memory");
  return old;
}
INLINE uint64_t index() {
  uint32_t block, threads, thread;
  asm("mov.u32 %0, %%ctaid.x;" : "=r"(block));
  asm("mov.u32 %0, %%ntid.x;" : "=r"(threads));
  asm("mov.u32 %0, %%tid.x;" : "=r"(thread));
  return uint64_t(block) * threads + thread;
}
INLINE uint64_t stride() {
  uint32_t blocks, threads;
  asm("mov.u32 %0, %%nctaid.x;" : "=r"(blocks));
  asm("mov.u32 %0, %%ntid.x;" : "=r"(threads));
  return uint64_t(blocks) * threads;
}
#else // one thread of the host, for tests
#define KERNEL static void
#define INLINE_MEMBER inline
#define INLINE static inline

INLINE Cell load(uint64_t at) { return *reinterpret_cast<Cell *>(at); }
INLINE void store(uint64_t at, Cell c) { *reinterpret_cast<Cell *>(at) = c; }
INLINE uint64_t add64(uint64_t at, uint64_t n) {
  return (*reinterpret_cast<uint64_t *>(at) += n) - n;
}
INLINE uint64_t index() { return 0; }
INLINE uint64_t stride() { return 1; }
#endif

namespace {

/// Records of the pseudo-launch's only thread.
struct Writer {
  const Log &log;
  uint64_t logAddress;

  INLINE_MEMBER void put(uint64_t at, EventKind kind, uint64_t value, uint32_t low,
                         uint32_t extra) const { // block, thread and site are 0
    uint32_t who = log.stamp | uint32_t(kind) << 26;
    *reinterpret_cast<Record *>(at) = {value, 0, who, low, 0, extra, log.stamp};
  }
  /// Address of `count` records in a row; 0 = the log is full.
  INLINE_MEMBER uint64_t take(uint32_t count) const {
    uint64_t slot = add64(logAddress + LogCursorOffset, count);
    return slot + count <= log.capacity ? log.records + slot * sizeof(Record) : 0;
  }
  INLINE_MEMBER void count(Counter c) const { add64(log.counters + uint32_t(c) * 8, 1); }

  /// A mark that was in the cell of a word that becomes tracked.
  INLINE_MEMBER void known(uint64_t mark, bool isRead, uint64_t word) const {
    if (uint64_t at = take(1))
      put(at, EventKind::Known, mark, uint32_t(word) | isRead, uint32_t(word >> 32));
  }
  /// Marks of one place stand for each other: a range may cross millions of them.
  INLINE_MEMBER void candidate(uint64_t mark, bool isRead, uint64_t word, uint32_t bytes,
                               uint32_t op) const {
    uint64_t places = mark >> 58 << 15 | (mark >> mark::SiteShift & (mark::MaxSites - 1)) << 1;
    uint32_t entry = uint32_t((places | isRead) * 0x9E3779B97F4A7C15 >> 48) % DedupEntries;
    if (add64(log.dedup + uint64_t(entry) * 8, 1) >= DedupKept)
      return count(Counter::Suppressed);
    count(Counter::Candidates);
    if (uint64_t at = take(2)) {
      put(at, EventKind::Operands, mark, 0, isRead);
      put(at + sizeof(Record), EventKind::Candidate, word, 4 | bytes << candidate::MaskShift, op);
    }
  }
  /// The access in full, for the host's own shadow.
  INLINE_MEMBER void access(uint64_t word, uint32_t bytes, bool writes) const {
    count(Counter::LoggedFull);
    uint32_t first = 0, size = 0;
    while (!(bytes >> first & 1))
      ++first;
    while (bytes >> (first + size) & 1)
      ++size;
    if (uint64_t at = take(1))
      put(at, writes ? EventKind::Write : EventKind::Read, word + first, size, 0);
  }
};

struct Checker {
  const CheckRange &p;
  Writer out;

  INLINE_MEMBER bool ordered(uint64_t mark) const {
    uint64_t tag = mark >> mark::TagShift;
    return mark < p.log.oldest || (p.log.orderedTags >> tag & 1) ||
           tag == p.log.tag >> mark::TagShift;
  }
  INLINE_MEMBER bool bad(uint64_t mark, uint32_t bytes) const {
    return (mark & bytes) && !ordered(mark);
  }
  /// Both marks and the access go to the host, which goes on with the word.
  INLINE_MEMBER void track(uint64_t cell, Cell c, uint64_t word, uint32_t bytes) const {
    if (c.w)
      out.known(c.w, false, word);
    if (c.r)
      out.known(c.r, true, word);
    store(cell, {mark::Tracked, 0});
    out.access(word, bytes, p.write);
  }
  INLINE_MEMBER void word(uint64_t cell, uint64_t word, uint32_t bytes) const {
    Cell c = load(cell);
    uint64_t me = p.log.tag | bytes;
    if (c.w >> mark::TagShift == mark::SpecialTag)
      return out.access(word, bytes, p.write);
    if (bad(c.w, bytes))
      out.candidate(c.w, false, word, bytes, p.op);
    if (p.write) {
      if (bad(c.r, bytes))
        out.candidate(c.r, true, word, bytes, p.op);
      bool covered = !((c.w | c.r) & 15 & ~bytes);
      return covered ? store(cell, {me, 0}) : track(cell, c, word, bytes);
    }
    bool alone = !c.r || (ordered(c.r) && !(c.r & 15 & ~bytes));
    return alone ? store(cell, {c.w, me}) : track(cell, c, word, bytes);
  }
};

} // namespace

/// Checks and marks the words of a box as accesses of the log's tag.
KERNEL scopesanCheck(const CheckRange p) {
  Checker c{p, {p.log, p.logAddress}};
  uint64_t first = p.address & ~uint64_t(3), words = (p.address + p.width + 3 - first) / 4;
  // Rows may begin at any byte of a word.
  uint64_t perRow = words + 1, all = perRow * p.height * p.depth;
  for (uint64_t i = index(); i < all; i += stride()) {
    uint64_t row = i / perRow;
    uint64_t begin = p.address + row / p.height * p.slice + row % p.height * p.pitch;
    uint64_t end = begin + p.width, word = (begin & ~uint64_t(3)) + i % perRow * 4;
    if (word >= end)
      continue;
    uint32_t bytes = 15;
    if (word < begin)
      bytes &= 15u << (begin - word);
    if (word + 4 > end)
      bytes &= 15u >> (word + 4 - end);
    uint64_t entry =
        *reinterpret_cast<uint64_t *>(p.log.table + chunkIndex(word, p.log.tableMask) * 8);
    if (uint64_t cell = cellOf(entry, word)) // the host checks what has no shadow
      c.word(cell, word, bytes);
  }
}

/// Sets the cells at `shadow`.
KERNEL scopesanFill(uint64_t shadow, uint64_t cells, uint64_t mark) {
  for (uint64_t i = index(); i < cells; i += stride())
    store(shadow + i * 16, {mark, 0});
}

/// Renumbers or drops the marks of launches.
KERNEL scopesanSweep(uint64_t shadow, uint64_t cells, SweepTags tags) {
  auto renumber = [&](uint64_t m) {
    uint64_t tag = m >> mark::TagShift;
    if (tag == 0 || tag == mark::SpecialTag)
      return m;
    uint64_t now = tags.now[tag / 8] >> tag % 8 * 8 & 0xff;
    return now ? (m << 6 >> 6) | now << mark::TagShift : 0;
  };
  for (uint64_t i = index(); i < cells; i += stride()) {
    Cell c = load(shadow + i * 16);
    if (!(c.w | c.r))
      continue;
    store(shadow + i * 16, {renumber(c.w), renumber(c.r)});
  }
}
