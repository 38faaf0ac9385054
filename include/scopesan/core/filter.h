// The filter: checks one word against its shadow and remembers the access (P1).
//
// Weak accesses of whole words with one writer and one reader stay inline in the cell; everything
// else goes through the overflow block. See shadow.h for what may be dropped.
#pragma once

#include "scopesan/core/noncoherent.h"
#include "scopesan/core/observation.h"
#include "scopesan/core/strong_sets.h"

namespace scopesan::core {

class Filter {
public:
  Filter(Context &c, Judge &j, SyncObjects &o)
      : C(c), J(j), Objects(o), Readers(c), Shadow(c, j, o, Readers), Strongs(c),
        Observations(c, o), NonCoherent(c, j, Shadow) {}

  /// What the words of memory hold.
  Cells &cells() { return Shadow; }

  /// Weak read of the bytes `me.mask()` of the word.
  void weakRead(Thread &t, Cell &c, const Record &me, uint64_t address) {
    if (isReadOnlyPath(me.proxy()))
      return NonCoherent.o6Read(t, c, me, address);
    if (!c.overflow()) {
      if (c.write.empty() && !Shadow.d8Alive(t, c, me, address))
        return;
      if (!c.write.empty() && !C.ordered(t, c.write, me))
        J.conflict(t, c.write, me, address);
      if (me.mask() == FullWord) {
        if (c.read.empty() || C.ordered(t, c.read, me)) {
          c.read = me;
          return;
        }
      }
      Shadow.promote(c);
    }
    weakReadOverflow(t, *c.overflow(), me, address);
  }

  /// Read through a surface object.
  void surfaceRead(Thread &t, Cell &c, const Record &me, uint64_t address) {
    NonCoherent.o6SurfaceRead(t, c, me, address);
    weakRead(t, c, me, address);
  }

  /// Weak write of the bytes `me.mask()` of the word.
  void weakWrite(Thread &t, Cell &c, const Record &me, uint64_t address) {
    if (!c.overflow()) {
      if (c.write.empty() && !Shadow.d8Alive(t, c, me, address))
        return;
      bool w = c.write.empty() || C.ordered(t, c.write, me);
      bool r = c.read.empty() || C.ordered(t, c.read, me);
      if (w && r && me.mask() == FullWord) {
        c.write = me;
        c.read = Record();
        return;
      }
      Shadow.promote(c);
    }
    weakWriteOverflow(t, c, me, address);
  }

  /// Strong access; a write gives its object the version `version`, a read has none.
  [[gnu::always_inline]] void strong(Thread &t, AtomicWord &o, Record me, uint32_t version,
                                     uint64_t address) {
    bool writes = me.isWrite();
    if (!o.writes.empty() || (writes && (o.rare || !o.readers.empty()))) [[unlikely]]
      checkWeak(t, o, me, address, writes);
    const MemoryAtomicity *m = C.atomicityAt(address);
    Scope needs = o.summary.needed(t.block->place);
    if (!o.strong.empty() && o.summary.highestBlock >= t.block->orderedBelow.value) {
      if (m || !o.summary.allMorallyStrongWith(me, needs)) [[unlikely]]
        checkStrong(t, o, me, address, writes, m);
      else if (C.advice && writes) [[unlikely]]
        adviseStrong(t, o, me, address);
    }
    Strongs.add(t, o, me, version, m, needs);
  }

  /// Remembers an access of the past, at `place`, without a check.
  void recall(uint64_t address, const Record &old, const Place &place) {
    bool known = false;
    auto look = [&](const Record &r) {
      known |= r.sameThread(old) && r.time == old.time && r.site == old.site && r.bits == old.bits;
    };
    if (old.op().isStrong()) {
      AtomicWord &a = Shadow.unjudgedWord(address);
      a.strong.forEach(look);
      if (known)
        return;
      a.summary.add(place, old);
      return a.strong.push(old, 0);
    }
    Overflow &o = Shadow.overflowOf(Objects.shadow().cell(address));
    bool nonCoherent = isReadOnlyPath(old.proxy());
    if (!old.isWrite() && !nonCoherent)
      return Readers.recall(o, old);
    Vec<Record> &list = nonCoherent ? o.rareFacts().nonCoherent : o.writes;
    for (const Record &r : list)
      look(r);
    if (!known)
      list.push(old);
  }

private:
  void weakReadOverflow(Thread &t, Overflow &o, const Record &me, uint64_t address) {
    for (const Record &w : o.writes)
      if ((w.mask() & me.mask()) && !C.ordered(t, w, me))
        J.conflict(t, w, me, address);
    if (o.atomic)
      checkStrong(t, static_cast<AtomicWord &>(o), me, address, false);
    Readers.add(t, o, me);
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
      if ((g.mask & mine) && Readers.areOrdered(t, g, me))
        g.mask &= ~mine;
      return g.mask != 0;
    });
    if (o.atomic)
      weakWriteAtomic(t, static_cast<AtomicWord &>(o), me, address);
    if (o.writes.size() >= KeptWrites) // all unordered with each other, so races were reported here
      o.writes.swapRemove(0);
    o.writes.push(me);
    Shadow.demote(c, address);
  }

  void weakWriteAtomic(Thread &t, AtomicWord &o, const Record &me, uint64_t address) {
    checkStrong(t, o, me, address, true);
    uint32_t before = o.strong.size();
    o.strong.filter(
        [&](const StrongRecord &s) { return (s.mask() & ~me.mask()) || !C.ordered(t, s, me); });
    if (o.strong.size() != before)
      Strongs.resummarize(o);
    Objects.s4ReplaceAll(address, o);
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
      NonCoherent.o6Write(t, *o.rare, me, address);
    for (const ReaderGroup &g : o.readers)
      if ((g.mask & me.mask()) && !Readers.areOrdered(t, g, me))
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
      C.x1GaveUp("exact readers of a word were given up for memory (reader_memory_mb)",
                 WidenedChecks);
  }

  [[gnu::noinline]] void checkStrong(Thread &t, AtomicWord &o, Record me, uint64_t address,
                                     bool writes, const MemoryAtomicity *m = nullptr) {
    if (o.summary.highestBlock < t.block->orderedBelow.value)
      return;
    o.strong.forEach([&](const StrongRecord &s) {
      if (!(s.mask() & me.mask()) || !(writes || s.isWrite()) || C.ordered(t, s, me))
        return;
      if (!Observations.s16Observed(t, o, s, address))
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
    else if (!Observations.s16Observed(t, o, s, address, false))
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

  void conflictGroup(Thread &t, const ReaderGroup &g, const Record &me, uint64_t address) {
    for (uint32_t m = g.lanes; m; m &= m - 1) {
      Record r = g.record(uint32_t(__builtin_ctz(m)));
      if (!C.ordered(t, r, me) && (J.conflict(t, r, me, address) || !C.advice))
        return; // with advice: those before it were ordered by volatile accesses
    }
  }

  static constexpr uint32_t KeptWrites = 16, AdviceScan = 32;
  Context &C;
  Judge &J;
  SyncObjects &Objects;
  ReaderSets Readers;
  Cells Shadow;
  StrongSets Strongs;
  ObservationRules Observations;
  NonCoherentRules NonCoherent;
  uint64_t WidenedChecks = 0;
};

} // namespace scopesan::core
