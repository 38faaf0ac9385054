// Synchronization objects: what the current value of an atomic location carries (S1-S4).
//
// PTX 8.7: a release pattern synchronizes with an acquire pattern when a write of the former is
// observed by a read of the latter, directly or through RMWs, every observation step is morally
// strong (the *hops*), and so are the first operation of the release pattern and the last of the
// acquire pattern (the *ends*). A head is a release pattern carried by the current value.
#pragma once

#include "scopesan/core/clock.h"
#include "scopesan/core/finding.h"
#include "scopesan/core/proxy.h"
#include "scopesan/core/scope.h"

namespace scopesan::core {

/// What a release publishes: the releaser's clock at that moment. Immutable once shared.
struct Snapshot {
  uint32_t refs = 1;
  BlockClock blocks;
  NodeClock nodes;
  ProxyClocks proxies;
  /// The releaser's own contribution, kept apart so that a release copies no tree.
  BlockId block;
  ThreadIndex thread;
  LocalTime base, warpBase, time; ///< exclusive bounds: of the block, the warp, the thread

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

/// Reference to a pooled snapshot.
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
    if (P && --P->refs == 0)
      pool().destroy(P);
  }
  static SnapshotRef create() { return SnapshotRef(pool().create()); }
  Snapshot *operator->() const { return P; }
  Snapshot &operator*() const { return *P; }
  explicit operator bool() const { return P; }
  bool operator==(const SnapshotRef &o) const { return P == o.P; }

private:
  static Pool<Snapshot> &pool() {
    static Pool<Snapshot> *p =
        new (allocate(sizeof(Pool<Snapshot>)), PlacementTag{}) Pool<Snapshot>();
    return *p; // never destroyed: snapshots may outlive any static order
  }
  Snapshot *P = nullptr;
};

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

/// Both scopes include the other thread; same-thread pairs always qualify (S3).
inline bool mutuallyInclusive(const SyncOp &a, const SyncOp &b) {
  return a.sameThread(b) ||
         (includes(a.op.scope(), a.place, b.place) && includes(b.op.scope(), b.place, a.place));
}

/// The operations that were too narrow on one path, each with the scope it needs (D3).
struct BlameSet {
  static constexpr uint32_t Max = Finding::MaxBlamed;
  uint32_t count = 0;
  bool domains = false; ///< some operation needs system scope only because domains differ (D4)
  Blame entries[Max];

  void add(const SyncOp &o, const Place &other) {
    Scope needs = neededScope(o.place, other);
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
    if (!includes(a.op.scope(), a.place, b.place))
      add(a, b.place);
    if (!includes(b.op.scope(), b.place, a.place))
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

/// A release pattern that the current value carries.
struct Head {
  SnapshotRef snapshot;
  SyncOp first;        ///< first operation of the release pattern: the fence or release write
  MaybeBlame broken;   ///< operations that broke the chain of hops since; empty = intact
  bool merged = false; ///< stands for several releasers that `first`'s scope includes alike
};

/// A release write that its thread may republish by a later strong write (S1, S4).
struct OwnRelease {
  SnapshotRef snapshot;
  SyncOp first;
};

/// A strong read that observed a strong write (S16). Through a chain of RMWs whose steps are
/// morally strong it observed every write since the chain began: versions [chainStart, version].
struct Observation {
  uint32_t chainStart = 0, version = 0;
  Epoch read;
};

/// State of one atomic location of a fixed address and size.
struct SyncObject {
  uint64_t address = 0;
  uint32_t bytes = 0;
  uint32_t version = 0;    ///< number of writes so far; names the current value
  uint32_t chainStart = 0; ///< version at which the current chain of observed RMWs began (S16)
  bool written = false;    ///< the current value was written by `lastWrite`
  SyncOp lastWrite;
  Vec<Head> heads;
  StepSet writerSaw;               ///< blocks that the writer of the current value knew to have run
  HashMap<OwnRelease> ownReleases; ///< by thread key
  Vec<Observation> observations;   ///< ring of the latest KeptObservations
  uint32_t nextObservation = 0;
  SyncObject *next = nullptr; ///< further objects that overlap the same word

  static constexpr uint32_t KeptObservations = 128;
  /// S16: the thread at `read` observed the current value.
  void noteObservation(const Epoch &read) {
    uint32_t n = observations.size();
    for (uint32_t i = 0; i < minOf(n, 4u); ++i) { // a waiting loop observes one value many times
      const Observation &o = observations[(nextObservation + n - 1 - i) % n];
      if (o.version == version && o.read.block == read.block && o.read.thread == read.thread)
        return;
    }
    Observation x{chainStart, version, read};
    if (n < KeptObservations)
      observations.push(x);
    else
      observations[nextObservation] = x;
    nextObservation = (nextObservation + 1) % KeptObservations;
  }

  /// A weak write, or a write of another size, replaced the value: it carries nothing (S4).
  void replacedByPlainWrite() {
    written = false;
    heads.clear();
    ++version;
  }
};

/// A strong read whose acquire pattern may still be completed by a later fence or acquire (S2).
struct PendingAcquire {
  SnapshotRef snapshot;
  SyncOp first;        ///< first operation of the release pattern
  MaybeBlame hops;     ///< narrow operations on the observation path; empty = morally strong
  uint64_t object = 0; ///< address of the location
  bool merged = false; ///< see Head::merged
  SyncOp read;
};

/// An edge that would exist if scopes were wider (input of D3, D4).
struct RejectedEdge {
  SnapshotRef snapshot; ///< what would have been acquired
  Epoch to; ///< everything of this thread from this local time on would be ordered after
  BlameSet blamed;
};

} // namespace scopesan::core
