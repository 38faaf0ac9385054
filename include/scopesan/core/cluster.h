// Cluster barriers (S9) and the lifetime of blocks' shared memory (D8).
#pragma once

#include "scopesan/core/judge.h"
#include "scopesan/core/sync_rules.h"

namespace scopesan::core {

class ClusterRules {
public:
  ClusterRules(Context &c, Judge &j, SyncRules &s) : C(c), J(j), Sync(s) {}
  ~ClusterRules() {
    Clusters.forEach([&](uint64_t, Cluster *c) { Pooled.destroy(c); });
  }

  /// The block joins its cluster; the first one creates it.
  void begin(Block &b, const LaunchFacts &f) {
    Cluster *&c = Clusters[key(b)];
    if (!c) {
      c = Pooled.create();
      c->blocks = uint32_t(f.cluster.count());
      c->live = c->blocks * uint32_t(f.block.count());
    }
    b.cluster = c;
    c->members.push(&b);
  }
  /// P4: a block of a grid without clusters is a cluster of its own.
  void ensure(Block &b) {
    if (b.cluster)
      return;
    begin(b, LaunchFacts());
    b.cluster->live = b.live;
  }
  /// A thread of the block exited: it no longer counts and gives no edge (S7), but what it
  /// published on arrival stays.
  void exit(Thread &t, SiteId site) {
    Block &b = *t.block;
    const Thread &before = b.threads[b.lastExit.value]; // mostly knows the same
    bool known = &before != &t && before.exited && before.blocks.sameAs(t.blocks);
    b.lastExit = t.index;
    b.lastExitSite = site;
    if (b.cluster)
      leave(t, *b.cluster);
    if (b.cluster ? !known : !b.peerAccesses.empty())
      b.exitKnowledge.join(t.blocks);
  }
  /// D8: every access of a peer or an asynchronous copy must happen before some thread's exit, or
  /// the block may have gone. `ran`: the block's threads executed to their end.
  void end(Block &b, bool ran) {
    if (ran)
      for (const PeerAccess &a : b.peerAccesses)
        if (!b.exitKnowledge.covers(a.by) && !b.exitKnowledge.coversSoftly(a.by))
          J.d8Lifetime(record(a, b), endOf(b));
    if (b.cluster)
      endInCluster(b);
  }
  /// S9: arrive publishes at cluster scope; arrive.relaxed only what a preceding release fence of
  /// cluster scope or wider, or fence.mbarrier_init, covers. Each arrival needs its wait before the
  /// next (D7).
  void s9Arrive(Thread &t, bool relaxed, SiteId site) {
    if (t.clusterArrived)
      J.d7BarrierMisuse(t, site, 0, {Misuse::Unpaired, BarrierKind::Cluster});
    ensure(*t.block);
    Cluster &c = *t.block->cluster;
    t.clusterArrived = true;
    t.clusterPhase = c.phase;
    if (!relaxed) {
      c.arrivals.push(takeSnapshot(t));
      C.advance(t);
    } else if (t.hasSync()) {
      for (uint32_t s = uint32_t(Scope::Thread); s < uint32_t(Scope::Cluster); ++s)
        if (const FenceRelease &f = t.sync().fences[s]; f.snapshot)
          addNarrow(c, f);
      for (uint32_t s = uint32_t(Scope::Cluster); s <= uint32_t(Scope::System); ++s)
        if (const FenceRelease &f = t.sync().fences[s]; f.snapshot) {
          c.arrivals.push(f.snapshot);
          if (C.advice)
            C.advice->Uses.atLeast(f.fence, Scope::Cluster);
        }
      if (t.fenced & Thread::InitsFenced)
        c.arrivals.push(t.sync().initFence.snapshot);
    }
    ++c.arrived;
    completeIfReady(c);
  }
  /// S9: the wait returned; it acquires what its phase published.
  void s9Wait(Thread &t, SiteId site) {
    if (!t.clusterArrived)
      J.d7BarrierMisuse(t, site, 0, {Misuse::Unpaired, BarrierKind::Cluster});
    t.clusterArrived = false;
    if (!t.block->cluster || !t.block->cluster->completed)
      return;
    Sync.s6Acquire(t, t.block->cluster->completed);
    for (const FenceRelease &f : t.block->cluster->completedNarrow)
      Sync.s9Reject(t, f);
  }

  /// D8: `t` accesses the shared memory of a cluster peer, which must be known to have started and
  /// must not have ended. Addresses outside of every peer's shared memory are none of its business.
  void d8Peer(Thread &t, uint64_t addr, uint32_t bytes, Op op, SiteId site) {
    if (holds(*t.block, addr))
      return;
    PeerAccess a{t.epoch(), site, op, addr, bytes};
    for (Block *m : t.block->cluster->members) {
      if (!holds(*m, addr))
        continue;
      if (!t.blocks.knows(m->id))
        J.d8Lifetime(record(a, *t.block), bound(*m, abi::AccessKind::Enter));
      remember(*m, a);
      return;
    }
    for (const Cluster::Ended &gone : t.block->cluster->ended)
      if (addr - gone.sharedAddress < gone.sharedBytes)
        return J.d8Lifetime(record(a, *t.block), gone.end);
  }

  /// D8: an asynchronous copy out of shared memory, issued in block `b`, must have read it before
  /// the block goes.
  void d8OwnSource(Block &b, const Thread &copy, uint64_t addr, uint32_t bytes, Op op,
                   SiteId site) {
    if (holds(b, addr))
      remember(b, {copy.epoch(), site, op, addr, bytes});
  }

private:
  void leave(Thread &t, Cluster &c) {
    --c.live;
    if (t.clusterArrived && t.clusterPhase == c.phase)
      --c.arrived;
    if (c.live)
      completeIfReady(c);
  }
  void endInCluster(Block &b) {
    Cluster *c = b.cluster;
    if (b.sharedBytes)
      c->ended.push({b.sharedAddress, b.sharedBytes, endOf(b)});
    c->members.filter([&](Block *m) { return m != &b; });
    b.cluster = nullptr;
    if (--c->blocks)
      return;
    Clusters.erase(key(b));
    Pooled.destroy(c);
  }
  /// Where the lifetime of the block's shared memory begins or ends (D8).
  static AccessRecord bound(const Block &b, abi::AccessKind kind) {
    Op op(kind, abi::MemoryOrder::Weak, Scope::Thread);
    return {{}, op, b.place.node, b.place.block, {}};
  }
  /// The block ends with its last thread.
  static AccessRecord endOf(const Block &b) {
    AccessRecord end = bound(b, abi::AccessKind::Exit);
    end.site = b.lastExitSite;
    end.thread = b.lastExit;
    return end;
  }
  static bool holds(const Block &b, uint64_t addr) {
    return addr - b.sharedAddress < b.sharedBytes;
  }
  /// Keeps the last access of each thread. Copies are actors of their own: those that a thread of
  /// the block knows already go when there are many.
  void remember(Block &m, const PeerAccess &a) {
    Vec<PeerAccess> &all = m.peerAccesses;
    if (!C.order.isActor(a.by.block)) {
      for (PeerAccess &old : all)
        if (old.by.block == a.by.block && old.by.thread == a.by.thread) {
          old = a;
          return;
        }
    } else if (!all.empty() && all.back().by == a.by) { // a piece of the same copy
      if (all.back().address + all.back().bytes == a.address)
        all.back().bytes += a.bytes;
      return;
    } else if (all.size() >= m.prunePeersAt) {
      BlockClock known = m.exitKnowledge;
      for (const Thread &t : m.threads)
        known.join(t.blocks);
      all.filter([&](const PeerAccess &old) { return !known.covers(old.by); });
      m.prunePeersAt = maxOf(64u, all.size() * 2);
    }
    all.push(a);
  }
  AccessRecord record(const PeerAccess &a, const Block &any) const {
    LaunchOrder::Issuer by = C.order.issuerOf(C.order.copyOf(a.by.block));
    return {a.site,
            a.op,
            any.place.node,
            by.block.value ? by.block : a.by.block,
            by.block.value ? by.thread : a.by.thread,
            a.address,
            a.bytes,
            {},
            C.order.isCopy(a.by.block)};
  }
  static uint64_t key(const Block &b) {
    return (uint64_t(b.place.node.value) << 32 | b.place.cluster) + 1;
  }
  /// Fences of one site are blamed as one.
  static void addNarrow(Cluster &c, const FenceRelease &f) {
    for (FenceRelease &same : c.narrow)
      if (same.fence.site == f.fence.site && same.fence.op.scope() == f.fence.op.scope())
        return same.snapshot->add(*f.snapshot);
    FenceRelease own{SnapshotRef::create(), f.fence};
    own.snapshot->add(*f.snapshot);
    c.narrow.push(moved(own));
  }
  void completeIfReady(Cluster &c) {
    if (c.arrived == 0 || c.arrived < c.live)
      return;
    C.counters.hit(RuleCounters::S9ClusterBarrier);
    SnapshotRef all = SnapshotRef::create();
    for (const SnapshotRef &s : c.arrivals) {
      all->blocks.join(s->blocks);
      all->nodes.join(s->nodes);
      all->proxies.join(s->proxies);
      s->addOwnTo(all->blocks);
    }
    c.completed = all;
    c.arrivals.clear();
    c.completedNarrow = moved(c.narrow);
    c.narrow.clear();
    c.arrived = 0;
    c.phase = !c.phase;
  }

  Context &C;
  Judge &J;
  SyncRules &Sync;
  HashMap<Cluster *> Clusters;
  Pool<Cluster> Pooled;
};

} // namespace scopesan::core
