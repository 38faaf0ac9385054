#include "Drive.h"

#include <algorithm>
#include <memory>

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
};

/// Where the threads of one launch sit in its grid.
struct Grid {
  std::vector<std::pair<uint32_t, uint32_t>> blocks; ///< (cluster, block) as the program names them
  std::vector<uint32_t> clusters;
  uint32_t perCluster = 1;
  uint32_t threadsPerBlock = 1;
};

class Run {
public:
  Run(const Machine &m, const SiteTable &sites, const State &end,
      const core::DetectorOptions &options)
      : P(m.program()), M(m), Sites(sites), End(end), D(Log, options) {}

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
    return std::move(Log.out);
  }

private:
  // ------------------------------------------------------------------ launches

  void layOut() {
    Grids.resize(P.launches.size());
    Index.resize(P.threads.size());
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
    for (const ThreadCode &t : P.threads)
      addBlock(Grids[t.at.launch], t.at);
    for (uint32_t t = 0; t < P.threads.size(); ++t) {
      const Position &at = P.threads[t].at;
      uint32_t lane = 0;
      for (uint32_t u = 0; u < t; ++u)
        lane += P.sameBlock(t, u) && P.threads[u].at.warp == at.warp;
      Index[t] = at.warp * core::WarpSize + lane;
      Grid &g = Grids[at.launch];
      g.threadsPerBlock = std::max(g.threadsPerBlock, Index[t] + 1);
    }
    Nodes.resize(P.launches.size());
    Blocks.resize(P.launches.size());
    Resident.resize(P.launches.size());
    Live.resize(P.launches.size());
  }
  static void addBlock(Grid &g, const Position &at) {
    std::pair<uint32_t, uint32_t> key{at.cluster, at.block};
    if (std::find(g.blocks.begin(), g.blocks.end(), key) == g.blocks.end())
      g.blocks.push_back(key);
    if (std::find(g.clusters.begin(), g.clusters.end(), at.cluster) == g.clusters.end())
      g.clusters.push_back(at.cluster);
    uint32_t inCluster = 0;
    for (auto &b : g.blocks)
      inCluster += b.first == at.cluster;
    g.perCluster = std::max(g.perCluster, inCluster);
  }
  static uint32_t linearBlock(const Grid &g, const std::pair<uint32_t, uint32_t> &block) {
    uint32_t cluster = 0, rank = 0;
    while (g.clusters[cluster] != block.first)
      ++cluster;
    for (auto &b : g.blocks) {
      if (b == block)
        break;
      rank += b.first == block.first;
    }
    return cluster * g.perCluster + rank;
  }

  void begin() {
    HostLine = D.newTimeline();
    HostNode = D.hostStep(HostLine, nullptr, 0);
    uint32_t streams = 0;
    for (const Launch &l : P.launches)
      streams = std::max(streams, l.stream + 1);
    for (uint32_t s = 0; s < streams; ++s)
      Streams.push_back(D.newTimeline());
    for (uint32_t l = 0; l < P.launches.size(); ++l)
      if (!P.launches[l].byThread && !isHost(l))
        launch(l);
  }
  bool isHost(uint32_t launch) const {
    for (const ThreadCode &t : P.threads)
      if (t.at.launch == launch)
        return t.at.host;
    return false;
  }
  void launch(uint32_t l) {
    const Grid &g = Grids[l];
    core::LaunchFacts facts;
    facts.grid = {uint32_t(g.clusters.size()) * g.perCluster, 1, 1};
    facts.cluster = {g.perCluster, 1, 1};
    facts.block = {g.threadsPerBlock, 1, 1};
    facts.cooperative = P.launches[l].cooperative;
    for (const ThreadCode &t : P.threads)
      if (t.at.launch == l) {
        facts.device = {t.at.device};
        facts.domain = {t.at.domain};
      }
    std::vector<NodeId> after{HostNode};
    for (uint32_t a : P.launches[l].after)
      after.push_back(Nodes[a]);
    Nodes[l] = D.launch(Streams[P.launches[l].stream], after.data(), uint32_t(after.size()), facts);
  }
  void hostStep(std::vector<NodeId> after) {
    HostNode = D.hostStep(HostLine, after.data(), uint32_t(after.size()));
    HostBlock = nullptr;
  }

  /// Blocks become resident when the first thread of the launch executes something.
  void ensureResident(uint32_t l) {
    if (Resident[l] || isHost(l))
      return;
    Resident[l] = true;
    const Grid &g = Grids[l];
    for (auto &key : g.blocks)
      Blocks[l].push_back(D.beginBlock(Nodes[l], linearBlock(g, key)));
    for (uint32_t b = 0; b < g.blocks.size(); ++b) {
      std::vector<bool> real(g.threadsPerBlock);
      for (uint32_t t = 0; t < P.threads.size(); ++t)
        if (P.threads[t].at.launch == l && blockOf(t) == b && ExitAfter[t] != None)
          real[Index[t]] = true;
      uint32_t live = 0;
      for (uint32_t i = 0; i < g.threadsPerBlock; ++i)
        if (real[i])
          ++live;
        else
          D.threadExit(*D.thread(Blocks[l][b], {i}));
      Live[l].push_back(live);
    }
  }
  uint32_t blockOf(uint32_t thread) const {
    const Position &at = P.threads[thread].at;
    const Grid &g = Grids[at.launch];
    for (uint32_t b = 0; b < g.blocks.size(); ++b)
      if (g.blocks[b] == std::pair<uint32_t, uint32_t>{at.cluster, at.block})
        return b;
    return 0;
  }
  core::Thread &threadOf(uint32_t t) {
    const Position &at = P.threads[t].at;
    if (!at.host)
      return *D.thread(Blocks[at.launch][blockOf(t)], {Index[t]});
    if (!HostBlock)
      HostBlock = D.beginBlock(HostNode, 0);
    return *D.thread(HostBlock, {0});
  }
  void exit(uint32_t t) {
    const Position &at = P.threads[t].at;
    if (End.threads[t].status != ThreadStatus::Done || at.host)
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

  uint64_t address(const Instr &i) const {
    return 0x10000 + uint64_t(P.root(i.location)) * 64 + i.offset;
  }
  void execute(const Step &step, const Instr &i) {
    core::SiteId site = Sites.site(step.thread, step.instr);
    switch (i.verb) {
    case Verb::Load:
    case Verb::Store:
    case Verb::Rmw:
      return access(threadOf(step.thread), step, i, site);
    case Verb::Fence:
      return D.fence(threadOf(step.thread), Op(abi::AccessKind::Fence, i.order, i.scope), site);
    case Verb::BlockBarrier:
      return D.blockBarrierArrive(threadOf(step.thread), kind(i), barrierId(step), count(step, i),
                                  site);
    case Verb::WarpBarrier:
      return D.warpBarrierArrive(threadOf(step.thread), ~0u, site);
    case Verb::Launch:
      launch(i.target);
      if (P.threads[step.thread].at.host)
        hostStep({});
      return;
    case Verb::Sync:
      return hostStep({Nodes[i.target]});
    default:
      return;
    }
  }
  void access(core::Thread &t, const Step &step, const Instr &i, core::SiteId site) {
    if (P.locations[i.location].isLocal)
      return;
    uint64_t a = address(i);
    if (i.order == MemoryOrder::Weak)
      return i.verb == Verb::Load ? D.read(t, a, i.bytes, site) : D.write(t, a, i.bytes, site);
    abi::AccessKind k = i.verb == Verb::Load    ? abi::AccessKind::Load
                        : i.verb == Verb::Store ? abi::AccessKind::Store
                        : !i.returns            ? abi::AccessKind::Red
                        : i.rmw == RmwKind::CompareExchange ? abi::AccessKind::Cas
                                                            : abi::AccessKind::Rmw;
    Op op(k, i.order, i.scope);
    if (i.isVolatile)
      op = op.with(Op::VolatileBit);
    D.atomicBefore(t, a, i.bytes, op, site);
    D.atomicAfter(t, a, i.bytes, op, site, step.wrote, uint64_t(step.read));
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
  uint32_t count(const Step &step, const Instr &i) const {
    const BarrierGroup &g = End.groups[step.group];
    if (i.allThreads)
      return 0;
    if (g.expected)
      return g.expected;
    return g.complete ? uint32_t(g.arrived.size()) : core::MaxBlockThreads;
  }

  const Program &P;
  const Machine &M;
  const SiteTable &Sites;
  const State &End;
  Sink Log;
  Detector D;
  core::TimelineId HostLine;
  NodeId HostNode;
  core::Block *HostBlock = nullptr;
  std::vector<core::TimelineId> Streams;
  std::vector<Grid> Grids;
  std::vector<uint32_t> Index;    ///< thread index in its block, by litmus thread
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

std::string missingInCore(const Program &p) {
  for (const ThreadCode &t : p.threads)
    for (const Instr &i : t.code) {
      bool viewed = i.isMemory() && (i.proxy != Proxy::Generic ||
                                     p.locations[i.location].distinctAddress);
      if (viewed || i.verb == Verb::ProxyFence)
        return "S13";
      if (i.verb == Verb::ClusterArrive || i.verb == Verb::ClusterWait)
        return "S9";
      if (i.verb == Verb::MbarInit || i.verb == Verb::MbarArrive || i.verb == Verb::MbarWait)
        return "S10";
      if (i.verb == Verb::AsyncCopy || i.verb == Verb::AsyncCommit || i.verb == Verb::AsyncWait)
        return "S12";
      if (i.nonCoherent)
        return "O6";
      if (i.verb == Verb::GridWait || i.verb == Verb::LaunchDependents)
        return "S14 (programmatic launches)";
    }
  return {};
}

bool isRace(core::Rule r, bool cxxMode) {
  switch (r) {
  case core::Rule::ProxyViolation:
    return !cxxMode;
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
