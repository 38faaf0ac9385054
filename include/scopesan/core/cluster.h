// Cluster barriers (S9) and the lifetime of cluster peers' shared memory (D8).
#pragma once

#include "scopesan/core/judge.h"
#include "scopesan/core/sync_rules.h"

namespace scopesan::core {

class ClusterRules {
public:
  ClusterRules(Context &c, Judge &j, SyncRules &s) : C(c), J(j), Sync(s) {}

  /// The block joins its cluster; the first one creates it.
  void begin(Block &b, const LaunchFacts &f) {
    Cluster *&c = Clusters[key(b)];
    if (!c) {
      c = Pooled.create();
      c->blocks = uint32_t(f.cluster.count());
      c->live = c->blocks * uint32_t(f.block.count());
    }
    b.cluster = c;
  }
  /// A thread of the block exited: it no longer counts and gives no edge (S7).
  void exit(Block &b) {
    --b.cluster->live;
    completeIfReady(*b.cluster);
  }
  void end(Block &b) {
    Cluster *c = b.cluster;
    b.cluster = nullptr;
    if (--c->blocks)
      return;
    Clusters.erase(key(b));
    Pooled.destroy(c);
  }

  /// S9: arrive publishes at cluster scope; arrive.relaxed only what a preceding release fence of
  /// cluster scope or wider covers.
  void s9Arrive(Thread &t, bool relaxed) {
    Cluster &c = *t.block->cluster;
    if (!relaxed) {
      c.arrivals.push(takeSnapshot(t));
      C.advance(t);
    } else if (t.hasSync()) {
      for (uint32_t s = uint32_t(Scope::Cluster); s <= uint32_t(Scope::System); ++s)
        if (t.sync().fences[s].snapshot)
          c.arrivals.push(t.sync().fences[s].snapshot);
    }
    ++c.arrived;
    completeIfReady(c);
  }
  /// S9: the wait returned; it acquires what its phase published.
  void s9Wait(Thread &t) {
    if (t.block->cluster->completed)
      Sync.acquire(t, t.block->cluster->completed);
  }

private:
  static uint64_t key(const Block &b) {
    return (uint64_t(b.place.node.value) << 32 | b.place.cluster) + 1;
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
    c.arrived = 0;
  }

  Context &C;
  Judge &J;
  SyncRules &Sync;
  HashMap<Cluster *> Clusters;
  Pool<Cluster> Pooled;
};

} // namespace scopesan::core
