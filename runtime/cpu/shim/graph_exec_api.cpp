// Instantiation, update and launch of graphs.
#include "cpu/shim/capture.h"
#include "cpu/shim/graph_nodes.h"
#include "cpu/shim/variants.h"

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

std::unordered_set<const GraphExec *> &liveExecs() {
  static auto *Set = new std::unordered_set<const GraphExec *>;
  return *Set;
}

template <typename Function> cudaError_t execCall(cudaGraphExec_t Handle, Function Body) {
  return deviceCall([&](Context &C) {
    GraphExec *X = lookupExec(Handle);
    return X ? Body(C, *X) : cudaErrorInvalidValue;
  });
}

cudaError_t instantiate(cudaGraphExec_t *Result, cudaGraph_t Handle, unsigned long long Flags,
                        cudaGraphInstantiateResult *Why = nullptr) {
  static uint32_t Count = 0;
  return deviceCall([&](Context &) {
    Graph *G = lookupGraph(Handle);
    if (!Result || !G)
      return cudaErrorInvalidValue;
    if (Flags & cudaGraphInstantiateFlagDeviceLaunch) {
      host::incomplete("the CPU backend lacks graphs that are launched from the device");
      return cudaErrorNotSupported;
    }
    if (G->ordered().size() != G->Nodes.size()) { // a cycle
      if (Why)
        *Why = cudaGraphInstantiateInvalidStructure;
      return cudaErrorInvalidValue;
    }
    auto X = std::make_unique<GraphExec>();
    X->Ordinal = ++Count;
    X->Flags = Flags;
    X->Body = G->clone(&X->Copies);
    X->flatten();
    liveExecs().insert(X.get());
    *Result = handleOf(X.release());
    return cudaSuccess;
  });
}

// ---------------------------------------------------------------- update

/// Edges of `New` and `Old` agree, node by node in order of creation.
bool sameTopology(const Graph &Old, const Graph &New,
                  std::unordered_map<const GraphNode *, GraphNode *> &Match) {
  if (Old.Nodes.size() != New.Nodes.size())
    return false;
  for (size_t I = 0; I < Old.Nodes.size(); ++I)
    Match[New.Nodes[I].get()] = Old.Nodes[I].get();
  for (const auto &N : New.Nodes) {
    const GraphNode *O = Match[N.get()];
    if (O->Dependencies.size() != N->Dependencies.size())
      return false;
    for (const Edge &E : N->Dependencies)
      if (std::none_of(O->Dependencies.begin(), O->Dependencies.end(), [&](const Edge &X) {
            return X.From == Match[E.From] && X.Data.type == E.Data.type;
          }))
        return false;
  }
  return true;
}

cudaGraphExecUpdateResult update(GraphExec &X, Graph &Old, const Graph &New,
                                 const GraphNode *&Wrong) {
  std::unordered_map<const GraphNode *, GraphNode *> Match;
  if (!sameTopology(Old, New, Match))
    return cudaGraphExecUpdateErrorTopologyChanged;
  for (const auto &N : New.Nodes) {
    GraphNode *O = Match[N.get()];
    Wrong = N.get();
    if (O->Type != N->Type)
      return cudaGraphExecUpdateErrorNodeTypeChanged;
    if (auto *Child = O->Work.as<ChildWork>()) {
      auto R = update(X, *Child->Body, *N->Work.as<ChildWork>()->Body, Wrong);
      if (R != cudaGraphExecUpdateSuccess)
        return R;
    } else if (auto *W = std::get_if<Work>(&N->Work.What)) {
      if (!std::holds_alternative<AllocWork>(*W) && !std::holds_alternative<FreeWork>(*W))
        O->Work = *W;
    } else if (auto *Record = N->Work.as<EventRecordWork>()) {
      O->Work = *Record;
    } else if (auto *Wait = N->Work.as<EventWaitWork>()) {
      O->Work = *Wait;
    }
    O->Stack = N->Stack;
    X.Copies[N.get()] = O;
  }
  Wrong = nullptr;
  return cudaGraphExecUpdateSuccess;
}

} // namespace

GraphExec *scopesan::cpu::lookupExec(cudaGraphExec_t Handle) {
  auto *X = reinterpret_cast<GraphExec *>(Handle);
  return liveExecs().count(X) ? X : nullptr;
}

// ---------------------------------------------------------------- instantiation

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *X, cudaGraph_t G, unsigned long long Flags) {
  return instantiate(X, G, Flags);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *X, cudaGraph_t G,
                                          unsigned long long Flags) {
  return instantiate(X, G, Flags);
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *X, cudaGraph_t G,
                                           cudaGraphInstantiateParams *P) {
  if (!P)
    return record(cudaErrorInvalidValue);
  P->errNode_out = nullptr;
  P->result_out = cudaGraphInstantiateSuccess;
  cudaError_t E = instantiate(X, G, P->flags, &P->result_out);
  if (E != cudaSuccess && P->result_out == cudaGraphInstantiateSuccess)
    P->result_out = cudaGraphInstantiateError;
  return E;
}
SCOPESAN_EXPORT cudaError_t cudaGraphInstantiateWithParams_ptsz(cudaGraphExec_t *X, cudaGraph_t G,
                                                                cudaGraphInstantiateParams *P) {
  return cudaGraphInstantiateWithParams(X, G, P);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t Handle) {
  return execCall(Handle, [](Context &, GraphExec &X) {
    liveExecs().erase(&X);
    delete &X;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t Handle, unsigned long long *Flags) {
  return execCall(Handle, [&](Context &, GraphExec &X) { return *Flags = X.Flags, cudaSuccess; });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t Handle, cudaGraph_t New,
                                cudaGraphExecUpdateResultInfo *Info) {
  return execCall(Handle, [&](Context &, GraphExec &X) {
    Graph *G = lookupGraph(New);
    if (!G || !Info)
      return cudaErrorInvalidValue;
    const GraphNode *Wrong = nullptr;
    *Info = {};
    Info->result = update(X, *X.Body, *G, Wrong);
    Info->errorNode = reinterpret_cast<cudaGraphNode_t>(const_cast<GraphNode *>(Wrong));
    return Info->result == cudaGraphExecUpdateSuccess ? cudaSuccess
                                                      : cudaErrorGraphExecUpdateFailure;
  });
}
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t Handle, cudaGraphNode_t Node,
                                                 cudaGraph_t Child) {
  return execCall(Handle, [&](Context &, GraphExec &X) {
    Graph *G = lookupGraph(Child);
    GraphNode *N = X.copyOf(Node);
    auto *W = N ? N->Work.as<ChildWork>() : nullptr;
    const GraphNode *Wrong = nullptr;
    bool Updated = G && W && update(X, *W->Body, *G, Wrong) == cudaGraphExecUpdateSuccess;
    return Updated ? cudaSuccess : cudaErrorInvalidValue;
  });
}
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t Handle, cudaGraphNode_t Node, unsigned On) {
  return execCall(Handle, [&](Context &, GraphExec &X) {
    GraphNode *N = X.copyOf(Node);
    if (!N || (N->Type != cudaGraphNodeTypeKernel && N->Type != cudaGraphNodeTypeMemset &&
               N->Type != cudaGraphNodeTypeMemcpy))
      return cudaErrorInvalidValue;
    if (On)
      X.Disabled.erase(N);
    else
      X.Disabled.insert(N);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t Handle, cudaGraphNode_t Node, unsigned *On) {
  return execCall(Handle, [&](Context &, GraphExec &X) {
    GraphNode *N = X.copyOf(Node);
    if (!N || !On)
      return cudaErrorInvalidValue;
    return *On = !X.Disabled.count(N), cudaSuccess;
  });
}

// ---------------------------------------------------------------- launch

cudaError_t cudaGraphUpload(cudaGraphExec_t Handle, cudaStream_t Queue) {
  return streamCall(Queue, [&](Context &, Stream &) {
    return lookupExec(Handle) ? cudaSuccess : cudaErrorInvalidValue;
  });
}
SCOPESAN_EXPORT cudaError_t cudaGraphUpload_ptsz(cudaGraphExec_t X, cudaStream_t S) {
  return cudaGraphUpload(X, perThread(S));
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t Handle, cudaStream_t Queue) {
  return streamCall(Queue, [&](Context &C, Stream &S) {
    GraphExec *X = lookupExec(Handle);
    if (!X)
      return cudaErrorInvalidValue;
    if (S.Capturing) {
      ChildWork W{X->Body->clone(nullptr)};
      W.Body->InChild = true;
      return captureNode(S, cudaGraphNodeTypeGraph, std::move(W));
    }
    if (cudaError_t E = checkImplicitJoin(C, S); E != cudaSuccess)
      return E;
    return X->launch(C, S);
  });
}
SCOPESAN_EXPORT cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t X, cudaStream_t S) {
  return cudaGraphLaunch(X, perThread(S));
}
