// The nodes of an instantiated graph, flat, as lines of work that follow each other. Knows no CUDA.
#pragma once

#include "scopesan/core/detector.h"

#include <stdint.h>
#include <unordered_map>
#include <vector>

namespace scopesan::host {

/// Where a node of a flat graph stands. Backends add what they run there.
struct GraphPlace {
  struct Before {
    uint32_t index;
    bool programmatic; ///< griddepcontrol.wait orders the two, not the start of the later one
    bool operator==(const Before &) const = default;
  };
  std::vector<Before> after; ///< smaller indices; none = after the launch's beginning
  bool isSink = true;        ///< nothing follows it in full
  core::TimelineId line;     ///< nodes of one line follow each other
};

/// Divides the nodes into lines: a node continues the line of a node that it follows in full.
template <typename Node> void assignLines(std::vector<Node> &graph, core::Detector &d) {
  std::unordered_map<uint32_t, uint32_t> last; // line -> its last node
  for (uint32_t i = 0; i < graph.size(); ++i) {
    GraphPlace &node = graph[i];
    bool found = false;
    for (const GraphPlace::Before &b : node.after) {
      if (b.programmatic)
        continue;
      GraphPlace &before = graph[b.index];
      before.isSink = false;
      if (!found && last[before.line.value] == b.index) {
        node.line = before.line;
        found = true;
      }
    }
    if (!found)
      node.line = d.newTimeline();
    last[node.line.value] = i;
  }
}

} // namespace scopesan::host
