#include "Drive.h"

#include "Layout.h"

#include <algorithm>
#include <memory>
#include <set>

namespace scopesan::litmus {

namespace {

using core::BlockId;
using core::Detector;
using core::NodeId;
using core::Op;

struct Sink : core::FindingSink {
  Judgement out;
  void report(const core::Finding &f) override { out.findings.push_back(f); }
  void gaveUp(const char *what, uint64_t) override { out.givenUp.push_back(what); }
  void scopeUse(const core::ScopeUse &u) override { out.scopeUses.push_back(u); }
};

class Run {
public:
  Run(const Machine &m, const SiteTable &sites, const State &end,
      const core::DetectorOptions &options)
      : P(m.program()), M(m), Sites(sites), End(end), D(Log, options), Where(P) {}

  Judgement run() {
    layOut();
    begin();
    for (uint32_t s = 0; s < End.steps.size(); ++s) {
      const Step &step = End.steps[s];
      ensureResident(P.threads[step.thread].at.launch);
      execute(step, P.threads[step.thread].code[step.instr]);
      for (bool atBarrier : {false, true}) // exits may complete the barriers others end with
        for (uint32_t t = 0; t < P.threads.size(); ++t)
          if (ExitAfter[t] == s && EndsAtBarrier[t] == atBarrier)
            exit(t);
    }
    D.finish();
    Log.out.counters = D.counters();
    return std::move(Log.out);
  }

private:
  // ------------------------------------------------------------------ launches

  void layOut() {
    ExitAfter.assign(P.threads.size(), None);
    for (uint32_t s = 0; s < End.steps.size(); ++s)
      ExitAfter[End.steps[s].thread] = s;
    EndsAtBarrier.assign(P.threads.size(), false);
    for (uint32_t t = 0; t < P.threads.size(); ++t) { // leaves when the barrier is complete
      uint32_t group = ExitAfter[t] == None ? None : End.steps[ExitAfter[t]].group;
      if (group == None || !End.groups[group].complete)
        continue;
      EndsAtBarrier[t] = true;
      ExitAfter[t] = std::max(ExitAfter[t], End.groups[group].completedBefore - 1);
    }
    Nodes.resize(P.launches.size());
    Blocks.resize(P.launches.size());
    Resident.resize(P.launches.size());
    Live.resize(P.launches.size());
  }
  void begin() {
    core::HostId main = D.hosts().create({}, core::HostCode::Instrumented);
    Start = D.hosts().past(main);
    for (uint32_t t = 0; t < P.threads.size(); ++t)
      HostOf.push_back(P.threads[t].at.host ? D.hosts().create(main, core::HostCode::Instrumented)
                                            : core::HostId{});
    Setup = setUpMbarriers();
    uint32_t streams = 0;
    for (const Launch &l : P.launches)
      streams = std::max(streams, l.stream + 1);
    for (uint32_t s = 0; s < streams; ++s)
      Streams.push_back(D.newTimeline());
    for (uint32_t l = 0; l < P.launches.size(); ++l)
      if (!P.launches[l].byThread && !isHost(l))
        launchInOrder(l);
  }
  /// Launches made by no thread, after those that they follow.
  void launchInOrder(uint32_t l) {
    if (Nodes[l].value || P.launches[l].byThread)
      return;
    for (const std::vector<uint32_t> *before : {&P.launches[l].after, &P.launches[l].programmatic})
      for (uint32_t b : *before)
        launchInOrder(b);
    launch(l, Start);
  }
  bool isHost(uint32_t launch) const { return isHostLaunch(P, launch); }
  core::LaunchFacts factsOf(uint32_t l) const {
    const Grid &g = Where.grids[l];
    core::LaunchFacts facts;
    facts.grid = {g.blockCount(), 1, 1};
    facts.cluster = {g.perCluster, 1, 1};
    facts.block = {g.threadsPerBlock, 1, 1};
    facts.cooperative = P.launches[l].cooperative;
    for (const ThreadCode &t : P.threads)
      if (t.at.launch == l) {
        facts.device = {uint16_t(t.at.device)};
        facts.domain = {uint8_t(t.at.domain)};
      }
    return facts;
  }
  void launch(uint32_t l, NodeId launcher) {
    core::LaunchFacts facts = factsOf(l);
    std::vector<NodeId> after{launcher, Setup};
    for (uint32_t a : P.launches[l].after)
      after.push_back(Nodes[a]);
    Nodes[l] = D.launch(Streams[P.launches[l].stream], after.data(), uint32_t(after.size()), facts);
    for (uint32_t primary : P.launches[l].programmatic)
      D.programmatic(Nodes[l], Nodes[primary]);
  }

  /// Blocks become resident when the first thread of the launch executes something.
  void ensureResident(uint32_t l) {
    if (Resident[l] || isHost(l))
      return;
    Resident[l] = true;
    const Grid &g = Where.grids[l];
    uint32_t count = g.blockCount();
    for (uint32_t b = 0; b < count; ++b)
      Blocks[l].push_back(D.beginBlock(Nodes[l], b));
    for (const Location &x : P.locations)
      if (x.sharedOf != None && P.threads[x.sharedOf].at.launch == l)
        D.sharedMemory(Blocks[l][blockOf(x.sharedOf)], addressOf(x.root), LocationBytes);
    Live[l].assign(count, 0);
    for (uint32_t b = 0; b < count; ++b) {
      std::vector<bool> real(g.threadsPerBlock);
      for (uint32_t t = 0; t < P.threads.size(); ++t)
        if (P.threads[t].at.launch == l && blockOf(t) == b && ExitAfter[t] != None)
          real[Where.index[t]] = true;
      for (uint32_t i = 0; i < g.threadsPerBlock; ++i)
        if (real[i])
          ++Live[l][b];
        else
          D.threadExit(*D.thread(Blocks[l][b], {i}));
    }
    for (uint32_t b = 0; b < count; ++b)
      if (!Live[l][b])
        D.endBlock(Blocks[l][b]);
  }
  uint32_t blockOf(uint32_t thread) const { return Where.block[thread]; }
  core::Thread &threadOf(uint32_t t) {
    const Position &at = P.threads[t].at;
    if (!at.host)
      return *D.thread(Blocks[at.launch][blockOf(t)], {Where.index[t]});
    return D.hosts().thread(HostOf[t]);
  }
  /// A thread that waits for ever or that the execution leaves behind stays in its block.
  bool leaves(uint32_t t) const {
    return End.threads[t].status == ThreadStatus::Done && !P.threads[t].at.host;
  }
  void exit(uint32_t t) {
    const Position &at = P.threads[t].at;
    if (!leaves(t))
      return;
    D.threadExit(threadOf(t));
    uint32_t b = blockOf(t);
    if (--Live[at.launch][b])
      return;
    D.endBlock(Blocks[at.launch][b]);
    for (uint32_t live : Live[at.launch])
      if (live)
        return;
    D.endLaunch(Nodes[at.launch]);
  }

  // ------------------------------------------------------------------ operations

  static constexpr uint64_t LocationBytes = 64;
  uint64_t addressOf(uint32_t location) const { return 0x10000 + P.root(location) * LocationBytes; }
  void execute(const Step &step, const Instr &i) {
    core::SiteId site = Sites.site(step.thread, step.instr);
    switch (i.verb) {
    case Verb::Load:
    case Verb::Store:
    case Verb::Rmw:
      return access(threadOf(step.thread), step, i, site);
    case Verb::Fence:
      return D.fence(
          threadOf(step.thread),
          Op(abi::AccessKind::Fence, i.order, i.scope).with(i.initsOnly ? Op::InitsOnlyBit : 0),
          site);
    case Verb::BlockBarrier:
      return D.blockBarrierArrive(threadOf(step.thread), kind(i), barrierId(step), count(step, i),
                                  site);
    case Verb::WarpBarrier:
      return D.warpBarrierArrive(threadOf(step.thread), ~0u, site);
    case Verb::ProxyFence:
      return proxyFence(threadOf(step.thread), i, site);
    case Verb::ClusterArrive:
      return D.clusterArrive(threadOf(step.thread), i.order == MemoryOrder::Relaxed, site);
    case Verb::ClusterWait:
      return D.clusterWait(threadOf(step.thread), site);
    case Verb::MbarInit:
    case Verb::MbarArrive:
    case Verb::MbarWait:
      return mbarrier(threadOf(step.thread), i, site);
    case Verb::AsyncCopy:
      return copy(threadOf(step.thread), i, site);
    case Verb::AsyncCommit:
      return i.async.kind == AsyncKind::Bulk ? D.bulkCommit(threadOf(step.thread))
                                             : D.cpAsyncCommit(threadOf(step.thread));
    case Verb::AsyncWait:
      return asyncWait(threadOf(step.thread), i);
    case Verb::GridWait:
      return D.griddepWait(threadOf(step.thread));
    case Verb::Launch:
      if (!P.threads[step.thread].at.host) {
        Nodes[i.target] = D.deviceLaunch(threadOf(step.thread), factsOf(i.target));
        return;
      }
      return launch(i.target, D.hosts().past(HostOf[step.thread]));
    case Verb::Sync: {
      std::vector<NodeId> after;
      for (uint32_t l : i.launches)
        after.push_back(Nodes[l]);
      D.hosts().step(HostOf[step.thread], after.data(), uint32_t(after.size()));
      return;
    }
    case Verb::Nop: // an API call that waits for nothing
      if (P.threads[step.thread].at.host)
        D.hosts().step(HostOf[step.thread], nullptr, 0);
      return;
    default:
      return;
    }
  }
  void access(core::Thread &t, const Step &step, const Instr &i, core::SiteId site) {
    if (P.locations[i.location].isLocal)
      return;
    uint64_t a = addressOf(i.location) + i.offset;
    core::Proxy proxy = proxyOf(i);
    if (i.order == MemoryOrder::Weak && proxy != core::Proxy::Generic)
      return i.verb == Verb::Load ? D.proxyRead(t, a, i.bytes, site, proxy)
                                  : D.proxyWrite(t, a, i.bytes, site, proxy);
    if (i.order == MemoryOrder::Weak)
      return i.verb == Verb::Load ? D.read(t, a, i.bytes, site) : D.write(t, a, i.bytes, site);
    abi::AccessKind k = i.verb == Verb::Load                ? abi::AccessKind::Load
                        : i.verb == Verb::Store             ? abi::AccessKind::Store
                        : !i.returns                        ? abi::AccessKind::Red
                        : i.rmw == RmwKind::CompareExchange ? abi::AccessKind::Cas
                                                            : abi::AccessKind::Rmw;
    Op op =
        Op(k, i.order, i.scope)
            .withElementLog2(uint32_t(__builtin_ctz(i.elementBytes ? i.elementBytes : i.bytes)));
    if (i.isVolatile)
      op = op.with(Op::VolatileBit);
    if (i.isOnlyWayOut)
      op = op.with(Op::OnlyWayOutBit);
    D.atomicBefore(t, a, i.bytes, op, site);
    D.atomicAfter(t, a, i.bytes, op, site, step.wrote, uint64_t(step.read));
  }
  // ------------------------------------------------------------------ mbarriers, copies

  void mbarrier(core::Thread &t, const Instr &i, core::SiteId site) {
    uint64_t m = addressOf(i.location);
    const MbarrierSetup &setup = P.locations[i.location].mbarrier;
    if (i.verb == Verb::MbarInit)
      return D.mbarrierInit(t, m, setup.arrivals, site);
    if (i.verb == Verb::MbarWait)
      return D.mbarrierWait(t, m, Op(abi::AccessKind::Load, i.order, i.scope), site, true);
    if (i.async.ofCopies)
      return D.cpAsyncMbarrierArrive(t, m, true, site);
    uint32_t bytes = 0;
    for (const ThreadCode &x : P.threads)
      for (const Instr &c : x.code)
        if (i.async.expectsBytes && c.verb == Verb::AsyncCopy && c.async.mbarrier == i.location)
          bytes += CopyBytes;
    D.mbarrierArrive(t, m, 1, bytes, false, Op(abi::AccessKind::Rmw, i.order, i.scope), site);
  }
  void copy(core::Thread &t, const Instr &i, core::SiteId site) {
    bool generic = i.async.kind == AsyncKind::CpAsync || i.async.generic;
    BlockId actor = D.asyncBegin(t, generic ? core::Proxy::Generic : core::Proxy::Async);
    if (i.async.source != None)
      D.asyncRead(addressOf(i.async.source), CopyBytes, site);
    if (i.async.destination != None && i.async.reduces)
      D.asyncReduce(addressOf(i.async.destination), 4, Op(abi::AccessKind::Red, i.order, i.scope),
                    site);
    else if (i.async.destination != None)
      D.asyncWrite(addressOf(i.async.destination), CopyBytes, site);
    if (i.async.mbarrier != None)
      D.mbarrierCompleteTx(ownerOf(i.async.mbarrier, t), addressOf(i.async.mbarrier), CopyBytes,
                           actor, site);
    else if (i.async.tracked && i.async.kind == AsyncKind::Bulk)
      D.bulkTrack(t, actor);
    else if (i.async.tracked)
      D.cpAsyncTrack(t, actor);
  }
  /// An mbarrier lies in the block of whoever waits for it.
  core::Thread &ownerOf(uint32_t mbarrier, core::Thread &issuer) {
    for (uint32_t t = 0; t < P.threads.size(); ++t)
      for (const Instr &i : P.threads[t].code)
        if (i.verb == Verb::MbarWait && i.location == mbarrier &&
            !Blocks[P.threads[t].at.launch].empty())
          return threadOf(t);
    return issuer;
  }
  void asyncWait(core::Thread &t, const Instr &i) {
    if (i.async.kind == AsyncKind::Bulk)
      D.bulkWaitGroup(t, i.async.groups == None ? 0 : i.async.groups, i.async.readOnly);
    else if (i.async.groups == None)
      D.cpAsyncWaitAll(t);
    else
      D.cpAsyncWaitGroup(t, i.async.groups);
  }
  /// mbarriers that the program does not initialise are ready before it starts: a kernel of their
  /// own does it.
  NodeId setUpMbarriers() {
    NodeId setup;
    core::Block *b = nullptr;
    for (uint32_t l = 0; l < P.locations.size(); ++l) {
      const MbarrierSetup &m = P.locations[l].mbarrier;
      if (!m.used || m.initialisedByProgram)
        continue;
      if (!b) {
        core::LaunchFacts facts;
        setup = D.launch(D.newTimeline(), &Start, 1, facts);
        b = D.beginBlock(setup, 0);
      }
      core::Thread &t = *D.thread(b, {0});
      Op arrive(abi::AccessKind::Rmw, MemoryOrder::Release, Scope::Block);
      uint32_t own = m.bytes ? 1 : 0;
      D.mbarrierInit(t, addressOf(l), m.arrivals + own, {0});
      for (uint32_t phase = 0; phase < m.completedPhases; ++phase)
        D.mbarrierArrive(t, addressOf(l), m.arrivals, 0, false, arrive, {0});
      if (own)
        D.mbarrierArrive(t, addressOf(l), 1, m.bytes, false, arrive, {0});
    }
    if (b) {
      D.threadExit(*D.thread(b, {0}));
      D.endBlock(b);
    }
    return setup;
  }

  core::Proxy proxyOf(const Instr &i) const {
    constexpr core::Proxy proxies[] = {core::Proxy::Generic, core::Proxy::Texture,
                                       core::Proxy::Surface, core::Proxy::Constant,
                                       core::Proxy::Async,   core::Proxy::TensorMap};
    core::Proxy p = i.nonCoherent ? core::Proxy::NonCoherent : proxies[unsigned(i.proxy)];
    return P.locations[i.location].distinctAddress ? core::throughAlias(p) : p;
  }
  void proxyFence(core::Thread &t, const Instr &i, core::SiteId site) {
    constexpr core::ProxyFence fences[] = {core::ProxyFence::Alias, core::ProxyFence::Texture,
                                           core::ProxyFence::Surface, core::ProxyFence::Constant,
                                           core::ProxyFence::Async};
    if (i.proxy == Proxy::TensorMap)
      return D.tensormapFence(t, Op(abi::AccessKind::Fence, i.order, i.scope), site,
                              i.acquiredMap == None ? 0 : addressOf(i.acquiredMap),
                              i.acquiredMap == None ? 0 : LocationBytes);
    D.proxyFence(t, fences[unsigned(i.proxy)]);
  }
  static abi::BarrierKind kind(const Instr &i) {
    return i.arriveOnly ? abi::BarrierKind::Arrive : abi::BarrierKind::Sync;
  }
  /// Barrier names of a block in the order of their first use.
  uint32_t barrierId(const Step &step) {
    const BarrierKey &key = End.groups[step.group].key;
    for (uint32_t i = 0; i < BarrierNames.size(); ++i)
      if (BarrierNames[i] == key)
        return i;
    BarrierNames.push_back(key);
    return uint32_t(BarrierNames.size() - 1);
  }
  /// The count with which the detector completes the group when the machine does. Counts are of
  /// whole warps (S7), so lanes without a thread count with those that arrive; a litmus thread with
  /// a warp of its own stands for 32.
  uint32_t count(const Step &step, const Instr &i) const {
    const BarrierGroup &g = End.groups[step.group];
    if (i.allThreads)
      return 0;
    if (!g.complete)
      return core::MaxBlockThreads;
    std::set<uint32_t> warps;
    for (uint32_t t : g.arrived)
      warps.insert(Where.index[t] / core::WarpSize);
    uint32_t missing = 0; // live lanes of these warps that do not take part
    for (uint32_t u = 0; u < P.threads.size(); ++u)
      missing += P.sameBlock(u, step.thread) && warps.count(Where.index[u] / core::WarpSize) &&
                 std::find(g.arrived.begin(), g.arrived.end(), u) == g.arrived.end() &&
                 ExitAfter[u] != None && (!leaves(u) || ExitAfter[u] >= g.completedBefore);
    return uint32_t(warps.size()) * core::WarpSize - missing;
  }

  const Program &P;
  const Machine &M;
  const SiteTable &Sites;
  const State &End;
  Sink Log;
  Detector D;
  NodeId Start, Setup;              ///< before everything; after the initialisation of mbarriers
  std::vector<core::HostId> HostOf; ///< by litmus thread
  std::vector<core::TimelineId> Streams;
  Layout Where;
  std::vector<uint32_t> ExitAfter; ///< step, by litmus thread; None = executes nothing
  std::vector<bool> EndsAtBarrier;
  std::vector<NodeId> Nodes;
  std::vector<std::vector<core::Block *>> Blocks;
  std::vector<bool> Resident;
  std::vector<std::vector<uint32_t>> Live;
  std::vector<BarrierKey> BarrierNames;
};

} // namespace

Judgement judge(const Machine &m, const SiteTable &sites, const State &end,
                const core::DetectorOptions &options) {
  return std::make_unique<Run>(m, sites, end, options)->run();
}

bool isRace(core::Rule r) {
  switch (r) {
  case core::Rule::BarrierMisuse:
  case core::Rule::ForwardProgress:
  case core::Rule::ProgressNotPromised:
  case core::Rule::VolatileSync:
  case core::Rule::ObservationOnly:
  case core::Rule::UnorderedStrong:
  case core::Rule::OverSynchronized:
    return false;
  default:
    return true;
  }
}

} // namespace scopesan::litmus
