// Weak readers of a word: one group for the lanes of a warp that read it at one time from one site.
//
// Every reader that could still be half of a race is kept. Beyond the memory budget the readers of
// one launch become one bound with one exact representative, which is never guessed from.
#pragma once

#include "scopesan/core/context.h"

namespace scopesan::core {

class ReaderSets {
public:
  explicit ReaderSets(Context &c) : C(c) {}

  /// Remembers the weak read `me` of `t`.
  void add(Thread &t, Overflow &o, const Record &me) {
    uint32_t n = o.readers.size();
    if (joins(o, me))
      return;
    if (n >= 8 && (n & (n - 1)) == 0) { // at each doubling: drop what I dominate
      uint32_t mine = me.mask();
      o.readers.filter(
          [&](ReaderGroup &g) { return (g.mask & ~mine) != 0 || !areOrdered(t, g, me); });
      Bytes -= (n - o.readers.size()) * sizeof(ReaderGroup);
    }
    push(o, me);
    if (Bytes > C.options.readerBudgetBytes && o.readers.size() >= WidenAt)
      widen(t, o, me);
  }
  /// Remembers a read of the past.
  void recall(Overflow &o, const Record &old) {
    if (!joins(o, old))
      push(o, old);
  }
  /// A new group with one lane.
  void push(Overflow &o, const Record &me) {
    o.readers.push(ReaderGroup{me.block, me.time, me.site, uint16_t(warpOf(me.thread())),
                               uint8_t(me.mask()), ReaderGroup::packSize(me),
                               1u << laneOf(me.thread())});
    Bytes += sizeof(ReaderGroup);
  }
  /// The readers of `o` are about to end with it.
  void leave(const Overflow &o) { Bytes -= o.readers.size() * sizeof(ReaderGroup); }

  /// Every lane of the group precedes `t`.
  bool areOrdered(const Thread &t, const ReaderGroup &g, const Record &me) const {
    return firstUnordered(t, g, me) == WarpSize;
  }
  uint32_t firstUnordered(const Thread &t, const ReaderGroup &g, const Record &me) const {
    for (uint32_t m = g.lanes; m; m &= m - 1) {
      uint32_t lane = __builtin_ctz(m);
      if (!C.ordered(t, g.record(lane), me))
        return lane;
      if (g.block == t.block->id.value && g.time < t.base.value)
        return WarpSize; // one test decides for the whole group
    }
    return WarpSize;
  }

private:
  /// `me` becomes a lane of a group that is there.
  static bool joins(Overflow &o, const Record &me) {
    uint16_t warp = uint16_t(warpOf(me.thread()));
    uint32_t n = o.readers.size();
    for (uint32_t i = n; i-- > (n > ScanBack ? n - ScanBack : 0);) {
      ReaderGroup &g = o.readers[i];
      if (g.block == me.block && g.time == me.time && g.warp == warp && g.mask == me.mask() &&
          g.site == me.site) {
        g.lanes |= 1u << laneOf(me.thread());
        return true;
      }
    }
    return false;
  }
  /// Gives up exact readers of this word, all of this launch, for one bound (never guessed from).
  void widen(Thread &t, Overflow &o, const Record &me) {
    for (const ReaderGroup &g : o.readers)
      if (C.order.nodeOf({g.block}) != t.block->place.node && !areOrdered(t, g, me))
        return; // of a concurrent launch: keep
    WidenedReaders &w = o.rareFacts().widened;
    if (w.any && w.node != t.block->place.node)
      w = WidenedReaders();
    for (const ReaderGroup &g : o.readers)
      w.latest = maxOf(w.latest, LocalTime{g.time});
    w.any = true;
    w.node = t.block->place.node;
    w.representative = me;
    Bytes -= o.readers.size() * sizeof(ReaderGroup);
    o.readers = Vec<ReaderGroup>();
  }

  static constexpr uint32_t ScanBack = 16, WidenAt = 16;
  Context &C;
  uint64_t Bytes = 0; ///< of all reader groups
};

} // namespace scopesan::core
