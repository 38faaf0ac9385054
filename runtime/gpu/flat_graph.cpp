#include "gpu/flat_graph.h"

#include <set>

namespace scopesan::gpu {

std::vector<uint32_t> topologicalOrder(uint32_t nodes, const std::vector<GraphEdge> &edges) {
  std::vector<uint32_t> missing(nodes), result;
  std::vector<std::vector<uint32_t>> next(nodes);
  for (const GraphEdge &e : edges) {
    ++missing[e.to];
    next[e.from].push_back(e.to);
  }
  std::set<uint32_t> free;
  for (uint32_t i = 0; i < nodes; ++i)
    if (!missing[i])
      free.insert(i);
  while (!free.empty()) {
    uint32_t node = *free.begin();
    free.erase(free.begin());
    result.push_back(node);
    for (uint32_t to : next[node])
      if (--missing[to] == 0)
        free.insert(to);
  }
  if (result.size() != nodes)
    result.clear();
  return result;
}

std::vector<uint32_t> serialOrder(const FlatGraph &graph) {
  std::vector<size_t> missing;
  std::vector<std::vector<uint32_t>> next(graph.size());
  std::set<std::pair<bool, uint32_t>> free;
  for (uint32_t i = 0; i < graph.size(); ++i) {
    missing.push_back(graph[i].after.size());
    for (const FlatNode::Before &b : graph[i].after)
      next[b.index].push_back(i);
    if (!missing[i])
      free.insert({graph[i].isKernel, i});
  }
  std::vector<uint32_t> result;
  while (!free.empty()) {
    uint32_t node = free.begin()->second;
    free.erase(free.begin());
    result.push_back(node);
    for (uint32_t to : next[node])
      if (--missing[to] == 0)
        free.insert({graph[to].isKernel, to});
  }
  return result;
}

} // namespace scopesan::gpu
