// The order of a graph's nodes, flat: child graphs are replaced with their bodies. Knows no CUDA.
#pragma once

#include "host/graph_lines.h"

#include <vector>

namespace scopesan::gpu {

struct GraphEdge {
  uint32_t from = 0, to = 0; ///< places in the graph's list of nodes
  bool programmatic = false; ///< griddepcontrol.wait orders the two, not the start of the later one
};

/// Places so that each node follows its dependencies, the smallest first; empty when there is a
/// cycle.
std::vector<uint32_t> topologicalOrder(uint32_t nodes, const std::vector<GraphEdge> &edges);

struct FlatNode : host::GraphPlace {
  bool isKernel = false;
};
using FlatGraph = std::vector<FlatNode>;

/// In which order to run the nodes one after the other: each after its dependencies, kernels as
/// late as that allows. A copy that races with two kernels then meets both (what comes later hides
/// what came before).
std::vector<uint32_t> serialOrder(const FlatGraph &graph);

} // namespace scopesan::gpu
