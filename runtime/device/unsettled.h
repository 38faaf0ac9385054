// What a hook did not settle: the rest of the protocol, and the log. Out of line, by value.
#pragma once

#include "cells.h"

namespace {

/// The phase of a mark's block, as records hold it.
INLINE uint32_t phaseOf(const Log *log, uint64_t mark, uint64_t blockMask) {
  return uint32_t((mark & ~blockMask) >> fetch32(&log->phaseShift)) & 0xffff;
}
INLINE uint32_t threadsOfBlock() {
  uint32_t x, y, z;
  asm("mov.u32 %0, %%ntid.x;" : "=r"(x));
  asm("mov.u32 %0, %%ntid.y;" : "=r"(y));
  asm("mov.u32 %0, %%ntid.z;" : "=r"(z));
  return x * y * z;
}
INLINE uint64_t blocksOfGrid() {
  uint32_t x, y, z;
  asm("mov.u32 %0, %%nctaid.x;" : "=r"(x));
  asm("mov.u32 %0, %%nctaid.y;" : "=r"(y));
  asm("mov.u32 %0, %%nctaid.z;" : "=r"(z));
  return uint64_t(x) * y * z;
}

/// An access as a whole.
INLINE void accessRecord(const Ticket &t, uint64_t at, uint32_t bytes, uint32_t site, uint32_t what,
                         uint32_t phase) {
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

/// What an access tells the log (protocol.h, Port).
struct Teller {
  Log *log;
  uint64_t mark, address;
  uint32_t site, what, phase;
  Ticket ticket{0, 0};
  bool reserved = false;

  /// All pairs of two sites race in a kernel that does not synchronize: a few are enough.
  INLINE_MEMBER bool wants(uint64_t other, bool isRead) {
    if ((what & IsMixed) || !fetch(uint64_t(&log->dedup)))
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

  INLINE_MEMBER bool keepsReaders() {
    if (blocksOfGrid() > MostThreadsKept / threadsOfBlock())
      return false;
    uint64_t at = fetch(uint64_t(&log->counters)) + uint32_t(Counter::ReadersKept) * 8;
    return relaxed(at) < MostReadersKept && add(at) < MostReadersKept;
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
    uint32_t mask = uint32_t(mark) & 15, bytes = __builtin_popcount(mask);
    uint64_t first = (address & ~uint64_t(3)) + __builtin_ctz(mask);
    if ((what & KindMask) == KindRmw) {
      bytes = bytesOf(what);
      first &= ~uint64_t(bytes - 1);
    }
    accessRecord(ticket, first, bytes, site, what, phase);
  }

private:
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

/// A word with a cell in device memory.
struct CellPort : Teller {
  uint64_t cell;

  INLINE_MEMBER Cell load() { return loadCell(cell); }
  INLINE_MEMBER Cell exchange(Cell c) { return exchangeCell(cell, c); }
  INLINE_MEMBER Cell compareExchange(Cell expected, Cell wanted) {
    return compareExchangeCell(cell, expected, wanted);
  }
  INLINE_MEMBER uint64_t maxRead(uint64_t r) { return ::maxRead(cell, r); }
  INLINE_MEMBER uint64_t loadWrite() { return ::loadWrite(cell); }
};
/// A word with a cell in the block's shared memory.
struct BlockPort : Teller, PackedSteps<BlockWord> {};

INLINE Actor actorOf(const Log *log, uint64_t mark, uint32_t what) {
  Actor a;
  a.shared = what & IsShared;
  a.mixed = what & IsMixed;
  a.me = mark & ~(mark::SiteBits | mark::FullWord);
  uint32_t block = a.shared ? mark::GenerationShift : fetch32(&log->blockShift);
  a.blockMask = ~uint64_t(0) << block;
  a.phaseMask = ~uint64_t(0) << fetch32(&log->phaseShift);
  a.oldest = a.shared ? mark & a.blockMask : fetch(uint64_t(&log->oldest));
  a.orderedTags = fetch(uint64_t(&log->orderedTags));
  a.epochMask = ~uint64_t(0) << fetch32(&log->epochShift);
  a.warpTicks = uint64_t(what >> WarpTickShift) << mark::TimeShift;
  return a;
}
INLINE Teller tellerOf(Log *log, const Actor &a, uint64_t mark, uint64_t address, uint32_t site,
                       uint32_t what) {
  return {log, mark, address, site, what, phaseOf(log, mark, a.blockMask)};
}

/// What follows the step of a hook that found `w` and `r`.
template <class Port>
INLINE void unsettled(Port &p, const Actor &a, uint64_t mark, uint64_t w, uint64_t r,
                      uint32_t kind) {
  if (kind == KindWrite)
    afterWrite(p, a, mark, {w, r});
  else if (kind == KindRead)
    afterRead(p, a, mark, r, w);
  else
    afterNonCoherent(p, a, nonCoherentMark(a, mark), r, w);
}
/// The whole step.
template <class Port> INLINE void wholeWord(Port &p, const Actor &a, uint64_t mark, uint32_t kind) {
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

} // namespace

/// A word that the hook did not settle: `w` and `r` are what its step found. `address` in the form
/// of records.
COLD void __scopesan_fast_unsettled(uint64_t cell, uint64_t w, uint64_t r, uint64_t mark,
                                    uint64_t address, uint32_t site, uint32_t what) {
  Log *log = currentLog();
  Actor a = actorOf(log, mark, what);
  CellPort p{tellerOf(log, a, mark, address, site, what), cell};
  unsettled(p, a, mark, w, r, what & KindMask);
}

/// A word whose whole step is out of line: parts of words, read-modify-writes.
COLD void __scopesan_fast_word(uint64_t cell, uint64_t mark, uint64_t address, uint32_t site,
                               uint32_t what) {
  Log *log = currentLog();
  Actor a = actorOf(log, mark, what);
  CellPort p{tellerOf(log, a, mark, address, site, what), cell};
  wholeWord(p, a, mark, what & KindMask);
}

namespace {

/// Lanes that read the same word of the block come as one: they would queue at its cell.
INLINE bool readBlockWordOfLanes(uint32_t cell, uint32_t now, uint32_t local) {
  uint32_t lanes, same, lane, done = 0;
  asm volatile("activemask.b32 %0;" : "=r"(lanes));
  asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(same) : "r"(cell), "r"(lanes));
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  auto first = uint32_t(__builtin_ctz(same));
  if (lane == first && (same & (same - 1)))
    done = readBlockWordTogether(BlockWord{cell}, now, local);
  asm volatile("shfl.sync.idx.b32 %0, %0, %1, 31, %2;" : "+r"(done) : "r"(first), "r"(lanes));
  return done || readBlockWord(BlockWord{cell}, now, local);
}

} // namespace

/// The same for a cell in the block's shared memory. `now`: the upper half of a cell of the
/// thread's, without level; `old`: what the write's exchange found.
COLD void __scopesan_fast_block_word(uint32_t cell, uint64_t old, uint32_t now, uint32_t offset,
                                     uint32_t site, uint32_t local, uint32_t what) {
  if ((what & KindMask) == KindRead && readBlockWordOfLanes(cell, now, local))
    return;
  Log *log = currentLog();
  uint64_t phase = now >> (blockcell::PhaseShift - 32), thread = now & blockcell::ThreadMask;
  uint64_t mark = uint64_t(1) << mark::GenerationShift | (phase - 1) << fetch32(&log->phaseShift) |
                  thread << mark::ThreadShift | uint64_t(local) << mark::SiteShift | mark::FullWord;
  Actor a = actorOf(log, mark, what | IsShared);
  BlockPort p{tellerOf(log, a, mark, SharedBit | offset, site, what | IsShared), {{cell}, a}};
  if ((what & KindMask) == KindWrite) {
    Cell c = unpackCell(a, old);
    return afterWrite(p, a, mark, c);
  }
  wholeWord(p, a, mark, what & KindMask);
}

/// An access without a cell. `me`: the state's.
COLD void __scopesan_fast_log(const void *pointer, uint64_t me, uint32_t site, uint32_t what) {
  uint64_t at = place(pointer);
  Log *log = currentLog();
  if (!at || !log || me == ~uint64_t(0))
    return;
  Ticket t = take(0);
  if (!t.at)
    return;
  count(log, Counter::LoggedFull, 1);
  uint64_t block = ~uint64_t(0) << fetch32(&log->blockShift);
  accessRecord(t, at, bytesOf(what), site, what, phaseOf(log, me, block));
}
