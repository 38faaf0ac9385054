// Release and acquire (S1-S6): how happens-before grows out of strong operations and fences.
#pragma once

#include "scopesan/core/advice.h"

namespace scopesan::core {

class SyncRules {
public:
  explicit SyncRules(Context &c) : C(c) {}

  // What every strong operation does is inlined; the rest of a rule is behind a call.

  /// S2, S3: `t` strongly read the current value of `o` with `r`.
  [[gnu::always_inline]] void observe(Thread &t, SyncObject &o, StrongOp r) {
    if (t.pending && r.op.acquires()) // a strong read of M followed by an acquire on M
      s2CompleteAt(t, o, r.by(t));
    if (o.written && !o.heads.empty())
      observeHeads(t, o, r.by(t));
  }

  /// S16: the step to an operation that reads is a hop. Reductions observe too, although they never
  /// acquire (O5).
  [[gnu::always_inline]] void s16Note(Thread &t, SyncObject &o) { o.noteObservation(t.epoch()); }
  /// The step from the current value's write to an operation of `t` is morally strong.
  [[gnu::always_inline]] static bool isHop(const Thread &t, const SyncObject &o, StrongOp s) {
    return o.written && p4Mutual(o.lastWrite, t, s);
  }

  /// S1, S4: `t` wrote `o` with `w`; an RMW extends what it read (S4), a store replaces it.
  /// `hop`: isHop of it.
  [[gnu::always_inline]] void publish(Thread &t, SyncObject &o, StrongOp w, bool hop) {
    bool extends = o.written && w.op.isRmw();
    bool unbroken = hop && w.op.isRmw();
    if (!o.heads.empty() && !unbroken)
      s4Break(o, w.by(t), extends);
    if (C.advice) [[unlikely]]
      markSoft(o, w.by(t));
    if (!unbroken)
      o.chainStart = o.version + 1; // S16: nobody observes past this write
    s1Heads(t, o, w);
    o.lastWrite = w.by(t);
    o.written = true;
    ++o.version;
    o.writerSaw = t.seen;
  }

  /// The last write may have come before what `kept` carries: readers learn that, too.
  void keepHeads(SyncObject &o, const SyncObject &kept) {
    for (const Head &h : kept.heads) {
      if (o.heads.size() >= MergeAbove)
        mergeHeads(o);
      o.heads.push(h);
    }
  }

  void fence(Thread &t, const SyncOp &f) {
    if (f.op.concernsInitsOnly())
      return s9InitFence(t, f);
    if (f.op.order() == abi::MemoryOrder::SeqCst)
      return s5FenceSc(t, f);
    if (f.op.acquires())
      s2Fence(t, f);
    if (f.op.releases())
      s1Fence(t, f);
  }

  /// S6: `t` learns all that `s` knows, whatever scopes brought it there: the effect of every
  /// synchronizes-with edge.
  void s6Acquire(Thread &t, const SnapshotRef &s) {
    if (t.lastAcquired == s)
      return;
    t.lastAcquired = s;
    C.counters.hit(RuleCounters::S6Acquired);
    t.blocks.join(s->blocks);
    t.nodes.join(s->nodes);
    s->addOwnTo(t.blocks);
    t.proxies.join(s->proxies);
    // A merged snapshot (no block of its own) may hold anything.
    t.foreign |= !s->block.value || C.order.nodeOf(s->block) != t.block->place.node;
  }

  /// S9: `t` would have acquired what `f` released, had the fence reached the cluster.
  void s9Reject(Thread &t, const FenceRelease &f) {
    C.counters.hit(RuleCounters::S3Rejected);
    const SyncOp &by = f.fence;
    BlameSet blamed;
    blamed.add(Blame{by.site, by.op, by.place.block, by.thread, by.place.node, Scope::Cluster});
    remember(t, f.snapshot, blamed);
  }

  // ------------------------------------------------------------------ fence.sc and barriers (S5)

  /// S5: `threads` of a block meet at a barrier, at `time`. A fence.sc X before it and a later
  /// fence.sc Y of another block are ordered, X first, when a strong write after the barrier was
  /// observed before Y: in the other order Y's past would have observed its own future. So each
  /// thread that departs may publish what the fences cover, and may acquire by a fence what others
  /// have observed.
  [[gnu::always_inline]] void s5Meet(const Vec<Thread *> &threads, LocalTime time, bool whole) {
    uint8_t fenced = 0;
    bool pending = false;
    for (Thread *t : threads) {
      fenced |= t->fenced;
      pending |= t->pending;
    }
    if (threads.size() < 2)
      return;
    if (fenced & (Thread::FencedAnew | Thread::FencedBefore)) [[unlikely]]
      shareFences(threads, time);
    if (pending) [[unlikely]]
      sharePending(threads, whole);
  }

  // ------------------------------------------------------------------ mbarrier (S10)

  /// S10: the release patterns that an arrival completes.
  void s10Contribute(Thread &t, Mbarrier &m, const SyncOp &arrive) {
    Scope covered = Scope::Thread;
    if (arrive.op.releases()) {
      m.current.push(PhaseHead{takeSnapshot(t), arrive, arrive});
      C.advance(t);
      covered = arrive.op.scope();
    }
    forFencesAbove(t, covered, [&](const FenceRelease &f) {
      m.current.push(PhaseHead{f.snapshot, f.fence, arrive});
    });
  }
  /// S10: a wait on `m` returned true: all completed phases are observed.
  void s10Observe(Thread &t, Mbarrier &m, const SyncOp &wait) {
    for (PhaseHead &h : m.completed) {
      MaybeBlame hops;
      if (!p4Mutual(h.arrive, wait))
        hops.get().addPair(h.arrive, wait);
      if (wait.op.acquires() && s3Acquire(t, h.snapshot, h.first, hops, Scope::Thread, wait, 0))
        continue;
      s2Pend(t, PendingAcquire{h.snapshot, h.first, moved(hops), m.address, Scope::Thread, false,
                               false, false, wait});
    }
  }

private:
  // ------------------------------------------------------------------ release side

  /// S4: a store replaces the value; an RMW that is not morally strong with the last write breaks
  /// the chain.
  void s4Break(SyncObject &o, const SyncOp &w, bool extends) {
    if (!extends) {
      C.counters.hit(RuleCounters::S4Replaced);
      o.heads.clear();
      return;
    }
    C.counters.hit(RuleCounters::S4Broken);
    for (Head &h : o.heads)
      h.broken.get().addPair(o.lastWrite, w);
  }

  /// S5: a fence.sc is an acquire and a release fence. It contains those before it.
  void s5FenceSc(Thread &t, const SyncOp &f) {
    C.counters.hit(RuleCounters::S5FenceSc);
    s2Fence(t, f);
    s1Fence(t, f);
    t.fenced |= Thread::FencedAnew;
    if (t.fenced & Thread::FencedBefore)
      for (uint32_t s = 0; s <= uint32_t(f.op.scope()); ++s)
        t.sync().before[s] = FenceRelease();
  }
  static bool isFenceSc(const SyncOp &o) {
    return o.op.kind() == abi::AccessKind::Fence && o.op.order() == abi::MemoryOrder::SeqCst;
  }
  /// The fences of `t` at scope `s` that a barrier shares: the one since the last barrier, or what
  /// it has from earlier ones.
  static const FenceRelease *sharedFence(Thread &t, uint32_t s) {
    if (t.fenced & Thread::FencedAnew && t.fenced >> s & 1 && isFenceSc(t.sync().fences[s].fence))
      return &t.sync().fences[s];
    if (t.fenced & Thread::FencedBefore && t.sync().before[s].snapshot)
      return &t.sync().before[s];
    return nullptr;
  }
  static bool allHave(const Vec<Thread *> &threads, uint32_t s, const SnapshotRef &snapshot) {
    for (Thread *t : threads)
      if (!(t->fenced & Thread::FencedBefore) || !(t->sync().before[s].snapshot == snapshot))
        return false;
    return true;
  }
  [[gnu::noinline]] void shareFences(const Vec<Thread *> &threads, LocalTime time) {
    for (uint32_t s = uint32_t(Scope::Block); s <= uint32_t(Scope::System); ++s) {
      FenceRelease all;
      SnapshotRef last;
      uint32_t different = 0;
      for (Thread *t : threads) {
        const FenceRelease *f = sharedFence(*t, s);
        if (!f || f->snapshot == last)
          continue;
        ++different;
        if (!all.snapshot)
          all = {SnapshotRef::create(), f->fence};
        last = f->snapshot;
        all.snapshot->add(*last);
      }
      if (different == 0 || (different == 1 && allHave(threads, s, last)))
        continue;
      all.snapshot->time = time;
      for (Thread *t : threads) {
        t->sync().before.resize(uint32_t(Scope::System) + 1);
        t->sync().before[s] = all;
        t->fenced |= Thread::FencedBefore;
      }
    }
    for (Thread *t : threads)
      t->fenced &= uint8_t(~Thread::FencedAnew);
  }
  /// What one has observed of a fence.sc's pattern, all of them complete by a fence.sc of their
  /// own.
  [[gnu::noinline]] void sharePending(const Vec<Thread *> &threads, bool whole) {
    Vec<PendingAcquire> fresh;
    for (Thread *t : threads)
      if (t->pending)
        for (PendingAcquire &p : t->sync().pending) {
          if (p.shared || !p.hops.empty() || !isFenceSc(p.first))
            continue;
          p.shared = whole;
          bool known = false;
          for (const PendingAcquire &q : fresh)
            known |= q.snapshot == p.snapshot && q.object == p.object;
          if (!known)
            fresh.push(p).fences = true;
        }
    for (const PendingAcquire &p : fresh)
      for (Thread *t : threads)
        if (!p.read.sameThread(C.syncOp(*t, p.read.op, p.read.site)))
          s2Pend(*t, PendingAcquire(p));
  }
  /// S1: a release fence publishes at its own scope; a wider newer fence replaces narrower ones.
  void s1Fence(Thread &t, const SyncOp &f) {
    uint32_t scope = uint32_t(f.op.scope());
    for (uint32_t s = 0; s < scope; ++s)
      t.sync().fences[s] = FenceRelease();
    t.sync().fences[scope] = {takeSnapshot(t), f};
    t.fenced = uint8_t((t.fenced >> scope | 1) << scope);
    if (f.op.scope() >= Scope::Cluster)
      t.fenced &= uint8_t(~Thread::InitsFenced); // contained in this one
    C.advance(t);
  }
  /// S9: fence.mbarrier_init releases at cluster scope, but the thread's own initialisations only,
  /// and that its block has started.
  void s9InitFence(Thread &t, const SyncOp &f) {
    SnapshotRef s = SnapshotRef::create();
    s->blocks = t.sync().inits;
    s->blocks.raiseBase(t.block->id, LocalTime{1});
    s->time = t.time;
    t.sync().initFence = {s, f};
    t.fenced |= Thread::InitsFenced;
    C.advance(t);
  }

  /// Calls f for the thread's release fences at scopes wider than `covered`, widest first.
  template <class F>
  [[gnu::always_inline]] static void forFencesAbove(Thread &t, Scope covered, F f) {
    if (uint32_t(t.fenced) >> uint32_t(covered) < 2) [[likely]]
      return;
    for (uint32_t s = uint32_t(Scope::System); s > uint32_t(covered); --s)
      if (t.fenced >> s & 1)
        f(t.sync().fences[s]);
    if (t.fenced & Thread::InitsFenced && covered < Scope::Cluster)
      f(t.sync().initFence);
  }

  /// S1: every release pattern that the strong write `w` completes becomes a head of `o`.
  [[gnu::always_inline]] void s1Heads(Thread &t, SyncObject &o, StrongOp w) {
    Scope covered = Scope::Thread; // a newer pattern dominates those at this scope or narrower
    if (w.op.releases()) {
      s1Release(t, o, w.by(t));
      covered = w.op.scope();
    }
    forFencesAbove(t, covered, [&](const FenceRelease &f) {
      addHead(o, f.snapshot, f.fence);
      C.counters.hit(RuleCounters::S1Release);
    });
    if (t.fenced & Thread::FencedBefore) [[unlikely]]
      s5Heads(t, o, covered);
    if (!o.ownReleases.empty() && covered < Scope::System)
      s4Republish(t, o, w.by(t), covered);
  }
  /// S5: the fences before the last barriers, as if they were the thread's own.
  [[gnu::noinline]] void s5Heads(Thread &t, SyncObject &o, Scope covered) {
    for (uint32_t s = uint32_t(Scope::System); s > uint32_t(covered); --s)
      if (const FenceRelease &f = t.sync().before[s]; f.snapshot) {
        SyncOp first = f.fence;
        first.place = t.block->place;
        first.thread = t.index;
        addHead(o, f.snapshot, first, true);
      }
  }
  /// S1: a release write; a wider one of the same thread replaces narrower ones.
  void s1Release(Thread &t, SyncObject &o, const SyncOp &w) {
    SnapshotRef s = takeSnapshot(t);
    C.advance(t);
    addHead(o, s, w);
    o.ownReleases.eraseNarrower(t.block->identity(), w, w.op.scope()); // dominated
    o.ownReleases.put(t.block->identity(), w, s);
    C.counters.hit(RuleCounters::S1Release);
  }
  /// S4: release write, later strong write.
  void s4Republish(Thread &t, SyncObject &o, const SyncOp &w, Scope covered) {
    for (uint32_t s = uint32_t(Scope::System); s > uint32_t(covered); --s)
      if (OwnRelease *own = o.ownReleases.find(t.block->identity(), w, Scope(s))) {
        C.counters.hit(RuleCounters::S4Republished);
        addHead(o, own->snapshot, own->first);
      }
  }

  void addHead(SyncObject &o, const SnapshotRef &snapshot, const SyncOp &first,
               bool fences = false) {
    for (Head &h : o.heads)
      if (h.broken.empty() && h.spread == Scope::Thread && h.first.sameThread(first) &&
          h.fences == fences && h.first.op.scope() == first.op.scope() &&
          h.first.op.concernsInitsOnly() == first.op.concernsInitsOnly()) {
        if (h.snapshot->time < snapshot->time) { // a thread's newer snapshot contains its older one
          h.snapshot = snapshot;
          h.first = first;
        } else if (h.soft && snapshot->time < h.snapshot->time) {
          continue; // the older one came without a volatile access
        }
        h.soft = false;
        return;
      }
    if (o.heads.size() >= MergeAbove)
      mergeHeads(o);
    o.heads.push(Head{snapshot, {}, first, Scope::Thread, false, fences});
  }

  /// Bounds the heads of a long RMW chain: intact ones whose scope includes the same threads become
  /// one, whose snapshot knows what each knew. An acquirer of narrower scope cannot be judged
  /// exactly against it; then the edge is kept (a finding may be lost and is counted, none is
  /// invented).
  void mergeHeads(SyncObject &o) {
    Vec<Head> out;
    uint32_t broken = 0;
    for (uint32_t i = o.heads.size(); i-- > 0;) {
      Head &h = o.heads[i];
      if (!h.broken.empty()) {
        if (broken++ < KeptBroken) // only blame depends on these
          out.push(moved(h));
        continue;
      }
      Head *same = nullptr;
      for (Head &x : out)
        if (x.broken.empty() && x.fences == h.fences && sameReach(x.first, h.first))
          same = &x;
      if (!same) {
        out.push(moved(h));
        continue;
      }
      same->snapshot = joined(same->snapshot, h.snapshot);
      same->spread = spreadOf(*same, h);
      same->soft &= h.soft;
      if (C.advice)
        for (const SyncOp *op : {&same->first, &h.first})
          C.advice->Uses.keep(*op);
    }
    o.heads = moved(out);
  }
  template <class Pattern> static Spread spreadOf(const Pattern &a, const Pattern &b) {
    Spread apart = p4NeededScope(a.first.place, b.first.place);
    return maxOf(apart, maxOf(a.spread, b.spread));
  }
  /// Whether `last` may include some, not all of the releasers around `first`. What is needed
  /// between places is an ultrametric: one who is farther from `first` than the others are is
  /// equally far from all of them.
  static bool includesSome(const SyncOp &last, const SyncOp &first, Spread spread) {
    return last.op.scope() < spread && p4NeededScope(last.place, first.place) <= spread;
  }
  /// Releasers of several devices or domains, and the host's, are kept apart: those are few, and an
  /// acquirer at device scope includes some of them only.
  static bool sameReach(const SyncOp &a, const SyncOp &b) {
    bool together = a.place.host ? b.place.host : p4Includes(Scope::Device, a.place, b.place);
    return a.op.scope() == b.op.scope() && together && p4Includes(a.op.scope(), a.place, b.place);
  }

  // ------------------------------------------------------------------ acquire side

  /// S2: an acquire operation on `o` ends the patterns of the pending reads of it.
  void s2CompleteAt(Thread &t, SyncObject &o, const SyncOp &r) {
    s2Complete(t, r, [&](const PendingAcquire &p) {
      return !p.fences && (p.object == o.address || !p.object);
    });
  }
  /// S2: a fence ends the patterns of all pending reads.
  void s2Fence(Thread &t, const SyncOp &f) {
    bool sc = f.op.order() == abi::MemoryOrder::SeqCst;
    s2Complete(t, f, [&](const PendingAcquire &p) { return sc || !p.fences; });
  }
  void observeHeads(Thread &t, SyncObject &o, const SyncOp &r) {
    bool hop = p4Mutual(o.lastWrite, r), soft = isSoft(o, r);
    if (hop && o.heads.size() > FewHeads && acquiresAll(t, o, r))
      return;
    for (Head &h : o.heads) {
      if (h.first.sameThread(r) && h.spread == Scope::Thread)
        continue;
      MaybeBlame hops = h.broken;
      if (!hop)
        hops.get().addPair(o.lastWrite, r);
      bool softly = soft || h.soft;
      if (r.op.acquires() && !h.fences &&
          s3Acquire(t, h.snapshot, h.first, hops, h.spread, r, softly ? o.address : 0))
        continue;
      s2Pend(t, PendingAcquire{h.snapshot, h.first, moved(hops), o.address, h.spread, softly,
                               h.fences, false, r});
    }
  }

  /// S3 with many release patterns, if all of them synchronize with `r`: their knowledge is joined
  /// once for all who read the value.
  bool acquiresAll(Thread &t, SyncObject &o, const SyncOp &r) {
    if (C.advice || !r.op.acquires())
      return false;
    bool foreign = t.foreign;
    for (const Head &h : o.heads) {
      if (h.fences || !h.broken.empty() || r.op.scope() < h.spread || !p4Mutual(h.first, r))
        return false;
      BlockId by = h.snapshot->block;
      foreign |= !by.value || C.order.nodeOf(by) != t.block->place.node;
    }
    if (!o.carried || o.carriedVersion != o.version) {
      o.carried = SnapshotRef::create();
      o.carriedVersion = o.version;
      for (const Head &h : o.heads)
        o.carried->add(*h.snapshot);
    }
    C.counters.hit(RuleCounters::S3Acquire);
    s6Acquire(t, o.carried);
    t.foreign = foreign;
    return true;
  }

  /// S3 for one release pattern (`first` its first operation) and the acquire pattern that ends
  /// with `last`. Returns true when they synchronize; otherwise remembers the edge for blame.
  bool s3Acquire(Thread &t, const SnapshotRef &snapshot, const SyncOp &first,
                 const MaybeBlame &hops, Spread spread, const SyncOp &last, uint64_t softly) {
    if (C.advice) [[unlikely]]
      C.advice->Uses.edge(first, last);
    if (hops.empty() && includesSome(last, first, spread)) {
      C.x1GaveUp("the releasers of a long RMW chain were summarized", MergedHeads);
      learn(t, snapshot, softly);
      return true;
    }
    if (hops.empty() && C.p4Mutually(first, last)) {
      C.counters.hit(RuleCounters::S3Acquire);
      learn(t, snapshot, softly);
      return true;
    }
    reject(t, snapshot, first, hops, last);
    return false;
  }

  /// `softly`: the object whose volatile accesses the edge rests on, or 0.
  void learn(Thread &t, const SnapshotRef &s, uint64_t softly) {
    if (softly) [[unlikely]]
      C.advice->acquire(t, s, softly);
    else
      s6Acquire(t, s);
  }
  /// The write `w` extends what it read through a volatile access (A1).
  [[gnu::noinline]] void markSoft(SyncObject &o, const SyncOp &w) {
    if (!o.heads.empty() && isSoft(o, w))
      for (Head &h : o.heads)
        h.soft = true;
  }
  /// `to` reads the current value of `o` through a volatile access (A1).
  bool isSoft(const SyncObject &o, const SyncOp &to) const {
    return C.advice && o.written && C.advice->isSoft(o.address, o.lastWrite, to);
  }

  void reject(Thread &t, const SnapshotRef &s, const SyncOp &first, const MaybeBlame &hops,
              const SyncOp &last) {
    ThreadSync &mine = t.sync();
    if (mine.lastRejected == s && mine.lastRejectedSite == last.site)
      return;
    mine.lastRejected = s;
    mine.lastRejectedSite = last.site;
    C.counters.hit(RuleCounters::S3Rejected);
    BlameSet blamed;
    if (!hops.empty())
      blamed.add(*hops);
    blamed.addPair(first, last);
    remember(t, s, blamed);
  }
  /// Only scopes kept `t` from acquiring `s` now.
  void remember(Thread &t, const SnapshotRef &s, const BlameSet &blamed) {
    C.advance(t);
    C.rejected.add(RejectedEdge{s, t.epoch(), blamed});
  }

  /// S2: reads stay pending until a wide-enough acquire; one entry per release pattern and
  /// location.
  void s2Pend(Thread &t, PendingAcquire &&p) {
    C.counters.hit(RuleCounters::S2Pending);
    Vec<PendingAcquire> &pending = t.sync().pending;
    for (PendingAcquire &q : pending)
      if (q.object == p.object && q.snapshot == p.snapshot && q.read.site == p.read.site &&
          q.fences == p.fences) {
        if (p.hops.empty() && !q.hops.empty())
          q = moved(p); // an intact path replaces a broken one
        else if (p.hops.empty())
          q.soft = q.soft && p.soft;
        return;
      }
    if (pending.size() >= MergeAbove)
      mergePending(pending);
    pending.push(moved(p));
    t.pending = true;
  }
  /// Bounds the pending reads of a thread that never fences. Reads whose release patterns reach
  /// alike become one; a later acquire on any location may then complete it (the edge is kept).
  void mergePending(Vec<PendingAcquire> &pending) {
    Vec<PendingAcquire> out;
    for (PendingAcquire &p : pending) {
      PendingAcquire *same = nullptr;
      for (PendingAcquire &x : out)
        if (x.hops.empty() && p.hops.empty() && x.fences == p.fences && sameReach(x.first, p.first))
          same = &x;
      if (!same) {
        if (p.hops.empty() || out.size() < KeptBroken) // of broken ones only blame depends
          out.push(moved(p));
        continue;
      }
      same->snapshot = joined(same->snapshot, p.snapshot);
      same->spread = spreadOf(*same, p);
      same->shared &= p.shared;
      same->object = 0;
      if (C.advice)
        for (const SyncOp *op : {&same->first, &p.first})
          C.advice->Uses.keep(*op);
    }
    pending = moved(out);
  }
  static SnapshotRef joined(const SnapshotRef &a, const SnapshotRef &b) {
    SnapshotRef both = SnapshotRef::create();
    both->add(*a);
    both->add(*b);
    return both;
  }
  /// S2: `last` ends the acquire pattern of the pending reads for which `concerns` holds.
  template <class F> void s2Complete(Thread &t, const SyncOp &last, F concerns) {
    if (!t.pending) [[likely]]
      return;
    Vec<PendingAcquire> &pending = t.sync().pending;
    for (uint32_t i = 0; i < pending.size();) {
      PendingAcquire &p = pending[i];
      if (!concerns(p) ||
          !s3Acquire(t, p.snapshot, p.first, p.hops, p.spread, last, p.soft ? p.object : 0)) {
        ++i;
        continue;
      }
      C.counters.hit(RuleCounters::S2Completed);
      pending.swapRemove(i);
    }
    t.pending = !pending.empty();
  }

  static constexpr uint32_t MergeAbove = 32, KeptBroken = 8, FewHeads = 1;
  Context &C;
  uint64_t MergedHeads = 0;
};

} // namespace scopesan::core
