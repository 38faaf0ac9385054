// Operations on mbarriers at their addresses (S10) and their misuse (D7). What an arrival publishes
// and a wait acquires: sync_rules.h; the state of one object: mbarrier.h.
#pragma once

#include "scopesan/core/accesses.h"
#include "scopesan/core/async.h"
#include "scopesan/core/resident.h"

namespace scopesan::core {

class MbarrierRules {
public:
  static constexpr uint32_t Bytes = 8;
  static constexpr uint32_t MaxCount = (1u << 20) - 1;

  MbarrierRules(Context &c, Judge &j, SyncRules &s, AsyncRules &async, Accesses &a, Unmodelled &u,
                ResidentBlocks &blocks)
      : C(c), J(j), Sync(s), Async(async), A(a), Unknown(u), Blocks(blocks) {}

  /// S10: the initialisation is a plain write, to be ordered before all other uses.
  void s10Init(Thread &t, uint64_t addr, uint32_t count, SiteId site) {
    if (!Init)
      Init = Blocks.create();
    A.write(Async.s9BeginInit(t, *Init), addr, Bytes, site);
    Mbarrier &m = at(addr);
    if (m.inUse())
      misuse(t, site, m, Misuse::InUse, m.expected - m.pending);
    m.init(addr, count);
    if (count == 0 || count > MaxCount)
      misuse(t, site, m, Misuse::CountRange, 0);
  }
  void invalidate(Thread &t, uint64_t addr, SiteId site) {
    A.write(t, addr, Bytes, site);
    at(addr).valid = false;
  }
  void expectTx(Thread &t, uint64_t addr, uint32_t bytes, Op op, SiteId site) {
    if (Mbarrier *m = use(t, addr, op, site))
      m->transactions += bytes;
  }
  /// S10: an arrival of `count`, before which `expectTx` bytes are added; `drop` lowers the
  /// expected count. Returns the phase arrived in.
  uint32_t s10Arrive(Thread &t, uint64_t addr, uint32_t count, uint32_t expectTx, bool drop, Op op,
                     SiteId site) {
    Mbarrier *m = use(t, addr, op, site);
    if (!m)
      return 0;
    uint32_t phase = m->phase;
    m->transactions += expectTx;
    Sync.s10Contribute(t, *m, C.syncOp(t, op, site));
    bool tooMany = count > m->pending;
    arrive(t, *m, count, drop, site);
    if (op.mustNotComplete() && m->phase != phase && !tooMany)
      misuse(t, site, *m, Misuse::Completes, m->expected);
    return phase;
  }
  /// The thread itself counts bytes as arrived. Publishes nothing.
  void simulateTx(Thread &t, uint64_t addr, uint32_t bytes, Op op, SiteId site) {
    Mbarrier *m = use(t, addr, op, site);
    if (!m)
      return;
    m->transactions -= bytes;
    completePhase(*m);
  }
  /// S10: a test_wait or try_wait; `done` tells its result.
  void s10Wait(Thread &t, uint64_t addr, Op op, SiteId site, bool done) {
    Mbarrier *m = use(t, addr, op, site);
    if (!done)
      return;
    if (m && C.unmodelled && m->inUse())
      m->complete(); // by something that is not modelled
    if (m)
      Sync.s10Observe(t, *m, C.syncOp(t, op, site));
    Unknown.x1Acquire(t);
  }
  bool parityDone(uint64_t addr, uint32_t parity) { return at(addr).parityCompleted(parity); }

  // ---------------------------------------------------------------- completion of copies (S12)

  /// S12: cp.async.mbarrier.arrive is issued. Returns what it publishes once it arrives.
  SnapshotRef s12CopiesArriveIssue(Thread &t, uint64_t addr, bool noinc, SiteId site) {
    Op op(abi::AccessKind::Rmw, abi::MemoryOrder::Relaxed, Scope::Block);
    Mbarrier *m = use(t, addr, op, site);
    if (m && !noinc)
      ++m->pending;
    return m ? Async.copiesSoFar(t) : SnapshotRef();
  }
  /// S12: the thread's copies of then are done; the arrival takes place.
  void s12CopiesArrive(Thread &t, uint64_t addr, const SnapshotRef &copies, SiteId site) {
    Mbarrier *m = copies ? valid(t, addr, site) : nullptr;
    if (!m)
      return;
    Async.contributeCopies(t, *m, copies, site);
    arrive(t, *m, 1, false, site);
  }
  /// S12: complete_tx of a copy. Without an actor the bytes are counted and nothing is published.
  void s12CompleteTx(Thread &owner, uint64_t addr, uint32_t bytes, BlockId actor, SiteId site,
                     BlockId signal) {
    Mbarrier *m = valid(owner, addr, site);
    if (!m)
      return;
    if (actor.value)
      Async.s12Complete(*m, actor, signal, owner.block->place, site);
    m->transactions -= bytes;
    completePhase(*m);
  }
  /// The mbarrier, or null with a D7 when it was never initialised.
  Mbarrier *valid(Thread &t, uint64_t addr, SiteId site) {
    Mbarrier &m = at(addr);
    if (m.valid)
      return &m;
    m.address = addr;
    misuse(t, site, m, Misuse::Uninitialised, 0);
    return nullptr;
  }

private:
  void misuse(Thread &t, SiteId site, const Mbarrier &m, Misuse what, uint32_t arrived) {
    BarrierFacts facts{what, BarrierKind::Mbarrier};
    facts.expected = m.expected;
    facts.arrived = arrived;
    J.d7BarrierMisuse(t, site, m.address, facts);
  }
  Mbarrier &at(uint64_t addr) {
    RareFacts &o = A.cells().overflowOf(A.Shadow.cell(wordOf(addr))).rareFacts();
    if (!o.mbarrier)
      o.mbarrier = new (allocate(sizeof(Mbarrier)), PlacementTag{}) Mbarrier();
    return *o.mbarrier;
  }
  /// Every use of an mbarrier is a strong access, too.
  Mbarrier *use(Thread &t, uint64_t addr, Op op, SiteId site) {
    if (C.advice) [[unlikely]] {
      A.advise(t, addr, Bytes, C.syncOp(t, op, site), op.isWrite());
      C.advice->muted = true;
    }
    A.strong(t, addr, Bytes, op, site, Proxy::Generic);
    if (C.advice) [[unlikely]]
      C.advice->muted = false;
    return valid(t, addr, site);
  }
  void arrive(Thread &t, Mbarrier &m, uint32_t count, bool drop, SiteId site) {
    if (count > m.pending) {
      misuse(t, site, m, Misuse::TooMany, m.expected - m.pending + count);
      count = m.pending;
    }
    m.pending -= count;
    if (drop)
      m.expected -= minOf(count, m.expected);
    completePhase(m);
  }
  void completePhase(Mbarrier &m) {
    if (m.completeIfReady())
      C.counters.hit(RuleCounters::S10Phase);
  }

  Context &C;
  Judge &J;
  SyncRules &Sync;
  AsyncRules &Async;
  Accesses &A;
  Unmodelled &Unknown;
  ResidentBlocks &Blocks;
  Block *Init = nullptr; ///< stand-in of the initialisation being executed
};

} // namespace scopesan::core
