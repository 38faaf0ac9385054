// The detector: the facade that backends feed with accesses, synchronization and launch order. One
// thread of control at a time. Every verdict is decided in the files it includes: docs/rules.md
// says where each rule is.
#pragma once

#include "scopesan/core/barrier.h"
#include "scopesan/core/copies.h"
#include "scopesan/core/host.h"
#include "scopesan/core/memory.h"

namespace scopesan::core {

class Detector {
public:
  Detector(FindingSink &sink, const DetectorOptions &options) : C(sink, options) {
    if (options.advise)
      C.advice = new (allocate(sizeof(Advice)), PlacementTag{}) Advice(C);
  }
  Detector(const Detector &) = delete;
  ~Detector() {
    if (!C.advice)
      return;
    C.advice->~Advice();
    deallocate(C.advice);
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
  /// A copy, fill or other operation in stream order (O7). `facts`: device and domain, which decide
  /// whose scopes include it (P4, P6).
  NodeId copyNode(TimelineId stream, const NodeId *after, uint32_t n,
                  const LaunchFacts &facts = {}) {
    return C.order.add(NodeKind::Copy, stream, after, n, facts, 1);
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

  /// O7: weak accesses of a copy, fill or host step. Addresses and sizes in bytes.
  void nodeRead(NodeId n, uint64_t addr, uint64_t bytes, SiteId site) {
    C.counters.hit(RuleCounters::O7Access);
    A.readRange(Resident.o7Actor(n), addr, bytes, site);
  }
  void nodeWrite(NodeId n, uint64_t addr, uint64_t bytes, SiteId site) {
    C.counters.hit(RuleCounters::O7Access);
    A.writeRange(Resident.o7Actor(n), addr, bytes, site);
  }
  /// A strong access of a stream operation (stream memory operations, S14). What follows the node
  /// knows what it acquired.
  void nodeAtomic(NodeId n, uint64_t addr, uint32_t bytes, Op op) {
    Thread &t = Resident.o7Actor(n);
    A.atomic(t, addr, bytes, op, SiteId{}, op.isWrite(), 0);
    LaunchNode &node = C.order.node(n);
    node.endBlocks.join(t.blocks);
    node.endNodes.join(t.nodes);
  }
  /// The operation waits for something that nothing is left to do.
  void stuckNode(NodeId n) { J.d12Stuck(n); }
  /// The backend saw that nothing can go on any more: at a barrier (D7) or elsewhere (D12).
  void stuck(const Finding &f) { J.d12Stuck(f); }

  // ---------------------------------------------------------------- execution of a launch

  /// The launch starts, if it has not: launches that it follows have ended.
  void beginLaunch(NodeId launch) { C.order.begin(launch); }
  /// Makes block `linear` of the launch resident with all its threads.
  Block *beginBlock(NodeId launch, uint64_t linear) { return Resident.begin(launch, linear); }
  /// Tells where the block's shared memory lies; needed for D8.
  void sharedMemory(Block *b, uint64_t addr, uint64_t bytes) {
    b->sharedAddress = addr;
    b->sharedBytes = bytes;
  }
  Thread *thread(Block *b, ThreadIndex i) { return &b->threads[i.value]; }
  /// The thread executes no further step; it leaves the counts of its barriers.
  void threadExit(Thread &t, SiteId site = {}) {
    Progress.leave(t);
    Barriers.exit(t);
    Clusters.exit(t, site);
    Resident.s6AtGridEnd(t);
    t.dropSync();
    if (C.advice) [[unlikely]]
      C.advice->exit(t.block->id, t.index);
  }
  /// `ran`: its threads executed to their end; false where the launch was given up.
  void endBlock(Block *b, bool ran = true) { Resident.end(b, ran); }
  void endLaunch(NodeId) {}

  /// Programmatic dependent launch: `node` does not wait for `primary` to end by itself.
  void programmatic(NodeId node, NodeId primary) { C.order.addProgrammatic(node, primary); }
  bool isPrimaryOf(NodeId primary, NodeId node) const { return C.order.isPrimaryOf(primary, node); }
  /// griddepcontrol.wait returned: this thread (its peers need a barrier) is after the primaries.
  void griddepWait(Thread &t) {
    // What it learned passes on at the grid's end.
    t.foreign |= C.order.s14Programmatic(t.block->place.node, t.nodes, t.blocks);
  }
  /// Dynamic parallelism: a thread launches a grid. It is ordered after the thread's past; the
  /// parent's grid ends after it; the parent's code is never ordered after it.
  NodeId deviceLaunch(Thread &t, const LaunchFacts &facts) {
    NodeId child = launch(newTimeline(), nullptr, 0, facts);
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

  void read(Thread &t, uint64_t addr, uint32_t bytes, SiteId site) { A.read(t, addr, bytes, site); }
  void write(Thread &t, uint64_t addr, uint32_t bytes, SiteId site) {
    A.write(t, addr, bytes, site);
  }
  /// Weak accesses of any size, 0 included.
  void readRange(Thread &t, uint64_t addr, uint64_t bytes, SiteId site) {
    A.readRange(t, addr, bytes, site);
  }
  void writeRange(Thread &t, uint64_t addr, uint64_t bytes, SiteId site) {
    A.writeRange(t, addr, bytes, site);
  }
  /// A strong operation is about to execute. Where nothing runs between this and atomicAfter (CPU
  /// backend), all work is done there.
  void atomicBefore(Thread &, uint64_t, uint32_t, Op, SiteId) {}
  /// A strong operation executed: `wrote` tells whether memory was written.
  void atomicAfter(Thread &t, uint64_t addr, uint32_t bytes, Op op, SiteId site, bool wrote,
                   uint64_t value) {
    A.atomic(t, addr, bytes, op, site, wrote, value);
  }
  /// A strong operation on memory that is nobody's concern but the host's: it orders host threads
  /// (S15) and is never part of a finding.
  void synchronize(Thread &t, uint64_t addr, uint32_t bytes, Op op, SiteId site, bool wrote) {
    A.synchronize(t, addr, bytes, op, site, wrote);
  }
  /// Copies what reads of the location's current value learn. False: nothing.
  bool keepValue(uint64_t addr, uint32_t bytes, SyncObject &kept) {
    AtomicWord *first = A.Shadow.atomic(addr);
    SyncObject *o = first ? SyncObjects::find(*first, addr, bytes) : nullptr;
    if (!o || !o->written || o->heads.empty())
      return false;
    kept.address = addr;
    kept.bytes = uint16_t(bytes);
    kept.version = o->version;
    kept.written = true;
    kept.lastWrite = o->lastWrite;
    for (const Head &h : o->heads)
      kept.heads.push(h);
    return true;
  }
  /// `t` may have read that value with `op`.
  void observeKept(Thread &t, SyncObject &kept, Op op, SiteId site) {
    Sync.observe(t, kept, {op, site});
  }
  /// The location's last write may have come before what `kept` carries.
  void restoreKept(uint64_t addr, uint32_t bytes, const SyncObject &kept) {
    AtomicWord *first = A.Shadow.atomic(addr);
    if (SyncObject *o = first ? SyncObjects::find(*first, addr, bytes) : nullptr)
      Sync.keepHeads(*o, kept);
  }
  /// Does `t` know all that readers of the kept value learn?
  bool knowsKept(const SyncObject &kept, const Thread &t) const {
    for (const Head &h : kept.heads)
      if (!h.snapshot->time.value || !C.happensBefore(t, {h.snapshot->block, h.snapshot->thread,
                                                          LocalTime{h.snapshot->time.value - 1}}))
        return false;
    return true;
  }
  /// Does everything at `e` precede the present of `t`?
  bool precedes(const Epoch &e, const Thread &t) const { return C.happensBefore(t, e); }
  /// A loop that waits may fence, too: a seq_cst read does (O3).
  void fence(Thread &t, Op op, SiteId site) {
    if (C.advice) [[unlikely]]
      C.advice->Uses.fence(t, C.syncOp(t, op, site));
    Sync.fence(t, C.syncOp(t, op, site));
    if (op.acquires())
      Unknown.x1Acquire(t);
  }

  void blockBarrierArrive(Thread &t, abi::BarrierKind kind, uint32_t id, uint32_t n, SiteId) {
    Progress.leave(t);
    Barriers.s7Arrive(t, kind, id, n);
  }
  /// D7 that the backend saw: a wrong count, or an aligned barrier reached from different code.
  void barrierMisuse(Thread &t, SiteId site, const BarrierFacts &facts,
                     const AccessRecord *other = nullptr) {
    J.d7BarrierMisuse(t, site, 0, facts, other);
  }
  /// The departure was applied when the generation completed, while the thread still waited.
  void blockBarrierDepart(Thread &, uint32_t) {}
  void warpBarrierArrive(Thread &t, uint32_t mask, SiteId site) {
    Progress.leave(t);
    if (!(mask >> laneOf(t.index) & 1))
      return J.d7BarrierMisuse(t, site, 0, {Misuse::OutsideMask, BarrierKind::Warp});
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
    Unknown.x1Acquire(t);
  }
  /// X1: the thread executed an operation that nobody models. Called before and after it.
  void unmodelled(Thread &t) {
    Progress.leave(t);
    Unknown.x1Execute(t);
  }

  /// All threads of the block passed its barrier (S7), those that exited included: none did. What
  /// they do from now on is at `t`, later than all before.
  void passBarrier(Block *b, LocalTime t) { Barriers.s7Pass(*b, t); }
  /// An access of one word that took place before, and was found to race with nothing then: it is
  /// remembered unchecked. `size`: bytes of the whole access.
  void recall(const Epoch &by, uint64_t word, uint32_t mask, uint32_t size, Op op, SiteId site,
              Proxy proxy) {
    A.filter().recall(word, Record::make(by, site, op, mask, size, proxy),
                      C.order.placeOf(by.block));
  }

  // ---------------------------------------------------------------- other proxies and aliases
  // (S13)

  /// A weak access through another proxy or another virtual address of the same memory (`addr` is
  /// the memory's first address). Atomic generic accesses through an alias use atomicAfter.
  /// `proxy` may be throughAlias(...).
  void proxyRead(Thread &t, uint64_t addr, uint32_t bytes, SiteId site, Proxy proxy) {
    A.weak(t, addr, bytes, site, abi::AccessKind::Load, proxy);
  }
  void proxyWrite(Thread &t, uint64_t addr, uint32_t bytes, SiteId site, Proxy proxy) {
    A.weak(t, addr, bytes, site, abi::AccessKind::Store, proxy);
  }
  /// A read through a surface object: proxyRead of its proxy, and O6. Writes are proxyWrite.
  void surfaceRead(Thread &t, uint64_t addr, uint32_t bytes, SiteId site) {
    A.surfaceRead(t, addr, bytes, site);
  }
  /// `space`: fence.proxy.async may concern one state space only.
  void proxyFence(Thread &t, ProxyFence f, FenceSpace space = FenceSpace::Unlimited) {
    Async.s13Fence(t, f, space);
  }
  /// fence.proxy.tensormap: a fence whose acquire half lets the tensor-map proxy see what release
  /// halves before it released: accesses of [map, map + bytes), or all where `bytes` is 0.
  void tensormapFence(Thread &t, Op op, SiteId site, uint64_t map, uint64_t bytes) {
    if (op.releases())
      Async.s13MapRelease(t, op.scope());
    fence(t, op, site);
    if (C.advice) [[unlikely]] // what a map's reader needs of it is not an edge
      C.advice->Uses.keep(C.syncOp(t, op, site));
    if (op.acquires())
      Async.s13MapAcquire(t, op.scope(), map, bytes);
  }
  /// Where shared memory lies. Without it fences that are limited to a space are not.
  void sharedWindow(uint64_t addr, uint64_t bytes) {
    C.sharedWindow = addr;
    C.sharedWindowBytes = bytes;
  }

  // ---------------------------------------------------------------- mbarriers (S10)

  /// mbarrier.init. Re-initialising an object in use is D7.
  void mbarrierInit(Thread &t, uint64_t addr, uint32_t count, SiteId site) {
    Mbarriers.s10Init(t, addr, count, site);
  }
  void mbarrierInval(Thread &t, uint64_t addr, SiteId site) { Mbarriers.invalidate(t, addr, site); }
  /// mbarrier.expect_tx (without arrival).
  void mbarrierExpectTx(Thread &t, uint64_t addr, uint32_t bytes, Op op, SiteId site) {
    Mbarriers.expectTx(t, addr, bytes, op, site);
  }
  /// An arrival of `count`; `expectTx` bytes are added first; `drop` lowers the expected count.
  /// `op` is Rmw with the arrival's order and scope (default release, block). Returns the phase
  /// arrived in.
  uint32_t mbarrierArrive(Thread &t, uint64_t addr, uint32_t count, uint32_t expectTx, bool drop,
                          Op op, SiteId site) {
    return Mbarriers.s10Arrive(t, addr, count, expectTx, drop, op, site);
  }
  /// mbarrier.complete_tx: the thread itself counts bytes as arrived. Publishes nothing.
  void mbarrierSimulateTx(Thread &t, uint64_t addr, uint32_t bytes, Op op, SiteId site) {
    Mbarriers.simulateTx(t, addr, bytes, op, site);
  }
  /// cp.async.mbarrier.arrive is issued: it arrives when the thread's cp.async so far are done.
  /// Without `noinc` the pending count is raised now, so that the arrival changes nothing else.
  /// Returns what the arrival publishes, for cpAsyncMbarrierDone.
  SnapshotRef cpAsyncMbarrierIssue(Thread &t, uint64_t addr, bool noinc, SiteId site) {
    return Mbarriers.s12CopiesArriveIssue(t, addr, noinc, site);
  }
  void cpAsyncMbarrierDone(Thread &t, uint64_t addr, const SnapshotRef &copies, SiteId site) {
    Mbarriers.s12CopiesArrive(t, addr, copies, site);
  }
  /// Both at once, for backends whose copies are done when they are issued.
  void cpAsyncMbarrierArrive(Thread &t, uint64_t addr, bool noinc, SiteId site) {
    cpAsyncMbarrierDone(t, addr, cpAsyncMbarrierIssue(t, addr, noinc, site), site);
  }
  /// A test_wait or try_wait executed; `done` tells its result. Order and scope in `op` (Load).
  void mbarrierWait(Thread &t, uint64_t addr, Op op, SiteId site, bool done) {
    Mbarriers.s10Wait(t, addr, op, site, done);
  }
  /// Has the phase of this parity completed? For backends that keep no object of their own.
  bool mbarrierParityDone(uint64_t addr, uint32_t parity) {
    return Mbarriers.parityDone(addr, parity);
  }
  /// complete_tx of an asynchronous copy: `owner` is a thread of the mbarrier's block, `signal`
  /// what asyncSignal returned. Without an actor the bytes are counted and nothing is published.
  void mbarrierCompleteTx(Thread &owner, uint64_t addr, uint32_t bytes, BlockId actor, SiteId site,
                          BlockId signal = {}) {
    Mbarriers.s12CompleteTx(owner, addr, bytes, actor, site, signal);
  }

  // ---------------------------------------------------------------- asynchronous copies (S12)

  /// A copy is issued. Its accesses follow at once through asyncRead, asyncWrite, asyncReduce and
  /// asyncSignal, before the next asyncBegin. Returns the actor, by which its completion is
  /// announced.
  BlockId asyncBegin(Thread &issuer, Proxy proxy) { return Copy.begin(issuer, proxy); }
  /// An operation of several threads starts after the past of each of them.
  void asyncAlsoAfter(const Thread &issuer) { Copy.alsoAfter(issuer); }
  /// `t` learns that the actor is done (wgmma.wait_group).
  void asyncLearn(Thread &t, BlockId actor) { Async.s12Learn(t, actor, true); }
  void asyncRead(uint64_t addr, uint32_t bytes, SiteId site) { Copy.read(addr, bytes, site); }
  /// Of the tensor map by which the copy finds its tile (S13).
  void asyncReadMap(uint64_t addr, uint32_t bytes, SiteId site) { Copy.readMap(addr, bytes, site); }
  void asyncWrite(uint64_t addr, uint32_t bytes, SiteId site) { Copy.write(addr, bytes, site); }
  /// One element of a reducing copy: strong, with the order and scope in `op` (Red).
  void asyncReduce(uint64_t addr, uint32_t elementBytes, Op op, SiteId site) {
    Copy.reduce(addr, elementBytes, op, site);
  }
  /// A strong store or reduction with release semantics, which nobody learns the completion of: it
  /// publishes what its issuer knows, and not what the issuer does later.
  void asyncRelease(Thread &issuer, uint64_t addr, uint32_t bytes, Op op, SiteId site) {
    Copy.release(issuer, addr, bytes, op, site);
  }
  /// The copy will complete on the mbarrier at `addr`, which `issuer` must know initialised (S10).
  /// The completion acts as a thread of the mbarrier's block (S12), of which `owner` is one.
  /// Returns its actor.
  BlockId asyncSignal(Thread &issuer, Thread &owner, uint64_t addr, SiteId site) {
    return Copy.s12Signal(issuer, owner, addr, site);
  }
  /// cp.async: the copy joins the thread's open group.
  void cpAsyncTrack(Thread &t, BlockId actor) { t.sync().copies.open.push(actor); }
  void cpAsyncCommit(Thread &t) { Async.commit(t.sync().copies); }
  void cpAsyncWaitGroup(Thread &t, uint32_t allowed) {
    Copy.x1WaitGroups(t, t.sync().copies, allowed, true);
  }
  void cpAsyncWaitAll(Thread &t) { Async.waitAll(t, t.sync().copies); }
  /// cp.async.bulk with .bulk_group completion.
  void bulkTrack(Thread &t, BlockId actor) { t.sync().bulk.open.push(actor); }
  void bulkCommit(Thread &t) { Async.commit(t.sync().bulk); }
  void bulkWaitGroup(Thread &t, uint32_t allowed, bool readOnly) {
    Copy.x1WaitGroups(t, t.sync().bulk, allowed, !readOnly);
  }

  // ---------------------------------------------------------------- memory

  /// [addr, addr + bytes) becomes a new location (P5): a new block's shared memory and the like.
  void forget(uint64_t addr, uint64_t bytes) { Memory.p5NewLocation(addr, bytes); }
  /// Memory was allocated: with `since`, an alloc node, accesses must be ordered after it (D8).
  void allocated(uint64_t addr, uint64_t bytes, NodeId since = {}) {
    Memory.d8Allocated(addr, bytes, since);
  }
  /// Memory was freed by the free node `by`. D8 for accesses that are not ordered before it, unless
  /// `afterAll` says that the free waited for everything, and for every access from now on.
  void freed(uint64_t addr, uint64_t bytes, NodeId by, bool afterAll) {
    Memory.d8Free(addr, bytes, by, afterAll);
  }
  /// D6: how far system-scope operations on this memory are atomic.
  void setAtomicity(uint64_t addr, uint64_t bytes, MemoryAtomicity m) {
    Memory.d6Atomicity(addr, bytes, m);
  }
  /// D8: the thread touched memory that its device cannot reach.
  void unreachable(Thread &t, uint64_t addr, uint32_t bytes, Op op, SiteId site) {
    J.d8Unreachable(t, op, site, addr, bytes);
  }
  /// The memory is no longer watched: its addresses may be used for something else.
  void unwatch(uint64_t addr, uint64_t bytes) { C.lifetimes.clear(addr, addr + bytes); }

  // ---------------------------------------------------------------- the run

  /// Strong operations are executed that the detector will not be told of: those that a device
  /// settles by itself. They change no verdict, but who needs which scope is no longer known (A1).
  void settledElsewhere() {
    if (C.advice)
      C.advice->Uses.isBlind = true;
  }
  /// The run is over, or stands still: reports what needs all of it (D12, A1).
  void finish() {
    Progress.finish();
    if (C.advice)
      C.advice->finish();
  }
  uint64_t checkedAccesses() const { return A.checked(); }
  RuleCounters counters() const {
    RuleCounters all = C.counters;
    all.values[RuleCounters::S14Order] = C.order.edges();
    all.values[RuleCounters::P2Identity] = C.order.identities();
    all.values[RuleCounters::P6Domain] = C.order.outsideFirstDomain();
    return all;
  }
  size_t shadowBytes() const { return A.Shadow.footprint(); }

private:
  Context C;
  Judge J{C};
  SyncRules Sync{C};
  BarrierRules Barriers{C, Sync};
  ClusterRules Clusters{C, J, Sync};
  AsyncRules Async{C};
  ProgressRules Progress{C};
  HostThreads Hosts{C, Sync, Progress};
  Unmodelled Unknown{C};
  ResidentBlocks Resident{C, Clusters};
  Accesses A{C, J, Sync, Progress, Clusters, Unknown};
  MbarrierRules Mbarriers{C, J, Sync, Async, A, Unknown, Resident};
  Copies Copy{C, Async, A, Mbarriers, Resident, Clusters};
  MemoryRules Memory{C, J, A, Resident};
};

} // namespace scopesan::core
