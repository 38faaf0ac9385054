// The filter: checks one word against its shadow and remembers the access (P1).
//
// Weak accesses of whole words with one writer and one reader stay inline in the cell; everything
// else goes through the overflow block. See shadow.h for what may be dropped.
#pragma once

#include "scopesan/core/judge.h"
#include "scopesan/core/objects.h"

namespace scopesan::core {

class Filter {
public:
  Filter(Context &c, Judge &j, SyncObjects &o) : C(c), J(j), Objects(o) {}
  ~Filter() = default;

  /// Weak read of the bytes `me.mask()` of the word.
  void weakRead(Thread &t, Cell &c, const Record &me, uint64_t address) {
    if (me.proxy() == Proxy::NonCoherent)
      return nonCoherentRead(t, c, me, address);
    if (!c.overflow()) {
      if (c.write.empty() && !alive(t, c, me, address))
        return;
      if (!c.write.empty() && !C.ordered(t, c.write, me))
        J.conflict(t, c.write, me, address);
      if (me.mask() == FullWord) {
        if (c.read.empty() || C.ordered(t, c.read, me)) {
          c.read = me;
          return;
        }
      }
      promote(c);
    }
    weakReadOverflow(t, *c.overflow(), me, address);
  }

  /// Weak write of the bytes `me.mask()` of the word.
  void weakWrite(Thread &t, Cell &c, const Record &me, uint64_t address) {
    if (!c.overflow()) {
      if (c.write.empty() && !alive(t, c, me, address))
        return;
      bool w = c.write.empty() || C.ordered(t, c.write, me);
      bool r = c.read.empty() || C.ordered(t, c.read, me);
      if (w && r && me.mask() == FullWord) {
        c.write = me;
        c.read = Record();
        return;
      }
      promote(c);
    }
    weakWriteOverflow(t, c, me, address);
  }

  /// The word of the strong access `me`. Null when its memory is not alive (D8): then nothing is
  /// remembered.
  [[gnu::always_inline]] AtomicWord *atomicWord(Thread &t, AtomicWord *known, Record me,
                                                uint64_t address) {
    return known ? known : makeAtomic(t, me, address);
  }

  /// The same for memory that no access is judged at.
  AtomicWord &unjudgedWord(uint64_t address) {
    AtomicWord *known = Objects.shadow().atomic(address);
    return known ? *known : *turnAtomic(Objects.shadow().cell(address), address);
  }

  /// Strong access; a write gives its object the version `version`, a read has none.
  [[gnu::always_inline]] void strong(Thread &t, AtomicWord &o, Record me, uint32_t version,
                                     uint64_t address) {
    bool writes = me.op().isWrite();
    if (!o.writes.empty() || (writes && (o.rare || !o.readers.empty()))) [[unlikely]]
      checkWeak(t, o, me, address, writes);
    const MemoryAtomicity *m = C.atomicityAt(address);
    if (!o.strong.empty() && o.summary.highestBlock >= t.block->orderedBelow.value) {
      if (m || !o.summary.allMorallyStrongWith(t.block->place, me)) [[unlikely]]
        checkStrong(t, o, me, address, writes, m);
      else if (C.advice && writes) [[unlikely]]
        adviseStrong(t, o, me, address);
    }
    addStrong(t, o, me, version, m);
  }

  /// Remembers an access of the past, at `place`, without a check.
  void recall(uint64_t address, const Record &old, const Place &place) {
    bool known = false;
    auto look = [&](const Record &r) {
      known |= r.sameThread(old) && r.time == old.time && r.site == old.site && r.bits == old.bits;
    };
    if (old.op().isStrong()) {
      AtomicWord *a = Objects.shadow().atomic(address);
      if (!a)
        a = turnAtomic(Objects.shadow().cell(address), address);
      a->strong.forEach(look);
      if (known)
        return;
      a->summary.add(place, old);
      return a->strong.push(old, 0);
    }
    Overflow &o = overflowOf(Objects.shadow().cell(address));
    bool nonCoherent = old.proxy() == Proxy::NonCoherent;
    if (!old.op().isWrite() && !nonCoherent) {
      if (!joinsReaders(o, old))
        newReaders(o, old);
      return;
    }
    Vec<Record> &list = nonCoherent ? o.rareFacts().nonCoherent : o.writes;
    for (const Record &r : list)
      look(r);
    if (!known)
      list.push(old);
  }

  Overflow &overflowOf(Cell &c) {
    Overflow *o = c.overflow();
    return o ? *o : *promote(c);
  }
  /// Empties a cell whose memory became a new location (P5).
  void forget(Cell &c, uint64_t address) {
    if (AtomicWord *a = SyncObjects::of(c.overflow()))
      Objects.replaceAll(address, *a);
    leave(c, address);
  }
  /// Likewise when nothing is judged any more.
  void drop(Cell &c) {
    if (Overflow *o = c.overflow())
      release(o);
  }

private:
  // ------------------------------------------------------------------ lifetimes

  /// D8, asked when nobody has written a word: false when its memory is not alive, and the access
  /// is not remembered. Memory that is alive since a node counts as written by that node.
  bool alive(Thread &t, Cell &c, const Record &me, uint64_t address) {
    if (!C.lifetimes.any() || !c.read.empty()) [[likely]]
      return true;
    const Life *r = C.lifetimes.find(address);
    if (!r)
      return true;
    if (!r->alive) {
      J.d8Freed(t, r->node, me, address);
      return false;
    }
    BlockId block = C.order.node(r->node).firstBlock;
    Op op(abi::AccessKind::Store, abi::MemoryOrder::Weak, Scope::Thread);
    if (block.value != me.block)
      c.write = Record::make({block, {0}, {1}}, SiteId(), op, FullWord, WordBytes);
    return true;
  }

  // ------------------------------------------------------------------ checks

  /// O6, D11: no write of the grid's lifetime may touch what a non-coherent read reads.
  void nonCoherentRead(Thread &t, Cell &c, const Record &me, uint64_t address) {
    if (!c.overflow() && c.write.empty() && !alive(t, c, me, address))
      return;
    Overflow &o = overflowOf(c);
    auto check = [&](const Record &w) {
      if ((w.mask() & me.mask()) && w.op().isWrite() && !C.launchOrdered(t, w.epoch()))
        J.d11NonCoherent(t, w, me, address);
    };
    for (const Record &w : o.writes)
      check(w);
    if (o.atomic)
      static_cast<AtomicWord &>(o).strong.forEach(check);
    Vec<Record> &readers = o.rareFacts().nonCoherent;
    for (const Record &r : readers)
      if (r.mask() == me.mask() && C.order.nodeOf({r.block}) == t.block->place.node)
        return; // one reader stands for the launch
    readers.filter([&](const Record &r) { return !C.launchOrdered(t, r.epoch()); });
    readers.push(me);
  }
  void checkNonCoherent(Thread &t, const RareFacts &rare, const Record &me, uint64_t address) {
    for (const Record &r : rare.nonCoherent)
      if ((r.mask() & me.mask()) && !C.launchOrdered(t, r.epoch()))
        J.d11NonCoherent(t, r, me, address);
  }

  void weakReadOverflow(Thread &t, Overflow &o, const Record &me, uint64_t address) {
    for (const Record &w : o.writes)
      if ((w.mask() & me.mask()) && !C.ordered(t, w, me))
        J.conflict(t, w, me, address);
    if (o.atomic)
      checkStrong(t, static_cast<AtomicWord &>(o), me, address, false);
    addReader(t, o, me);
  }

  void weakWriteOverflow(Thread &t, Cell &c, const Record &me, uint64_t address) {
    Overflow &o = *c.overflow();
    uint32_t mine = me.mask();
    o.writes.filter([&](Record &w) {
      if (!(w.mask() & mine))
        return true;
      if (!C.ordered(t, w, me) && J.conflict(t, w, me, address))
        return true;
      w.setMask(w.mask() & ~mine);
      return w.mask() != 0;
    });
    checkReaders(t, o, me, address);
    o.readers.filter([&](ReaderGroup &g) {
      if ((g.mask & mine) && orderedGroup(t, g, me))
        g.mask &= ~mine;
      return g.mask != 0;
    });
    if (o.atomic)
      weakWriteAtomic(t, static_cast<AtomicWord &>(o), me, address);
    if (o.writes.size() >= KeptWrites) // all unordered with each other, so races were reported here
      o.writes.swapRemove(0);
    o.writes.push(me);
    demote(c, address);
  }

  void weakWriteAtomic(Thread &t, AtomicWord &o, const Record &me, uint64_t address) {
    checkStrong(t, o, me, address, true);
    uint32_t before = o.strong.size();
    o.strong.filter(
        [&](const StrongRecord &s) { return (s.mask() & ~me.mask()) || !C.ordered(t, s, me); });
    if (o.strong.size() != before)
      resummarize(o);
    Objects.replaceAll(address, o);
  }

  [[gnu::noinline]] void checkWeak(Thread &t, Overflow &o, Record me, uint64_t address,
                                   bool writes) {
    for (const Record &w : o.writes)
      if ((w.mask() & me.mask()) && !C.ordered(t, w, me))
        J.conflict(t, w, me, address);
    if (writes)
      checkReaders(t, o, me, address);
  }
  void checkReaders(Thread &t, Overflow &o, const Record &me, uint64_t address) {
    if (o.rare) [[unlikely]]
      checkNonCoherent(t, *o.rare, me, address);
    for (const ReaderGroup &g : o.readers)
      if ((g.mask & me.mask()) && !orderedGroup(t, g, me))
        conflictGroup(t, g, me, address);
    if (o.rare) [[unlikely]]
      checkWidened(t, o.rare->widened, me, address);
  }
  void checkWidened(Thread &t, const WidenedReaders &w, const Record &me, uint64_t address) {
    if (!w.any || C.order.precedes(w.node, t.nodes))
      return;
    if (!C.ordered(t, w.representative, me) &&
        (J.conflict(t, w.representative, me, address) || !C.advice))
      return;
    const LaunchNode &n = C.order.node(w.node);
    if (t.blocks.minimumBase(n.firstBlock, n.blockCount) <= w.latest &&
        !(C.advice && t.blocks.minimumBaseSoftly(n.firstBlock, n.blockCount) > w.latest))
      C.gaveUp("exact readers of a word were given up for memory (reader_memory_mb)",
               WidenedChecks);
  }

  [[gnu::noinline]] void checkStrong(Thread &t, AtomicWord &o, Record me, uint64_t address,
                                     bool writes, const MemoryAtomicity *m = nullptr) {
    if (o.summary.highestBlock < t.block->orderedBelow.value)
      return;
    o.strong.forEach([&](const StrongRecord &s) {
      if (!(s.mask() & me.mask()) || !(writes || s.op().isWrite()) || C.ordered(t, s, me))
        return;
      if (!s16Observed(t, o, s, address))
        J.conflict(t, s, me, address, m);
      else if (C.advice) [[unlikely]]
        adviseObserved(t, o, s, me, address, m);
    });
  }
  /// A1 for a pair in which `s` was observed: is that all that orders it, or does it need a
  /// volatile access?
  void adviseObserved(Thread &t, const AtomicWord &o, const StrongRecord &s, const Record &me,
                      uint64_t address, const MemoryAtomicity *m) {
    if (!C.happensBefore(t, s.epoch()))
      J.a1ObservationOnly(t, s, me, address);
    else if (!s16Observed(t, o, s, address, false))
      J.conflict(t, s, me, address, m);
  }
  /// A1 unordered-strong where nothing else can be wrong: the latest accesses suffice.
  [[gnu::noinline]] void adviseStrong(Thread &t, const AtomicWord &o, const Record &me,
                                      uint64_t address) {
    uint32_t skip = o.strong.size() > AdviceScan ? o.strong.size() - AdviceScan : 0;
    o.strong.forEach([&](const StrongRecord &s) {
      if (skip)
        --skip;
      else if (!C.happensBefore(t, s.epoch()))
        J.a1UnorderedStrong(t, s, me, address);
    });
  }

  /// S16 (PTX mode): the strong write `s` was observed, directly or through RMWs, by a morally
  /// strong read that happens before `t`'s present. An RMW is one operation: whoever observed what
  /// it wrote comes after it as a whole. `softly`: volatile accesses may help (A1).
  bool s16Observed(const Thread &t, const AtomicWord &o, const StrongRecord &s, uint64_t word,
                   bool softly = true) const {
    if (C.options.cxxMode || !s.version)
      return false;
    bool observed = false;
    Objects.forEach(word, o, [&](const SyncObject &x) {
      if (x.bytes != s.bytes() || x.address % WordBytes != uint32_t(__builtin_ctz(s.mask())))
        return; // another object of this word
      for (const Observation &seen : x.observations)
        observed |= seen.chainStart <= s.version && s.version <= seen.version &&
                    (C.ordered(t, seen.read) || (softly && C.happensBefore(t, seen.read)));
    });
    if (observed)
      C.counters.hit(RuleCounters::S16Observed);
    return observed;
  }

  /// Every lane of the group precedes `t`.
  bool orderedGroup(const Thread &t, const ReaderGroup &g, const Record &me) const {
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
  void conflictGroup(Thread &t, const ReaderGroup &g, const Record &me, uint64_t address) {
    for (uint32_t m = g.lanes; m; m &= m - 1) {
      Record r = g.record(uint32_t(__builtin_ctz(m)));
      if (!C.ordered(t, r, me) && (J.conflict(t, r, me, address) || !C.advice))
        return; // with advice: those before it were ordered by volatile accesses
    }
  }

  // ------------------------------------------------------------------ remembering

  /// `me` becomes a lane of a group that is there.
  static bool joinsReaders(Overflow &o, const Record &me) {
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
  void newReaders(Overflow &o, const Record &me) {
    o.readers.push(ReaderGroup{me.block, me.time, me.site, uint16_t(warpOf(me.thread())),
                               uint8_t(me.mask()), ReaderGroup::packSize(me),
                               1u << laneOf(me.thread())});
    ReaderBytes += sizeof(ReaderGroup);
  }
  void addReader(Thread &t, Overflow &o, const Record &me) {
    uint32_t n = o.readers.size();
    if (joinsReaders(o, me))
      return;
    if (n >= 8 && (n & (n - 1)) == 0) { // at each doubling: drop what I dominate
      uint32_t mine = me.mask();
      o.readers.filter(
          [&](ReaderGroup &g) { return (g.mask & ~mine) != 0 || !orderedGroup(t, g, me); });
      ReaderBytes -= (n - o.readers.size()) * sizeof(ReaderGroup);
    }
    newReaders(o, me);
    if (ReaderBytes > C.options.readerBudgetBytes && o.readers.size() >= WidenAt)
      widen(t, o, me);
  }

  /// Gives up exact readers of this word, all of this launch, for one bound (never guessed from).
  void widen(Thread &t, Overflow &o, const Record &me) {
    for (const ReaderGroup &g : o.readers)
      if (C.order.nodeOf({g.block}) != t.block->place.node && !orderedGroup(t, g, me))
        return; // of a concurrent launch: keep
    WidenedReaders &w = o.rareFacts().widened;
    if (w.any && w.node != t.block->place.node)
      w = WidenedReaders();
    for (const ReaderGroup &g : o.readers)
      w.latest = maxOf(w.latest, LocalTime{g.time});
    w.any = true;
    w.node = t.block->place.node;
    w.representative = me;
    ReaderBytes -= o.readers.size() * sizeof(ReaderGroup);
    o.readers = Vec<ReaderGroup>();
  }

  /// Remembers a strong access; drops those of the same thread and those it dominates.
  /// `special`: memory where an RMW may race although a store or load does not (D6).
  [[gnu::always_inline]] void addStrong(Thread &t, AtomicWord &o, Record me, uint32_t version,
                                        bool special) {
    o.summary.add(t.block->place, me);
    if (StrongRecord *old = o.strong.findLatest([&](const Record &r) {
          return replaces(me, r) && !(special && me.op().kind() != r.op().kind());
        })) {
      old->set(me, version);
      return;
    }
    if (o.strong.size() >= o.pruneAt && !special) [[unlikely]] {
      pruneStrong(t, o, me);
      o.pruneAt = maxOf(32u, o.strong.size() * 2);
      o.summary.add(t.block->place, me);
    }
    o.strong.push(me, version);
  }
  /// Same thread, same bytes, and everything that races with `old` races with `me` too.
  [[gnu::always_inline]] static bool replaces(const Record &me, const Record &old) {
    return me.sameBytes(old) && (me.op().isWrite() || !old.op().isWrite()) &&
           me.op().scope() <= old.op().scope();
  }
  /// Of one block or host thread, everyone who is morally strong with `me` is so with `old`.
  bool dominates(const Thread &t, const Record &me, const Record &old) const {
    return me.mask() == old.mask() && me.bytes() == old.bytes() &&
           (me.op().isWrite() || !old.op().isWrite()) && old.op().scope() >= Scope::Block &&
           me.op().scope() <= old.op().scope() &&
           (me.block == old.block ||
            (t.block->place.host && C.order.placeOf({old.block}).block == t.block->place.block));
  }
  [[gnu::noinline]] void pruneStrong(Thread &t, AtomicWord &o, Record me) {
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
    for (uint32_t i = uint32_t(hashMix(strongKey(r))) & mask;; i = (i + 1) & mask) {
      uint32_t &newest = Scratch.latest[i];
      if (!newest || strongKey(Scratch.records[newest - 1]) == strongKey(r))
        return newest;
    }
  }
  /// Thread, bytes and kind of access.
  static uint64_t strongKey(const Record &r) {
    return uint64_t(r.block) << 32 | uint64_t(r.bits & 0x0fffffff);
  }
  void resummarize(AtomicWord &o) {
    o.summary = StrongSummary();
    o.strong.forEach([&](const Record &s) { o.summary.add(C.order.placeOf({s.block}), s); });
  }

  // ------------------------------------------------------------------ inline <-> overflow

  Overflow *promote(Cell &c) {
    Overflow *o = Overflows.create();
    if (!c.write.empty())
      o->writes.push(c.write);
    if (!c.read.empty()) {
      Record r = c.read;
      o->readers.push(ReaderGroup{r.block, r.time, r.site, uint16_t(warpOf(r.thread())),
                                  uint8_t(r.mask()), ReaderGroup::packSize(r),
                                  1u << laneOf(r.thread())});
      ReaderBytes += sizeof(ReaderGroup);
    }
    c.write = Record();
    c.setOverflow(o);
    return o;
  }
  [[gnu::noinline]] AtomicWord *makeAtomic(Thread &t, Record me, uint64_t address) {
    Cell &c = Objects.shadow().cell(address);
    if (!c.overflow() && c.write.empty() && !alive(t, c, me, address))
      return nullptr;
    return turnAtomic(c, address);
  }
  AtomicWord *turnAtomic(Cell &c, uint64_t address) {
    Overflow &o = overflowOf(c);
    AtomicWord *a = Atomics.create(o);
    Overflows.destroy(&o);
    c.setOverflow(a);
    Objects.shadow().setAtomic(address, a);
    return a;
  }
  void demote(Cell &c, uint64_t address) {
    Overflow *o = c.overflow();
    if (o->writes.size() != 1 || o->writes[0].mask() != FullWord || !o->readers.empty() ||
        (o->rare && o->rare->any()))
      return;
    if (AtomicWord *a = SyncObjects::of(o); a && (!a->strong.empty() || a->objects || a->covered))
      return;
    Record write = o->writes[0];
    leave(c, address);
    c.write = write;
    c.read = Record();
  }
  /// Ends the overflow block of the cell, whose pointer to it dangles then.
  void leave(Cell &c, uint64_t address) {
    Overflow *o = c.overflow();
    if (!o)
      return;
    if (o->atomic)
      Objects.shadow().setAtomic(address, nullptr);
    release(o);
  }
  void release(Overflow *o) {
    ReaderBytes -= o->readers.size() * sizeof(ReaderGroup);
    if (AtomicWord *a = SyncObjects::of(o)) {
      Objects.destroy(*a);
      Atomics.destroy(a);
    } else {
      Overflows.destroy(o);
    }
  }

  static constexpr uint32_t ScanBack = 16, WidenAt = 16, KeptWrites = 16, AdviceScan = 32;
  Context &C;
  Judge &J;
  SyncObjects &Objects;
  Pool<Overflow> Overflows;
  Pool<AtomicWord> Atomics;
  struct { ///< of pruneStrong
    Vec<Record> records;
    Vec<uint8_t> keep;
    Vec<uint32_t> latest; ///< open addressing: index + 1 of the newest record of each class
  } Scratch;
  uint64_t ReaderBytes = 0;
  uint64_t WidenedChecks = 0;
};

} // namespace scopesan::core
