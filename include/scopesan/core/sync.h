// Synchronization objects: what the current value of an atomic location carries (S1-S4).
//
// PTX 8.7: a release pattern synchronizes with an acquire pattern when a write of the former is
// observed by a read of the latter, directly or through RMWs, every observation step is morally
// strong (the *hops*), and so are the first operation of the release pattern and the last of the
// acquire pattern (the *ends*). A head is a release pattern carried by the current value.
#pragma once

#include "scopesan/core/clock.h"
#include "scopesan/core/finding.h"
#include "scopesan/core/observed.h"
#include "scopesan/core/proxy.h"
#include "scopesan/core/scope.h"

namespace scopesan::core {

/// What a release publishes: the releaser's clock at that moment. Immutable once shared.
struct alignas(CacheLine) Snapshot {
  uint32_t refs = 1;
  /// The releaser's own contribution, kept apart so that a release copies no tree.
  BlockId block;
  ThreadIndex thread;
  LocalTime base, warpBase, time; ///< exclusive bounds: of the block, the warp, the thread
  BlockClock blocks;
  NodeClock nodes;
  ProxyClocks proxies;

  bool ownCovers(const Epoch &e) const {
    return e.block == block &&
           (e.time < base || (e.time < warpBase && warpOf(e.thread) == warpOf(thread)) ||
            (e.time < time && e.thread == thread));
  }
  /// Folds all that `o` knows into this one, which nobody else may refer to yet.
  void add(const Snapshot &o) {
    blocks.join(o.blocks);
    nodes.join(o.nodes);
    proxies.join(o.proxies);
    o.addOwnTo(blocks);
  }
  /// Folds the releaser's own contribution into `into`.
  void addOwnTo(BlockClock &into) const {
    if (!block.value)
      return;
    KnownUnit units[] = {KnownUnit::thread(thread), KnownUnit::warp(warpOf(thread))};
    LocalTime times[] = {time, warpBase};
    into.raiseUnits(block, base, units, times, 2);
  }
};

static_assert(sizeof(Snapshot) == CacheLine);

/// Reference to a pooled snapshot. A reference that ends is given back a little later: what it
/// refers to was last used by another thread long ago, and waiting for the cache miss would cost
/// more than everything else that a release does.
class SnapshotRef {
public:
  SnapshotRef() = default;
  explicit SnapshotRef(Snapshot *owned) : P(owned) {}
  SnapshotRef(const SnapshotRef &o) : P(o.P) {
    if (P)
      ++P->refs;
  }
  SnapshotRef(SnapshotRef &&o) noexcept : P(o.P) { o.P = nullptr; }
  SnapshotRef &operator=(SnapshotRef o) noexcept {
    swapValues(P, o.P);
    return *this;
  }
  ~SnapshotRef() {
    if (P)
      store().drop(P);
  }
  static SnapshotRef create() { return SnapshotRef(store().pool.create()); }
  Snapshot *operator->() const { return P; }
  Snapshot &operator*() const { return *P; }
  explicit operator bool() const { return P; }
  bool operator==(const SnapshotRef &o) const { return P == o.P; }

private:
  struct Store {
    static constexpr uint32_t Delay = 16; ///< drops between the prefetch and the use of a line
    Pool<Snapshot> pool;
    Snapshot *dropped[Delay] = {}; ///< still counted
    Snapshot *unused[Delay] = {};  ///< no reference is left
    uint32_t nextDropped = 0, nextUnused = 0;

    void drop(Snapshot *s) {
      prefetch(s);
      s = exchange(dropped, nextDropped, s);
      if (!s || --s->refs)
        return;
      s->blocks.prefetchRoot();
      if ((s = exchange(unused, nextUnused, s)))
        pool.destroy(s);
    }
    static Snapshot *exchange(Snapshot **ring, uint32_t &next, Snapshot *s) {
      Snapshot *old = ring[next];
      ring[next] = s;
      next = (next + 1) % Delay;
      return old;
    }
  };
  union Kept { ///< never destroyed: snapshots may outlive any static order
    Store store;
    constexpr Kept() : store() {}
    constexpr ~Kept() {}
  };
  static Store &store() { return TheStore.store; }
  static Kept TheStore;
  Snapshot *P = nullptr;
};
inline constinit SnapshotRef::Kept SnapshotRef::TheStore;

/// An executed strong operation, as needed to judge and to blame it.
struct SyncOp {
  SiteId site;
  Op op;
  Place place;
  ThreadIndex thread;
  bool sameThread(const SyncOp &o) const {
    return thread == o.thread && place.block == o.place.block;
  }
};

/// P4: both scopes include the other thread; same-thread pairs always qualify (S3).
[[gnu::always_inline]] inline bool p4Mutual(const SyncOp &a, const SyncOp &b) {
  return a.sameThread(b) ||
         minOf(a.op.scope(), b.op.scope()) >= p4NeededScope(a.place, b.place); // which is symmetric
}

/// The operations that were too narrow on one path, each with the scope it needs (D3).
struct BlameSet {
  static constexpr uint32_t Max = Finding::MaxBlamed;
  uint32_t count = 0;
  bool domains = false; ///< some operation needs system scope only because domains differ (D4)
  Blame entries[Max];

  void add(const SyncOp &o, const Place &other) {
    Scope needs = p4NeededScope(o.place, other);
    domains |= needs == Scope::System && onlyDomainsDiffer(o.place, other);
    add(Blame{o.site, o.op, o.place.block, o.thread, o.place.node, needs});
  }
  /// One entry per site; the widest need wins.
  void add(const Blame &b) {
    for (uint32_t i = 0; i < count; ++i)
      if (entries[i].site == b.site && entries[i].op.kind() == b.op.kind()) {
        if (entries[i].needs < b.needs)
          entries[i].needs = b.needs;
        return;
      }
    if (count < Max)
      entries[count++] = b;
  }
  void add(const BlameSet &o) {
    domains |= o.domains;
    for (uint32_t i = 0; i < o.count; ++i)
      add(o.entries[i]);
  }
  /// Adds those of `a` and `b` whose scope excludes the other's thread.
  void addPair(const SyncOp &a, const SyncOp &b) {
    if (a.sameThread(b))
      return;
    if (!p4Includes(a.op.scope(), a.place, b.place))
      add(a, b.place);
    if (!p4Includes(b.op.scope(), b.place, a.place))
      add(b, a.place);
  }
  bool empty() const { return count == 0; }
};

/// A blame set that is usually empty: allocated only when something is to blame.
class MaybeBlame {
public:
  MaybeBlame() = default;
  MaybeBlame(const MaybeBlame &o) { *this = o; }
  MaybeBlame(MaybeBlame &&o) noexcept : P(o.P) { o.P = nullptr; }
  MaybeBlame &operator=(const MaybeBlame &o) {
    if (this != &o) {
      reset();
      if (o.P)
        get() = *o.P;
    }
    return *this;
  }
  MaybeBlame &operator=(MaybeBlame &&o) noexcept {
    swapValues(P, o.P);
    return *this;
  }
  ~MaybeBlame() { reset(); }
  bool empty() const { return !P; }
  const BlameSet &operator*() const { return *P; }
  BlameSet &get() {
    if (!P)
      P = new (allocate(sizeof(BlameSet)), PlacementTag{}) BlameSet();
    return *P;
  }
  void reset() {
    deallocate(P);
    P = nullptr;
  }

private:
  BlameSet *P = nullptr;
};

/// How far apart the releasers are that a summarized release pattern stands for, itself included:
/// the smallest scope that includes each from the first. Thread: one releaser, not summarized.
using Spread = Scope;

/// A release pattern that the current value carries.
struct Head {
  SnapshotRef snapshot;
  MaybeBlame broken; ///< operations that broke the chain of hops since; empty = intact
  SyncOp first;      ///< first operation of the release pattern: the fence or release write
  Spread spread = Scope::Thread; ///< of the releasers, which `first`'s scope includes alike
  bool soft = false;   ///< a hop since was one through a volatile access (A1, with advice only)
  bool fences = false; ///< fence.sc before barriers of the releaser: only a fence.sc acquires (S5)
};

/// A release write that its thread may republish by a later strong write (S1, S4).
struct OwnRelease {
  SnapshotRef snapshot;
  SyncOp first;
  BlockId block; ///< of the thread; a copy sits at the place of another block
};

/// The release writes of one location by thread and scope. Most locations have one releaser.
class OwnReleases {
public:
  OwnReleases() = default;
  OwnReleases(const OwnReleases &) = delete;
  ~OwnReleases() {
    if (!More)
      return;
    More->~Others();
    deallocate(More);
  }
  bool empty() const { return !First.snapshot && !More; }
  /// The release of the thread in `block` that executes `by`, at scope `s`.
  OwnRelease *find(BlockId block, const SyncOp &by, Scope s) {
    if (First.snapshot && First.block == block && First.first.thread == by.thread &&
        First.first.op.scope() == s)
      return &First;
    return More && More->scopes >> uint32_t(s) & 1 ? More->map.find(key(block, by, s)) : nullptr;
  }
  /// Replaces it at w's own scope.
  void put(BlockId block, const SyncOp &w, const SnapshotRef &snapshot) {
    OwnRelease *own = find(block, w, w.op.scope());
    if (!own)
      own = First.snapshot ? &add(block, w) : &First;
    own->snapshot = snapshot;
    own->first = w;
    own->block = block;
  }
  /// Ends those of the thread in `block` that executes `by` at scopes narrower than `s`.
  void eraseNarrower(BlockId block, const SyncOp &by, Scope s) {
    if (First.snapshot && First.block == block && First.first.thread == by.thread &&
        First.first.op.scope() < s)
      First = OwnRelease();
    if (More && More->scopes & ((1u << uint32_t(s)) - 1))
      for (uint32_t narrower = 0; narrower < uint32_t(s); ++narrower)
        More->map.erase(key(block, by, Scope(narrower)));
  }

private:
  struct Others {
    HashMap<OwnRelease> map;
    uint8_t scopes = 0; ///< bit s: some thread has released at scope s
  };
  static uint64_t key(BlockId block, const SyncOp &by, Scope s) {
    return threadKey(block, by.thread) * 8 + uint64_t(s);
  }
  OwnRelease &add(BlockId block, const SyncOp &w) {
    if (!More)
      More = new (allocate(sizeof(Others)), PlacementTag{}) Others();
    More->scopes |= uint8_t(1u << uint32_t(w.op.scope()));
    return More->map[key(block, w, w.op.scope())];
  }
  Others *More = nullptr;
  OwnRelease First;
};

/// State of one atomic location of a fixed address and size.
struct SyncObject {
  uint64_t address = 0;       ///< 0 = not in use
  SyncObject *next = nullptr; ///< further objects that overlap the same word
  uint32_t version = 0;       ///< number of writes so far; names the current value
  uint32_t chainStart = 0;    ///< version at which the current chain of observed RMWs began (S16)
  uint16_t bytes = 0;
  bool written = false; ///< the current value was written by `lastWrite`
  bool awaited = false; ///< a wait for a value ended that nothing promised (D12): late_waits.h
  SyncOp lastWrite;
  StepSet writerSaw; ///< blocks that the writer of the current value knew to have run
  ObservedValues observations;
  Vec<Head> heads;
  OwnReleases ownReleases;
  SnapshotRef carried;         ///< all that the heads know, where a reader wanted it
  uint32_t carriedVersion = 0; ///< of the value for which that holds

  SyncObject() { heads.lend(FirstHead, 1); }
  SyncObject(const SyncObject &) = delete;

  /// S16: the thread at `read` observed the current value.
  [[gnu::always_inline]] void noteObservation(const Epoch &read) {
    observations.note(read, chainStart, version);
  }
  /// S4: a weak write, or a write of another size, replaced the value: it carries nothing.
  void s4Replace() {
    written = false;
    heads.clear();
    ++version;
  }

private:
  alignas(Head) char FirstHead[sizeof(Head)];
};

/// A strong read whose acquire pattern may still be completed by a later fence or acquire (S2).
struct PendingAcquire {
  SnapshotRef snapshot;
  SyncOp first;        ///< first operation of the release pattern
  MaybeBlame hops;     ///< narrow operations on the observation path; empty = morally strong
  uint64_t object = 0; ///< address of the location
  Spread spread = Scope::Thread; ///< see Head::spread
  bool soft = false;             ///< see Head::soft
  bool fences = false; ///< see Head::fences; or the read was another thread's, before a barrier
  bool shared = false; ///< all threads of the block have it
  SyncOp read;
};

/// An edge that would exist if scopes were wider (input of D3, D4).
struct RejectedEdge {
  SnapshotRef snapshot; ///< what would have been acquired
  Epoch to; ///< everything of this thread from this local time on would be ordered after
  BlameSet blamed;
};

} // namespace scopesan::core
