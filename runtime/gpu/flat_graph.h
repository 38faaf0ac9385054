// The order of a graph's nodes, flat: child graphs are replaced with their bodies. Knows no CUDA.
#pragma once

#include "scopesan/core/detector.h"

#include <vector>

namespace scopesan::gpu {

struct GraphEdge {
  uint32_t from = 0, to = 0; ///< places in the graph's list of nodes
  bool programmatic = false; ///< griddepcontrol.wait orders the two, not the start of the later one
};

/// Places so that each node follows its dependencies, the smallest first; empty when there is a
/// cycle.
std::vector<uint32_t> topologicalOrder(uint32_t nodes, const std::vector<GraphEdge> &edges);

struct FlatNode {
  struct Before {
    uint32_t index;
    bool programmatic;
    bool operator==(const Before &) const = default;
  };
  std::vector<Before> after; ///< smaller indices; none = after the launch's beginning
  bool isSink = true;        ///< nothing follows it in full
  core::TimelineId line;     ///< nodes of one line follow each other
  bool isKernel = false;
};
using FlatGraph = std::vector<FlatNode>;

/// In which order to run the nodes one after the other: each after its dependencies, kernels as
/// late as that allows. A copy that races with two kernels then meets both (what comes later hides
/// what came before).
std::vector<uint32_t> serialOrder(const FlatGraph &graph);

/// Divides the nodes into lines: a node continues the line of a node that it follows in full.
void assignLines(FlatGraph &graph, core::Detector &d);

} // namespace scopesan::gpu
