#include "cpu/shim/graph.h"

#include "cpu/shim/context.h"
#include "host/collector.h"

#include <algorithm>
#include <set>
#include <string.h>
#include <unordered_set>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

/// Handles that are alive. Never destroyed: programs use graphs in static destructors.
struct Handles {
  std::unordered_set<const Graph *> Graphs;
  std::unordered_set<const GraphNode *> Nodes;
};
Handles &handles() {
  static auto *H = new Handles;
  return *H;
}

bool same(const cudaGraphEdgeData &A, const cudaGraphEdgeData &B) {
  return A.type == B.type && A.from_port == B.from_port && A.to_port == B.to_port;
}

} // namespace

Graph::Graph() { handles().Graphs.insert(this); }
Graph::~Graph() {
  for (auto &N : Nodes)
    handles().Nodes.erase(N.get());
  handles().Graphs.erase(this);
}

Graph *scopesan::cpu::lookupGraph(cudaGraph_t Handle) {
  auto *G = reinterpret_cast<Graph *>(Handle);
  return handles().Graphs.count(G) ? G : nullptr;
}

GraphNode *scopesan::cpu::lookupNode(cudaGraphNode_t Handle) {
  auto *N = reinterpret_cast<GraphNode *>(Handle);
  return handles().Nodes.count(N) ? N : nullptr;
}

GraphNode *Graph::add(cudaGraphNodeType Type, NodeWork Work, int Device) {
  auto N = std::make_unique<GraphNode>();
  N->Owner = this;
  N->Type = Type;
  N->Work = std::move(Work);
  N->Device = Device;
  N->Index = NextIndex++;
  N->Stack = host::captureStack();
  handles().Nodes.insert(N.get());
  Nodes.push_back(std::move(N));
  return Nodes.back().get();
}

void Graph::connect(GraphNode *From, GraphNode *To, const cudaGraphEdgeData &Data) {
  To->Dependencies.push_back({From, Data});
  From->Dependents.push_back(To);
}

bool Graph::disconnect(GraphNode *From, GraphNode *To, const cudaGraphEdgeData &Data) {
  auto It = std::find_if(To->Dependencies.begin(), To->Dependencies.end(),
                         [&](const Edge &E) { return E.From == From && same(E.Data, Data); });
  if (It == To->Dependencies.end())
    return false;
  To->Dependencies.erase(It);
  From->Dependents.erase(std::find(From->Dependents.begin(), From->Dependents.end(), To));
  return true;
}

void Graph::remove(GraphNode *N) {
  for (const Edge &E : std::vector<Edge>(N->Dependencies))
    disconnect(E.From, N, E.Data);
  for (GraphNode *To : std::vector<GraphNode *>(N->Dependents))
    for (const Edge &E : std::vector<Edge>(To->Dependencies))
      if (E.From == N)
        disconnect(N, To, E.Data);
  handles().Nodes.erase(N);
  std::erase_if(Nodes, [&](auto &P) { return P.get() == N; });
}

static NodeWork cloneWork(const NodeWork &From,
                          std::unordered_map<const GraphNode *, GraphNode *> *Map) {
  if (auto *W = std::get_if<Work>(&From.What))
    return *W;
  if (auto *Child = std::get_if<ChildWork>(&From.What)) {
    ChildWork Copy{Child->Body->clone(Map)};
    Copy.Body->InChild = true;
    return Copy;
  }
  if (auto *Record = std::get_if<EventRecordWork>(&From.What))
    return *Record;
  return std::get<EventWaitWork>(From.What);
}

std::unique_ptr<Graph> Graph::clone(std::unordered_map<const GraphNode *, GraphNode *> *Map) const {
  auto Copy = std::make_unique<Graph>();
  std::unordered_map<const GraphNode *, GraphNode *> Local;
  for (const auto &N : Nodes) {
    auto New = std::make_unique<GraphNode>();
    New->Owner = Copy.get();
    New->Type = N->Type;
    New->Work = cloneWork(N->Work, Map);
    New->Device = N->Device;
    New->Index = N->Index;
    New->Stack = N->Stack;
    New->Source = N.get();
    Local[N.get()] = New.get();
    handles().Nodes.insert(New.get());
    Copy->Nodes.push_back(std::move(New));
  }
  Copy->NextIndex = NextIndex;
  Copy->UserObjects = UserObjects;
  for (const auto &N : Nodes)
    for (const Edge &E : N->Dependencies)
      Copy->connect(Local[E.From], Local[N.get()], E.Data);
  if (Map)
    Map->insert(Local.begin(), Local.end());
  return Copy;
}

std::vector<GraphNode *> Graph::ordered() const {
  std::unordered_map<const GraphNode *, size_t> Missing;
  auto Older = [](const GraphNode *A, const GraphNode *B) { return A->Index < B->Index; };
  std::set<GraphNode *, decltype(Older)> Free(Older);
  for (const auto &N : Nodes) {
    Missing[N.get()] = N->Dependencies.size();
    if (N->Dependencies.empty())
      Free.insert(N.get());
  }
  std::vector<GraphNode *> Result;
  while (!Free.empty()) {
    GraphNode *N = *Free.begin();
    Free.erase(Free.begin());
    Result.push_back(N);
    for (GraphNode *To : N->Dependents)
      if (--Missing[To] == 0)
        Free.insert(To);
  }
  if (Result.size() != Nodes.size())
    Result.clear();
  return Result;
}

bool Graph::reaches(const GraphNode *From, const GraphNode *To) {
  std::vector<const GraphNode *> Stack{From};
  std::unordered_set<const GraphNode *> Seen{From};
  while (!Stack.empty()) {
    const GraphNode *N = Stack.back();
    Stack.pop_back();
    if (N == To)
      return true;
    for (const GraphNode *Next : N->Dependents)
      if (Seen.insert(Next).second)
        Stack.push_back(Next);
  }
  return false;
}

cudaError_t scopesan::cpu::addNode(cudaGraphNode_t *Result, cudaGraph_t Handle,
                                   const cudaGraphNode_t *After, const cudaGraphEdgeData *Data,
                                   size_t Count, cudaGraphNodeType Type, NodeWork Work) {
  Graph *G = lookupGraph(Handle);
  if (!G || !Result || (Count && !After))
    return cudaErrorInvalidValue;
  std::vector<GraphNode *> From;
  for (size_t I = 0; I < Count; ++I) {
    From.push_back(lookupNode(After[I]));
    if (!From.back() || From.back()->Owner != G ||
        std::count(From.begin(), From.end(), From.back()) > 1)
      return cudaErrorInvalidValue;
  }
  GraphNode *N = G->add(Type, std::move(Work), currentDevice());
  for (size_t I = 0; I < Count; ++I)
    G->connect(From[I], N, Data ? Data[I] : cudaGraphEdgeData{});
  *Result = handleOf(N);
  return cudaSuccess;
}
