// State of the threads, warps and blocks that are resident.
#pragma once

#include "scopesan/core/launch.h"
#include "scopesan/core/proxy.h"
#include "scopesan/core/sync.h"

namespace scopesan::core {

struct Block;

/// The last fence with release semantics at one scope (S1: patterns coexist, one per fence scope).
struct FenceRelease {
  SnapshotRef snapshot;
  SyncOp fence;
};

/// A loop that reads one location again and again (A1 progress-not-promised).
struct Wait {
  uint64_t address = 0; ///< 0 = none
  SiteId site;
  uint32_t version = 0;     ///< of the location at the last read
  uint32_t repeats = 0;     ///< reads that found nothing new
  bool ownerHasRun = false; ///< a compare-exchange found the value of a thread that has run
  bool unpromised = false;  ///< the value that ended it came from a thread nobody promised to run

  /// The last read was by this loop and found this value.
  bool isAt(uint64_t a, SiteId by, uint32_t v) const {
    return address == a && site == by && version == v;
  }
};
/// What ended an unpromised wait.
struct EndedWait {
  SyncOp writer, reader;
  uint32_t bytes = 0;
  bool isLate = false; ///< D12: perhaps a wait for who starts later; the fields below are set
  uint32_t from = 0;   ///< attempts on the location before the wait ended
  StepSet seen;        ///< what the waiter knew by then
  BlockClock blocks;
  NodeClock nodes;
};

/// Asynchronous copies of one thread that complete by groups (S12). Each is an actor.
struct CopyGroups {
  Vec<BlockId> open;           ///< issued since the last commit
  Vec<Vec<BlockId>> committed; ///< oldest first
};

/// What a thread keeps once it has used fences, relaxed reads of released values or asynchronous
/// copies; most threads never do.
struct ThreadSync {
  FenceRelease fences[5];   ///< by scope
  FenceRelease initFence;   ///< the last fence.mbarrier_init (S9)
  Vec<FenceRelease> before; ///< S5, by scope: what fence.sc before the last barriers cover
  BlockClock inits;         ///< the thread's mbarrier.init so far
  Vec<PendingAcquire> pending;
  SnapshotRef lastRejected;
  SiteId lastRejectedSite;
  EndedWait ended;
  CopyGroups copies; ///< cp.async
  CopyGroups bulk;   ///< cp.async.bulk with bulk_group completion
};

/// What every synchronization operation of a thread touches: two cache lines.
struct alignas(CacheLine) Thread {
  Block *block = nullptr;
  ThreadIndex index;
  bool exited = false;
  bool foreign = false;        ///< acquired something from another launch
  bool clusterArrived = false; ///< at the cluster barrier, and has not waited since (S9)
  bool clusterPhase = false;   ///< parity of the phase that it arrived in
  uint8_t fenced = 0;          ///< bit s: sync().fences[s] holds a snapshot; and those below
  bool pending = false;        ///< sync().pending is not empty
  LocalTime time{1};           ///< of accesses made now
  LocalTime base{1};           ///< accesses of my block before this time precede me (S7)
  LocalTime warpBase{1};       ///< accesses of my warp before this time precede me (S8)
  LocalTime lastAccess;        ///< time of my last access
  BlockClock blocks;           ///< everything else I know
  NodeClock nodes;
  ProxyClocks proxies; ///< what has passed a proxy fence before me (S13)
  StepSet seen;        ///< blocks that were observed to have run, in no order (A1 progress)
  Wait wait;
  SnapshotRef lastAcquired; ///< re-reading one value must stay cheap

  static constexpr uint8_t InitsFenced = 1u << 7;  ///< sync().initFence holds a snapshot
  static constexpr uint8_t FencedAnew = 1u << 6;   ///< by a fence.sc since the last barrier (S5)
  static constexpr uint8_t FencedBefore = 1u << 5; ///< sync().before holds something (S5)

  Thread() = default;
  Thread(Thread &&) = default;
  ~Thread() { dropSync(); }
  Epoch epoch() const;
  Epoch epochAt(LocalTime t) const;
  bool hasSync() const { return Sync.owned; }
  ThreadSync &sync() {
    if (!Sync.owned)
      Sync.owned = syncPool().create();
    return *Sync.owned;
  }
  void dropSync() {
    if (Sync.owned)
      syncPool().destroy(Sync.owned);
    Sync.owned = nullptr;
    fenced = 0;
    pending = false;
    wait = Wait();
    lastAcquired = SnapshotRef();
  }

private:
  static Pool<ThreadSync> &syncPool() {
    static Pool<ThreadSync> *p =
        new (allocate(sizeof(Pool<ThreadSync>)), PlacementTag{}) Pool<ThreadSync>();
    return *p; // never destroyed: threads may outlive any static order
  }
  struct SyncOwner {
    ThreadSync *owned = nullptr;
    SyncOwner() = default;
    SyncOwner(SyncOwner &&o) noexcept : owned(o.owned) { o.owned = nullptr; }
  };
  SyncOwner Sync;
};
static_assert(sizeof(Thread) == 2 * CacheLine);

/// One generation of a block barrier that is filling up (S7). Generations follow each other:
///   empty -> arrivals -> complete (departures updated, state emptied)
struct BarrierState {
  uint32_t expected = 0;    ///< 0 = all threads that have not exited
  Vec<uint32_t> waiting;    ///< threads that will depart
  Vec<SnapshotRef> sources; ///< contributions of bar.arrive
  Vec<uint32_t> lanes;      ///< by warp: lanes that arrived; kept for explicit counts only
  uint32_t arrived() const { return waiting.size() + sources.size(); }
};

/// Lanes gathering at a warp barrier with one mask (S8).
struct WarpMeeting {
  uint32_t mask = 0;
  uint32_t arrived = 0;
};

/// A cluster's barrier (S9). Phases follow each other: arrivals fill one, its completion is kept
/// for the waits that follow.
struct Cluster {
  uint32_t live = 0;    ///< threads that have not exited, those of blocks yet to start included
  uint32_t blocks = 0;  ///< blocks that have not ended
  uint32_t arrived = 0; ///< of the current phase: threads that have not exited
  bool phase = false;   ///< parity of the current phase
  Vec<SnapshotRef> arrivals;
  SnapshotRef completed; ///< what the last completed phase published
  /// Fences that reach no cluster, each before a relaxed arrival: of this phase, the last one (D3).
  Vec<FenceRelease> narrow, completedNarrow;
  Vec<Block *> members; ///< blocks that have started and not ended
  struct Ended {
    uint64_t sharedAddress, sharedBytes;
    AccessRecord end;
  };
  Vec<Ended> ended; ///< the others
};

/// An access to a block's shared memory by a cluster peer or an asynchronous copy (D8); the last
/// one of each thread is kept.
struct PeerAccess {
  Epoch by;
  SiteId site;
  Op op;
  uint64_t address = 0;
  uint32_t bytes = 0;
};

struct Block {
  static constexpr uint32_t Barriers = 16;
  BlockId id;
  Place place;
  BlockId orderedBelow; ///< blocks with smaller ids precede the launch
  bool cooperative = false;
  uint32_t live = 0;
  uint32_t dirtyExits =
      0; ///< threads that exited with accesses no barrier covers (S7: exits give no edge)
  Vec<Thread> threads;
  BarrierState barriers[Barriers];
  Vec<Vec<WarpMeeting>> meetings; ///< by warp
  Cluster *cluster = nullptr;
  uint64_t sharedAddress = 0; ///< of the block's shared memory; 0 = unknown
  uint64_t sharedBytes = 0;
  Vec<PeerAccess> peerAccesses;
  uint32_t prunePeersAt = 0; ///< number of peerAccesses at which to drop what is known
  BlockClock exitKnowledge;  ///< what its threads knew when they exited (D8)
  ThreadIndex lastExit;      ///< thread that exited last, and where
  SiteId lastExitSite;
  Block *nextFree = nullptr;
  /// What names its threads in all that they do: a host thread acts in one block per step (S15).
  BlockId identity() const { return place.host ? place.block : id; }
};

inline Epoch Thread::epochAt(LocalTime t) const { return {block->id, index, t}; }
inline Epoch Thread::epoch() const { return epochAt(time); }

/// A strong operation that a thread at hand executes. (Full descriptions are made where they are
/// kept: written to memory and read back in larger pieces they would have to wait for all earlier
/// stores, also for those that miss the caches.)
struct StrongOp {
  Op op;
  SiteId site;
  SyncOp by(const Thread &t) const { return {site, op, t.block->place, t.index}; }
};
/// P4: the same with what `t` executes.
[[gnu::always_inline]] inline bool p4Mutual(const SyncOp &a, const Thread &t, StrongOp b) {
  const Place &p = t.block->place;
  return (a.thread == t.index && a.place.block == p.block) ||
         minOf(a.op.scope(), b.op.scope()) >= p4NeededScope(a.place, p);
}

/// S1: what `t` publishes when it releases now. The thread's time must advance afterwards.
inline SnapshotRef takeSnapshot(const Thread &t) {
  SnapshotRef s = SnapshotRef::create();
  s->blocks = t.blocks;
  s->nodes = t.nodes;
  s->proxies = t.proxies;
  s->block = t.block->id;
  s->thread = t.index;
  s->base = t.base;
  s->warpBase = t.warpBase;
  s->time = t.time.next();
  return s;
}

} // namespace scopesan::core
