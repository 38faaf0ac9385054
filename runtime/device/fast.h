// What kernels in a fast form call: accesses meet shadow memory where they stand.
//
// The hooks are inlined, so that FastState, a local variable of the kernel, becomes registers. Each
// settles the common cases itself and hands the rest, by value, to one function out of line. Needs
// 128-bit atomics (sm_90). The only waiting is at kernel entry, for a warp of the own block.
#pragma once

#include "mixed.h"
#include "slots.h"

namespace {

constexpr uint32_t AnyWindow = uint32_t(FastWindow::Any),
                   SharedWindow = uint32_t(FastWindow::Shared);

/// Settled as far as a hook tells: ordered by launch or phase, or mine now.
template <bool Shared> INLINE bool isQuiet(const FastState *s, uint64_t m) {
  uint64_t me = Shared ? s->sharedMe : s->me;
  uint64_t phase = (me - s->tick) & TimeLow;
  if (m - phase < s->warpTick && !((m ^ me) & mark::WarpBits))
    return true;
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
    c = exchangeCell(cell, {me, 0});
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
    if (!Shared && c.w < s->oldest && c.r >= s->wide && !(what & IsMixed) &&
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

} // namespace

// ---------------------------------------------------------------- entry points

HOOK void __scopesan_fast_enter(FastState *s, uint32_t flags) {
  s->table = s->oldest = s->wide = s->span = s->tick = s->warpTick = s->tickBits = 0;
  s->sharedMe = s->sharedBase = 0;
  s->tableMask = 0;
  s->blockBytes = s->blockNow = 0;
  s->pollTurns = s->pollSite = 0;
  s->pollAt = s->pollValue = 0;
  s->checkedGlobal = s->checkedShared = 0;
  s->slot = NoSlot;
  s->me = ~uint64_t(0);
  Log *log = currentLog();
  if (!log || !fetch32(&log->capacity))
    return;
  uint32_t blockShift = fetch32(&log->blockShift);
  uint64_t tag = fetch(uint64_t(&log->tag)), thread = uint64_t(threadIndex()) << mark::ThreadShift;
  s->table = fetch(uint64_t(&log->table));
  s->tableMask = fetch32(&log->tableMask);
  s->me = tag | uint64_t(blockIndex()) << blockShift | thread;
  s->oldest = fetch(uint64_t(&log->oldest));
  s->wide = tag | (~uint64_t(0) << blockShift & ~(~uint64_t(0) << fetch32(&log->epochShift)));
  if (flags & FastMixed)
    s->tickBits = (uint64_t(1) << fetch32(&log->phaseShift)) + TimeLow;
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
  s->sharedBase = fetch(uint64_t(&log->sharedShadow)) + uint64_t(slot) * fetch32(&log->slotBytes);
  s->sharedMe = uint64_t(generation) << mark::GenerationShift | thread;
}

/// After fast_enter: words in [data, data + bytes) of shared memory have cells at `cells`. The
/// barrier comes before everything that the program does.
HOOK void __scopesan_fast_block_cells(FastState *s, uint32_t data, uint32_t cells, uint32_t bytes) {
  s->blockData = data;
  s->blockCells = cells;
  if (s->me == ~uint64_t(0))
    return;
  uint32_t x, y, z;
  asm("mov.u32 %0, %%ntid.x;" : "=r"(x));
  asm("mov.u32 %0, %%ntid.y;" : "=r"(y));
  asm("mov.u32 %0, %%ntid.z;" : "=r"(z));
  uint32_t thread = threadIndex();
#pragma unroll 1
  for (uint32_t at = thread * 16; at < bytes * 2; at += x * y * z * 16)
    asm volatile("st.shared.v2.b64 [%0], {%1, %1};"
                 :
                 : "r"(cells + at), "l"(uint64_t(0))
                 : "memory");
  asm volatile("barrier.sync.aligned 0;" ::: "memory");
  s->blockBytes = bytes;
  s->blockNow = 1u << (blockcell::PhaseShift - 32) | thread;
}

/// The thread ends.
COLD void __scopesan_fast_leave(uint32_t slot, uint32_t checkedGlobal, uint32_t checkedShared) {
  bool first;
  uint32_t global = sumOfWarp(checkedGlobal, &first), shared = sumOfWarp(checkedShared, &first),
           n = sumOfWarp(1, &first);
  if (!first)
    return;
  Log *log = currentLog();
  if (global)
    count(log, Counter::CheckedGlobal, global);
  if (shared)
    count(log, Counter::CheckedShared, shared);
  if (slot != NoSlot)
    __scopesan_fast_leave_slot(slot, n);
}
HOOK void __scopesan_fast_exit(FastState *s) {
  if (s->tickBits) {
    endPoll(s);
    __scopesan_fast_leave_mixed(s->span);
  }
  if (s->me != ~uint64_t(0) || s->slot != NoSlot)
    __scopesan_fast_leave(s->slot, s->checkedGlobal, s->checkedShared);
}

/// The thread has passed a barrier of its whole block.
HOOK void __scopesan_fast_barrier(FastState *s, uint32_t flags) {
  if (flags & FastTrustsBarriers) {
    uint32_t lanes;
    asm volatile("activemask.b32 %0;" : "=r"(lanes));
    if (lanes != lanesOfWarp() && s->me != ~uint64_t(0)) [[unlikely]]
      __scopesan_fast_diverged();
  }
  uint64_t unit = flags & FastMixed ? s->tickBits - TimeLow : uint64_t(1) << mark::TimeShift;
  if (s->me == ~uint64_t(0)) {
    if (flags & FastMixed) // its synchronization goes on
      s->span += unit;
    return;
  }
  if (flags & FastMixed) { // a phase counts its own ticks
    s->me -= s->tick;
    s->sharedMe -= s->tick;
    s->tick = s->warpTick = 0;
  }
  s->span += unit;
  s->me += unit;
  s->sharedMe += unit;
  s->blockNow += 1u << (blockcell::PhaseShift - 32);
  constexpr uint64_t BlockEnd = (uint64_t(1) << (64 - blockcell::PhaseShift)) - 3;
  uint64_t sharedEnd =
      flags & FastBlockCells ? BlockEnd << mark::TimeShift : uint64_t(1) << mark::GenerationShift;
  // Of the time's bits, all below the block's.
  uint64_t time = (s->wide & -s->wide) - 1;
  if (s->span > (time & mark::TimeMask) || s->span + unit > sharedEnd) [[unlikely]] {
    __scopesan_fast_overflow();
    s->table = s->sharedBase = 0;
    s->blockBytes = 0;
    s->me = ~uint64_t(0);
  }
}

namespace {

INLINE void blockWord(const FastState *s, uint32_t cell, uint32_t offset, uint32_t site,
                      uint32_t local, uint32_t what) {
  uint32_t kind = what & KindMask;
  uint64_t old = 0;
  if (kind == KindWrite) {
    if (writeBlockWord(BlockWord{cell}, s->blockNow, local, old)) [[likely]]
      return;
  } else {
    uint64_t c = BlockWord{cell}.load();
    if (kind == KindRead ? coversBlockRead(c, s->blockNow) : coversBlockRmw(c, s->blockNow))
      return;
  }
  __scopesan_fast_block_word(cell, old, s->blockNow, offset, site, local, what);
}
/// An access without a cell: logged, unless nothing is checked.
INLINE void unshadowed(const FastState *s, const void *pointer, uint32_t site, uint32_t what) {
  if (s->me != ~uint64_t(0)) [[unlikely]]
    __scopesan_fast_log(pointer, s->me, site, what);
}
/// Words of 4 bytes in the block's shared memory.
INLINE void blockWords(const FastState *s, uint32_t offset, uint32_t bytes, uint32_t site,
                       uint32_t local, uint32_t what) {
  uint32_t cell = s->blockCells + (offset - s->blockData) * 2;
  if (bytes == 4)
    return blockWord(s, cell, offset, site, local, what);
#pragma unroll 1
  for (uint32_t at = 0; at < bytes; at += 4)
    blockWord(s, cell + at * 2, offset + at, site, local, what);
}

} // namespace

HOOK void __scopesan_fast_access(FastState *s, const void *pointer, uint32_t bytes, uint32_t site,
                                 uint32_t local, uint32_t window, uint32_t what) {
  if (what & IsMixed)
    endPoll(s);
  what |= bytes << BytesShift | uint32_t(s->warpTick >> mark::TimeShift) << WarpTickShift;
  if (window == SharedWindow || (window == AnyWindow && isSharedAddress(pointer))) {
    if (what & InBlock) {
      uint32_t offset = sharedOffsetOf(pointer);
      if (offset - s->blockData >= s->blockBytes)
        return unshadowed(s, pointer, site, what);
      ++s->checkedShared;
      return blockWords(s, offset, bytes, site, local, what);
    }
    if (!s->sharedBase)
      return unshadowed(s, pointer, site, what);
    uint32_t offset = sharedOffsetOf(pointer);
    ++s->checkedShared;
    return words<true>(s, sharedCell(s->sharedBase, offset), SharedBit | offset, bytes, site, local,
                       what | IsShared);
  }
  uint64_t address = uint64_t(pointer), cell = globalCell(s->table, s->tableMask, address);
  if (!cell)
    return unshadowed(s, pointer, site, what);
  ++s->checkedGlobal;
  words<false>(s, cell, address, bytes, site, local, what);
}

/// Any number of bytes, word by word.
COLD void __scopesan_fast_range(const void *pointer, uint64_t bytes, uint64_t table, uint64_t me,
                                uint64_t sharedBase, uint64_t sharedMe, uint32_t site,
                                uint32_t local, uint32_t what) {
  const Log *log = currentLog();
  bool shared = isSharedAddress(pointer);
  uint64_t begin = shared ? sharedOffsetOf(pointer) : uint64_t(pointer);
  forParts(begin, bytes, [&](uint64_t at, uint32_t n, uint32_t mask) {
    uint64_t cell = shared ? sharedCell(sharedBase, uint32_t(at)) : globalCell(log, table, at);
    uint64_t mark = (shared ? sharedMe : me) | uint64_t(local) << mark::SiteShift | mask;
    uint32_t w = what | n << BytesShift;
    if (cell)
      __scopesan_fast_word(cell, mark, shared ? SharedBit | at : at, site,
                           w | (shared ? IsShared : 0));
    else
      __scopesan_fast_log(static_cast<const char *>(pointer) + (at - begin), me, site, w);
  });
}
HOOK void __scopesan_fast_span(FastState *s, const void *pointer, uint64_t bytes, uint32_t site,
                               uint32_t local, uint32_t what) {
  if (what & IsMixed)
    endPoll(s);
  if (bytes)
    __scopesan_fast_range(pointer, bytes, s->table, s->me, s->sharedBase, s->sharedMe, site, local,
                          what | uint32_t(s->warpTick >> mark::TimeShift) << WarpTickShift);
  ++s->checkedGlobal;
}
// ---------------------------------------------------------------- kernels that log every event

/// Leaves marks in global memory, before the record of the access. `how`: MarkWrite, MarkStrong,
/// MarkNonCoherent.
DEVICE void __scopesan_gpu_mark(const void *pointer, uint64_t bytes, uint32_t how, uint32_t site) {
  Log *log = currentLog();
  uint64_t at = place(pointer);
  if (!log || !fetch32(&log->capacity) || !at || at & SharedBit)
    return;
  uint64_t table = fetch(uint64_t(&log->table));
  if (!table)
    return;
  uint64_t me = fetch(uint64_t(&log->tag)) | uint64_t(blockIndex()) << fetch32(&log->blockShift) |
                uint64_t(threadIndex()) << mark::ThreadShift |
                uint64_t(site % mark::MaxSites) << mark::SiteShift;
  Actor a = actorOf(log, me, 0);
  forParts(at, bytes, [&](uint64_t word, uint32_t, uint32_t mask) {
    uint64_t cell = globalCell(log, table, word), m = me | mask;
    if (!cell)
      return;
    CellPort p{tellerOf(log, a, m, word, site, OnlyMarks), cell};
    leaveMark(p, a, how & MarkNonCoherent ? nonCoherentMark(a, m) : m, how & MarkWrite,
              how & MarkStrong);
  });
}
