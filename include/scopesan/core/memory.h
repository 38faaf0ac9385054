// Memory that begins, ends, and comes back as another location (P5, D8); its atomicity (D6).
#pragma once

#include "scopesan/core/accesses.h"
#include "scopesan/core/resident.h"

namespace scopesan::core {

class MemoryRules {
public:
  MemoryRules(Context &c, Judge &j, Accesses &a, ResidentBlocks &blocks)
      : C(c), J(j), A(a), Blocks(blocks) {}

  /// P5: [addr, addr + bytes) becomes a new location.
  void p5NewLocation(uint64_t addr, uint64_t bytes) {
    C.counters.hit(RuleCounters::P5NewLocation);
    A.Shadow.forget(addr, bytes, [&](Cell &c, uint64_t word) { A.cells().p5Forget(c, word); });
    if (C.advice) [[unlikely]]
      C.advice->Uses.forget(addr, bytes);
  }
  /// D8: with `since`, an alloc node, accesses must be ordered after it.
  void d8Allocated(uint64_t addr, uint64_t bytes, NodeId since) {
    p5NewLocation(addr, bytes);
    C.lifetimes.clear(addr, addr + bytes);
    if (!since.value)
      return;
    Blocks.o7Actor(since); // it has begun
    C.lifetimes.set(addr, addr + bytes, {since, true});
  }
  /// D8: freed by the node `by`; accesses must be ordered before it, unless `afterAll` says that
  /// it waited for everything, and there must be none from now on.
  void d8Free(uint64_t addr, uint64_t bytes, NodeId by, bool afterAll) {
    Thread &t = Blocks.o7Actor(by);
    Op op(abi::AccessKind::Store, abi::MemoryOrder::Weak, Scope::Thread);
    J.beginAccess();
    if (!afterAll)
      A.Shadow.forTouched(addr, bytes, [&](Cell &c, uint64_t word) {
        A.filter().weakWrite(t, c, Record::make(t.epoch(), {}, op, FullWord, WordBytes), word);
      });
    p5NewLocation(addr, bytes);
    A.Shadow.drop(addr, bytes);
    C.lifetimes.set(addr, addr + bytes, {by, false});
  }
  /// D6: how far system-scope operations on this memory are atomic.
  void d6Atomicity(uint64_t addr, uint64_t bytes, MemoryAtomicity m) {
    if (m.kind == Atomicity::Always)
      C.atomicity.clear(addr, addr + bytes);
    else
      C.atomicity.set(addr, addr + bytes, m);
  }

private:
  Context &C;
  Judge &J;
  Accesses &A;
  ResidentBlocks &Blocks;
};

} // namespace scopesan::core
