// Graphs as the program builds them: nodes with their work and edges. Instantiation and launch:
// graph_exec.h.
#pragma once

#include "cpu/shim/cuda_api.h"
#include "cpu/shim/work.h"
#include "host/stacks.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace scopesan::cpu {

struct Event;
struct Graph;

struct ChildWork {
  std::unique_ptr<Graph> Body;
};
struct EventRecordWork {
  Event *What = nullptr;
};
struct EventWaitWork {
  Event *What = nullptr;
};

/// A node's work: that of the stream API, and what exists in graphs only.
struct NodeWork {
  std::variant<Work, ChildWork, EventRecordWork, EventWaitWork> What = Work();

  NodeWork() = default;
  template <typename T> NodeWork(T W) : What(Work(std::move(W))) {}
  NodeWork(Work W) : What(std::move(W)) {}
  NodeWork(ChildWork W) : What(std::move(W)) {}
  NodeWork(EventRecordWork W) : What(W) {}
  NodeWork(EventWaitWork W) : What(W) {}

  /// Null when the node does something else.
  template <typename T> T *as() {
    if constexpr (std::is_constructible_v<Work, T> && !std::is_same_v<T, ChildWork>) {
      Work *W = std::get_if<Work>(&What);
      return W ? std::get_if<T>(W) : nullptr;
    } else {
      return std::get_if<T>(&What);
    }
  }
};

struct GraphNode;

struct Edge {
  GraphNode *From = nullptr;
  cudaGraphEdgeData Data{};
  /// Griddepcontrol.wait orders the two, not the start of the later one.
  bool programmatic() const { return Data.type == cudaGraphDependencyTypeProgrammatic; }
};

struct GraphNode {
  Graph *Owner = nullptr;
  cudaGraphNodeType Type = cudaGraphNodeTypeEmpty;
  NodeWork Work;
  int Device = 0;
  uint32_t Index = 0; ///< place in the graph's order of creation
  std::vector<Edge> Dependencies;
  std::vector<GraphNode *> Dependents;
  host::StackId Stack;               ///< host code that added it
  const GraphNode *Source = nullptr; ///< the node that this one is a copy of
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> Nodes; ///< in order of creation
  uint32_t NextIndex = 0;
  /// References to user objects: they last as long as the graph, its clones and its instances.
  std::vector<std::shared_ptr<void>> UserObjects;
  bool InChild = false; ///< body of a child node: not the program's to destroy

  GraphNode *add(cudaGraphNodeType Type, NodeWork Work, int Device);
  void connect(GraphNode *From, GraphNode *To, const cudaGraphEdgeData &Data);
  bool disconnect(GraphNode *From, GraphNode *To, const cudaGraphEdgeData &Data);
  void remove(GraphNode *N);
  /// A deep copy; `Map` receives the copy of every node, those of child graphs included.
  std::unique_ptr<Graph> clone(std::unordered_map<const GraphNode *, GraphNode *> *Map) const;
  /// Nodes so that each follows its dependencies; empty when there is a cycle.
  std::vector<GraphNode *> ordered() const;
  /// May `From` reach `To` along edges, or are they the same?
  static bool reaches(const GraphNode *From, const GraphNode *To);

  Graph();
  ~Graph();
};

/// Null for a handle that is not alive.
Graph *lookupGraph(cudaGraph_t Handle);
GraphNode *lookupNode(cudaGraphNode_t Handle);
inline cudaGraph_t handleOf(Graph *G) { return reinterpret_cast<cudaGraph_t>(G); }
inline cudaGraphNode_t handleOf(GraphNode *N) { return reinterpret_cast<cudaGraphNode_t>(N); }

/// Adds a node with dependencies as the API gives them (`Data` may be null).
cudaError_t addNode(cudaGraphNode_t *Result, cudaGraph_t G, const cudaGraphNode_t *After,
                    const cudaGraphEdgeData *Data, size_t Count, cudaGraphNodeType Type,
                    NodeWork Work);

} // namespace scopesan::cpu
