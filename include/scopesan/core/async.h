// Asynchronous actors (S12) and proxy fences (S13).
//
// A copy is an actor of its own: it starts after its issuer's earlier operations, and nobody is
// ordered after it until its milestones are learned. Thread 0 of the actor's block in time reads
// the source, thread 1 writes the destination; each acts at local time 1, so that knowing "thread 0
// before time 2" is the read milestone and "thread 1 before time 2" the write milestone.
#pragma once

#include "scopesan/core/sync_rules.h"

namespace scopesan::core {

class AsyncRules {
public:
  explicit AsyncRules(Context &c) : C(c) {}

  static constexpr ThreadIndex Reader{0}, Writer{1};
  static constexpr LocalTime Done{2};

  /// S12: a new actor, and `b` set up as its stand-in: what it knows is what its issuer knows now.
  BlockId s12Begin(const Thread &issuer, Block &b) {
    C.counters.hit(RuleCounters::S12Copy);
    b.id = C.order.newActor(issuer.block->place.node, issuer.block->id, issuer.index);
    standIn(b, issuer, takeSnapshot(issuer), 2);
    for (uint32_t i = 0; i < 2; ++i)
      b.threads[i].index = {i};
    return b.id;
  }
  /// S9: an mbarrier.init is an actor, too, which its thread knows at once: so that
  /// fence.mbarrier_init can publish it and nothing else. Returns who writes.
  Thread &s9BeginInit(Thread &by, Block &b) {
    SnapshotRef s = takeSnapshot(by);
    C.advance(by);
    b.id = C.order.newInit(by.block->place.node, by.block->id, by.index);
    standIn(b, by, s, 1);
    Thread &t = b.threads[0];
    t.index = by.index;
    for (BlockClock *knows : {&by.blocks, &by.sync().inits})
      knows->raiseUnit(b.id, KnownUnit::thread(by.index), Done);
    return t;
  }
  /// S12: the newest actor, whose stand-in is `b`, also starts after the earlier operations of `t`.
  void s12AlsoAfter(const Thread &t, Block &b) {
    SnapshotRef s = takeSnapshot(t);
    for (Thread &x : b.threads) {
      x.blocks.join(s->blocks);
      s->addOwnTo(x.blocks);
      x.nodes.join(s->nodes);
      x.proxies.join(s->proxies);
    }
  }
  /// S12: `t` learns that the actor is done reading, and also writing when `written`.
  void s12Learn(Thread &t, BlockId actor, bool written) { raise(t.blocks, actor, written); }

  void commit(CopyGroups &g) {
    g.committed.push(moved(g.open));
    g.open = Vec<BlockId>();
  }
  /// S12: waits until at most `allowed` committed groups are pending; `written` is false for
  /// wait_group.read, which frees sources only and leaves the groups pending for a later full wait.
  void s12WaitGroups(Thread &t, CopyGroups &g, uint32_t allowed, bool written) {
    uint32_t done = g.committed.size() > allowed ? g.committed.size() - allowed : 0;
    for (uint32_t i = 0; i < done; ++i)
      for (BlockId a : g.committed[i])
        s12Learn(t, a, written);
    if (!written)
      return;
    uint32_t i = 0;
    g.committed.filter([&](const Vec<BlockId> &) { return i++ >= done; });
  }
  /// cp.async.wait_all: groups and what is not committed.
  void waitAll(Thread &t, CopyGroups &g) {
    s12WaitGroups(t, g, 0, true);
    for (BlockId a : g.open)
      s12Learn(t, a, true);
    g.open.clear();
  }

  /// S12: the completion of `actor` reports to an mbarrier. It acts as a thread of the mbarrier's
  /// block and releases, at cluster scope, the copy's own bytes only.
  void s12Complete(Mbarrier &m, BlockId actor, BlockId signal, const Place &owner, SiteId site) {
    SnapshotRef s = SnapshotRef::create();
    raise(s->blocks, actor, true);
    if (signal.value)
      raise(s->blocks, signal, true);
    SyncOp op{site, Op(abi::AccessKind::Red, abi::MemoryOrder::Release, Scope::Cluster), owner,
              ThreadIndex{MaxBlockThreads}};
    m.current.push(PhaseHead{s, op, op});
  }
  /// What a cp.async.mbarrier.arrive publishes once it arrives: the thread's copies so far.
  SnapshotRef copiesSoFar(Thread &t) {
    SnapshotRef s = SnapshotRef::create();
    CopyGroups &g = t.sync().copies;
    for (const Vec<BlockId> &group : g.committed)
      for (BlockId a : group)
        raise(s->blocks, a, true);
    for (BlockId a : g.open)
      raise(s->blocks, a, true);
    return s;
  }
  void contributeCopies(Thread &t, Mbarrier &m, const SnapshotRef &copies, SiteId site) {
    SyncOp op{site, Op(abi::AccessKind::Rmw, abi::MemoryOrder::Release, Scope::Block),
              t.block->place, t.index};
    m.current.push(PhaseHead{copies, op, op});
  }

  /// S13: everything in `space` known to `t`, its own past included, has now passed the fence.
  void s13Fence(Thread &t, ProxyFence f, FenceSpace space) {
    C.counters.hit(RuleCounters::S13Fence);
    SnapshotRef s = takeSnapshot(t);
    BlockClock all = s->blocks;
    s->addOwnTo(all);
    t.proxies.fence(f, all, t.block->id, space);
    C.advance(t);
  }

  /// S13: the release half of the pair of fences that a modified tensor map needs. It goes before
  /// what its fence publishes, the acquire half after what its fence learns.
  void s13MapRelease(Thread &t, Scope scope) {
    C.counters.hit(RuleCounters::S13Fence);
    SnapshotRef s = takeSnapshot(t);
    BlockClock all = s->blocks;
    s->addOwnTo(all);
    t.proxies.releaseMaps(uint32_t(scope), all, t.block->id);
    C.advance(t);
  }
  /// S13: the acquire half, of scope `mine`, for the map at [map, map + bytes); 0 bytes: all maps.
  void s13MapAcquire(Thread &t, Scope mine, uint64_t map, uint64_t bytes) {
    C.counters.hit(RuleCounters::S13Fence);
    BlockId here = t.block->id, entered = bytes ? C.acquiredMaps.at(here, map, bytes) : here;
    t.proxies.acquireMaps(entered, [&](uint32_t scope, BlockId releaser) {
      const Place &there = C.order.placeOf(releaser);
      return minOf(Scope(scope), mine) >= p4NeededScope(there, t.block->place);
    });
  }

private:
  /// `b` stands where the block of `by` does; its `threads` know what `s` does.
  static void standIn(Block &b, const Thread &by, const SnapshotRef &s, uint32_t threads) {
    b.place = by.block->place;
    b.orderedBelow = by.block->orderedBelow;
    b.cluster = by.block->cluster;
    b.sharedAddress = by.block->sharedAddress;
    b.sharedBytes = by.block->sharedBytes;
    b.threads.resize(threads);
    for (Thread &t : b.threads) {
      t.block = &b;
      t.time = t.base = t.warpBase = LocalTime{1};
      t.blocks = s->blocks;
      s->addOwnTo(t.blocks);
      t.nodes = s->nodes;
      t.proxies = s->proxies;
    }
  }
  static void raise(BlockClock &clock, BlockId actor, bool written) {
    KnownUnit units[] = {KnownUnit::thread(Reader), KnownUnit::thread(Writer)};
    LocalTime times[] = {Done, Done};
    clock.raiseUnits(actor, {0}, units, times, written ? 2 : 1);
  }
  Context &C;
};

} // namespace scopesan::core
