// Graphs as the collector knows them (ADR 022).
//
// The program's graph is copied when it is instantiated; what the program changes in the
// instantiated graph is changed in the copy. A launch replays the copy node by node, as launches
// and copies of the collector's own, while the nodes of the program's own are disabled.
#pragma once

#include "gpu/flat_graph.h"
#include "host/collector.h"

#include <cuda.h>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace scopesan::cupti {

/// The call that added a node.
struct NodeName {
  std::string api;
  host::StackId stack;
};

/// A node of the copy, flat. A child node becomes its body and, after that, an empty node.
struct GraphStep {
  CUgraphNode node = nullptr;
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  uint32_t index = 0; ///< place in its graph's list of nodes
  NodeName name;
};

struct GraphExec {
  ~GraphExec();

  uint32_t ordinal = 0; ///< 1-based number of the instantiation in the process
  uint32_t launches = 0;
  CUgraph source = nullptr; ///< what the program instantiated; null when it was destroyed since
  CUgraph model = nullptr;
  std::unordered_map<CUgraphNode, CUgraphNode> copies; ///< by the program's node
  /// Of a node of the copy: what the driver's functions for the instantiated graph call it.
  std::unordered_map<CUgraphNode, CUgraphNode> handles;
  std::unordered_set<CUgraphNode> disabled;        ///< nodes of the copy
  std::unordered_map<CUgraphNode, CUgraph> bodies; ///< what child nodes of the copy do now
  std::string obstacle; ///< why launches cannot be checked; empty = they can
  std::vector<GraphStep> steps;
  gpu::FlatGraph order;           ///< of the steps
  std::vector<uint32_t> sequence; ///< of steps, as they are replayed
  bool isSilent = false;          ///< the program's own does nothing, for good
  core::NodeId lastEnd;           ///< launches of one instantiated graph follow each other
  CUevent ended = nullptr;

  CUgraphNode copyOf(CUgraphNode original) const {
    auto c = copies.find(original);
    return c == copies.end() ? nullptr : c->second;
  }
};

class GraphTable {
public:
  explicit GraphTable(core::Detector &d) : D(d) {}

  // ---- names of nodes
  void named(CUgraphNode node, const std::string &api);
  /// The last operation that the stream captured became these nodes.
  void nameCaptured(CUstream stream, const std::string &api);
  /// `to` is a copy of `from`.
  void copyNames(CUgraph to, CUgraph from);
  void graphEnds(CUgraph graph);

  // ---- instantiated graphs
  GraphExec *find(CUgraphExec exec) const;
  void instantiated(CUgraphExec exec, CUgraph graph, bool onDevice);
  void updated(CUgraphExec exec, CUgraph graph);
  void childChanged(GraphExec &x, CUgraphNode child, CUgraph body);
  void destroyed(CUgraphExec exec);

private:
  void makeModel(GraphExec &x, CUgraph graph);
  void pair(GraphExec &x, CUgraph graph, CUgraph copy);
  void makeSteps(GraphExec &x);
  void flatten(GraphExec &x, CUgraph graph, const std::vector<gpu::FlatNode::Before> &entry,
               std::vector<gpu::FlatNode::Before> &exit);

  core::Detector &D;
  std::unordered_map<CUgraphNode, NodeName> Names; ///< of the program's nodes and their copies
  std::unordered_map<CUgraphExec, std::unique_ptr<GraphExec>> Execs;
  uint32_t Instantiations = 0;
};

/// Makes launches of the program's instantiated graph do nothing but record and await events.
/// False: that is not possible, and nothing has changed.
bool silence(CUgraphExec exec, const GraphExec &x);
/// Makes its launches do what they did.
void restore(CUgraphExec exec, const GraphExec &x);

/// The nodes of a graph, in the driver's order.
std::vector<CUgraphNode> nodesOf(CUgraph graph);
CUgraphNodeType typeOf(CUgraphNode node);

} // namespace scopesan::cupti
