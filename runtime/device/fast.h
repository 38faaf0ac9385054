// What kernels in a fast form call: accesses meet shadow memory where they stand.
//
// The hooks are inlined, so that FastState, a local variable of the kernel, becomes registers. Each
// settles the common cases itself and hands the rest, by value, to one function out of line. Needs
// 128-bit atomics (sm_90). The only waiting is at kernel entry, for a warp of the own block.
#pragma once

#include "log.h"
#include "protocol.h"

#define COLD extern "C" __attribute__((device, used, noinline, cold))
#define HOOK extern "C" __attribute__((device, used, always_inline))

namespace {

/// `what` of an access: FastAccess, flags, bytes of the whole access << 8.
enum : uint32_t {
  KindWrite = uint32_t(FastAccess::Write),
  KindRead = uint32_t(FastAccess::Read),
  KindRmw = uint32_t(FastAccess::Rmw),
  KindNonCoherent = uint32_t(FastAccess::NonCoherent),
  KindMask = 3,
  IsShared = 4,
  IsMixed = 8,
  OnlyMarks = 16, ///< of a kernel that logs every event: the access has a record already
  BytesShift = 8
};
constexpr uint32_t AnyWindow = uint32_t(FastWindow::Any),
                   SharedWindow = uint32_t(FastWindow::Shared);

/// Of one thread. Marks as in gpu_abi.h.
struct FastState {
  uint64_t table;      ///< 0 = accesses are logged in full
  uint64_t me;         ///< the thread's mark in global memory now; all ones = not checked
  uint64_t oldest;     ///< Log::oldest
  uint64_t wide;       ///< wideBegin()
  uint64_t span;       ///< phases passed, in the mark's unit
  uint64_t tick;       ///< ticks, in the mark's unit; 0 in kernels that are not mixed
  uint64_t tickBits;   ///< all ones there
  uint64_t sharedMe;   ///< the mark in shared memory
  uint64_t sharedBase; ///< of the shadow slot; 0 = none
  uint32_t slot;
  uint32_t checkedGlobal, checkedShared; ///< accesses
};

static_assert(sizeof(FastState) <= FastStateBytes);

constexpr uint64_t TimeLow = ~((uint64_t(1) << mark::TimeShift) - 1);

INLINE uint64_t fetch(uint64_t address) {
  uint64_t v;
  asm volatile("ld.global.b64 %0, [%1];" : "=l"(v) : "l"(address));
  return v;
}
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
INLINE Cell exchangeCell(uint64_t cell, uint64_t w) {
  Cell c;
  asm volatile("{\n\t"
               ".reg .b128 n, o;\n\t"
               "mov.b128 n, {%3, %4};\n\t"
               "atom.relaxed.gpu.global.exch.b128 o, [%2], n;\n\t"
               "mov.b128 {%0, %1}, o;\n\t"
               "}"
               : "=l"(c.w), "=l"(c.r)
               : "l"(cell), "l"(w), "l"(uint64_t(0))
               : "memory");
  return c;
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

/// Cell of a word of global memory; 0 = it has none.
INLINE uint64_t globalCell(const FastState *s, uint64_t address) {
  if (!s->table)
    return 0;
  uint64_t entry;
  // Written between kernels only. No side effect: equal look-ups are one.
  asm("ld.global.nc.b64 %0, [%1];"
      : "=l"(entry)
      : "l"(s->table + chunkIndex(address) * sizeof(uint64_t)));
  if ((address >> 44) + ChunkValid != (entry & 15))
    return 0;
  return (entry & ~uint64_t(15)) + (address & (ChunkSize - 4)) * 4;
}
INLINE uint64_t sharedCell(const FastState *s, uint32_t offset) {
  return s->sharedBase ? s->sharedBase + (offset & ~3u) * 4 : 0;
}

// ---------------------------------------------------------------- out of line

/// One word as one access sees it (protocol.h).
struct DevicePort {
  Log *log;
  uint64_t cell, mark, address;
  uint32_t site, what, phase;
  Ticket ticket{0, 0};
  bool reserved = false;

  INLINE_MEMBER Cell load() { return loadCell(cell); }
  INLINE_MEMBER Cell exchange(Cell c) {
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
  INLINE_MEMBER Cell compareExchange(Cell expected, Cell wanted) {
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
  INLINE_MEMBER uint64_t maxRead(uint64_t r) { return ::maxRead(cell, r); }
  INLINE_MEMBER uint64_t loadWrite() { return ::loadWrite(cell); }

  /// All pairs of two sites race in a kernel that does not synchronize: a few are enough.
  INLINE_MEMBER bool wants(uint64_t other, bool isRead) {
    if (what & IsMixed)
      return true;
    bool sameBlock = (what & IsShared) || ((other ^ mark) >> fetch32(&log->blockShift)) == 0;
    bool sameLaunch = (what & IsShared) || (other ^ mark) >> mark::TagShift == 0;
    uint64_t theirs = (other & (mark::SiteBits | mark::LevelBits)) >> mark::SiteShift;
    uint64_t key = theirs << 14 | (mark & mark::SiteBits) >> mark::SiteShift;
    key =
        key << 4 | uint64_t(isRead) << 3 | uint64_t(sameBlock) << 2 | uint64_t(sameLaunch) << 1 | 1;
    uint32_t at = uint32_t((key * 0x9E3779B97F4A7C15) >> 40);
    for (uint32_t i = 0; i < 8; ++i) {
      uint64_t slot = fetch(uint64_t(&log->dedup)) + (at + i) % DedupEntries * sizeof(uint64_t);
      uint64_t found = relaxed(slot);
      if (!found && !(found = swap(slot, key << 8 | 1)))
        return true;
      if (found >> 8 != key)
        continue;
      if ((found & 255) < DedupKept && (add(slot) & 255) < DedupKept)
        return true;
      count(log, Counter::Suppressed, 1);
      return false;
    }
    return true;
  }

  INLINE_MEMBER void reserve() {
    ticket = take<5>(0);
    reserved = true;
  }
  INLINE_MEMBER void tell(uint64_t m, uint32_t isRead) {
    uint32_t own = uint32_t(mark >> mark::SiteShift) % mark::MaxSites;
    record(ticket, EventKind::Known, m, (uint32_t(address) & ~3u) | isRead, site - own,
           uint32_t(address >> 32), phase);
    ticket = ticket.next();
  }
  INLINE_MEMBER void known(Cell now, Cell before) {
    tell(now.w, 0);
    tell(now.r, 1);
    tell(before.w, 0);
    tell(before.r, 1);
    count(log, Counter::Candidates, 1);
  }
  INLINE_MEMBER void full() {
    if (what & OnlyMarks)
      return tell(0, 0);
    if (!reserved)
      ticket = take(0);
    count(log, Counter::LoggedFull, 1);
    uint32_t mask = uint32_t(mark) & 15, kind = what & KindMask;
    uint64_t first = (address & ~uint64_t(3)) + __builtin_ctz(mask);
    uint32_t bytes = __builtin_popcount(mask);
    if (kind == KindRmw) {
      bytes = what >> BytesShift;
      constexpr abi::Op Op(abi::AccessKind::Red, abi::MemoryOrder::Relaxed, abi::Scope::Device);
      record(ticket, EventKind::AtomicBefore, first & ~uint64_t(bytes - 1), bytes, site, Op.raw(),
             phase);
    } else if (kind == KindNonCoherent) {
      record(ticket, EventKind::ProxyAccess, first, bytes, site,
             uint32_t(abi::Proxy::NonCoherent) << 1, phase);
    } else {
      record(ticket, kind == KindRead ? EventKind::Read : EventKind::Write, first, bytes, site, 0,
             phase);
    }
  }

private:
  INLINE_MEMBER static uint32_t fetch32(const uint32_t *p) {
    uint32_t v;
    asm volatile("ld.global.b32 %0, [%1];" : "=r"(v) : "l"(p));
    return v;
  }
  INLINE_MEMBER static uint64_t relaxed(uint64_t at) { return ::loadWrite(at); }
  INLINE_MEMBER static uint64_t swap(uint64_t at, uint64_t v) {
    uint64_t old;
    asm volatile("atom.relaxed.gpu.global.cas.b64 %0, [%1], 0, %2;"
                 : "=l"(old)
                 : "l"(at), "l"(v)
                 : "memory");
    return old;
  }
  INLINE_MEMBER static uint64_t add(uint64_t at) {
    uint64_t old;
    asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], 1;" : "=l"(old) : "l"(at) : "memory");
    return old;
  }
};

INLINE uint32_t shiftOf(const uint32_t *p) {
  uint32_t v;
  asm volatile("ld.global.b32 %0, [%1];" : "=r"(v) : "l"(p));
  return v;
}
INLINE Actor actorOf(const Log *log, uint64_t mark, uint32_t what) {
  Actor a;
  a.shared = what & IsShared;
  a.mixed = what & IsMixed;
  a.me = mark & ~(mark::SiteBits | mark::FullWord);
  uint32_t block = a.shared ? mark::GenerationShift : shiftOf(&log->blockShift);
  a.blockMask = ~uint64_t(0) << block;
  a.phaseMask = ~uint64_t(0) << shiftOf(&log->phaseShift);
  a.oldest = a.shared ? mark & a.blockMask : fetch(uint64_t(&log->oldest));
  a.orderedTags = fetch(uint64_t(&log->orderedTags));
  return a;
}
INLINE DevicePort portOf(Log *log, const Actor &a, uint64_t cell, uint64_t mark, uint64_t address,
                         uint32_t site, uint32_t what) {
  uint32_t phase = uint32_t((mark & ~a.blockMask) >> shiftOf(&log->phaseShift)) & 0xffff;
  return {log, cell, mark, address, site, what, phase};
}

} // namespace

/// A word that the hook did not settle: `w` and `r` are what its step found. `address` in the form
/// of records.
COLD void __scopesan_fast_unsettled(uint64_t cell, uint64_t w, uint64_t r, uint64_t mark,
                                    uint64_t address, uint32_t site, uint32_t what) {
  Log *log = __scopesan_gpu_state;
  Actor a = actorOf(log, mark, what);
  DevicePort p = portOf(log, a, cell, mark, address, site, what);
  switch (what & KindMask) {
  case KindWrite:
    return afterWrite(p, a, mark, {w, r});
  case KindRead:
    return afterRead(p, a, mark, r, w);
  default:
    return afterNonCoherent(p, a, nonCoherentMark(a, mark), r, w);
  }
}

/// A word whose whole step is out of line: parts of words, read-modify-writes.
COLD void __scopesan_fast_word(uint64_t cell, uint64_t mark, uint64_t address, uint32_t site,
                               uint32_t what) {
  Log *log = __scopesan_gpu_state;
  Actor a = actorOf(log, mark, what);
  DevicePort p = portOf(log, a, cell, mark, address, site, what);
  uint32_t kind = what & KindMask;
  if (kind == KindNonCoherent)
    readNonCoherent(p, a, mark);
  else if (kind == KindRmw && (mark & mark::FullWord) == mark::FullWord)
    rmwWord(p, a, mark);
  else if (kind == KindRmw)
    track(p, a, trackedMark(a), 0, {});
  else if ((mark & mark::FullWord) != mark::FullWord)
    accessPart(p, a, mark, kind == KindWrite);
  else if (kind == KindWrite)
    writeWord(p, a, mark);
  else
    readWord(p, a, mark);
}

/// An access without a cell. `me`: the state's.
COLD void __scopesan_fast_log(const void *pointer, uint64_t me, uint32_t site, uint32_t what) {
  uint64_t at = place(pointer);
  Log *log = __scopesan_gpu_state;
  if (!at || !log || me == ~uint64_t(0))
    return;
  Ticket t = take(0);
  if (!t.at)
    return;
  count(log, Counter::LoggedFull, 1);
  uint64_t block = ~uint64_t(0) << shiftOf(&log->blockShift);
  uint32_t phase = uint32_t((me & ~block) >> shiftOf(&log->phaseShift)) & 0xffff;
  uint32_t bytes = what >> BytesShift;
  switch (what & KindMask) {
  case KindWrite:
    return record(t, EventKind::Write, at, bytes, site, 0, phase);
  case KindRead:
    return record(t, EventKind::Read, at, bytes, site, 0, phase);
  case KindRmw: {
    constexpr abi::Op Op(abi::AccessKind::Red, abi::MemoryOrder::Relaxed, abi::Scope::Device);
    return record(t, EventKind::AtomicBefore, at, bytes, site, Op.raw(), phase);
  }
  default:
    return record(t, EventKind::ProxyAccess, at, bytes, site,
                  uint32_t(abi::Proxy::NonCoherent) << 1, phase);
  }
}

// ---------------------------------------------------------------- hooks

namespace {

/// Settled as far as a hook tells: ordered by launch or phase, or mine now.
template <bool Shared> INLINE bool isQuiet(const FastState *s, uint64_t m) {
  uint64_t me = Shared ? s->sharedMe : s->me;
  uint64_t phase = (me - s->tick) & TimeLow;
  if (Shared) // its generation's first mark is the oldest
    return m < phase || (m ^ me) < uint64_t(1) << mark::ThreadShift;
  return m < s->oldest || m - (phase - s->span) < s->span ||
         (m ^ me) < uint64_t(1) << mark::ThreadShift;
}
template <bool Shared> INLINE bool isCovered(const FastState *s, uint64_t r) {
  uint64_t me = Shared ? s->sharedMe : s->me;
  constexpr uint64_t Block = uint64_t(ReadLevel::Block);
  return ((r ^ (me | mark::FullWord)) & ~mark::SiteBits) == 0 ||
         ((r ^ (me | s->tickBits)) >> mark::LevelShift) == Block || (!Shared && r >= s->wide);
}

template <bool Shared> INLINE bool isCoveredRmw(const FastState *s, uint64_t w) {
  uint64_t me = Shared ? s->sharedMe : s->me;
  constexpr uint64_t Strong = uint64_t(WriteLevel::Strong), Block = uint64_t(WriteLevel::Block);
  return ((w ^ me) & ~(mark::SiteBits | mark::FullWord)) == Strong << mark::LevelShift ||
         ((w ^ (me | s->tickBits)) >> mark::LevelShift) == Block ||
         (!Shared && w >= s->wide && w >> mark::TagShift == me >> mark::TagShift);
}

template <bool Shared>
INLINE void word(FastState *s, uint64_t cell, uint64_t address, uint32_t site, uint32_t local,
                 uint32_t what) {
  uint64_t me = (Shared ? s->sharedMe : s->me) | uint64_t(local) << mark::SiteShift | 15;
  Cell c;
  switch (what & KindMask) {
  case KindWrite:
    c = exchangeCell(cell, me);
    break;
  case KindRead:
    c = loadCell(cell);
    if (isCovered<Shared>(s, c.r)) {
      if (isQuiet<Shared>(s, c.w)) [[likely]]
        return;
      break;
    }
    c.r = maxRead(cell, me);
    c.w = loadWrite(cell);
    break;
  case KindNonCoherent:
    c = loadCell(cell);
    // A NonCoherent mark of all bytes, and nobody wrote in this launch.
    if (!Shared && c.w < s->oldest && c.r >= s->wide &&
        (~c.r & (mark::LevelBits | mark::FullWord)) == 0) [[likely]]
      return;
    return __scopesan_fast_word(cell, me, address, site, what);
  default:
    c = loadCell(cell);
    if (isQuiet<Shared>(s, c.r) && isCoveredRmw<Shared>(s, c.w)) [[likely]]
      return;
    return __scopesan_fast_word(cell, me, address, site, what);
  }
  if (isQuiet<Shared>(s, c.w) && isQuiet<Shared>(s, c.r)) [[likely]]
    return;
  __scopesan_fast_unsettled(cell, c.w, c.r, me, address, site, what);
}

template <bool Shared>
INLINE void words(FastState *s, uint64_t cell, uint64_t address, uint32_t bytes, uint32_t site,
                  uint32_t local, uint32_t what) {
  if (bytes < 4) {
    uint64_t me = (Shared ? s->sharedMe : s->me) | uint64_t(local) << mark::SiteShift;
    uint32_t mask = ((1u << bytes) - 1) << (address & 3);
    return __scopesan_fast_word(cell, me | mask, address, site, what);
  }
  if (bytes == 4)
    return word<Shared>(s, cell, address, site, local, what);
#pragma unroll 1
  for (uint32_t at = 0; at < bytes; at += 4)
    word<Shared>(s, cell + at * 4, address + at, site, local, what);
}

INLINE bool isSharedAddress(const void *pointer) {
  uint32_t is;
  asm("{\n\t.reg .pred p;\n\tisspacep.shared p, %1;\n\tselp.u32 %0, 1, 0, p;\n\t}"
      : "=r"(is)
      : "l"(pointer));
  return is;
}
INLINE uint32_t sharedOffsetOf(const void *pointer) {
  uint64_t offset;
  asm("cvta.to.shared.u64 %0, %1;" : "=l"(offset) : "l"(pointer));
  return uint32_t(offset);
}

/// Counts what the threads of the warp that are here bring, and adds it up once.
INLINE uint32_t sumOfWarp(uint32_t n, bool *first) {
  uint32_t sum, lane, mask;
  asm volatile("{\n\t"
               "activemask.b32 %1;\n\t"
               "redux.sync.add.u32 %0, %2, %1;\n\t"
               "}"
               : "=r"(sum), "=&r"(mask)
               : "r"(n));
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  *first = lane == uint32_t(__builtin_ctz(mask));
  return sum;
}
INLINE uint32_t atomicExchange(uint64_t at, uint32_t v) {
  uint32_t old;
  asm volatile("atom.relaxed.gpu.global.exch.b32 %0, [%1], %2;"
               : "=r"(old)
               : "l"(at), "r"(v)
               : "memory");
  return old;
}

} // namespace

// ---------------------------------------------------------------- slots of shared memory

/// The slot of this block and its generation, slot | generation << 32, slot NoSlot = none. The
/// first warp of the block takes it; the others wait until it is there.
COLD uint64_t __scopesan_fast_take_slot(uint32_t threads) {
  Log *log = __scopesan_gpu_state;
  uint32_t block = blockIndex();
  uint64_t shadow = fetch(uint64_t(&log->sharedShadow));
  uint64_t entry = fetch(uint64_t(&log->slotTable)) + block % SlotEntries * sizeof(uint64_t);
  uint64_t headers = fetch(uint64_t(&log->slotHeaders));
  uint64_t taken = fetch(uint64_t(&log->slotTaken));
  uint32_t slots = shiftOf(&log->slotCount);
  constexpr uint64_t Claimed = 0xffff, Failed = 0xfffe;
  uint64_t mine = uint64_t(shiftOf(&log->stamp)) << 48 | block;
  if (!shadow)
    return NoSlot;
  for (;;) {
    uint64_t found;
    asm volatile("ld.acquire.gpu.global.b64 %0, [%1];" : "=l"(found) : "l"(entry) : "memory");
    if ((found ^ mine) >> 48 == 0 && found) {
      if (uint32_t(found) != block)
        return NoSlot; // the entry is another block's
      uint64_t slot = found >> 32 & 0xffff;
      if (slot == Claimed)
        continue; // a warp of this block is about to publish it
      if (slot == Failed)
        return NoSlot;
      uint32_t generation = shiftOf(&reinterpret_cast<SlotHeader *>(headers)[slot].generation);
      return slot | uint64_t(generation) << 32;
    }
    uint64_t old;
    asm volatile("atom.relaxed.gpu.global.cas.b64 %0, [%1], %2, %3;"
                 : "=l"(old)
                 : "l"(entry), "l"(found), "l"(mine | Claimed << 32)
                 : "memory");
    if (old == found)
      break;
  }
  uint64_t slot = Failed;
  uint32_t generation = 0, words = (slots + 31) / 32;
  for (uint32_t i = 0; i < words && slot == Failed; ++i) {
    uint64_t word = taken + (block + i) % words * sizeof(uint32_t);
    for (;;) { // each turn another block took a bit
      uint32_t free = ~shiftOf(reinterpret_cast<uint32_t *>(word)), old;
      if (!free)
        break;
      uint32_t bit = free & -free;
      asm volatile("atom.relaxed.gpu.global.or.b32 %0, [%1], %2;"
                   : "=r"(old)
                   : "l"(word), "r"(bit)
                   : "memory");
      if (!(old & bit)) {
        slot = (block + i) % words * 32 + uint32_t(__builtin_ctz(bit));
        break;
      }
    }
  }
  if (slot != Failed) {
    auto *h = &reinterpret_cast<SlotHeader *>(headers)[slot];
    generation = shiftOf(&h->generation) + 1;
    if (generation > mark::Generations) {
      slot = Failed; // used up: it stays taken
    } else {
      atomicExchange(uint64_t(&h->generation), generation);
      atomicExchange(uint64_t(&h->live), threads);
    }
  }
  asm volatile("st.release.gpu.global.b64 [%0], %1;"
               :
               : "l"(entry), "l"(mine | slot << 32)
               : "memory");
  return slot == Failed ? NoSlot : slot | uint64_t(generation) << 32;
}

/// `n` threads of the block end.
COLD void __scopesan_fast_leave_slot(uint32_t slot, uint32_t n) {
  Log *log = __scopesan_gpu_state;
  uint64_t live =
      uint64_t(&reinterpret_cast<SlotHeader *>(fetch(uint64_t(&log->slotHeaders)))[slot].live);
  uint32_t old;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;"
               : "=r"(old)
               : "l"(live), "r"(-n)
               : "memory");
  if (old != n)
    return;
  uint64_t entry = fetch(uint64_t(&log->slotTable)) + blockIndex() % SlotEntries * sizeof(uint64_t);
  uint64_t word = fetch(uint64_t(&log->slotTaken)) + slot / 32 * sizeof(uint32_t);
  asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" : : "l"(entry), "l"(uint64_t(0)) : "memory");
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
  asm volatile("red.relaxed.gpu.global.and.b32 [%0], %1;"
               :
               : "l"(word), "r"(~(1u << slot % 32))
               : "memory");
}

// ---------------------------------------------------------------- entry points

HOOK void __scopesan_fast_enter(FastState *s, uint32_t flags) {
  s->table = s->oldest = s->wide = s->span = s->tick = s->tickBits = 0;
  s->sharedMe = s->sharedBase = 0;
  s->checkedGlobal = s->checkedShared = 0;
  s->slot = NoSlot;
  s->me = ~uint64_t(0);
  Log *log = __scopesan_gpu_state;
  if (!log || !shiftOf(&log->capacity))
    return;
  uint32_t blockShift = shiftOf(&log->blockShift);
  uint64_t tag = fetch(uint64_t(&log->tag)), thread = uint64_t(threadIndex()) << mark::ThreadShift;
  s->table = fetch(uint64_t(&log->table));
  s->me = tag | uint64_t(blockIndex()) << blockShift | thread;
  s->oldest = fetch(uint64_t(&log->oldest));
  s->wide = tag | (~uint64_t(0) << blockShift & mark::TimeMask);
  if (flags & FastMixed)
    s->tickBits = (uint64_t(1) << shiftOf(&log->phaseShift)) + TimeLow;
  if (!(flags & FastUsesShared))
    return;
  uint32_t x, y, z, lane, mask;
  asm("mov.u32 %0, %%ntid.x;" : "=r"(x));
  asm("mov.u32 %0, %%ntid.y;" : "=r"(y));
  asm("mov.u32 %0, %%ntid.z;" : "=r"(z));
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  uint32_t leader = uint32_t(__builtin_ctz(mask));
  uint64_t found = 0;
  if (lane == leader)
    found = __scopesan_fast_take_slot(x * y * z);
  uint32_t slot, generation;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, %3;"
               : "=r"(slot)
               : "r"(uint32_t(found)), "r"(leader), "r"(mask));
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, %3;"
               : "=r"(generation)
               : "r"(uint32_t(found >> 32)), "r"(leader), "r"(mask));
  if (slot == NoSlot) {
    if (lane == leader && s->table)
      count(log, Counter::SlotsMissing, 1);
    return;
  }
  s->slot = slot;
  s->sharedBase = fetch(uint64_t(&log->sharedShadow)) + uint64_t(slot) * shiftOf(&log->slotBytes);
  s->sharedMe = uint64_t(generation) << mark::GenerationShift | thread;
}

/// The thread ends.
COLD void __scopesan_fast_leave(uint32_t slot, uint32_t checkedGlobal, uint32_t checkedShared) {
  bool first;
  uint32_t global = sumOfWarp(checkedGlobal, &first), shared = sumOfWarp(checkedShared, &first),
           n = sumOfWarp(1, &first);
  if (!first)
    return;
  Log *log = __scopesan_gpu_state;
  if (global)
    count(log, Counter::CheckedGlobal, global);
  if (shared)
    count(log, Counter::CheckedShared, shared);
  if (slot != NoSlot)
    __scopesan_fast_leave_slot(slot, n);
}
HOOK void __scopesan_fast_exit(FastState *s) {
  if (s->me != ~uint64_t(0) || s->slot != NoSlot)
    __scopesan_fast_leave(s->slot, s->checkedGlobal, s->checkedShared);
}

COLD void __scopesan_fast_overflow() { count(__scopesan_gpu_state, Counter::TimeOverflow, 1); }

/// The thread has passed a barrier of its whole block.
HOOK void __scopesan_fast_barrier(FastState *s, uint32_t flags) {
  if (s->me == ~uint64_t(0))
    return;
  uint64_t unit = flags & FastMixed ? s->tickBits - TimeLow : uint64_t(1) << mark::TimeShift;
  s->span += unit;
  s->me += unit;
  s->sharedMe += unit;
  constexpr uint64_t SharedEnd = uint64_t(1) << mark::GenerationShift;
  if (s->span > (~s->wide & mark::TimeMask) || s->span + unit > SharedEnd) [[unlikely]] {
    __scopesan_fast_overflow();
    s->table = s->sharedBase = 0;
    s->me = ~uint64_t(0);
  }
}

HOOK void __scopesan_fast_access(FastState *s, const void *pointer, uint32_t bytes, uint32_t site,
                                 uint32_t local, uint32_t window, uint32_t what) {
  what |= bytes << BytesShift;
  if (window == SharedWindow || (window == AnyWindow && isSharedAddress(pointer))) {
    if (!s->sharedBase)
      return __scopesan_fast_log(pointer, s->me, site, what);
    uint32_t offset = sharedOffsetOf(pointer);
    ++s->checkedShared;
    return words<true>(s, sharedCell(s, offset), SharedBit | offset, bytes, site, local,
                       what | IsShared);
  }
  uint64_t address = uint64_t(pointer), cell = globalCell(s, address);
  if (!cell)
    return __scopesan_fast_log(pointer, s->me, site, what);
  ++s->checkedGlobal;
  words<false>(s, cell, address, bytes, site, local, what);
}

/// Any number of bytes, word by word.
COLD void __scopesan_fast_range(const void *pointer, uint64_t bytes, uint64_t table, uint64_t me,
                                uint64_t sharedBase, uint64_t sharedMe, uint32_t site,
                                uint32_t local, uint32_t what) {
  FastState s;
  s.table = table;
  s.sharedBase = sharedBase;
  bool shared = isSharedAddress(pointer);
  uint64_t at = shared ? sharedOffsetOf(pointer) : uint64_t(pointer), end = at + bytes;
  const char *p = static_cast<const char *>(pointer);
#pragma unroll 1
  while (at < end) {
    uint32_t first = uint32_t(at) & 3;
    uint32_t n = uint32_t(end - at < 4 - first ? end - at : 4 - first);
    uint32_t mask = ((1u << n) - 1) << first;
    uint64_t cell = shared ? sharedCell(&s, uint32_t(at)) : globalCell(&s, at);
    uint64_t mark = (shared ? sharedMe : me) | uint64_t(local) << mark::SiteShift | mask;
    uint32_t w = what | n << BytesShift;
    if (cell)
      __scopesan_fast_word(cell, mark, shared ? SharedBit | at : at, site,
                           w | (shared ? IsShared : 0));
    else
      __scopesan_fast_log(p, me, site, w);
    at += n;
    p += n;
  }
}
HOOK void __scopesan_fast_span(FastState *s, const void *pointer, uint64_t bytes, uint32_t site,
                               uint32_t local, uint32_t what) {
  if (bytes)
    __scopesan_fast_range(pointer, bytes, s->table, s->me, s->sharedBase, s->sharedMe, site, local,
                          what);
  ++s->checkedGlobal;
}

// ---------------------------------------------------------------- kernels that log every event

/// Leaves marks in global memory, before the record of the access. `how`: MarkWrite, MarkStrong,
/// MarkNonCoherent.
DEVICE void __scopesan_gpu_mark(const void *pointer, uint64_t bytes, uint32_t how, uint32_t site) {
  Log *log = __scopesan_gpu_state;
  uint64_t at = place(pointer);
  if (!log || !shiftOf(&log->capacity) || !at || at & SharedBit)
    return;
  FastState s;
  s.table = fetch(uint64_t(&log->table));
  if (!s.table)
    return;
  uint64_t me = fetch(uint64_t(&log->tag)) | uint64_t(blockIndex()) << shiftOf(&log->blockShift) |
                uint64_t(threadIndex()) << mark::ThreadShift |
                uint64_t(site % mark::MaxSites) << mark::SiteShift;
  Actor a = actorOf(log, me, 0);
#pragma unroll 1
  for (uint64_t end = at + bytes; at < end;) {
    uint32_t first = uint32_t(at) & 3;
    uint32_t n = uint32_t(end - at < 4 - first ? end - at : 4 - first);
    if (uint64_t cell = globalCell(&s, at)) {
      uint64_t m = me | ((1u << n) - 1) << first;
      DevicePort p = portOf(log, a, cell, m, at, site, OnlyMarks);
      leaveMark(p, a, how & MarkNonCoherent ? nonCoherentMark(a, m) : m, how & MarkWrite,
                how & MarkStrong);
    }
    at += n;
  }
}
