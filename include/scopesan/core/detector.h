// The detector: the facade that backends feed with accesses, synchronization and launch order.
//
// One thread of control at a time. Every verdict is decided in the files it includes:
//   launch.h S14   barrier.h S7 S8   sync_rules.h S1-S6   filter.h P1 S16   judge.h D1-D5
//   progress.h A1  scope.h P3 P4
#pragma once

#include "scopesan/core/barrier.h"
#include "scopesan/core/filter.h"
#include "scopesan/core/judge.h"
#include "scopesan/core/progress.h"
#include "scopesan/core/sync_rules.h"

namespace scopesan::core {

class Detector {
public:
  Detector(FindingSink &sink, const DetectorOptions &options)
      : C(sink, options), J(C), F(C, J), Sync(C), Barriers(C), Progress(C) {}
  Detector(const Detector &) = delete;
  ~Detector() { dropBlock(ActorBlock); }

  // ---------------------------------------------------------------- launch order (S14)
  // A node is ordered after its timeline's previous node and after each of `after[0..n)`.

  TimelineId newTimeline() { return C.order.newTimeline(); }
  /// A host API call, also one that waited for `after`.
  NodeId hostStep(TimelineId host, const NodeId *after, uint32_t n) {
    return C.order.add(NodeKind::HostStep, host, after, n, LaunchFacts(), 1);
  }
  /// A kernel launch. The grid must have fewer than 2^32 blocks.
  NodeId launch(TimelineId stream, const NodeId *after, uint32_t n, const LaunchFacts &facts) {
    return C.order.add(NodeKind::Kernel, stream, after, n, facts, uint32_t(facts.grid.count()));
  }
  /// A copy or fill in stream order (O7).
  NodeId copyNode(TimelineId stream, const NodeId *after, uint32_t n) {
    return C.order.add(NodeKind::Copy, stream, after, n, LaunchFacts(), 1);
  }
  /// An event record or another point in stream order that accesses nothing.
  NodeId marker(TimelineId stream, const NodeId *after, uint32_t n) {
    return C.order.add(NodeKind::Marker, stream, after, n, LaunchFacts(), 0);
  }
  NodeId last(TimelineId t) const { return C.order.last(t); }
  BlockId firstBlock(NodeId n) const { return C.order.node(n).firstBlock; }

  /// Weak accesses of a copy, fill or host step. Addresses and sizes in bytes.
  void nodeRead(NodeId n, uint64_t addr, uint64_t bytes, SiteId site) {
    readRange(actor(n), addr, bytes, site);
  }
  void nodeWrite(NodeId n, uint64_t addr, uint64_t bytes, SiteId site) {
    writeRange(actor(n), addr, bytes, site);
  }

  // ---------------------------------------------------------------- execution of a launch

  /// Makes block `linear` of the launch resident with all its threads.
  Block *beginBlock(NodeId launch, uint64_t linear) {
    const LaunchNode &n = C.order.node(launch);
    uint32_t threads = n.kind == NodeKind::Kernel ? uint32_t(n.facts.block.count()) : 1;
    return initialise(n, launch, {n.firstBlock.value + uint32_t(linear)}, threads);
  }
  Thread *thread(Block *b, ThreadIndex i) { return &b->threads[i.value]; }
  /// The thread executes no further step; it leaves the counts of its barriers.
  void threadExit(Thread &t) {
    Progress.leave(t);
    Barriers.exit(t);
    if (t.foreign) { // S6 over S14: what it learned of other launches passes on at the grid's end
      LaunchNode &n = C.order.node(t.block->place.node);
      n.endBlocks.join(t.blocks);
      n.endNodes.join(t.nodes);
    }
    t.dropSync();
  }
  void endBlock(Block *b) {
    b->nextFree = FreeBlocks;
    FreeBlocks = b;
  }
  void endLaunch(NodeId) {}

  // ---------------------------------------------------------------- device events (abi.def)

  void read(Thread &t, uint64_t addr, uint32_t bytes, SiteId site) {
    count(t);
    constexpr Op op(abi::AccessKind::Load, abi::MemoryOrder::Weak, Scope::Thread);
    if (bytes == WordBytes && (addr & (WordBytes - 1)) == 0)
      return F.weakRead(t, Shadow.cell(addr), Record::make(t.epoch(), site, op, FullWord, bytes),
                        addr);
    forWords(addr, bytes, [&](uint64_t word, uint32_t mask) {
      F.weakRead(t, Shadow.cell(word), Record::make(t.epoch(), site, op, mask, bytes), word);
    });
  }
  void write(Thread &t, uint64_t addr, uint32_t bytes, SiteId site) {
    count(t);
    constexpr Op op(abi::AccessKind::Store, abi::MemoryOrder::Weak, Scope::Thread);
    if (bytes == WordBytes && (addr & (WordBytes - 1)) == 0)
      return F.weakWrite(t, Shadow.cell(addr), Record::make(t.epoch(), site, op, FullWord, bytes),
                         addr);
    forWords(addr, bytes, [&](uint64_t word, uint32_t mask) {
      F.weakWrite(t, Shadow.cell(word), Record::make(t.epoch(), site, op, mask, bytes), word);
    });
  }
  /// Weak accesses of any size, 0 included.
  void readRange(Thread &t, uint64_t addr, uint64_t bytes, SiteId site) {
    chunks(addr, bytes, [&](uint64_t a, uint32_t n) { read(t, a, n, site); });
  }
  void writeRange(Thread &t, uint64_t addr, uint64_t bytes, SiteId site) {
    chunks(addr, bytes, [&](uint64_t a, uint32_t n) { write(t, a, n, site); });
  }

  /// A strong operation is about to execute. Where nothing runs between this and atomicAfter (CPU
  /// backend), all work is done there.
  void atomicBefore(Thread &, uint64_t, uint32_t, Op, SiteId) {}
  /// A strong operation executed: `wrote` tells whether memory was written.
  void atomicAfter(Thread &t, uint64_t addr, uint32_t bytes, Op op, SiteId site, bool wrote,
                   uint64_t value) {
    if (op.isVolatile() && !C.options.volatileIsRelaxed) // O2
      return wrote ? write(t, addr, bytes, site) : read(t, addr, bytes, site);
    count(t);
    Op done = op.kind() == abi::AccessKind::Cas && !wrote ? o5FailedCas(op) : op;
    SyncOp s = C.syncOp(t, done, site);
    SyncObject *o = find(addr, bytes);
    bool reads = done.kind() != abi::AccessKind::Store && done.kind() != abi::AccessKind::Red;
    if (reads) {
      Progress.read(t, o, addr, bytes, s);
      if (o) {
        Sync.observe(t, *o, s);
        Progress.observe(t, *o);
      }
    } else {
      Progress.leave(t);
    }
    forWords(addr, bytes, [&](uint64_t word, uint32_t mask) {
      F.strong(t, Shadow.cell(word), Record::make(t.epoch(), site, done, mask, bytes), word);
    });
    if (!wrote)
      return;
    if (!o)
      o = create(addr, bytes);
    replaceOthers(addr, bytes, o);
    Sync.publish(t, *o, s);
  }
  void fence(Thread &t, Op op, SiteId site) {
    Progress.leave(t);
    Sync.fence(t, C.syncOp(t, op, site));
  }

  void blockBarrierArrive(Thread &t, abi::BarrierKind kind, uint32_t id, uint32_t n, SiteId) {
    Progress.leave(t);
    Barriers.s7Arrive(t, kind, id, n);
  }
  /// The departure was applied when the generation completed, while the thread still waited.
  void blockBarrierDepart(Thread &, uint32_t) {}
  void warpBarrierArrive(Thread &t, uint32_t mask, SiteId) {
    Progress.leave(t);
    Barriers.s8Arrive(t, mask);
  }
  void warpBarrierDepart(Thread &, uint32_t) {}

  // ---------------------------------------------------------------- memory

  /// [addr, addr + bytes) becomes a new location (P5): allocated, freed, a new block's shared
  /// memory.
  void forget(uint64_t addr, uint64_t bytes) {
    Shadow.forget(addr, bytes, [&](Cell &c) { F.forget(c); });
  }

  uint64_t checkedAccesses() const { return Checked; }
  const RuleCounters &counters() const { return C.counters; }
  size_t shadowBytes() const { return Shadow.footprint(); }

private:
  /// O5: a failed compare-exchange is a read that keeps its acquire half.
  Op o5FailedCas(Op op) {
    C.counters.hit(RuleCounters::O5FailedCas);
    return Op(abi::AccessKind::Load,
              op.acquires() ? abi::MemoryOrder::Acquire : abi::MemoryOrder::Relaxed, op.scope(),
              op.space())
        .with(op.raw() & (Op::VolatileBit | Op::ToolkitBit));
  }
  void count(Thread &t) {
    ++Checked;
    t.lastAccess = t.time;
    J.beginAccess();
  }
  /// Calls f(word address, byte mask) for each word that [addr, addr + bytes) touches.
  template <class Fn> static void forWords(uint64_t addr, uint64_t bytes, Fn f) {
    for (uint64_t a = addr, end = addr + bytes; a < end;) {
      uint64_t word = a & ~uint64_t(WordBytes - 1), stop = minOf(end, word + WordBytes);
      uint32_t mask = ((1u << (stop - a)) - 1) << (a - word);
      f(word, mask);
      a = stop;
    }
  }
  /// Splits a range so that whole words take the fast path.
  template <class Fn> static void chunks(uint64_t addr, uint64_t bytes, Fn f) {
    for (uint64_t a = addr, end = addr + bytes; a < end;) {
      uint64_t stop = minOf(end, (a & ~uint64_t(WordBytes - 1)) + WordBytes);
      f(a, uint32_t(stop - a));
      a = stop;
    }
  }

  // ---------------------------------------------------------------- synchronization objects

  SyncObject *find(uint64_t addr, uint32_t bytes) {
    Overflow *o = Shadow.cell(addr & ~uint64_t(WordBytes - 1)).overflow();
    for (SyncObject *x = o ? o->objects : nullptr; x; x = x->next)
      if (x->address == addr && x->bytes == bytes)
        return x;
    return nullptr;
  }
  SyncObject *create(uint64_t addr, uint32_t bytes) {
    SyncObject *x = new (allocate(sizeof(SyncObject)), PlacementTag{}) SyncObject();
    x->address = addr;
    x->bytes = bytes;
    bool first = true;
    forWords(addr, bytes, [&](uint64_t word, uint32_t) {
      Overflow &o = F.overflowOf(Shadow.cell(word));
      if (first) {
        x->next = o.objects;
        o.objects = x;
      } else {
        o.covering = x;
      }
      first = false;
    });
    return x;
  }
  /// S4: a write replaces the values of objects of another size or position that it overlaps.
  void replaceOthers(uint64_t addr, uint32_t bytes, SyncObject *mine) {
    forWords(addr, bytes, [&](uint64_t word, uint32_t) {
      Overflow &o = F.overflowOf(Shadow.cell(word));
      for (SyncObject *x = o.objects; x; x = x->next)
        if (x != mine && x->address < addr + bytes && addr < x->address + x->bytes)
          x->replacedByPlainWrite();
      if (o.covering && o.covering != mine)
        o.covering->replacedByPlainWrite();
    });
  }

  // ---------------------------------------------------------------- blocks

  /// The single thread that stands for a copy, fill or host step.
  Thread &actor(NodeId n) {
    if (!ActorBlock || ActorNode != n) {
      if (ActorBlock)
        endBlock(ActorBlock);
      ActorBlock = beginBlock(n, 0);
      ActorNode = n;
    }
    return ActorBlock->threads[0];
  }
  Block *initialise(const LaunchNode &n, NodeId node, BlockId id, uint32_t threads) {
    Block *b = FreeBlocks;
    if (b)
      FreeBlocks = b->nextFree;
    else
      b = new (allocate(sizeof(Block)), PlacementTag{}) Block();
    b->id = id;
    b->place = C.order.placeOf(id);
    b->place.node = node;
    b->orderedBelow = n.orderedBelow;
    b->cooperative = n.facts.cooperative;
    b->live = threads;
    b->dirtyExits = 0;
    for (BarrierState &bar : b->barriers) {
      bar.waiting.clear();
      bar.sources.clear();
    }
    uint32_t warps = (threads + WarpSize - 1) / WarpSize;
    if (b->meetings.size() < warps)
      b->meetings.resize(warps);
    for (Vec<WarpMeeting> &m : b->meetings)
      m.clear();
    b->threads.resize(threads);
    for (uint32_t i = 0; i < threads; ++i)
      start(b->threads[i], b, {i}, n);
    return b;
  }
  static void start(Thread &t, Block *b, ThreadIndex i, const LaunchNode &n) {
    t.block = b;
    t.index = i;
    t.exited = t.foreign = false;
    t.time = t.base = t.warpBase = LocalTime{1};
    t.lastAccess = LocalTime{0};
    t.blocks = n.pastBlocks;
    t.nodes = n.past;
    t.seen = BlockClock();
    t.dropSync();
  }
  void dropBlock(Block *b) {
    if (b)
      endBlock(b);
    while (Block *x = FreeBlocks) {
      FreeBlocks = x->nextFree;
      x->~Block();
      deallocate(x);
    }
  }

  Context C;
  ShadowMemory Shadow;
  Judge J;
  Filter F;
  SyncRules Sync;
  BarrierRules Barriers;
  ProgressRules Progress;
  Block *FreeBlocks = nullptr;
  Block *ActorBlock = nullptr;
  NodeId ActorNode;
  uint64_t Checked = 0;
};

} // namespace scopesan::core
