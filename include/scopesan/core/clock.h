// Vector clocks over threads, hierarchical and structure-sharing.
//
// A clock maps each block to what is known of it: a base (every thread of the block up to that
// local time) and exceptions (single warps or threads that are known further).
// `clock.covers(epoch)` is happens-before: everything its thread did at that local time precedes
// the clock's owner.
#pragma once

#include "scopesan/core/epoch.h"
#include "scopesan/core/persistent_map.h"

namespace scopesan::core {

/// Unit of an exception: a thread (0-1023) or a whole warp (1024-1055).
struct KnownUnit {
  uint16_t value = 0;
  static constexpr KnownUnit thread(ThreadIndex t) { return {uint16_t(t.value)}; }
  static constexpr KnownUnit warp(uint32_t w) { return {uint16_t(MaxBlockThreads + w)}; }
  constexpr bool isWarp() const { return value >= MaxBlockThreads; }
};

/// What is known of one block, behind a leaf value. All times are exclusive bounds: accesses with a
/// smaller local time are known. Encoding by the lowest two bits:
///   1  base << 2: no exceptions
///   3  bits 2-12 the unit and 32-63 the time of the only exception, 13-31 the base
///   0  pointer to a reference-counted table of exceptions sorted by unit
struct KnowledgeLeaf {
  struct Exception {
    uint16_t unit;
    uint32_t time;
  };
  struct Table {
    uint32_t refs, base, count;
    uint32_t capacity;
    Exception entries[1];
    static size_t bytesFor(uint32_t n) { return offsetof(Table, entries) + n * sizeof(Exception); }
    size_t bytes() const { return bytesFor(capacity); }
  };

  static constexpr uint32_t MaxAtOnce = 64; ///< exceptions in one raise

  static constexpr uint64_t ofBase(LocalTime base) { return uint64_t(base.value) << 2 | 1; }
  static bool isInline(uint64_t l) { return l & 1; }
  static bool isBase(uint64_t l) { return (l & 3) == 1; }
  static bool isSingle(uint64_t l) { return (l & 3) == 3; }
  static Table *table(uint64_t l) { return reinterpret_cast<Table *>(l); }
  static uint32_t baseOf(uint64_t l) {
    return isBase(l) ? uint32_t(l >> 2) : isSingle(l) ? uint32_t(l) >> 13 : table(l)->base;
  }

  static void retain(uint64_t l) {
    if (!isInline(l))
      ++table(l)->refs;
  }
  static void release(uint64_t l) {
    if (!isInline(l) && --table(l)->refs == 0)
      Blocks::give(table(l), table(l)->bytes());
  }
  /// Owned leaf from a base and sorted exceptions; drops what the base implies.
  static uint64_t make(uint32_t base, const Exception *e, uint32_t n) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; ++i)
      kept += e[i].time > base;
    if (!kept)
      return ofBase({base});
    if (kept == 1 && base < 1u << SingleBaseBits) {
      while (e->time <= base)
        ++e;
      return uint64_t(e->time) << 32 | uint64_t(base) << 13 | uint64_t(e->unit) << 2 | 3;
    }
    Table *t = static_cast<Table *>(Blocks::take(Table::bytesFor(kept)));
    t->refs = 1;
    t->base = base;
    t->count = 0;
    t->capacity = kept;
    for (uint32_t i = 0; i < n; ++i)
      if (e[i].time > base)
        t->entries[t->count++] = e[i];
    return reinterpret_cast<uint64_t>(t);
  }

  static Exception *find(Table *t, uint16_t unit) {
    uint32_t lo = 0, hi = t->count;
    while (lo < hi) {
      uint32_t mid = (lo + hi) / 2;
      if (t->entries[mid].unit < unit)
        lo = mid + 1;
      else
        hi = mid;
    }
    return lo < t->count && t->entries[lo].unit == unit ? &t->entries[lo] : nullptr;
  }
  static uint32_t exceptionTime(uint64_t l, uint16_t unit) {
    if (isInline(l))
      return isSingle(l) && singleOf(l).unit == unit ? singleOf(l).time : 0;
    const Exception *e = find(table(l), unit);
    return e ? e->time : 0;
  }
  static bool covers(uint64_t l, ThreadIndex thread, LocalTime time) {
    if (!l)
      return false;
    if (time.value < baseOf(l))
      return true;
    if (isBase(l))
      return false;
    return time.value < exceptionTime(l, KnownUnit::thread(thread).value) ||
           time.value < exceptionTime(l, KnownUnit::warp(warpOf(thread)).value);
  }

  static uint64_t join(uint64_t a, uint64_t b) {
    if (a == b || (isBase(b) && baseOf(b) <= baseOf(a))) {
      retain(a);
      return a;
    }
    if (isBase(a) && baseOf(a) <= baseOf(b)) {
      retain(b);
      return b;
    }
    Exception inA, inB;
    Merged m(maxOf(baseOf(a), baseOf(b)), entries(a, inA), entries(b, inB));
    for (uint64_t l : {a, b})
      if (m.sameAs(l)) {
        retain(l);
        return l;
      }
    return make(m.base, m.out, m.count);
  }

  /// Nothing of `base` and the exceptions is new.
  static bool knows(uint64_t l, uint32_t base, const Exception *e, uint32_t n) {
    if (!l || baseOf(l) < base)
      return false;
    for (uint32_t i = 0; i < n; ++i)
      if (e[i].time > baseOf(l) && exceptionTime(l, e[i].unit) < e[i].time)
        return false;
    return true;
  }
  /// `l` (owned, or 0) raised by `base` and sorted exceptions; owned.
  static uint64_t raised(uint64_t l, uint32_t base, const Exception *e, uint32_t n) {
    if (!l || isBase(l))
      return make(l ? maxOf(base, baseOf(l)) : base, e, n);
    if (!isInline(l) && raiseInPlace(table(l), base, e, n))
      return l;
    Exception single;
    Merged m(maxOf(base, baseOf(l)), entries(l, single), {e, n});
    uint64_t r = make(m.base, m.out, m.count);
    release(l);
    return r;
  }

private:
  struct Span {
    const Exception *first = nullptr;
    uint32_t count = 0;
  };
  static constexpr uint32_t SingleBaseBits = 19;
  static Exception singleOf(uint64_t l) {
    return {uint16_t(l >> 2 & ((1u << 11) - 1)), uint32_t(l >> 32)};
  }
  /// The exceptions of `l`; an only one is put into `single`.
  static Span entries(uint64_t l, Exception &single) {
    if (!isInline(l))
      return {table(l)->entries, table(l)->count};
    if (isBase(l))
      return {};
    single = singleOf(l);
    return {&single, 1};
  }
  /// The union of two sorted lists above a common base, later times winning.
  struct Merged {
    static_assert(MaxBlockThreads + MaxBlockThreads / WarpSize < 1100);
    uint32_t base, count = 0;
    Exception out[1100];
    Merged(uint32_t base, Span a, Span b) : base(base) {
      uint32_t i = 0, j = 0;
      while (i < a.count || j < b.count) {
        bool fromA = j == b.count || (i < a.count && a.first[i].unit <= b.first[j].unit);
        Exception e = fromA ? a.first[i++] : b.first[j++];
        if (fromA && j < b.count && b.first[j].unit == e.unit)
          e.time = maxOf(e.time, b.first[j++].time);
        if (e.time > base)
          out[count++] = e;
      }
    }
    bool sameAs(uint64_t l) const {
      Exception single;
      Span s = entries(l, single);
      if (baseOf(l) != base || s.count != count)
        return false;
      for (uint32_t i = 0; i < count; ++i)
        if (s.first[i].unit != out[i].unit || s.first[i].time != out[i].time)
          return false;
      return true;
    }
  };
  /// Raises an unshared table whose units and base suffice.
  static bool raiseInPlace(Table *t, uint32_t base, const Exception *e, uint32_t n) {
    if (t->refs != 1 || t->base < base)
      return false;
    Exception *at[MaxAtOnce];
    for (uint32_t i = 0; i < n; ++i) {
      at[i] = find(t, e[i].unit);
      if (!at[i] && e[i].time > t->base)
        return false;
    }
    for (uint32_t i = 0; i < n; ++i)
      if (at[i])
        at[i]->time = maxOf(at[i]->time, e[i].time);
    return true;
  }
};

/// What a clock knows only with the help of volatile accesses lies at keys of its own, where joins
/// carry it along (A1 volatile-sync). There is none unless advice is asked for.
constexpr uint32_t SoftKey = 1u << 31;

/// Known past over the blocks of all launches.
class BlockClock {
public:
  bool covers(const Epoch &e) const {
    return KnowledgeLeaf::covers(Map.find(e.block.value), e.thread, e.time);
  }
  bool coversSoftly(const Epoch &e) const {
    return KnowledgeLeaf::covers(Map.find(e.block.value | SoftKey), e.thread, e.time);
  }
  /// Learns all that `o` knows, with the help of a volatile access.
  void joinSoftly(const BlockClock &o) {
    o.Map.forEach([&](uint32_t key, uint64_t leaf) { Map.raise(key | SoftKey, leaf); });
  }
  /// Every thread of `block` is known up to (excluding) `time`.
  void raiseBase(BlockId block, LocalTime time) {
    Map.raise(block.value, KnowledgeLeaf::ofBase(time));
  }
  void raiseUnit(BlockId block, KnownUnit unit, LocalTime time) {
    raiseUnits(block, {0}, &unit, &time, 1);
  }
  /// Base and up to MaxAtOnce units at once; `units` sorted ascending.
  void raiseUnits(BlockId block, LocalTime base, const KnownUnit *units, const LocalTime *times,
                  uint32_t n) {
    KnowledgeLeaf::Exception e[KnowledgeLeaf::MaxAtOnce];
    for (uint32_t i = 0; i < n; ++i)
      e[i] = {units[i].value, times[i].value};
    if (!KnowledgeLeaf::knows(Map.find(block.value), base.value, e, n))
      Map.update(block.value,
                 [&](uint64_t l) { return KnowledgeLeaf::raised(l, base.value, e, n); });
  }
  /// Joins what `o` knows of one block.
  void joinBlock(const BlockClock &o, BlockId block) {
    for (uint32_t key : {block.value, block.value | SoftKey})
      if (uint64_t leaf = o.Map.find(key))
        Map.raise(key, leaf);
  }
  void forget(BlockId block) { Map.erase(block.value); }
  /// Anything at all is known of the block: it has executed a step.
  bool knows(BlockId block) const {
    return Map.find(block.value) != 0 || Map.find(block.value | SoftKey) != 0;
  }
  void join(const BlockClock &o) { Map.join(o.Map); }
  bool sameAs(const BlockClock &o) const { return Map.sameAs(o.Map); }
  bool empty() const { return Map.empty(); }
  /// Smallest base over the blocks [first, first + count), 0 when one is unknown.
  LocalTime minimumBaseSoftly(BlockId first, uint32_t count) const {
    return minimumBase({first.value | SoftKey}, count);
  }
  LocalTime minimumBase(BlockId first, uint32_t count) const {
    uint32_t least = ~0u;
    for (uint32_t i = 0; i < count && least; ++i) {
      uint64_t l = Map.find(first.value + i);
      least = minOf(least, l ? KnowledgeLeaf::baseOf(l) : 0u);
    }
    return {count ? least : 0};
  }
  size_t footprint() const { return Map.footprint(); }
  void prefetchRoot() const { Map.prefetchRoot(); }

private:
  PersistentMap<KnowledgeLeaf> Map;
};

/// Known past over the launch order: timeline → number of its nodes that are known complete.
class NodeClock {
public:
  bool covers(TimelineId t, uint32_t sequence) const { return sequence < Map.find(t.value); }
  bool coversSoftly(TimelineId t, uint32_t sequence) const {
    return sequence < Map.find(t.value | SoftKey);
  }
  void joinSoftly(const NodeClock &o) {
    o.Map.forEach([&](uint32_t key, uint64_t known) { Map.raise(key | SoftKey, known); });
  }
  /// Nodes of `t` with a smaller sequence number are known.
  void raise(TimelineId t, uint32_t sequence) { Map.raise(t.value, sequence); }
  uint32_t known(TimelineId t) const { return uint32_t(Map.find(t.value)); }
  void join(const NodeClock &o) { Map.join(o.Map); }
  bool sameAs(const NodeClock &o) const { return Map.sameAs(o.Map); }

private:
  PersistentMap<CounterLeaf> Map;
};

/// Blocks that were observed to have executed a step, in no order (A1 progress, D12).
class StepSet {
public:
  bool contains(BlockId b) const { return Map.find(b.value / 64) >> b.value % 64 & 1; }
  void add(BlockId b) { Map.raise(b.value / 64, uint64_t(1) << b.value % 64); }
  void join(const StepSet &o) { Map.join(o.Map); }
  bool sameAs(const StepSet &o) const { return Map.sameAs(o.Map); }

private:
  PersistentMap<BitsLeaf> Map;
};

} // namespace scopesan::core
