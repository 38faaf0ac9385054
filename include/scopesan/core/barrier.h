// Barriers of a block and of a warp (S7, S8).
//
// A complete barrier gives its departing threads one new local time, greater than every time that
// arrived: "before the barrier" is then `time < newTime`. When the whole block (or warp) took part
// that single number replaces all knowledge about its threads; otherwise the participants become
// exceptions in the clock.
#pragma once

#include "scopesan/core/sync_rules.h"

namespace scopesan::core {

class BarrierRules {
public:
  BarrierRules(Context &c, SyncRules &s) : C(c), Sync(s) {}

  /// S7: arrival at block barrier `id`. Departures of the generation are updated on completion,
  /// while their threads still wait.
  void s7Arrive(Thread &t, abi::BarrierKind kind, uint32_t id, uint32_t count) {
    Block &b = *t.block;
    BarrierState &bar = b.barriers[id % Block::Barriers];
    if (bar.arrived() == 0) {
      bar.expected = count;
      bar.lanes.clear();
    }
    if (bar.expected) {
      if (bar.lanes.empty())
        bar.lanes.resize((b.threads.size() + WarpSize - 1) / WarpSize);
      bar.lanes[warpOf(t.index)] |= 1u << laneOf(t.index);
    }
    if (kind == abi::BarrierKind::Arrive) {
      bar.sources.push(takeSnapshot(t));
      C.advance(t);
    } else {
      bar.waiting.push(t.index.value);
    }
    completeIfReady(b, bar);
  }

  /// S7: all threads of the block passed its barrier; what they do from now on is at `time`.
  void s7Pass(Block &b, LocalTime time) {
    C.counters.hit(RuleCounters::S7Barrier);
    for (Thread &x : b.threads)
      x.time = x.base = x.warpBase = time;
  }

  /// S8: arrival of a lane at a warp barrier with `mask`.
  void s8Arrive(Thread &t, uint32_t mask) {
    Vec<WarpMeeting> &open = t.block->meetings[warpOf(t.index)];
    uint32_t bit = 1u << laneOf(t.index);
    WarpMeeting *m = nullptr;
    for (WarpMeeting &x : open)
      if (x.mask == mask && !(x.arrived & bit))
        m = &x;
    if (!m)
      m = &open.push(WarpMeeting{mask, 0});
    m->arrived |= bit;
    meetIfReady(*t.block, warpOf(t.index));
  }

  /// Exited threads no longer count and give no edge (S7).
  void exit(Thread &t) {
    Block &b = *t.block;
    t.exited = true;
    --b.live;
    if (t.lastAccess >= t.base)
      ++b.dirtyExits;
    for (BarrierState &bar : b.barriers)
      if (bar.arrived())
        completeIfReady(b, bar);
    meetIfReady(b, warpOf(t.index));
  }

private:
  void completeIfReady(Block &b, BarrierState &bar) {
    if (bar.arrived() == 0 || !isComplete(b, bar))
      return;
    C.counters.hit(RuleCounters::S7Barrier);
    Vec<Thread *> departing;
    for (uint32_t i : bar.waiting)
      departing.push(&b.threads[i]);
    bool whole = bar.sources.empty() && departing.size() == b.live && b.dirtyExits == 0;
    Joined j = join(departing);
    for (const SnapshotRef &s : bar.sources) {
      j.blocks.join(s->blocks);
      j.nodes.join(s->nodes);
      j.proxies.join(s->proxies);
      s->addOwnTo(j.blocks);
    }
    if (!whole)
      addParticipants(b, departing, j);
    for (Thread *t : departing)
      depart(*t, j, whole);
    if (!whole)
      raiseWholeWarps(b, departing, j.time);
    Sync.s5Meet(departing, j.time, departing.size() == b.live);
    bar.waiting.clear();
    bar.sources.clear();
  }

  /// An explicit count is of whole warps: lanes of an arriving warp that do not exist or have
  /// exited count as arrived.
  static bool isComplete(const Block &b, const BarrierState &bar) {
    if (!bar.expected)
      return bar.arrived() >= b.live;
    uint32_t count = bar.arrived(), warps = 0;
    for (uint32_t l : bar.lanes)
      warps += l != 0;
    if (count >= bar.expected || warps * WarpSize < bar.expected)
      return count >= bar.expected;
    for (uint32_t w = 0; w < bar.lanes.size(); ++w)
      if (bar.lanes[w])
        count += uint32_t(__builtin_popcount(~(lanes(b, w, false) | bar.lanes[w])));
    return count >= bar.expected;
  }

  void meetIfReady(Block &b, uint32_t warp) {
    Vec<WarpMeeting> &open = b.meetings[warp];
    for (uint32_t i = 0; i < open.size();) {
      uint32_t live = lanes(b, warp, false);
      if (open[i].arrived == 0 || (open[i].mask & live & ~open[i].arrived)) {
        ++i;
        continue;
      }
      uint32_t arrived = open[i].arrived & live;
      open.swapRemove(i);
      meet(b, warp, arrived);
    }
  }
  void meet(Block &b, uint32_t warp, uint32_t arrived) {
    C.counters.hit(RuleCounters::S8WarpBarrier);
    Vec<Thread *> departing;
    for (uint32_t m = arrived; m; m &= m - 1)
      departing.push(&b.threads[warp * WarpSize + __builtin_ctz(m)]);
    if (departing.empty())
      return;
    Joined j = join(departing);
    bool whole = arrived == lanes(b, warp, true);
    if (!whole)
      addParticipants(b, departing, j);
    for (Thread *t : departing)
      depart(*t, j, false);
    if (whole)
      for (Thread *t : departing)
        t->warpBase = j.time;
    Sync.s5Meet(departing, j.time, false);
  }

  struct Joined {
    BlockClock blocks;
    NodeClock nodes;
    ProxyClocks proxies;
    StepSet seen;
    LocalTime time;
    bool foreign = false;
  };
  /// What the participants know together, and their common next time.
  Joined join(const Vec<Thread *> &threads) {
    Joined j;
    const Thread *before = nullptr; // neighbours mostly know the same
    for (Thread *t : threads) {
      if (!before || !t->blocks.sameAs(before->blocks))
        j.blocks.join(t->blocks);
      if (!before || !t->nodes.sameAs(before->nodes))
        j.nodes.join(t->nodes);
      j.proxies.join(t->proxies);
      if (!before || !t->seen.sameAs(before->seen))
        j.seen.join(t->seen);
      j.time = maxOf(j.time, t->time);
      j.foreign |= t->foreign;
      before = t;
    }
    j.time = j.time.next();
    return j;
  }
  void depart(Thread &t, const Joined &j, bool wholeBlock) {
    t.blocks = j.blocks;
    t.nodes = j.nodes;
    t.proxies = j.proxies;
    t.seen = j.seen;
    t.foreign = j.foreign;
    t.time = j.time;
    if (wholeBlock)
      t.base = t.warpBase = j.time;
  }
  /// Participants as exceptions, whole warps as one.
  void addParticipants(Block &b, const Vec<Thread *> &threads, Joined &j) {
    uint32_t warps[MaxBlockThreads / WarpSize] = {};
    for (Thread *t : threads)
      warps[warpOf(t->index)] |= 1u << laneOf(t->index);
    for (uint32_t w = 0; w < MaxBlockThreads / WarpSize; ++w) {
      if (!warps[w])
        continue;
      if (warps[w] == lanes(b, w, true)) {
        j.blocks.raiseUnit(b.id, KnownUnit::warp(w), j.time);
        continue;
      }
      KnownUnit units[WarpSize];
      LocalTime times[WarpSize];
      uint32_t n = 0;
      for (uint32_t m = warps[w]; m; m &= m - 1) {
        units[n] = KnownUnit::thread({w * WarpSize + __builtin_ctz(m)});
        times[n++] = j.time;
      }
      j.blocks.raiseUnits(b.id, {0}, units, times, n);
    }
  }
  void raiseWholeWarps(Block &b, const Vec<Thread *> &threads, LocalTime time) {
    uint32_t warps[MaxBlockThreads / WarpSize] = {};
    for (Thread *t : threads)
      warps[warpOf(t->index)] |= 1u << laneOf(t->index);
    for (Thread *t : threads)
      if (warps[warpOf(t->index)] == lanes(b, warpOf(t->index), true))
        t->warpBase = time;
  }
  /// Lanes of a warp that have not exited; with `dirty`, also those whose exit left accesses that
  /// no barrier covers (they keep the warp from being summarized).
  static uint32_t lanes(const Block &b, uint32_t warp, bool dirty) {
    uint32_t mask = 0;
    for (uint32_t l = 0; l < WarpSize && warp * WarpSize + l < b.threads.size(); ++l) {
      const Thread &t = b.threads[warp * WarpSize + l];
      if (!t.exited || (dirty && t.lastAccess >= t.base && t.lastAccess >= t.warpBase))
        mask |= 1u << l;
    }
    return mask;
  }

  Context &C;
  SyncRules &Sync;
};

} // namespace scopesan::core
