// Graphs: creation, edges, copies, queries.
#include "cpu/shim/context.h"
#include "cpu/shim/graph.h"

#include <algorithm>
#include <stdio.h>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

/// Fills `Out` with up to *Count handles, or only counts when `Out` is null.
template <typename T, typename Get> cudaError_t list(size_t Total, T *Out, size_t *Count, Get At) {
  if (!Count)
    return cudaErrorInvalidValue;
  if (!Out) {
    *Count = Total;
    return cudaSuccess;
  }
  for (size_t I = 0; I < *Count; ++I)
    Out[I] = I < Total ? At(I) : T{};
  *Count = std::min(*Count, Total);
  return cudaSuccess;
}

struct FullEdge {
  GraphNode *From, *To;
  cudaGraphEdgeData Data;
};

/// Edge queries write three arrays of which any may be null.
cudaError_t listEdges(const std::vector<FullEdge> &Edges, cudaGraphNode_t *From,
                      cudaGraphNode_t *To, cudaGraphEdgeData *Data, size_t *Count) {
  if (!Count)
    return cudaErrorInvalidValue;
  if (!From && !To && !Data) {
    *Count = Edges.size();
    return cudaSuccess;
  }
  for (size_t I = 0; I < *Count; ++I) {
    bool Known = I < Edges.size();
    if (From)
      From[I] = Known ? handleOf(Edges[I].From) : nullptr;
    if (To)
      To[I] = Known ? handleOf(Edges[I].To) : nullptr;
    if (Data)
      Data[I] = Known ? Edges[I].Data : cudaGraphEdgeData{};
    else if (Known && Edges[I].Data.type != cudaGraphDependencyTypeDefault)
      return cudaErrorLossyQuery;
  }
  *Count = std::min(*Count, Edges.size());
  return cudaSuccess;
}

template <typename Function> cudaError_t graphCall(cudaGraph_t Handle, Function Body) {
  return apiCall([&](Context &) {
    Graph *G = lookupGraph(Handle);
    return G ? Body(*G) : cudaErrorInvalidValue;
  });
}

template <typename Function> cudaError_t nodeCall(cudaGraphNode_t Handle, Function Body) {
  return apiCall([&](Context &) {
    GraphNode *N = lookupNode(Handle);
    return N ? Body(*N) : cudaErrorInvalidValue;
  });
}

} // namespace

// ---------------------------------------------------------------- graphs

cudaError_t cudaGraphCreate(cudaGraph_t *Result, unsigned Flags) {
  return apiCall([&](Context &) {
    if (!Result || Flags)
      return cudaErrorInvalidValue;
    return *Result = handleOf(new Graph), cudaSuccess;
  });
}
cudaError_t cudaGraphDestroy(cudaGraph_t Handle) {
  return graphCall(Handle, [](Graph &G) {
    if (G.InChild)
      return cudaErrorInvalidValue;
    delete &G;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphClone(cudaGraph_t *Result, cudaGraph_t Handle) {
  return graphCall(Handle, [&](Graph &G) {
    if (!Result)
      return cudaErrorInvalidValue;
    return *Result = handleOf(G.clone(nullptr).release()), cudaSuccess;
  });
}
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *Result, cudaGraphNode_t Original,
                                     cudaGraph_t Clone) {
  return graphCall(Clone, [&](Graph &G) {
    for (auto &N : G.Nodes)
      if (N->Source == lookupNode(Original))
        return *Result = handleOf(N.get()), cudaSuccess;
    return cudaErrorInvalidValue;
  });
}

// ---------------------------------------------------------------- edges

static cudaError_t changeEdges(cudaGraph_t Handle, const cudaGraphNode_t *From,
                               const cudaGraphNode_t *To, const cudaGraphEdgeData *Data,
                               size_t Count, bool Add) {
  return graphCall(Handle, [&](Graph &G) {
    for (size_t I = 0; I < Count; ++I) {
      GraphNode *A = lookupNode(From[I]), *B = lookupNode(To[I]);
      if (!A || !B || A == B || A->Owner != &G || B->Owner != &G)
        return cudaErrorInvalidValue;
      cudaGraphEdgeData D = Data ? Data[I] : cudaGraphEdgeData{};
      bool Known = G.disconnect(A, B, D);
      if (Known == Add) // adding an edge that exists, or removing one that does not
        return cudaErrorInvalidValue;
      if (Add)
        G.connect(A, B, D);
    }
    return cudaSuccess;
  });
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t G, const cudaGraphNode_t *From,
                                     const cudaGraphNode_t *To, const cudaGraphEdgeData *Data,
                                     size_t Count) {
  return changeEdges(G, From, To, Data, Count, true);
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t G, const cudaGraphNode_t *From,
                                        const cudaGraphNode_t *To, const cudaGraphEdgeData *Data,
                                        size_t Count) {
  return changeEdges(G, From, To, Data, Count, false);
}

// ---------------------------------------------------------------- nodes

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t Handle) {
  return nodeCall(Handle, [](GraphNode &N) {
    if (N.Type == cudaGraphNodeTypeMemAlloc || N.Type == cudaGraphNodeTypeMemFree)
      return cudaErrorNotSupported; // as documented
    N.Owner->remove(&N);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t Handle, cudaGraphNodeType *Type) {
  return nodeCall(Handle, [&](GraphNode &N) {
    if (!Type)
      return cudaErrorInvalidValue;
    return *Type = N.Type, cudaSuccess;
  });
}
cudaError_t cudaGraphGetNodes(cudaGraph_t Handle, cudaGraphNode_t *Out, size_t *Count) {
  return graphCall(Handle, [&](Graph &G) {
    return list(G.Nodes.size(), Out, Count, [&](size_t I) { return handleOf(G.Nodes[I].get()); });
  });
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t Handle, cudaGraphNode_t *Out, size_t *Count) {
  return graphCall(Handle, [&](Graph &G) {
    std::vector<GraphNode *> Roots;
    for (auto &N : G.Nodes)
      if (N->Dependencies.empty())
        Roots.push_back(N.get());
    return list(Roots.size(), Out, Count, [&](size_t I) { return handleOf(Roots[I]); });
  });
}
cudaError_t cudaGraphGetEdges(cudaGraph_t Handle, cudaGraphNode_t *From, cudaGraphNode_t *To,
                              cudaGraphEdgeData *Data, size_t *Count) {
  return graphCall(Handle, [&](Graph &G) {
    std::vector<FullEdge> Edges;
    for (auto &N : G.Nodes)
      for (const Edge &E : N->Dependencies)
        Edges.push_back({E.From, N.get(), E.Data});
    return listEdges(Edges, From, To, Data, Count);
  });
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t Handle, cudaGraphNode_t *Out,
                                         cudaGraphEdgeData *Data, size_t *Count) {
  return nodeCall(Handle, [&](GraphNode &N) {
    std::vector<FullEdge> Edges;
    for (const Edge &E : N.Dependencies)
      Edges.push_back({E.From, &N, E.Data});
    return listEdges(Edges, Out, nullptr, Data, Count);
  });
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t Handle, cudaGraphNode_t *Out,
                                           cudaGraphEdgeData *Data, size_t *Count) {
  return nodeCall(Handle, [&](GraphNode &N) {
    std::vector<FullEdge> Edges;
    for (auto &To : N.Owner->Nodes)
      for (const Edge &E : To->Dependencies)
        if (E.From == &N)
          Edges.push_back({&N, To.get(), E.Data});
    return listEdges(Edges, nullptr, Out, Data, Count);
  });
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t Handle, const char *Path, unsigned) {
  static constexpr const char *Names[] = {"kernel", "memcpy",    "memset",     "host",
                                          "graph",  "empty",     "wait event", "record event",
                                          "signal", "semaphore", "alloc",      "free"};
  return graphCall(Handle, [&](Graph &G) {
    FILE *File = Path ? fopen(Path, "w") : nullptr;
    if (!File)
      return cudaErrorOperatingSystem;
    fprintf(File, "digraph graph_ {\n");
    for (auto &N : G.Nodes) {
      fprintf(File, "  n%u [label=\"%u: %s\"];\n", N->Index, N->Index, Names[N->Type]);
      for (const Edge &E : N->Dependencies)
        fprintf(File, "  n%u -> n%u;\n", E.From->Index, N->Index);
    }
    fprintf(File, "}\n");
    return fclose(File) ? cudaErrorOperatingSystem : cudaSuccess;
  });
}
