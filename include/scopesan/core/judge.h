// The judge: turns an unordered conflicting pair, or a misuse, into a finding (D1-D12).
#pragma once

#include "scopesan/core/advice.h"
#include "scopesan/core/blame.h"
#include "scopesan/core/shadow.h"

namespace scopesan::core {

class Judge {
public:
  explicit Judge(Context &c) : C(c), Blames(c) {}

  /// `old` and `me` overlap in the word at `address`, at least one writes, and `old` is not ordered
  /// before `me` (with advice: perhaps only softly). Both may still be morally strong towards each
  /// other: then nothing is reported. `m`: atomicity of the memory, where it is not the usual one.
  /// Returns whether the pair is unordered.
  bool conflict(Thread &t, const Record &old, const Record &me, uint64_t address,
                const MemoryAtomicity *m = nullptr) {
    bool strong = old.op().isStrong() && me.op().isStrong();
    bool whole = strong && completeOverlap(old, me);
    bool lifetime = C.order.isLifetime({old.block}) || C.order.isLifetime({me.block});
    SyncOp a = syncOp(old), b = C.syncOp(t, me.op(), {me.site});
    if (C.happensBefore(t, old.epoch())) {
      if (!C.happensBefore(t, old, me)) // only a proxy is missing
        d9Proxy(t, old, me, address);
      else if (lifetime)
        return false;
      else if (!whole || !sameProxy(old, me) || !p4Mutual(a, b))
        a1VolatileSync(t, old, me, address);
      return false;
    }
    if (lifetime)
      reportPair(Rule::Lifetime, RuleCounters::D8, t, old, me, address);
    else if (whole && !C.p4Mutually(a, b))
      d2ScopeRace(t, old, me, address, a, b);
    else if (whole && m && !d6Atomic(*m, old, me, a.place, b.place))
      reportPair(Rule::NonAtomicMemory, RuleCounters::D6, t, old, me, address);
    else if (whole && sameProxy(old, me))
      a1UnorderedStrong(t, old, me, address);
    else if (strong && !whole)
      d5MixedSize(t, old, me, address);
    else
      d1DataRace(t, old, me, address);
    return true;
  }

  // ------------------------------------------------------------------ advisories (A1)

  /// A1: only volatile accesses order `old` before `me`.
  void a1VolatileSync(Thread &t, const Record &old, const Record &me, uint64_t address) {
    if (!C.advice)
      return;
    Finding f = finding(t, old, me, address);
    C.advice->pair(Advice::VolatileSync, f,
                   [&](Finding &x) { C.advice->blameVolatile(t, old.epoch(), x); });
  }
  /// A1: only an observed value orders `old` before `me` (S16), which would race otherwise.
  void a1ObservationOnly(Thread &t, const Record &old, const Record &me, uint64_t address) {
    if (completeOverlap(old, me) && sameProxy(old, me) && me.op().isStrong() &&
        p4Mutual(syncOp(old), C.syncOp(t, me.op(), {me.site})))
      return;
    Finding f = finding(t, old, me, address);
    C.advice->pair(Advice::ObservationOnly, f, [](Finding &) {});
  }
  /// A1: morally strong and unordered. An operation that reads has seen what was written before it.
  void a1UnorderedStrong(Thread &t, const Record &old, const Record &me, uint64_t address) {
    if (!C.advice || C.advice->muted || !me.isWrite())
      return;
    if (old.isWrite() && me.kind() != abi::AccessKind::Store)
      return;
    Finding f = finding(t, old, me, address);
    if (old.isWrite())
      C.advice->pair(Advice::UnorderedStrong, f, [](Finding &) {});
    else
      C.advice->readTooEarly(C.order.placeOf({old.block}), f);
  }

  // ------------------------------------------------------------------ findings

  /// D11: a non-coherent read and a write in one grid's lifetime, whatever orders them in the
  /// kernel.
  void d11NonCoherent(Thread &t, const Record &old, const Record &me, uint64_t address) {
    reportPair(Rule::NonCoherentRead, RuleCounters::D11, t, old, me, address);
  }
  /// D1: the same, but nothing orders the two at all.
  void d1ReadOnly(Thread &t, const Record &old, const Record &me, uint64_t address) {
    reportPair(Rule::DataRace, RuleCounters::D1, t, old, me, address);
  }
  /// D7: `t` misused the barrier at `address` (0: it has none) from `site`. `other`: the operation
  /// that it does not fit to. Never after an unmodelled operation, which may have been what is
  /// missing (X1).
  void d7BarrierMisuse(Thread &t, SiteId site, uint64_t address, const BarrierFacts &facts,
                       const AccessRecord *other = nullptr) {
    if (C.unmodelled)
      return;
    uint32_t bytes = facts.kind == BarrierKind::Mbarrier ? 8 : 0;
    Finding f;
    f.distance = facts.kind == BarrierKind::Cluster ? Distance::SameCluster : Distance::SameBlock;
    f.second = {site, Op(), t.block->place.node, t.block->place.block, t.index, address, bytes};
    f.first = other ? *other : f.second;
    f.barrier = facts;
    report(Rule::BarrierMisuse, RuleCounters::D7, f);
  }
  /// D8: `access` touched the shared memory of a block outside of its lifetime. `bound`: where that
  /// begins or ends (Enter, Exit).
  void d8Lifetime(const AccessRecord &access, const AccessRecord &bound) {
    Finding f;
    f.distance = access.block == bound.block ? Distance::SameBlock : Distance::SameCluster;
    f.first = bound;
    f.first.address = access.address;
    f.second = access;
    report(Rule::Lifetime, RuleCounters::D8, f);
  }

  /// D8: `me` touches memory that `freedBy` has freed; no order makes that right.
  void d8Freed(Thread &t, NodeId freedBy, const Record &me, uint64_t address) {
    Record end;
    end.block = C.order.node(freedBy).firstBlock.value;
    end.setMask(me.mask());
    reportPair(Rule::Lifetime, RuleCounters::D8, t, end, me, address);
  }

  /// D8: memory that the device cannot reach: host memory without a mapping, a peer's memory.
  void d8Unreachable(Thread &t, Op op, SiteId site, uint64_t address, uint32_t bytes) {
    report(Rule::Lifetime, RuleCounters::D8, t, op, site, address, bytes);
  }
  /// A1: an operation of system scope on memory where such operations are not atomic (D6), once
  /// for each place in the program.
  void a1NonAtomic(Thread &t, Op op, SiteId site, uint64_t address, uint32_t bytes) {
    uint8_t &reported = NonAtomicSites[uint64_t(site.value) + 1];
    if (!reported)
      report(Rule::NonAtomicAdvice, RuleCounters::A1NonAtomic, t, op, site, address, bytes);
    reported = 1;
  }

  /// D12: the operation `n` waits for something that nothing is left to do.
  void d12Stuck(NodeId n) {
    Finding f;
    f.first.node = n;
    f.first.block = C.order.node(n).firstBlock;
    report(Rule::ForwardProgress, RuleCounters::D12, f);
  }
  /// D12, D7: the backend saw that nothing can go on any more; `f` says where it stands.
  void d12Stuck(const Finding &f) {
    report(f.rule, f.rule == Rule::BarrierMisuse ? RuleCounters::D7 : RuleCounters::D12, f);
  }

  /// Starts a new access: one finding per partner and access, however many words overlap.
  void beginAccess() { LastPartner = Record(); }

private:
  /// D6: both operations are atomic on the memory, also towards each other.
  static bool d6Atomic(const MemoryAtomicity &m, const Record &old, const Record &me,
                       const Place &a, const Place &b) {
    return atomicAlone(m, old.op(), old.bytes(), isAligned(old)) &&
           atomicAlone(m, me.op(), me.bytes(), isAligned(me)) && atomicTogether(m, a, b);
  }
  static bool isAligned(const Record &r) {
    return r.bytes() >= WordBytes || (r.bytes() && __builtin_ctz(r.mask()) % r.bytes() == 0);
  }
  /// A finding about one access.
  void report(Rule rule, RuleCounters::Counter counter, Thread &t, Op op, SiteId site,
              uint64_t address, uint32_t bytes) {
    Finding f;
    f.distance = Distance::HostDevice;
    const Place &p = t.block->place;
    f.second = {site, op, p.node, t.block->id, t.index, address, bytes, C.order.node(p.node).host};
    report(rule, counter, f);
  }
  static bool completeOverlap(const Record &a, const Record &b) {
    return a.bytes() == b.bytes() && a.mask() == b.mask();
  }
  /// S3: strong accesses through different proxies are never morally strong.
  static bool sameProxy(const Record &a, const Record &b) { return a.proxy() == b.proxy(); }
  SyncOp syncOp(const Record &r) const {
    return {{r.site}, r.op(), C.order.placeOf({r.block}), r.thread()};
  }
  bool alreadyReported(const Record &old) {
    if (LastPartner.sameThread(old) && LastPartner.site == old.site)
      return true;
    LastPartner = old;
    return false;
  }

  /// D2: two strong accesses, at least one of a scope that excludes the other's thread.
  void d2ScopeRace(Thread &t, const Record &old, const Record &me, uint64_t address,
                   const SyncOp &a, const SyncOp &b) {
    if (alreadyReported(old))
      return;
    BlameSet blamed;
    blamed.addPair(a, b);
    reportBlamed(Rule::ScopeRace, t, old, me, address, blamed);
  }
  /// D5: strong accesses that overlap only partly.
  void d5MixedSize(Thread &t, const Record &old, const Record &me, uint64_t address) {
    reportPair(Rule::MixedSize, RuleCounters::D5, t, old, me, address);
  }
  /// D9: only a proxy fence is missing.
  void d9Proxy(Thread &t, const Record &old, const Record &me, uint64_t address) {
    reportPair(Rule::ProxyViolation, RuleCounters::D9, t, old, me, address);
  }
  void reportPair(Rule rule, RuleCounters::Counter counter, Thread &t, const Record &old,
                  const Record &me, uint64_t address) {
    if (!alreadyReported(old))
      report(rule, counter, finding(t, old, me, address));
  }
  void report(Rule rule, RuleCounters::Counter counter, Finding f) {
    C.counters.hit(counter);
    f.rule = rule;
    C.sink.report(f);
  }
  /// D1: nothing orders the two, and they are not morally strong. D3 or D4 where wider scopes would
  /// have ordered them, D10 where a copy was under way.
  void d1DataRace(Thread &t, const Record &old, const Record &me, uint64_t address) {
    if (alreadyReported(old))
      return;
    BlameSet blamed;
    if (Blames.d3Blame(t, old, me, blamed))
      reportBlamed(Rule::InsufficientScope, t, old, me, address, blamed);
    else if (d10InFlight(old, me))
      report(Rule::AsyncInFlight, RuleCounters::D10, finding(t, old, me, address));
    else
      report(Rule::DataRace, RuleCounters::D1, finding(t, old, me, address));
  }
  /// D10: one side is an asynchronous copy whose completion the other one did not wait for.
  bool d10InFlight(const Record &old, const Record &me) const {
    return C.order.isCopy({old.block}) || C.order.isCopy({me.block});
  }
  /// D2, D3, or D4 where the domains are to blame.
  void reportBlamed(Rule rule, Thread &t, const Record &old, const Record &me, uint64_t address,
                    const BlameSet &b) {
    Finding f = finding(t, old, me, address);
    f.blamedCount = b.count;
    for (uint32_t i = 0; i < b.count; ++i)
      f.blamed[i] = b.entries[i];
    rule = BlameRules::d4OrElse(rule, b);
    report(rule,
           rule == Rule::DomainViolation ? RuleCounters::D4
           : rule == Rule::ScopeRace     ? RuleCounters::D2
                                         : RuleCounters::D3,
           f);
  }

  // ------------------------------------------------------------------ facts of a finding

  Finding finding(const Thread &t, const Record &old, const Record &me, uint64_t address) const {
    Finding f;
    bool oldWrites = old.isWrite(), meWrites = me.isWrite();
    f.hazard = oldWrites && meWrites ? Hazard::WriteAfterWrite
               : oldWrites           ? Hazard::ReadAfterWrite
                                     : Hazard::WriteAfterRead;
    Stand a = standOf(old, C.order.placeOf({old.block})), b = standOf(me, t.block->place);
    f.distance = distance(a.place, a.thread, b.place, b.thread);
    f.first = record(old, a, me, address);
    f.second = record(me, b, old, address);
    return f;
  }
  /// Where the program's thread stands that made an access. An asynchronous actor stands with the
  /// copy's issuer (S12).
  struct Stand {
    Place place;
    ThreadIndex thread;
  };
  Stand standOf(const Record &r, const Place &p) const {
    BlockId copy = C.order.copyOf({r.block});
    LaunchOrder::Issuer by = C.order.issuerOf(copy);
    return by.block.value ? Stand{C.order.placeOf(copy), by.thread} : Stand{p, r.thread()};
  }
  AccessRecord record(const Record &r, const Stand &by, const Record &other, uint64_t word) const {
    const Place &p = by.place;
    uint32_t overlap = r.mask() & other.mask();
    uint64_t address = word + __builtin_ctz(overlap ? overlap : r.mask());
    if (r.bytes())
      address &= ~uint64_t(r.bytes() - 1);
    NodeKind kind = C.order.node(p.node).kind;
    if (kind == NodeKind::Alloc || kind == NodeKind::Free) {
      Op op(kind == NodeKind::Free ? abi::AccessKind::Free : abi::AccessKind::Alloc,
            abi::MemoryOrder::Weak, Scope::Thread);
      return {{}, op, p.node, p.block, {}, word, 0};
    }
    return {{r.site},
            r.op(),
            p.node,
            p.block,
            by.thread,
            address,
            r.bytes(),
            C.order.node(p.node).host,
            C.order.isCopy({r.block}),
            abi::Proxy(withoutAlias(r.proxy()))};
  }
  Distance distance(const Place &a, ThreadIndex ta, const Place &b, ThreadIndex tb) const {
    if (a.host || b.host)
      return a.host && b.host ? Distance::HostThreads : Distance::HostDevice;
    if (a.node != b.node)
      return a.device == b.device && a.domain != b.domain ? Distance::BetweenDomains
                                                          : Distance::BetweenKernels;
    if (a.block == b.block && ta == tb)
      return Distance::SameThread;
    if (a.block == b.block)
      return warpOf(ta) == warpOf(tb) ? Distance::SameWarp : Distance::SameBlock;
    return a.cluster == b.cluster ? Distance::SameCluster : Distance::SameGrid;
  }

  Context &C;
  BlameRules Blames;
  Record LastPartner;
  HashMap<uint8_t> NonAtomicSites;
};

} // namespace scopesan::core
