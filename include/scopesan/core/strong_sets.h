// Which strong accesses of a word are remembered: a new one replaces those of its thread that race
// with nobody with whom it does not, and at times all that are dominated are dropped.
#pragma once

#include "scopesan/core/context.h"

namespace scopesan::core {

class StrongSets {
public:
  explicit StrongSets(Context &c) : C(c) {}

  /// Remembers a strong access; drops those of the same thread and those it dominates.
  /// `needs`: what its summary needs at t's place. `special`: memory where an RMW may race although
  /// a store or load does not (D6).
  [[gnu::always_inline]] void add(Thread &t, AtomicWord &o, Record me, uint32_t version,
                                  bool special, Scope needs) {
    o.summary.add(t.block->place, me, needs);
    if (StrongRecord *old = o.strong.findLatest(me, [&](const Record &r) {
          return replaces(me, r) && !(special && me.kind() != r.kind());
        })) {
      old->set(me, version);
      return;
    }
    if (o.strong.size() >> o.pruneAtLog2 && !special) [[unlikely]] {
      prune(t, o, me);
      for (o.pruneAtLog2 = 5; o.strong.size() * 3 > 1u << o.pruneAtLog2;)
        ++o.pruneAtLog2;
      o.summary.add(t.block->place, me);
    }
    o.strong.push(me, version);
  }
  /// After records were removed.
  void resummarize(AtomicWord &o) {
    o.summary = StrongSummary();
    o.strong.forEach([&](const Record &s) { o.summary.add(C.order.placeOf({s.block}), s); });
  }

private:
  /// Same thread, same bytes, and everything that races with `old` races with `me` too.
  [[gnu::always_inline]] static bool replaces(const Record &me, const Record &old) {
    return me.sameBytes(old) && (me.isWrite() || !old.isWrite()) && me.scope() <= old.scope();
  }
  /// Of one block or host thread, everyone who is morally strong with `me` is so with `old`.
  bool dominates(const Thread &t, const Record &me, const Record &old) const {
    return me.mask() == old.mask() && me.way() == old.way() && (me.isWrite() || !old.isWrite()) &&
           old.scope() >= Scope::Block && me.scope() <= old.scope() &&
           (me.block == old.block ||
            (t.block->place.host && C.order.placeOf({old.block}).block == t.block->place.block));
  }
  [[gnu::noinline]] void prune(Thread &t, AtomicWord &o, Record me) {
    uint32_t n = 0, mask = 1;
    Scratch.records.clear();
    o.strong.forEach([&](const Record &r) { Scratch.records.push(r); });
    n = Scratch.records.size();
    while (mask < 2 * n)
      mask = 2 * mask + 1;
    Scratch.keep.resize(n);
    Scratch.latest.resize(mask + 1);
    for (uint32_t &x : Scratch.latest)
      x = 0;
    for (uint32_t i = n; i-- > 0;) {
      const Record &s = Scratch.records[i];
      uint32_t &newest = newestLike(s, mask);
      Scratch.keep[i] =
          !newest && !replaces(me, s) && !(dominates(t, me, s) && C.ordered(t, s, me));
      newest = newest ? newest : i + 1;
    }
    uint32_t i = 0;
    o.strong.filter([&](const StrongRecord &) { return Scratch.keep[i++]; });
    if (o.strong.size() != n)
      resummarize(o);
  }
  /// Where the scratch table holds the newest record of r's thread and class; 0 there = none yet.
  uint32_t &newestLike(const Record &r, uint32_t mask) {
    for (uint32_t i = uint32_t(hashMix(keyOf(r))) & mask;; i = (i + 1) & mask) {
      uint32_t &newest = Scratch.latest[i];
      if (!newest || keyOf(Scratch.records[newest - 1]) == keyOf(r))
        return newest;
    }
  }
  /// Thread, bytes, kind and proxy of access.
  static uint64_t keyOf(const Record &r) { return uint64_t(r.block) << 32 | uint64_t(r.bits); }

  Context &C;
  struct { ///< of prune
    Vec<Record> records;
    Vec<uint8_t> keep;
    Vec<uint32_t> latest; ///< open addressing: index + 1 of the newest record of each class
  } Scratch;
};

} // namespace scopesan::core
