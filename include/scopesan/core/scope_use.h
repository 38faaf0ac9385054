// How wide the scopes of strong operations and fences had to be (A1 over-synchronized).
//
// An operation needs a scope that includes every thread that accessed the same location by a strong
// operation in the same stretch of the run, and every thread at the other end of a
// synchronizes-with edge. Accesses that the launch order orders lie in different stretches. What
// cannot be seen counts as needed: the host where it can access the memory, the order of fence.sc
// pairs (S5), releasers that were summarized.
#pragma once

#include "scopesan/core/context.h"

namespace scopesan::core {

class ScopeUses {
public:
  explicit ScopeUses(Context &c) : C(c) {}

  /// Some strong operations of the run are not told: nothing is said of scopes.
  bool isBlind = false;

  /// `t` executed the strong operation `s` on [address, address + bytes).
  void access(Thread &t, uint64_t address, uint32_t bytes, const SyncOp &s, bool reads,
              bool wrote) {
    uint32_t use = countUse(t, s, address, bytes);
    bool host = noteWord(t, address, use, s);
    Notes &n = Threads[keyOf(t.block->identity(), t.index)];
    if (host && wrote)
      keepFences(t);
    n.sawHost |= host && reads;
    if (reads && n.written != address) {
      for (uint32_t f : n.scFences) // a write, this fence, a read of something else
        keep(f);
      n.scFences.clear();
    }
    if (wrote)
      n.written = n.written && n.written != address ? Several : address;
  }
  /// `s` on the word at `address` belongs to no operation whose scope could be another.
  void elsewhere(const Thread &t, uint64_t address, const SyncOp &s) { noteWord(t, address, 0, s); }
  void fence(Thread &t, const SyncOp &f) {
    uint32_t use = countUse(t, f, 0, 0);
    if (f.op.order() == abi::MemoryOrder::Release && f.op.scope() == Scope::Cluster)
      keep(use); // cannot be told from fence.mbarrier_init, which leaves no choice
    Notes &n = Threads[keyOf(t.block->identity(), t.index)];
    if (n.sawHost && f.op.acquires())
      keep(use);
    n.sawHost = n.sawHost && !f.op.acquires();
    if (f.op.order() == abi::MemoryOrder::SeqCst && n.written)
      n.scFences.push(use);
  }
  /// A release pattern that begins with `first` synchronizes, or would if scopes were wider, with
  /// an acquire pattern that ends with `last`.
  void edge(const SyncOp &first, const SyncOp &last) {
    for (auto [op, other] : {Ends{&first, &last}, Ends{&last, &first}})
      if (uint32_t *use = Index.find(keyOf(*op))) {
        ++Uses[*use - 1].facts.edges;
        need(*use, p4NeededScope(op->place, other->place), *other);
      }
  }
  /// `op` served something that asks for this scope, whoever was there.
  void atLeast(const SyncOp &op, Scope scope) {
    if (uint32_t *use = Index.find(keyOf(op))) {
      ScopeUse &f = Uses[*use - 1].facts;
      f.isNeeded = true;
      f.needed = maxOf(f.needed, scope);
    }
  }
  /// The threads that observe `op` are not known.
  void keep(const SyncOp &op) {
    if (uint32_t *use = Index.find(keyOf(op)))
      keep(*use);
  }
  void exit(BlockId identity, ThreadIndex i) { Threads.erase(keyOf(identity, i)); }
  /// [address, address + bytes) becomes a new location (P5).
  void forget(uint64_t address, uint64_t bytes) {
    if (bytes / WordBytes > Words.size()) {
      Vec<uint64_t> gone;
      Words.forEach([&](uint64_t key, Word &) {
        if (key - 1 - (address & ~uint64_t(WordBytes - 1)) < bytes)
          gone.push(key);
      });
      for (uint64_t key : gone)
        Words.erase(key);
      return;
    }
    for (uint64_t a = address & ~uint64_t(WordBytes - 1); a < address + bytes; a += WordBytes)
      Words.erase(keyOf(a));
  }
  /// Reports what was found so far, in order of first execution.
  void report() {
    if (C.unmodelled || isBlind) // who else synchronized, and through what, is not known (X1)
      return;
    for (Use &u : Uses) {
      C.counters.hit(RuleCounters::A1ScopeUse);
      C.sink.scopeUse(u.facts);
    }
  }

private:
  struct Use {
    ScopeUse facts;
    StepSet blocks, launches;
  };
  /// Who accessed a location by strong operations, in a stretch of the run.
  struct Stretch {
    SyncOp first;
    BlockId latest;              ///< highest block
    Scope level = Scope::Thread; ///< that, used at `first`, includes all of them
    Vec<uint32_t> uses;
  };
  struct Word {
    Vec<Stretch> stretches;
    bool hostSees = false;
  };
  struct Notes {
    uint64_t written = 0; ///< location of the thread's strong writes so far, or Several
    bool sawHost = false; ///< a strong read of memory that the host sees, not yet fenced
    Vec<uint32_t> scFences;
  };
  struct Ends {
    const SyncOp *op, *other;
  };
  static constexpr uint64_t Several = ~uint64_t(0);
  static constexpr uint32_t KeptStretches = 4; ///< of a location

  /// A site has one operation and perhaps a fence. A failed compare-exchange is a load at its site.
  static uint64_t keyOf(const SyncOp &s) {
    return uint64_t(s.site.value) << 8 | uint64_t(s.op.scope()) << 1 |
           uint64_t(s.op.kind() == abi::AccessKind::Fence);
  }
  static uint64_t keyOf(uint64_t address) { return (address & ~uint64_t(WordBytes - 1)) + 1; }
  static uint64_t keyOf(BlockId b, ThreadIndex i) { return threadKey(b, i) + 1; }

  /// Number of the use, from 1; 0 for operations without a scope of their own to choose.
  uint32_t countUse(const Thread &t, const SyncOp &s, uint64_t address, uint32_t bytes) {
    if (s.op.isVolatile() || !s.site.value)
      return 0;
    uint32_t &number = Index[keyOf(s)];
    if (!number) {
      Uses.push(Use());
      number = Uses.size();
      Uses.back().facts.example = record(s, address, bytes);
    }
    Use &u = Uses[number - 1];
    if (s.op.isWrite() && !u.facts.example.op.isWrite())
      u.facts.example = record(s, address, bytes);
    ++u.facts.executions;
    countIn(u.blocks, t.block->identity().value, u.facts.blocks);
    countIn(u.launches, t.block->place.node.value, u.facts.launches);
    return number;
  }
  static void countIn(StepSet &set, uint32_t id, uint32_t &count) {
    if (set.contains({id}))
      return;
    set.add({id});
    ++count;
  }

  /// Returns whether the host sees the location.
  bool noteWord(const Thread &t, uint64_t address, uint32_t use, const SyncOp &s) {
    Word &w = Words[keyOf(address)];
    if (w.stretches.empty())
      w.hostSees = C.options.hostSees && C.options.hostSees(address);
    Stretch &mine = stretchOf(w, t, s);
    mine.latest = maxOf(mine.latest, t.block->id);
    widen(mine, distance(s, mine.first), s);
    if (!use)
      return w.hostSees;
    need(use, mine.level, mine.first);
    if (w.hostSees && s.op.scope() == Scope::System)
      keep(use);
    for (uint32_t u : mine.uses)
      if (u == use)
        return w.hostSees;
    mine.uses.push(use);
    return w.hostSees;
  }
  /// The stretch that an access by `t` belongs to. Those that the launch order leaves in one are
  /// united; a thread that begins late may be concurrent with an old one and not with a newer one.
  Stretch &stretchOf(Word &w, const Thread &t, const SyncOp &s) {
    Stretch *mine = nullptr;
    for (uint32_t i = 0; i < w.stretches.size();) {
      Stretch &x = w.stretches[i];
      if (x.latest < t.block->orderedBelow) {
        ++i;
      } else if (!mine) {
        mine = &x;
        ++i;
      } else {
        unite(*mine, x);
        w.stretches.swapRemove(i);
      }
    }
    if (mine)
      return *mine;
    if (w.stretches.size() == KeptStretches) { // more is kept than needed
      unite(w.stretches[0], w.stretches.back());
      w.stretches.pop();
    }
    Stretch &fresh = w.stretches.push(Stretch());
    fresh.first = s;
    return fresh;
  }
  void unite(Stretch &into, Stretch &from) {
    Scope level = maxOf(maxOf(into.level, from.level), distance(into.first, from.first));
    widen(into, level, from.first);
    widen(from, level, into.first);
    into.latest = maxOf(into.latest, from.latest);
    for (uint32_t u : from.uses) {
      bool isNew = true;
      for (uint32_t v : into.uses)
        isNew &= u != v;
      if (isNew)
        into.uses.push(u);
    }
  }
  void widen(Stretch &x, Scope level, const SyncOp &observer) {
    if (level <= x.level)
      return;
    x.level = level;
    for (uint32_t u : x.uses)
      need(u, level, observer);
  }
  static Scope distance(const SyncOp &a, const SyncOp &b) {
    return a.sameThread(b) ? Scope::Thread : p4NeededScope(a.place, b.place);
  }
  /// The host may observe what `t` writes now: its release fences of system scope publish to it.
  void keepFences(Thread &t) {
    if (!t.hasSync())
      return;
    const FenceRelease &f = t.sync().fences[uint32_t(Scope::System)];
    if (f.snapshot)
      keep(f.fence);
  }

  void need(uint32_t use, Scope scope, const SyncOp &observer) {
    ScopeUse &f = Uses[use - 1].facts;
    if (scope == Scope::Thread)
      return;
    f.isNeeded = true;
    if (scope <= f.needed && f.observer.op.isStrong())
      return;
    f.needed = maxOf(f.needed, scope);
    f.observer = record(observer, f.example.address, f.example.bytes);
  }
  void keep(uint32_t use) {
    if (!use)
      return;
    ScopeUse &f = Uses[use - 1].facts;
    f.isNeeded = true;
    f.needed = Scope::System;
  }
  AccessRecord record(const SyncOp &o, uint64_t address, uint32_t bytes) const {
    return {o.site,   o.op,    o.place.node, o.place.block,
            o.thread, address, bytes,        C.order.node(o.place.node).host};
  }

  Context &C;
  Vec<Use> Uses;
  HashMap<uint32_t> Index; ///< by site and operation; value: index + 1
  HashMap<Word> Words;     ///< by address of the word + 1
  HashMap<Notes> Threads;
};

} // namespace scopesan::core
