// The detector: the facade that backends feed with accesses, synchronization and launch order.
//
// One thread of control at a time. Every verdict is decided in the files it includes:
//   launch.h S14     barrier.h S7 S8    cluster.h S9       sync_rules.h S1-S6 S10   async.h S12 S13
//   filter.h P1 S16  judge.h D1-D11     progress.h A1      scope.h P3 P4            mbarrier.h S10
//   host.h S15
#pragma once

#include "scopesan/core/async.h"
#include "scopesan/core/barrier.h"
#include "scopesan/core/cluster.h"
#include "scopesan/core/filter.h"
#include "scopesan/core/host.h"
#include "scopesan/core/judge.h"
#include "scopesan/core/progress.h"
#include "scopesan/core/sync_rules.h"

namespace scopesan::core {

class Detector {
public:
  Detector(FindingSink &sink, const DetectorOptions &options)
      : C(sink, options), J(C), Objects(Shadow), F(C, J, Objects), Sync(C), Barriers(C),
        Clusters(C, J, Sync), Async(C), Progress(C), Hosts(C, Sync, Progress) {
    if (options.advise)
      C.advice = new (allocate(sizeof(Advice)), PlacementTag{}) Advice(C);
  }
  Detector(const Detector &) = delete;
  ~Detector() {
    if (C.advice) {
      C.advice->~Advice();
      deallocate(C.advice);
    }
    for (Block *b : AllBlocks) {
      b->~Block();
      deallocate(b);
    }
    Shadow.forEach([&](Cell &c) { F.drop(c); });
  }

  // ---------------------------------------------------------------- launch order (S14)
  // A node is ordered after its timeline's previous node and after each of `after[0..n)`.

  TimelineId newTimeline() { return C.order.newTimeline(); }
  /// Host threads, where their code is instrumented: they take the place of hostStep (S15).
  HostThreads &hosts() { return Hosts; }
  /// A host API call, also one that waited for `after`.
  NodeId hostStep(TimelineId host, const NodeId *after, uint32_t n) {
    return C.order.add(NodeKind::HostStep, host, after, n, LaunchFacts(), 1);
  }
  /// A kernel launch. The grid must have fewer than 2^32 blocks.
  NodeId launch(TimelineId stream, const NodeId *after, uint32_t n, const LaunchFacts &facts) {
    return C.order.add(NodeKind::Kernel, stream, after, n, facts, uint32_t(facts.grid.count()));
  }
  /// A copy or fill in stream order (O7).
  NodeId copyNode(TimelineId stream, const NodeId *after, uint32_t n) {
    return C.order.add(NodeKind::Copy, stream, after, n, LaunchFacts(), 1);
  }
  /// Stream-ordered memory becomes alive (D8).
  NodeId allocNode(TimelineId stream, const NodeId *after, uint32_t n) {
    return C.order.add(NodeKind::Alloc, stream, after, n, LaunchFacts(), 1);
  }
  /// Memory ends (D8).
  NodeId freeNode(TimelineId stream, const NodeId *after, uint32_t n) {
    return C.order.add(NodeKind::Free, stream, after, n, LaunchFacts(), 1);
  }
  /// An event record or another point in stream order that accesses nothing.
  NodeId marker(TimelineId stream, const NodeId *after, uint32_t n) {
    return C.order.add(NodeKind::Marker, stream, after, n, LaunchFacts(), 0);
  }
  /// `part` happened during `node` (a host function's steps): whatever follows the one follows
  /// both.
  void during(NodeId node, NodeId part) { C.order.addChild(node, part); }
  NodeId last(TimelineId t) const { return C.order.last(t); }
  /// S14: `a` is complete before `b` starts.
  bool precedes(NodeId a, NodeId b) const { return C.order.precedes(a, b); }
  /// The node starts to execute: its predecessors have ended.
  void begin(NodeId n) { C.order.begin(n); }
  BlockId firstBlock(NodeId n) const { return C.order.node(n).firstBlock; }
  uint32_t blockCount(NodeId n) const { return C.order.node(n).blockCount; }
  uint32_t threadsPerBlock(NodeId n) const { return uint32_t(C.order.node(n).facts.block.count()); }

  /// Weak accesses of a copy, fill or host step. Addresses and sizes in bytes.
  void nodeRead(NodeId n, uint64_t addr, uint64_t bytes, SiteId site) {
    readRange(actor(n), addr, bytes, site);
  }
  void nodeWrite(NodeId n, uint64_t addr, uint64_t bytes, SiteId site) {
    writeRange(actor(n), addr, bytes, site);
  }
  /// A strong access of a stream operation (stream memory operations, S14). What follows the node
  /// knows what it acquired.
  void nodeAtomic(NodeId n, uint64_t addr, uint32_t bytes, Op op) {
    Thread &t = actor(n);
    atomicAfter(t, addr, bytes, op, SiteId{}, op.isWrite(), 0);
    LaunchNode &node = C.order.node(n);
    node.endBlocks.join(t.blocks);
    node.endNodes.join(t.nodes);
  }
  /// D12: the operation waits for something that nothing is left to do.
  void stuckNode(NodeId n) {
    Finding f;
    f.rule = Rule::ForwardProgress;
    f.first.node = n;
    f.first.block = C.order.node(n).firstBlock;
    C.sink.report(f);
  }

  // ---------------------------------------------------------------- execution of a launch

  /// The launch starts, if it has not: launches that it follows have ended.
  void beginLaunch(NodeId launch) { C.order.begin(launch); }
  /// Makes block `linear` of the launch resident with all its threads.
  Block *beginBlock(NodeId launch, uint64_t linear) {
    C.order.begin(launch);
    const LaunchNode &n = C.order.node(launch);
    uint32_t threads = n.kind == NodeKind::Kernel ? uint32_t(n.facts.block.count()) : 1;
    return initialise(n, launch, {n.firstBlock.value + uint32_t(linear)}, threads);
  }
  /// Tells where the block's shared memory lies; needed for D8 in clusters.
  void sharedMemory(Block *b, uint64_t addr, uint64_t bytes) {
    b->sharedAddress = addr;
    b->sharedBytes = bytes;
  }
  Thread *thread(Block *b, ThreadIndex i) { return &b->threads[i.value]; }
  /// The thread executes no further step; it leaves the counts of its barriers.
  void threadExit(Thread &t) {
    Progress.leave(t);
    Barriers.exit(t);
    if (t.block->cluster)
      Clusters.exit(t);
    if (t.foreign) { // S6 over S14: what it learned of other launches passes on at the grid's end
      LaunchNode &n = C.order.node(t.block->place.node);
      n.endBlocks.join(t.blocks);
      n.endNodes.join(t.nodes);
    }
    t.dropSync();
    if (C.advice) [[unlikely]]
      C.advice->exit(t.block->id, t.index);
  }
  void endBlock(Block *b) {
    if (b->cluster)
      Clusters.end(*b);
    b->nextFree = FreeBlocks;
    FreeBlocks = b;
  }
  void endLaunch(NodeId) {}

  /// Programmatic dependent launch: `node` does not wait for `primary` to end by itself.
  void programmatic(NodeId node, NodeId primary) { C.order.addProgrammatic(node, primary); }
  /// griddepcontrol.wait returned: this thread (its peers need a barrier) is after the primaries.
  void griddepWait(Thread &t) {
    for (NodeId primary : C.order.node(t.block->place.node).primaries) {
      C.order.follow(t.nodes, t.blocks, primary);
      t.foreign = true; // what it learned passes on at the grid's end
    }
  }
  /// Dynamic parallelism: a thread launches a grid. It is ordered after the thread's past; the
  /// parent's grid ends after it; the parent's code is never ordered after it.
  NodeId deviceLaunch(Thread &t, const LaunchFacts &facts) {
    NodeId child = C.order.add(NodeKind::Kernel, newTimeline(), nullptr, 0, facts,
                               uint32_t(facts.grid.count()));
    SnapshotRef s = takeSnapshot(t);
    C.advance(t);
    LaunchNode &n = C.order.node(child);
    n.past.join(s->nodes);
    n.pastBlocks.join(s->blocks);
    s->addOwnTo(n.pastBlocks);
    C.order.addChild(t.block->place.node, child);
    return child;
  }

  // ---------------------------------------------------------------- device events (abi.def)

  void read(Thread &t, uint64_t addr, uint32_t bytes, SiteId site) {
    constexpr Op op(abi::AccessKind::Load, abi::MemoryOrder::Weak, Scope::Thread);
    count(t, addr);
    checkPeer(t, addr, bytes, op, site);
    if (bytes == WordBytes && (addr & (WordBytes - 1)) == 0)
      return F.weakRead(t, Shadow.cell(addr), Record::make(t.epoch(), site, op, FullWord, bytes),
                        addr);
    words(t, addr, bytes, site, abi::AccessKind::Load, Proxy::Generic);
  }
  void write(Thread &t, uint64_t addr, uint32_t bytes, SiteId site) {
    constexpr Op op(abi::AccessKind::Store, abi::MemoryOrder::Weak, Scope::Thread);
    count(t, addr);
    checkPeer(t, addr, bytes, op, site);
    if (bytes == WordBytes && (addr & (WordBytes - 1)) == 0)
      return F.weakWrite(t, Shadow.cell(addr), Record::make(t.epoch(), site, op, FullWord, bytes),
                         addr);
    words(t, addr, bytes, site, abi::AccessKind::Store, Proxy::Generic);
  }
  /// Weak accesses of any size, 0 included.
  void readRange(Thread &t, uint64_t addr, uint64_t bytes, SiteId site) {
    chunks(addr, bytes, [&](uint64_t a, uint32_t n) { read(t, a, n, site); });
  }
  void writeRange(Thread &t, uint64_t addr, uint64_t bytes, SiteId site) {
    chunks(addr, bytes, [&](uint64_t a, uint32_t n) { write(t, a, n, site); });
  }

  /// A strong operation is about to execute. Where nothing runs between this and atomicAfter (CPU
  /// backend), all work is done there.
  void atomicBefore(Thread &, uint64_t, uint32_t, Op, SiteId) {}
  /// A strong operation executed: `wrote` tells whether memory was written.
  void atomicAfter(Thread &t, uint64_t addr, uint32_t bytes, Op op, SiteId site, bool wrote,
                   uint64_t value) {
    if (uint32_t e = op.elementBytes(); e > 1 && e < bytes) { // P1: a set of scalar accesses
      for (uint32_t at = 0; at < bytes; at += e)
        atomicAfter(t, addr + at, e, op, site, wrote, value);
      return;
    }
    if (op.isVolatile() && !C.options.volatileIsRelaxed) // O2
      return wrote ? write(t, addr, bytes, site) : read(t, addr, bytes, site);
    prefetch(&t, sizeof(Thread));
    AtomicWord *first = Shadow.atomic(addr);
    if (first)
      prefetch(first, sizeof(AtomicWord));
    t.blocks.prefetchRoot();
    count(t, addr);
    checkPeer(t, addr, bytes, op, site);
    Op done = op.kind() == abi::AccessKind::Cas && !wrote ? o5FailedCas(op) : op;
    if (const MemoryAtomicity *m = C.atomicityAt(addr);
        m && !atomicAlone(*m, op, bytes, addr % bytes == 0)) [[unlikely]] // failed CAS too
      J.a1NonAtomic(t, op, site, addr, bytes);
    StrongOp s{done, site};
    SyncObject *o = first ? SyncObjects::find(*first, addr, bytes) : nullptr;
    bool reads = done.kind() != abi::AccessKind::Store && done.kind() != abi::AccessKind::Red;
    if (C.advice) [[unlikely]]
      adviseAccess(t, addr, bytes, C.syncOp(t, op, site), wrote);
    if (reads) {
      Progress.read(t, o, addr, bytes, s, op.kind() == abi::AccessKind::Cas);
      if (o) {
        Sync.observe(t, *o, s);
        Progress.observe(t, *o);
      }
      if (done.acquires())
        acquireUnknown(t);
    } else {
      Progress.leave(t);
    }
    if (wrote && !C.options.cxxMode) // S16 tells a thread's writes apart by their time
      C.advance(t);
    uint32_t version = wrote ? (o ? o->version : 0) + 1 : 0;
    bool isAlive = true;
    for (uint64_t word = wordOf(addr); word < addr + bytes; word += WordBytes) {
      Record me = Record::make(t.epoch(), site, done, maskIn(word, addr, bytes), bytes);
      AtomicWord *w = F.atomicWord(t, word <= addr ? first : Shadow.atomic(word), me, word);
      if (w) [[likely]]
        F.strong(t, *w, me, version, word);
      isAlive &= w != nullptr;
      if (word <= addr)
        first = w;
    }
    if (!isAlive) [[unlikely]]
      return;
    if (o && done.kind() != abi::AccessKind::Store)
      Sync.s16Note(t, *o, s);
    if (!wrote)
      return;
    if (!o)
      o = Objects.create(*first, addr, bytes);
    Objects.replaceOthers(*first, addr, bytes, o);
    Sync.publish(t, *o, s);
  }
  /// A strong operation on memory that is nobody's concern but the host's: it orders host threads
  /// (S15) and is never part of a finding.
  void synchronize(Thread &t, uint64_t addr, uint32_t bytes, Op op, SiteId site, bool wrote) {
    Op done = op.kind() == abi::AccessKind::Cas && !wrote ? o5FailedCas(op) : op;
    StrongOp s{done, site};
    AtomicWord *first = Shadow.atomic(addr);
    SyncObject *o = first ? SyncObjects::find(*first, addr, bytes) : nullptr;
    Progress.leave(t);
    if (o && done.kind() != abi::AccessKind::Store)
      Sync.observe(t, *o, s);
    if (done.acquires())
      acquireUnknown(t);
    if (!wrote)
      return;
    forWords(addr, bytes, [&](uint64_t word, uint32_t) {
      AtomicWord &w = F.unjudgedWord(word);
      first = word <= addr ? &w : first;
    });
    if (!o)
      o = Objects.create(*first, addr, bytes);
    Objects.replaceOthers(*first, addr, bytes, o);
    Sync.publish(t, *o, s);
  }
  void fence(Thread &t, Op op, SiteId site) {
    Progress.leave(t);
    if (C.advice) [[unlikely]]
      C.advice->Uses.fence(t, C.syncOp(t, op, site));
    Sync.fence(t, C.syncOp(t, op, site));
    if (op.acquires())
      acquireUnknown(t);
  }

  void blockBarrierArrive(Thread &t, abi::BarrierKind kind, uint32_t id, uint32_t n, SiteId) {
    Progress.leave(t);
    Barriers.s7Arrive(t, kind, id, n);
  }
  /// D7 that the backend saw: a wrong count, or an aligned barrier reached from different code.
  void barrierMisuse(Thread &t, SiteId site) { J.d7BarrierMisuse(t, site, 0); }
  /// The departure was applied when the generation completed, while the thread still waited.
  void blockBarrierDepart(Thread &, uint32_t) {}
  void warpBarrierArrive(Thread &t, uint32_t mask, SiteId) {
    Progress.leave(t);
    Barriers.s8Arrive(t, mask);
  }
  void warpBarrierDepart(Thread &, uint32_t) {}
  /// barrier.cluster.arrive; `relaxed` for the form without release semantics.
  void clusterArrive(Thread &t, bool relaxed, SiteId site) {
    Progress.leave(t);
    Clusters.s9Arrive(t, relaxed, site);
  }
  /// barrier.cluster.wait returned.
  void clusterWait(Thread &t, SiteId site) {
    Clusters.s9Wait(t, site);
    acquireUnknown(t);
  }

  /// X1: the thread executed an operation that nobody models. It may have synchronized with any
  /// other such operation, been what a later acquire or wait observed, or completed the phase of an
  /// mbarrier, so every such edge is kept: findings may be lost, none is invented. Called before
  /// and after the operation.
  void unmodelled(Thread &t) {
    C.unmodelled = true;
    Progress.leave(t);
    SnapshotRef s = takeSnapshot(t);
    C.advance(t);
    Unknown.blocks.join(s->blocks);
    Unknown.nodes.join(s->nodes);
    Unknown.proxies.join(s->proxies);
    s->addOwnTo(Unknown.blocks);
    acquireUnknown(t);
  }

  /// All threads of the block passed its barrier (S7), those that exited included: none did. What
  /// they do from now on is at `t`, later than all before.
  void passBarrier(Block *b, LocalTime t) {
    C.counters.hit(RuleCounters::S7Barrier);
    for (Thread &x : b->threads)
      x.time = x.base = x.warpBase = t;
  }
  /// An access of one word that took place before, and was found to race with nothing then: it is
  /// remembered unchecked. `size`: bytes of the whole access.
  void recall(const Epoch &by, uint64_t word, uint32_t mask, uint32_t size, Op op, SiteId site,
              Proxy proxy) {
    F.recall(word, Record::make(by, site, op, mask, size, proxy), C.order.placeOf(by.block));
  }

  // ---------------------------------------------------------------- other proxies and aliases
  // (S13)

  /// A weak access through another proxy or another virtual address of the same memory (`addr` is
  /// the memory's first address). Atomic generic accesses through an alias use atomicAfter.
  /// `proxy` may be throughAlias(...).
  void proxyRead(Thread &t, uint64_t addr, uint32_t bytes, SiteId site, Proxy proxy) {
    weak(t, addr, bytes, site, abi::AccessKind::Load, proxy);
  }
  void proxyWrite(Thread &t, uint64_t addr, uint32_t bytes, SiteId site, Proxy proxy) {
    weak(t, addr, bytes, site, abi::AccessKind::Store, proxy);
  }
  /// `space`: fence.proxy.async may concern one state space only.
  void proxyFence(Thread &t, ProxyFence f, FenceSpace space = FenceSpace::Unlimited) {
    Async.s13Fence(t, f, space);
  }
  /// fence.proxy.tensormap: a fence whose acquire half lets the tensor-map proxy see what it
  /// acquired.
  void tensormapFence(Thread &t, Op op, SiteId site) {
    fence(t, op, site);
    if (C.advice) [[unlikely]] // what a map's reader needs of it is not an edge
      C.advice->Uses.keep(C.syncOp(t, op, site));
    if (op.acquires())
      Async.s13Fence(t, ProxyFence::TensorMap, FenceSpace::Unlimited);
  }
  /// Where shared memory lies. Without it fences that are limited to a space are not.
  void sharedWindow(uint64_t addr, uint64_t bytes) {
    C.sharedWindow = addr;
    C.sharedWindowBytes = bytes;
  }

  // ---------------------------------------------------------------- mbarriers (S10)

  /// mbarrier.init. Re-initialising an object in use is D7.
  void mbarrierInit(Thread &t, uint64_t addr, uint32_t count, SiteId site) {
    write(t, addr, MbarrierBytes, site);
    Mbarrier &m = mbarrierAt(addr);
    if (m.inUse())
      J.d7BarrierMisuse(t, site, addr);
    m.init(addr, count);
  }
  void mbarrierInval(Thread &t, uint64_t addr, SiteId site) {
    write(t, addr, MbarrierBytes, site);
    mbarrierAt(addr).valid = false;
  }
  /// mbarrier.expect_tx (without arrival).
  void mbarrierExpectTx(Thread &t, uint64_t addr, uint32_t bytes, Op op, SiteId site) {
    Mbarrier *m = mbarrierUse(t, addr, op, site);
    if (m)
      m->transactions += bytes;
  }
  /// An arrival of `count`; `expectTx` bytes are added first; `drop` lowers the expected count.
  /// `op` is Rmw with the arrival's order and scope (default release, block). Returns the phase
  /// arrived in.
  uint32_t mbarrierArrive(Thread &t, uint64_t addr, uint32_t count, uint32_t expectTx, bool drop,
                          Op op, SiteId site) {
    Mbarrier *m = mbarrierUse(t, addr, op, site);
    if (!m)
      return 0;
    uint32_t phase = m->phase;
    m->transactions += expectTx;
    Sync.s10Contribute(t, *m, C.syncOp(t, op, site));
    arrive(t, *m, count, drop, site);
    return phase;
  }
  /// mbarrier.complete_tx: the thread itself counts bytes as arrived. Publishes nothing.
  void mbarrierSimulateTx(Thread &t, uint64_t addr, uint32_t bytes, Op op, SiteId site) {
    Mbarrier *m = mbarrierUse(t, addr, op, site);
    if (!m)
      return;
    m->transactions -= bytes;
    completePhase(*m);
  }
  /// cp.async.mbarrier.arrive is issued: it arrives when the thread's cp.async so far are done.
  /// Without `noinc` the pending count is raised now, so that the arrival changes nothing else.
  /// Returns what the arrival publishes, for cpAsyncMbarrierDone.
  SnapshotRef cpAsyncMbarrierIssue(Thread &t, uint64_t addr, bool noinc, SiteId site) {
    Op op(abi::AccessKind::Rmw, abi::MemoryOrder::Relaxed, Scope::Block);
    Mbarrier *m = mbarrierUse(t, addr, op, site);
    if (m && !noinc)
      ++m->pending;
    return m ? Async.copiesSoFar(t) : SnapshotRef();
  }
  void cpAsyncMbarrierDone(Thread &t, uint64_t addr, const SnapshotRef &copies, SiteId site) {
    if (!copies)
      return;
    Mbarrier *m = mbarrierValid(t, addr, site);
    if (!m)
      return;
    Async.contributeCopies(t, *m, copies, site);
    arrive(t, *m, 1, false, site);
  }
  /// Both at once, for backends whose copies are done when they are issued.
  void cpAsyncMbarrierArrive(Thread &t, uint64_t addr, bool noinc, SiteId site) {
    cpAsyncMbarrierDone(t, addr, cpAsyncMbarrierIssue(t, addr, noinc, site), site);
  }
  /// A test_wait or try_wait executed; `done` tells its result. Order and scope in `op` (Load).
  void mbarrierWait(Thread &t, uint64_t addr, Op op, SiteId site, bool done) {
    Mbarrier *m = mbarrierUse(t, addr, op, site);
    if (!done)
      return;
    if (m && C.unmodelled && m->inUse())
      m->complete(); // by something that is not modelled
    if (m)
      Sync.s10Observe(t, *m, C.syncOp(t, op, site));
    acquireUnknown(t);
  }
  /// Has the phase of this parity completed? For backends that keep no object of their own.
  bool mbarrierParityDone(uint64_t addr, uint32_t parity) {
    return mbarrierAt(addr).parityCompleted(parity);
  }
  /// complete_tx of an asynchronous copy: `owner` is a thread of the mbarrier's block, `signal`
  /// what asyncSignal returned. Without an actor the bytes are counted and nothing is published.
  void mbarrierCompleteTx(Thread &owner, uint64_t addr, uint32_t bytes, BlockId actor, SiteId site,
                          BlockId signal = {}) {
    Mbarrier *m = mbarrierValid(owner, addr, site);
    if (!m)
      return;
    if (actor.value)
      Async.complete(*m, actor, signal, owner.block->place, site);
    m->transactions -= bytes;
    completePhase(*m);
  }

  // ---------------------------------------------------------------- asynchronous copies (S12)

  /// A copy is issued. Its accesses follow at once through asyncRead, asyncWrite, asyncReduce and
  /// asyncSignal, before the next asyncBegin. Returns the actor, by which its completion is
  /// announced.
  BlockId asyncBegin(Thread &issuer, Proxy proxy) {
    if (!CopyBlock)
      CopyBlock = newBlock();
    CopyProxy = proxy;
    return Async.begin(issuer, *CopyBlock);
  }
  /// An operation of several threads starts after the past of each of them.
  void asyncAlsoAfter(const Thread &issuer) { Async.alsoAfter(issuer, *CopyBlock); }
  /// `t` learns that the actor is done (wgmma.wait_group).
  void asyncLearn(Thread &t, BlockId actor) { Async.learn(t, actor, true); }
  void asyncRead(uint64_t addr, uint32_t bytes, SiteId site) {
    weak(CopyBlock->threads[AsyncRules::Reader.value], addr, bytes, site, abi::AccessKind::Load,
         CopyProxy);
  }
  void asyncWrite(uint64_t addr, uint32_t bytes, SiteId site) {
    weak(CopyBlock->threads[AsyncRules::Writer.value], addr, bytes, site, abi::AccessKind::Store,
         CopyProxy);
  }
  /// One element of a reducing copy: strong, with the order and scope in `op` (Red).
  void asyncReduce(uint64_t addr, uint32_t elementBytes, Op op, SiteId site) {
    Thread &t = CopyBlock->threads[AsyncRules::Writer.value];
    strong(t, addr, elementBytes, op, site, CopyProxy);
    AtomicWord *first = Shadow.atomic(addr);
    if (SyncObject *o = first ? SyncObjects::find(*first, addr, elementBytes) : nullptr)
      Sync.publish(t, *o, {op, site});
    if (C.advice) [[unlikely]] // its scope is nobody's choice
      C.advice->Uses.elsewhere(t, addr, C.syncOp(t, op, site));
  }
  /// The copy will complete on the mbarrier at `addr`, which `issuer` must know initialised (S10).
  /// The completion acts as a thread of the mbarrier's block (S12), of which `owner` is one.
  /// Returns its actor.
  BlockId asyncSignal(Thread &issuer, Thread &owner, uint64_t addr, SiteId site) {
    constexpr Op op(abi::AccessKind::Red, abi::MemoryOrder::Release, Scope::Cluster);
    BlockId copy = CopyBlock->id;
    Place place = CopyBlock->place;
    CopyBlock->id = C.order.newSignal(place.node, owner.block->id, owner.index, copy);
    CopyBlock->place = owner.block->place;
    strong(CopyBlock->threads[AsyncRules::Writer.value], addr, MbarrierBytes, op, site,
           Proxy::Generic);
    if (C.advice) [[unlikely]]
      C.advice->Uses.elsewhere(CopyBlock->threads[AsyncRules::Writer.value], addr,
                               {site, op, owner.block->place, AsyncRules::Writer});
    mbarrierValid(issuer, addr, site);
    BlockId signal = CopyBlock->id;
    CopyBlock->id = copy;
    CopyBlock->place = place;
    return signal;
  }
  /// cp.async: the copy joins the thread's open group.
  void cpAsyncTrack(Thread &t, BlockId actor) { t.sync().copies.open.push(actor); }
  void cpAsyncCommit(Thread &t) { Async.commit(t.sync().copies); }
  void cpAsyncWaitGroup(Thread &t, uint32_t allowed) {
    waitGroups(t, t.sync().copies, allowed, true);
  }
  void cpAsyncWaitAll(Thread &t) { Async.waitAll(t, t.sync().copies); }
  /// cp.async.bulk with .bulk_group completion.
  void bulkTrack(Thread &t, BlockId actor) { t.sync().bulk.open.push(actor); }
  void bulkCommit(Thread &t) { Async.commit(t.sync().bulk); }
  void bulkWaitGroup(Thread &t, uint32_t allowed, bool readOnly) {
    waitGroups(t, t.sync().bulk, allowed, !readOnly);
  }

  // ---------------------------------------------------------------- memory

  /// [addr, addr + bytes) becomes a new location (P5): a new block's shared memory and the like.
  void forget(uint64_t addr, uint64_t bytes) {
    Shadow.forget(addr, bytes, [&](Cell &c, uint64_t word) { F.forget(c, word); });
    if (C.advice) [[unlikely]]
      C.advice->Uses.forget(addr, bytes);
  }

  /// Strong operations are executed that the detector will not be told of: those that a device
  /// settles by itself. They change no verdict, but who needs which scope is no longer known (A1).
  void settledElsewhere() {
    if (C.advice)
      C.advice->Uses.isBlind = true;
  }
  /// The run is over, or stands still: reports the advice that needs all of it.
  void finish() {
    if (C.advice)
      C.advice->finish();
  }
  /// Memory was allocated: with `since`, an alloc node, accesses must be ordered after it (D8).
  void allocated(uint64_t addr, uint64_t bytes, NodeId since = {}) {
    forget(addr, bytes);
    C.lifetimes.clear(addr, addr + bytes);
    if (since.value) {
      actor(since); // it has begun
      C.lifetimes.set(addr, addr + bytes, {since, true});
    }
  }
  /// Memory was freed by the free node `by`. D8 for accesses that are not ordered before it, unless
  /// `afterAll` says that the free waited for everything, and for every access from now on.
  void freed(uint64_t addr, uint64_t bytes, NodeId by, bool afterAll) {
    Thread &t = actor(by);
    Op op(abi::AccessKind::Store, abi::MemoryOrder::Weak, Scope::Thread);
    J.beginAccess();
    if (!afterAll)
      Shadow.forTouched(addr, bytes, [&](Cell &c, uint64_t word) {
        F.weakWrite(t, c, Record::make(t.epoch(), {}, op, FullWord, WordBytes), word);
      });
    forget(addr, bytes);
    Shadow.drop(addr, bytes);
    C.lifetimes.set(addr, addr + bytes, {by, false});
  }
  /// D6: how far system-scope operations on this memory are atomic.
  void setAtomicity(uint64_t addr, uint64_t bytes, MemoryAtomicity m) {
    if (m.kind == Atomicity::Always)
      C.atomicity.clear(addr, addr + bytes);
    else
      C.atomicity.set(addr, addr + bytes, m);
  }
  /// D8: the thread touched memory that its device cannot reach.
  void unreachable(Thread &t, uint64_t addr, uint32_t bytes, Op op, SiteId site) {
    J.d8Unreachable(t, op, site, addr, bytes);
  }
  /// The memory is no longer watched: its addresses may be used for something else.
  void unwatch(uint64_t addr, uint64_t bytes) { C.lifetimes.clear(addr, addr + bytes); }

  uint64_t checkedAccesses() const { return Checked; }
  RuleCounters counters() const {
    RuleCounters all = C.counters;
    all.values[RuleCounters::S14Order] = C.order.edges();
    return all;
  }
  size_t shadowBytes() const { return Shadow.footprint(); }

private:
  static constexpr uint32_t MbarrierBytes = 8;

  /// X1: `t` observed something; what unmodelled operations published may be among it.
  void acquireUnknown(Thread &t) {
    if (!C.unmodelled)
      return;
    t.blocks.join(Unknown.blocks);
    t.nodes.join(Unknown.nodes);
    t.proxies.join(Unknown.proxies);
    t.foreign = true;
  }
  /// After an unmodelled operation, which may have been a commit, every copy counts as waited for.
  void waitGroups(Thread &t, CopyGroups &g, uint32_t allowed, bool written) {
    if (C.unmodelled)
      Async.commit(g);
    Async.waitGroups(t, g, C.unmodelled ? 0 : allowed, written);
  }
  void adviseAccess(Thread &t, uint64_t addr, uint32_t bytes, const SyncOp &s, bool wrote) {
    bool reads = s.op.kind() != abi::AccessKind::Store && s.op.kind() != abi::AccessKind::Red;
    if (reads)
      C.advice->read(t, addr);
    C.advice->Uses.access(t, addr, bytes, s, reads, wrote);
  }
  void checkPeer(Thread &t, uint64_t addr, uint32_t bytes, Op op, SiteId site) {
    if (t.block->cluster) [[unlikely]]
      Clusters.d8Peer(t, addr, bytes, op, site);
  }
  void weak(Thread &t, uint64_t addr, uint32_t bytes, SiteId site, abi::AccessKind kind,
            Proxy proxy) {
    count(t, addr);
    checkPeer(t, addr, bytes, Op(kind, abi::MemoryOrder::Weak, Scope::Thread), site);
    words(t, addr, bytes, site, kind, proxy);
  }
  /// A strong access to something else than an atomic location.
  void strong(Thread &t, uint64_t addr, uint32_t bytes, Op op, SiteId site, Proxy proxy) {
    count(t, addr);
    checkPeer(t, addr, bytes, op, site);
    forWords(addr, bytes, [&](uint64_t word, uint32_t mask) {
      Record me = Record::make(t.epoch(), site, op, mask, bytes, proxy);
      if (AtomicWord *w = F.atomicWord(t, Shadow.atomic(word), me, word))
        F.strong(t, *w, me, 0, word);
    });
  }
  void words(Thread &t, uint64_t addr, uint32_t bytes, SiteId site, abi::AccessKind kind,
             Proxy proxy) {
    Op op(kind, abi::MemoryOrder::Weak, Scope::Thread);
    forWords(addr, bytes, [&](uint64_t word, uint32_t mask) {
      Record me = Record::make(t.epoch(), site, op, mask, bytes, proxy);
      if (kind == abi::AccessKind::Load)
        F.weakRead(t, Shadow.cell(word), me, word);
      else
        F.weakWrite(t, Shadow.cell(word), me, word);
    });
  }

  // ---------------------------------------------------------------- mbarriers

  Mbarrier &mbarrierAt(uint64_t addr) {
    RareFacts &o = F.overflowOf(Shadow.cell(wordOf(addr))).rareFacts();
    if (!o.mbarrier)
      o.mbarrier = new (allocate(sizeof(Mbarrier)), PlacementTag{}) Mbarrier();
    return *o.mbarrier;
  }
  /// The strong access that every use of an mbarrier is. Null, with a D7, when it was never
  /// initialised.
  Mbarrier *mbarrierUse(Thread &t, uint64_t addr, Op op, SiteId site) {
    if (C.advice) [[unlikely]] {
      adviseAccess(t, addr, MbarrierBytes, C.syncOp(t, op, site), op.isWrite());
      C.advice->muted = true;
    }
    strong(t, addr, MbarrierBytes, op, site, Proxy::Generic);
    if (C.advice) [[unlikely]]
      C.advice->muted = false;
    return mbarrierValid(t, addr, site);
  }
  Mbarrier *mbarrierValid(Thread &t, uint64_t addr, SiteId site) {
    Mbarrier &m = mbarrierAt(addr);
    if (m.valid)
      return &m;
    J.d7BarrierMisuse(t, site, addr);
    return nullptr;
  }
  void arrive(Thread &t, Mbarrier &m, uint32_t count, bool drop, SiteId site) {
    if (count > m.pending) {
      J.d7BarrierMisuse(t, site, m.address);
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

  /// O5: a failed compare-exchange is a read that keeps its acquire half.
  Op o5FailedCas(Op op) {
    C.counters.hit(RuleCounters::O5FailedCas);
    return Op(abi::AccessKind::Load,
              op.acquires() ? abi::MemoryOrder::Acquire : abi::MemoryOrder::Relaxed, op.scope(),
              op.space())
        .with(op.raw() & (Op::VolatileBit | Op::ToolkitBit));
  }
  void count(Thread &t, uint64_t addr) {
    ++Checked;
    t.lastAccess = t.time;
    C.accessed = addr;
    J.beginAccess();
  }
  /// Splits a range so that whole words take the fast path.
  template <class Fn> static void chunks(uint64_t addr, uint64_t bytes, Fn f) {
    for (uint64_t a = addr, end = addr + bytes; a < end;) {
      uint64_t stop = minOf(end, (a & ~uint64_t(WordBytes - 1)) + WordBytes);
      f(a, uint32_t(stop - a));
      a = stop;
    }
  }

  // ---------------------------------------------------------------- blocks

  /// The single thread that stands for a copy, fill or host step.
  Thread &actor(NodeId n) {
    if (!ActorBlock || ActorNode != n) {
      if (ActorBlock)
        endBlock(ActorBlock);
      ActorBlock = beginBlock(n, 0);
      ActorNode = n;
    }
    return ActorBlock->threads[0];
  }
  Block *initialise(const LaunchNode &n, NodeId node, BlockId id, uint32_t threads) {
    Block *b = FreeBlocks;
    if (b)
      FreeBlocks = b->nextFree;
    else
      b = newBlock();
    b->id = id;
    b->place = C.order.placeOf(id);
    b->place.node = node;
    b->orderedBelow = n.orderedBelow;
    b->cooperative = n.facts.cooperative;
    b->live = threads;
    b->dirtyExits = 0;
    for (BarrierState &bar : b->barriers) {
      bar.waiting.clear();
      bar.sources.clear();
    }
    b->cluster = nullptr;
    b->sharedAddress = b->sharedBytes = 0;
    if (n.kind == NodeKind::Kernel && n.facts.cluster.count() > 1)
      Clusters.begin(*b, n.facts);
    uint32_t warps = (threads + WarpSize - 1) / WarpSize;
    if (b->meetings.size() < warps)
      b->meetings.resize(warps);
    for (Vec<WarpMeeting> &m : b->meetings)
      m.clear();
    StepSet seen;
    seen.add(id);
    b->threads.resize(threads);
    for (uint32_t i = 0; i < threads; ++i)
      start(b->threads[i], b, {i}, n, seen);
    return b;
  }
  static void start(Thread &t, Block *b, ThreadIndex i, const LaunchNode &n, const StepSet &seen) {
    t.block = b;
    t.index = i;
    t.exited = t.foreign = t.clusterArrived = false;
    t.time = t.base = t.warpBase = LocalTime{1};
    t.lastAccess = LocalTime{0};
    t.blocks = n.pastBlocks;
    t.nodes = n.past;
    t.proxies = ProxyClocks();
    t.seen = seen;
    t.dropSync();
  }
  Block *newBlock() {
    return AllBlocks.push(new (allocate(sizeof(Block)), PlacementTag{}) Block());
  }

  Context C;
  ShadowMemory Shadow;
  Judge J;
  SyncObjects Objects;
  Filter F;
  SyncRules Sync;
  BarrierRules Barriers;
  ClusterRules Clusters;
  AsyncRules Async;
  ProgressRules Progress;
  HostThreads Hosts;
  Snapshot Unknown; ///< what unmodelled operations may have published
  Vec<Block *> AllBlocks;
  Block *FreeBlocks = nullptr;
  Block *ActorBlock = nullptr;
  NodeId ActorNode;
  Block *CopyBlock = nullptr; ///< stand-in of the copy being issued
  Proxy CopyProxy = Proxy::Generic;
  uint64_t Checked = 0;
};

} // namespace scopesan::core
