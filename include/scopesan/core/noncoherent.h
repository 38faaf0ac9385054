// Non-coherent reads (O6, D11): any write to the location during the grid's lifetime is one too
// many; only kernel boundaries and griddepcontrol.wait order them.
#pragma once

#include "scopesan/core/cells.h"

namespace scopesan::core {

class NonCoherentRules {
public:
  NonCoherentRules(Context &c, Judge &j, Cells &s) : C(c), J(j), Shadow(s) {}

  /// O6: no write of the grid's lifetime may touch what the non-coherent read `me` reads.
  void o6Read(Thread &t, Cell &c, const Record &me, uint64_t address) {
    C.counters.hit(RuleCounters::O6NonCoherent);
    if (!c.overflow() && c.write.empty() && !Shadow.d8Alive(t, c, me, address))
      return;
    Overflow &o = Shadow.overflowOf(c);
    auto check = [&](const Record &w) {
      if ((w.mask() & me.mask()) && w.isWrite() && !C.o6LaunchOrdered(t, w.epoch()))
        unordered(t, w, me, address);
    };
    for (const Record &w : o.writes)
      check(w);
    if (o.atomic)
      static_cast<AtomicWord &>(o).strong.forEach(check);
    Vec<Record> &readers = o.rareFacts().nonCoherent;
    for (const Record &r : readers)
      if (r.mask() == me.mask() && C.order.nodeOf({r.block}) == t.block->place.node)
        return; // one reader stands for the launch
    readers.filter([&](const Record &r) { return !C.o6LaunchOrdered(t, r.epoch()); });
    readers.push(me);
  }
  /// O6: a surface read does not see what was written before it in the grid's lifetime, not even by
  /// its own thread. What is not ordered, or comes after it, is left to S13.
  void o6SurfaceRead(Thread &t, const Cell &c, const Record &me, uint64_t address) {
    auto check = [&](const Record &w) {
      if ((w.mask() & me.mask()) && w.op().isWrite() && C.happensBefore(t, w.epoch()) &&
          !C.o6LaunchOrdered(t, w.epoch()))
        J.d11NonCoherent(t, w, me, address);
    };
    C.counters.hit(RuleCounters::O6NonCoherent);
    Overflow *o = c.overflow();
    if (!o)
      return c.write.empty() ? void() : check(c.write);
    for (const Record &w : o->writes)
      check(w);
    if (o->atomic)
      static_cast<AtomicWord *>(o)->strong.forEach(check);
  }
  /// O6: the write `me`, after the non-coherent reads of its word.
  void o6Write(Thread &t, const RareFacts &rare, const Record &me, uint64_t address) {
    for (const Record &r : rare.nonCoherent)
      if ((r.mask() & me.mask()) && !C.o6LaunchOrdered(t, r.epoch()))
        unordered(t, r, me, address);
  }

private:
  /// D11; D1 for constant memory where nothing else orders the two either: that program fails on a
  /// coherent path, too.
  void unordered(Thread &t, const Record &old, const Record &me, uint64_t address) {
    bool constant = old.proxy() == Proxy::ConstantBank || me.proxy() == Proxy::ConstantBank;
    if (!constant || C.happensBefore(t, old.epoch()))
      J.d11NonCoherent(t, old, me, address);
    else
      J.d1ReadOnly(t, old, me, address);
  }

  Context &C;
  Judge &J;
  Cells &Shadow;
};

} // namespace scopesan::core
