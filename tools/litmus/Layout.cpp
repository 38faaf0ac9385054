#include "Layout.h"

#include "emit/Needs.h"

#include <algorithm>

namespace scopesan::litmus {

namespace {

constexpr uint32_t WarpSize = 32, WarpgroupSize = 4 * WarpSize;

void addBlock(Grid &g, const Position &at) {
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

uint32_t rankOf(const Grid &g, const Position &at) {
  uint32_t rank = 0;
  for (auto &b : g.blocks) {
    if (b.first == at.cluster && b.second == at.block)
      break;
    rank += b.first == at.cluster;
  }
  return rank;
}

} // namespace

Layout::Layout(const Program &p) : grids(p.launches.size()) {
  for (const ThreadCode &t : p.threads)
    addBlock(grids[t.at.launch], t.at);
  for (Grid &g : grids) { // numbers say who starts first (D12)
    std::sort(g.blocks.begin(), g.blocks.end());
    std::sort(g.clusters.begin(), g.clusters.end());
  }
  for (uint32_t t = 0; t < p.threads.size(); ++t) {
    const Position &at = p.threads[t].at;
    uint32_t lane = 0;
    for (uint32_t u = 0; u < t; ++u)
      lane += p.sameBlock(t, u) && p.threads[u].at.warp == at.warp;
    Grid &g = grids[at.launch];
    uint32_t cluster = 0;
    while (g.clusters[cluster] != at.cluster)
      ++cluster;
    index.push_back(at.warp * WarpSize + lane);
    rank.push_back(rankOf(g, at));
    block.push_back(cluster * g.perCluster + rank[t]);
    uint32_t last = isWarpgroup(p.threads[t]) ? WarpgroupSize - 1 : index[t];
    g.threadsPerBlock = std::max(g.threadsPerBlock, last + 1);
  }
}

uint32_t Layout::threadsInBlock(const Program &p, uint32_t thread) const {
  uint32_t n = 0;
  for (uint32_t t = 0; t < p.threads.size(); ++t)
    n += t == thread || p.sameBlock(t, thread);
  return n;
}

bool isHostLaunch(const Program &p, uint32_t launch) {
  for (const ThreadCode &t : p.threads)
    if (t.at.launch == launch)
      return t.at.host;
  return false;
}

} // namespace scopesan::litmus
