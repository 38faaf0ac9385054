// Hooks of kernels in the mixed form: synchronization is logged, and counted in ticks.
#pragma once

#include "state.h"
#include "unsettled.h"

/// `span`: of the thread's state.
COLD void __scopesan_fast_record(uint64_t span, uint32_t kind, uint64_t value, uint32_t low,
                                 uint32_t high, uint32_t extra, uint64_t dependency) {
  Log *log = currentLog();
  if (!log)
    return;
  Ticket t = take(dependency);
  if (t.at)
    record(t, EventKind(kind), value, low, high, extra,
           uint32_t(span >> fetch32(&log->phaseShift)) & 0xffff);
}

/// A load is over; `value` is what it read, `more` how often it read it again.
COLD void __scopesan_fast_poll_ends(uint64_t span, uint64_t value, uint32_t more) {
  __scopesan_fast_record(span, uint32_t(EventKind::AtomicAfter), value, more, 0, ValueKnown, value);
}
/// Its last turn read something else than those before.
COLD void __scopesan_fast_poll_changes(uint64_t span, uint64_t before, uint32_t more,
                                       uint64_t value) {
  Log *log = currentLog();
  if (!log)
    return;
  Ticket t = take<2>(value);
  if (!t.at)
    return;
  uint32_t phase = uint32_t(span >> fetch32(&log->phaseShift)) & 0xffff;
  record(t, EventKind::AtomicAfter, before, more, 0, ValueKnown | ChangeFollows, phase);
  record(t.next(), EventKind::AtomicAfter, value, 0, 0, ValueKnown, phase);
}
COLD void __scopesan_fast_diverged() { count(currentLog(), Counter::BarrierDiverged, 1); }

/// The words of a strong access are tracked from now on: the host has them alone. `mark`: of the
/// thread, without bytes; 0 = the memory has no cells.
COLD void __scopesan_fast_strong_words(const void *pointer, uint32_t bytes, uint64_t table,
                                       uint64_t sharedBase, uint64_t mark, uint32_t site,
                                       uint32_t what) {
  uint64_t first = place(pointer);
  Log *log = currentLog();
  bool shared = first & SharedBit;
  if (!first || !mark || (shared && first & PeerBit))
    return;
  forParts(shared ? uint32_t(first) : first, bytes, [&](uint64_t at, uint32_t, uint32_t mask) {
    uint64_t cell = shared ? sharedCell(sharedBase, uint32_t(at)) : globalCell(log, table, at);
    uint32_t flags = what | OnlyMarks | (shared ? uint32_t(IsShared) : 0u);
    if (!cell)
      return;
    Actor a = actorOf(log, mark, flags);
    CellPort p{tellerOf(log, a, mark | mask, shared ? SharedBit | at : at, site, flags), cell};
    leaveMark(p, a, mark | mask, /*isWrite=*/true, /*strong=*/true);
  });
}

/// One record for the threads of the warp that end together.
COLD void __scopesan_fast_leave_mixed(uint64_t span) {
  uint32_t lane, mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  if (lane == uint32_t(__builtin_ctz(mask)))
    __scopesan_fast_record(span, uint32_t(EventKind::Exit), 0, mask, 0, 0, 0);
}

// ---------------------------------------------------------------- hooks

namespace {

/// The thread's ticks are `tick` from now on.
INLINE void setTick(FastState *s, uint64_t tick) {
  if (!s->tickBits || s->me == ~uint64_t(0))
    return;
  if (tick >= s->tickBits) [[unlikely]] { // all ones stand for several threads
    __scopesan_fast_overflow();
    s->table = s->sharedBase = 0;
    s->me = ~uint64_t(0);
    return;
  }
  s->me += tick - s->tick;
  s->sharedMe += tick - s->tick;
  s->tick = tick;
}
/// A thread that waits reads one value again and again. The load stays open until it reads another
/// value or does something else: nothing that the log tells can come between the turns. Every so
/// often it is closed all the same, so that the host can go on with what it has. pollTurns counts
/// the beginning and the turns that read pollValue.
constexpr uint32_t MostTurns = 1024;
INLINE void endPoll(FastState *s) {
  if (!s->pollTurns) [[likely]]
    return;
  __scopesan_fast_poll_ends(s->span, s->pollValue, s->pollTurns - 2);
  s->pollTurns = 0;
}
INLINE void pollAfter(FastState *s, uint64_t value) {
  if (s->pollTurns == 1) {
    s->pollValue = value;
    s->pollTurns = 2;
  } else if (value != s->pollValue) {
    __scopesan_fast_poll_changes(s->span, s->pollValue, s->pollTurns - 2, value);
    s->pollTurns = 0;
  } else if (++s->pollTurns > MostTurns) {
    endPoll(s);
  }
}
/// Lanes of the warp that the block has.
INLINE uint32_t lanesOfWarp() {
  uint32_t rest = threadsOfBlock() - (threadIndex() & ~31u);
  return rest >= 32 ? ~0u : (1u << rest) - 1;
}
INLINE uint32_t ticks(uint64_t tick) { return uint32_t(tick >> mark::TimeShift); }
constexpr uint64_t OneTick = uint64_t(1) << mark::TimeShift;

} // namespace

HOOK void __scopesan_fast_before_barrier(FastState *s) { endPoll(s); }

HOOK void __scopesan_fast_fence(FastState *s, uint32_t op, uint32_t site) {
  endPoll(s);
  __scopesan_fast_record(s->span, uint32_t(EventKind::Fence), 0, ticks(s->tick), site, op, 0);
  setTick(s, s->tick + OneTick);
}

HOOK void __scopesan_fast_atomic_before(FastState *s, const void *pointer, uint32_t bytes,
                                        uint32_t op, uint32_t site, uint32_t local) {
  uint64_t at = place(pointer);
  if (!at)
    return;
  bool mayRepeat = abi::Op(op).kind() == abi::AccessKind::Load && bytes <= 8;
  if (mayRepeat && s->pollTurns && s->pollAt == at && s->pollSite == site)
    return;
  endPoll(s);
  uint64_t me = at & SharedBit ? s->sharedBase ? s->sharedMe : 0 : s->table ? s->me : 0;
  if (me)
    __scopesan_fast_strong_words(pointer, bytes, s->table, s->sharedBase,
                                 me | uint64_t(local) << mark::SiteShift, site,
                                 IsMixed | ticks(s->warpTick) << WarpTickShift);
  __scopesan_fast_record(s->span, uint32_t(EventKind::AtomicBefore), at,
                         bytes | ticks(s->tick) << 8, site, op, 0);
  if (abi::Op(op).releases())
    setTick(s, s->tick + OneTick);
  if (mayRepeat) {
    s->pollAt = at;
    s->pollSite = site;
    s->pollTurns = 1;
  }
}

HOOK void __scopesan_fast_atomic_after(FastState *s, const void *pointer, uint32_t outcome,
                                       uint64_t value, uint64_t written) {
  if (!place(pointer))
    return;
  if (s->pollTurns)
    pollAfter(s, value);
  else
    __scopesan_fast_record(s->span, uint32_t(EventKind::AtomicAfter), value, uint32_t(written),
                           uint32_t(written >> 32), outcome, value);
}

/// The lanes of the barrier go on at one tick, later than all of theirs. When these are all lanes
/// that the warp ever had, what it did before is ordered. They meet here once more, with the
/// program's own mask: nobody waits who would not wait at the barrier.
HOOK void __scopesan_fast_warp(FastState *s, uint32_t mask, uint32_t site) {
  if (!s->tickBits) // no collector: the same in all lanes
    return;
  endPoll(s);
  uint32_t lanes, most, least, lane, tick = ticks(s->tick);
  asm volatile("vote.sync.ballot.b32 %0, 1, %1;" : "=r"(lanes) : "r"(mask));
  asm volatile("redux.sync.max.u32 %0, %1, %2;" : "=r"(most) : "r"(tick), "r"(mask));
  asm volatile("redux.sync.min.u32 %0, %1, %2;" : "=r"(least) : "r"(tick), "r"(mask));
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  if (most != least) // each says its own tick
    __scopesan_fast_record(s->span, uint32_t(EventKind::WarpArrive), tick, mask, site, 0, 0);
  else if (lane == uint32_t(__builtin_ctz(lanes)))
    __scopesan_fast_record(s->span, uint32_t(EventKind::WarpArrive), tick, mask, site, lanes, 0);
  setTick(s, uint64_t(most + 1) << mark::TimeShift);
  if (lanes == lanesOfWarp() && s->me != ~uint64_t(0))
    s->warpTick = s->tick;
}

/// The thread passed a barrier of its whole grid: what the launch did before is as old as an
/// earlier launch.
HOOK void __scopesan_fast_grid_barrier(FastState *s) {
  if (s->me == ~uint64_t(0))
    return;
  Log *log = currentLog();
  uint64_t epoch = ~uint64_t(0) << fetch32(&log->epochShift);
  if (!(~s->me & epoch & mark::TimeMask)) [[unlikely]] { // no more fit
    __scopesan_fast_overflow();
    s->table = s->sharedBase = 0;
    s->me = ~uint64_t(0);
    return;
  }
  s->me += -epoch;
  s->wide += -epoch;
  if (s->oldest >> mark::TagShift == s->me >> mark::TagShift)
    s->oldest = s->me & epoch;
}
