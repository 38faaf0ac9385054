// Instantiated graphs: a flat copy of the graph that can be launched again and again.
#pragma once

#include "cpu/shim/graph.h"
#include "cpu/shim/work_queue.h"
#include "host/graph_lines.h"

#include <unordered_set>

namespace scopesan::cpu {

/// A node of the flat graph. A child node becomes its body and, after that, an empty node.
struct FlatNode : host::GraphPlace {
  GraphNode *Node = nullptr; ///< null for the end of a child graph
};

struct GraphExec {
  uint32_t Ordinal = 0; ///< 1-based number of the instantiation in the process
  unsigned long long Flags = 0;
  std::unique_ptr<Graph> Body;
  std::unordered_map<const GraphNode *, GraphNode *> Copies; ///< by the original node
  std::vector<FlatNode> Flat;
  std::unordered_set<const GraphNode *> Disabled; ///< nodes of Body
  uint32_t Launches = 0;
  Dependencies LastEnd; ///< launches of one graph follow each other

  /// The copy of a node of the graph that was instantiated; null when it is none of its nodes.
  GraphNode *copyOf(cudaGraphNode_t Original);
  /// Makes `Flat` from `Body`.
  void flatten();
  cudaError_t launch(Context &C, Stream &S);

private:
  void flattenInto(const Graph &G, const std::vector<FlatNode::Before> &Entry,
                   std::vector<FlatNode::Before> &Exit);
  OperationRef launchNode(Context &C, FlatNode &F, Placement P);
};

/// Null for a handle that is not alive.
GraphExec *lookupExec(cudaGraphExec_t Handle);
inline cudaGraphExec_t handleOf(GraphExec *E) { return reinterpret_cast<cudaGraphExec_t>(E); }

} // namespace scopesan::cpu
