// Shadow cells that grow and shrink: what is inline in a cell, in its overflow block, or an atomic
// word (word.h).
//
//   inline --promote--> overflow block --turnAtomic--> atomic word
//   either --demote--> inline, when one whole weak write is all that is left
#pragma once

#include "scopesan/core/judge.h"
#include "scopesan/core/objects.h"
#include "scopesan/core/readers.h"

namespace scopesan::core {

class Cells {
public:
  Cells(Context &c, Judge &j, SyncObjects &o, ReaderSets &r) : C(c), J(j), Objects(o), Readers(r) {}

  Overflow &overflowOf(Cell &c) {
    Overflow *o = c.overflow();
    return o ? *o : *promote(c);
  }
  Overflow *promote(Cell &c) {
    Overflow *o = Overflows.create();
    if (!c.write.empty())
      o->writes.push(c.write);
    if (!c.read.empty())
      Readers.push(*o, c.read);
    c.write = Record();
    c.setOverflow(o);
    return o;
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
  /// P5: the memory of the cell became a new location.
  void p5Forget(Cell &c, uint64_t address) {
    if (AtomicWord *a = SyncObjects::of(c.overflow()))
      Objects.s4ReplaceAll(address, *a);
    leave(c, address);
  }
  /// Likewise when nothing is judged any more.
  void drop(Cell &c) {
    if (Overflow *o = c.overflow())
      release(o);
  }

  /// D8: asked when nobody has written a word: false when its memory is not alive, and the access
  /// is not remembered. Memory that is alive since a node counts as written by that node.
  bool d8Alive(Thread &t, Cell &c, const Record &me, uint64_t address) {
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

private:
  [[gnu::noinline]] AtomicWord *makeAtomic(Thread &t, Record me, uint64_t address) {
    Cell &c = Objects.shadow().cell(address);
    if (!c.overflow() && c.write.empty() && !d8Alive(t, c, me, address))
      return nullptr;
    return turnAtomic(c, address);
  }
  AtomicWord *turnAtomic(Cell &c, uint64_t address) {
    Overflow &o = overflowOf(c);
    uint32_t handle;
    AtomicWord *a = Objects.shadow().AtomicWords.create(handle, o);
    a->handle = handle;
    Overflows.destroy(&o);
    c.setOverflow(a);
    Objects.shadow().setAtomic(address, handle);
    return a;
  }
  /// Ends the overflow block of the cell, whose pointer to it dangles then.
  void leave(Cell &c, uint64_t address) {
    Overflow *o = c.overflow();
    if (!o)
      return;
    if (o->atomic)
      Objects.shadow().setAtomic(address, 0);
    release(o);
  }
  void release(Overflow *o) {
    Readers.leave(*o);
    if (AtomicWord *a = SyncObjects::of(o)) {
      Objects.destroy(*a);
      Objects.shadow().AtomicWords.destroy(a->handle);
    } else {
      Overflows.destroy(o);
    }
  }
  Context &C;
  Judge &J;
  SyncObjects &Objects;
  ReaderSets &Readers;
  Pool<Overflow> Overflows;
};

} // namespace scopesan::core
