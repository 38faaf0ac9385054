// Host threads as actors of the memory model (S15).
//
// A host thread is a timeline of steps, each a node of the launch order (S14). A step holds the
// accesses and atomics between two calls that pass order on; the thread keeps its identity, its
// local time, its fences and its pending reads through all of them:
//
//   create -> step ... accesses, atomics ... --past()--> closed -> the next access opens a step
//
// Below system scope a host thread includes only itself (P4), everything else is as on the device:
// `thread(h)` goes to Detector::read, write, atomicAfter, fence. Threads whose code is not
// instrumented are opaque: how they synchronize is unknown, so each of their turns is ordered after
// all earlier and before all later turns of other host threads. No finding follows from what was
// not seen.
#pragma once

#include "scopesan/core/progress.h"
#include "scopesan/core/sync_rules.h"

namespace scopesan::core {

/// Is the synchronization of a host thread seen?
enum class HostCode : uint8_t { Instrumented, Opaque };

/// Whom an acquisition or a release of an object concerns. Shared: readers of a read-write lock,
/// which are not ordered among each other. Everything else is exclusive.
enum class HostAccess : uint8_t { Exclusive, Shared };

class HostThreads {
public:
  HostThreads(Context &c, SyncRules &s, ProgressRules &p) : C(c), Sync(s), Progress(p) {}
  HostThreads(const HostThreads &) = delete;
  ~HostThreads() {
    for (Host *x : Threads) {
      dropStrand(*x);
      x->~Host();
      deallocate(x);
    }
  }

  // ---------------------------------------------------------------- threads

  /// A new host thread; it starts after everything that `creator` has done. Without a creator it
  /// starts after nothing (the first thread of the process).
  HostId create(HostId creator, HostCode code) {
    Host *x = Threads.push(new (allocate(sizeof(Host)), PlacementTag{}) Host());
    x->id = {Threads.size()};
    x->line = C.order.newTimeline();
    x->code = code;
    NodeId after = creator.value ? past(creator) : NodeId{};
    open(*x, &after, 1);
    return x->id;
  }
  /// The thread executes nothing any more.
  void end(HostId h) {
    Host &x = s15Take(h);
    close(x);
    if (C.advice && x.identity.value)
      C.advice->exit(x.identity, {0});
    dropStrand(x);
  }
  /// `h` waited for the end of `ended`.
  void join(HostId h, HostId ended) {
    NodeId end = close(of(ended));
    step(h, &end, 1);
  }
  /// What the thread does next goes to Detector's functions for device events, one event at a time.
  Thread &thread(HostId h) {
    Host &x = s15Take(h);
    if (!x.isOpen)
      open(x, nullptr, 0);
    return strand(x);
  }

  // ---------------------------------------------------------------- API calls (S14)

  /// An API call returned that waited for `after[0..n)`: the thread's further past is after these.
  NodeId step(HostId h, const NodeId *after, uint32_t n) {
    Host &x = s15Take(h);
    close(x);
    return open(x, after, n);
  }
  /// A node that everything the thread has done so far precedes, and nothing that it does later:
  /// what a launch, a copy or an event record by this thread comes after.
  NodeId past(HostId h) { return close(s15Take(h)); }

  // ---------------------------------------------------------------- mutexes and their like

  /// Locked, waited, observed: the thread comes after the releases of the object. `object` is any
  /// number that names it, such as its address.
  void acquire(HostId h, uint64_t object, HostAccess a = HostAccess::Exclusive) {
    Object &o = Objects[object + 1];
    Thread &t = thread(h);
    if (o.exclusive)
      s15Edge(t, o.exclusive);
    if (a == HostAccess::Exclusive && o.shared)
      s15Edge(t, o.shared);
  }
  /// Unlocked, notified, posted, arrived. A mutex's releases are in order anyway; those of a
  /// semaphore or condition variable all count.
  void release(HostId h, uint64_t object, HostAccess a = HostAccess::Exclusive) {
    Thread &t = thread(h);
    SnapshotRef s = takeSnapshot(t);
    C.advance(t);
    Object &o = Objects[object + 1];
    SnapshotRef &all = a == HostAccess::Exclusive ? o.exclusive : o.shared;
    all = all ? both(*all, *s) : s;
  }
  /// The object was destroyed; its number may come back for another one.
  void forget(uint64_t object) { Objects.erase(object + 1); }

private:
  struct Host {
    HostId id;
    HostCode code = HostCode::Instrumented;
    TimelineId line;
    NodeId node;            ///< latest step
    BlockId identity;       ///< names the thread in all its steps (P2): block of the first one
    bool isOpen = false;    ///< the thread may still act in `node`
    bool isReady = false;   ///< `block` stands for `node`
    bool hasActed = false;  ///< instrumented: since the last turn of an opaque thread
    uint64_t turn = 0;      ///< number of its latest turn
    Block *block = nullptr; ///< one thread
    LocalTime time{1};      ///< goes on from step to step
  };
  struct Object {
    SnapshotRef exclusive, shared;
  };

  Host &of(HostId h) { return *Threads[h.value - 1]; }

  /// S15: the thread acts now. Opaque threads take turns with everybody else.
  Host &s15Take(HostId h) {
    Host &x = of(h);
    if (Latest == &x)
      return x;
    Latest = &x;
    Vec<NodeId> after;
    if (LatestOpaque && LatestOpaque->turn > x.turn)
      after.push(close(*LatestOpaque));
    if (x.code == HostCode::Opaque) {
      for (Host *other : Acted) {
        other->hasActed = false;
        after.push(close(*other));
      }
      Acted.clear();
      LatestOpaque = &x;
    } else if (!x.hasActed) {
      x.hasActed = true;
      Acted.push(&x);
    }
    x.turn = ++Turns;
    if (!after.empty()) {
      close(x);
      open(x, &after[0], after.size());
    }
    return x;
  }

  NodeId open(Host &x, const NodeId *after, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i)
      if (after[i].value)
        C.counters.hit(RuleCounters::S15Edge);
    x.node = C.order.add(NodeKind::HostStep, x.line, after, n, LaunchFacts(), 1);
    LaunchNode &node = C.order.node(x.node);
    if (!x.identity.value)
      x.identity = node.firstBlock;
    node.host = x.id;
    node.identity = x.identity;
    x.isOpen = true;
    x.isReady = false;
    return x.node;
  }
  /// Ends the step: whoever comes after its node knows all that the thread has learned.
  NodeId close(Host &x) {
    if (x.isOpen && x.isReady) {
      Thread &t = x.block->threads[0];
      Progress.leave(t);
      LaunchNode &node = C.order.node(x.node);
      node.endBlocks = t.blocks;
      node.endNodes = t.nodes;
      x.time = t.time;
    }
    x.isOpen = false;
    return x.node;
  }

  /// The thread's stand-in, set up for its open step.
  Thread &strand(Host &x) {
    if (x.isReady)
      return x.block->threads[0];
    if (!x.block) {
      x.block = new (allocate(sizeof(Block)), PlacementTag{}) Block();
      x.block->threads.resize(1);
      x.block->live = 1;
    }
    const LaunchNode &node = C.order.node(x.node);
    Block &b = *x.block;
    b.id = node.firstBlock;
    b.place = C.order.placeOf(b.id);
    b.orderedBelow = node.orderedBelow;
    Thread &t = b.threads[0];
    t.block = &b;
    t.time = t.base = t.warpBase = x.time;
    t.blocks = node.pastBlocks;
    t.nodes = node.past;
    t.seen.add(b.id);
    x.isReady = true;
    return t;
  }
  void dropStrand(Host &x) {
    if (x.block) {
      x.block->~Block();
      deallocate(x.block);
    }
    x.block = nullptr;
    x.isReady = false;
  }

  /// S15: `t` comes after a release of the object.
  void s15Edge(Thread &t, const SnapshotRef &s) {
    C.counters.hit(RuleCounters::S15Edge);
    Sync.s6Acquire(t, s);
  }
  static SnapshotRef both(const Snapshot &a, const Snapshot &b) {
    SnapshotRef out = SnapshotRef::create();
    for (const Snapshot *s : {&a, &b}) {
      out->blocks.join(s->blocks);
      out->nodes.join(s->nodes);
      out->proxies.join(s->proxies);
      s->addOwnTo(out->blocks);
    }
    return out;
  }

  Context &C;
  SyncRules &Sync;
  ProgressRules &Progress;
  Vec<Host *> Threads; ///< by id, less 1
  HashMap<Object> Objects;
  Host *Latest = nullptr, *LatestOpaque = nullptr;
  Vec<Host *> Acted; ///< instrumented threads since the last turn of an opaque one
  uint64_t Turns = 0;
};

} // namespace scopesan::core
