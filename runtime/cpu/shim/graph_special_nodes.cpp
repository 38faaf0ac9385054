// Host, child graph, empty, event and memory nodes, and the functions that take any kind of node.
#include "cpu/shim/graph_nodes.h"

#include "cpu/shim/graph_memory.h"

#include <string.h>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

/// Adds a node of a kind that needs no device.
cudaError_t add(cudaGraphNode_t *Result, cudaGraph_t G, const cudaGraphNode_t *After, size_t Count,
                cudaGraphNodeType Type, NodeWork W) {
  return deviceCall(
      [&](Context &) { return addNode(Result, G, After, nullptr, Count, Type, std::move(W)); });
}

int poolDevice(Context &C, const cudaMemPoolProps &P) {
  bool Given = P.location.type == cudaMemLocationTypeDevice && C.valid(P.location.id);
  return Given ? P.location.id : currentDevice();
}

NodeWork childOf(const Graph &Body) {
  ChildWork W{Body.clone(nullptr)};
  W.Body->InChild = true;
  return W;
}

} // namespace

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *Result, cudaGraph_t G,
                                  const cudaGraphNode_t *After, size_t Count) {
  return add(Result, G, After, Count, cudaGraphNodeTypeEmpty, EmptyWork{});
}

// ---------------------------------------------------------------- host nodes

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *Result, cudaGraph_t G,
                                 const cudaGraphNode_t *After, size_t Count,
                                 const cudaHostNodeParams *P) {
  if (!P || !P->fn)
    return record(cudaErrorInvalidValue);
  return add(Result, G, After, Count, cudaGraphNodeTypeHost,
             HostWork{"cudaGraphAddHostNode", P->fn, P->userData});
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t Handle, cudaHostNodeParams *P) {
  return withNode<HostWork>(Handle, [&](HostWork &W) {
    if (!P)
      return cudaErrorInvalidValue;
    return *P = {W.Function, W.Data}, cudaSuccess;
  });
}
static cudaError_t setHost(HostWork &W, const cudaHostNodeParams *P) {
  if (!P || !P->fn)
    return cudaErrorInvalidValue;
  W.Function = P->fn;
  W.Data = P->userData;
  return cudaSuccess;
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t Handle, const cudaHostNodeParams *P) {
  return withNode<HostWork>(Handle, [&](HostWork &W) { return setHost(W, P); });
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t Exec, cudaGraphNode_t Handle,
                                           const cudaHostNodeParams *P) {
  return withExecNode<HostWork>(Exec, Handle, [&](HostWork &W) { return setHost(W, P); });
}

// ---------------------------------------------------------------- child graphs

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *Result, cudaGraph_t G,
                                       const cudaGraphNode_t *After, size_t Count,
                                       cudaGraph_t Child) {
  Graph *Body = lookupGraph(Child);
  if (!Body)
    return record(cudaErrorInvalidValue);
  return add(Result, G, After, Count, cudaGraphNodeTypeGraph, childOf(*Body));
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t Handle, cudaGraph_t *Result) {
  return withNode<ChildWork>(Handle, [&](ChildWork &W) {
    if (!Result)
      return cudaErrorInvalidValue;
    return *Result = handleOf(W.Body.get()), cudaSuccess;
  });
}

// ---------------------------------------------------------------- events

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *Result, cudaGraph_t G,
                                        const cudaGraphNode_t *After, size_t Count,
                                        cudaEvent_t Handle) {
  Event *E = lookupEvent(Handle);
  if (!E)
    return record(cudaErrorInvalidResourceHandle);
  return add(Result, G, After, Count, cudaGraphNodeTypeEventRecord, EventRecordWork{E});
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *Result, cudaGraph_t G,
                                      const cudaGraphNode_t *After, size_t Count,
                                      cudaEvent_t Handle) {
  Event *E = lookupEvent(Handle);
  if (!E)
    return record(cudaErrorInvalidResourceHandle);
  return add(Result, G, After, Count, cudaGraphNodeTypeWaitEvent, EventWaitWork{E});
}

template <typename T> static cudaError_t getEvent(cudaGraphNode_t Handle, cudaEvent_t *Result) {
  return withNode<T>(Handle, [&](T &W) {
    if (!Result)
      return cudaErrorInvalidValue;
    return *Result = reinterpret_cast<cudaEvent_t>(W.What), cudaSuccess;
  });
}
template <typename T> static cudaError_t setEvent(T &W, cudaEvent_t Handle) {
  Event *E = lookupEvent(Handle);
  if (!E)
    return cudaErrorInvalidResourceHandle;
  return W.What = E, cudaSuccess;
}
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t N, cudaEvent_t *E) {
  return getEvent<EventRecordWork>(N, E);
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t N, cudaEvent_t *E) {
  return getEvent<EventWaitWork>(N, E);
}
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t N, cudaEvent_t E) {
  return withNode<EventRecordWork>(N, [&](EventRecordWork &W) { return setEvent(W, E); });
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t N, cudaEvent_t E) {
  return withNode<EventWaitWork>(N, [&](EventWaitWork &W) { return setEvent(W, E); });
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t X, cudaGraphNode_t N,
                                                 cudaEvent_t E) {
  return withExecNode<EventRecordWork>(X, N, [&](EventRecordWork &W) { return setEvent(W, E); });
}
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t X, cudaGraphNode_t N,
                                               cudaEvent_t E) {
  return withExecNode<EventWaitWork>(X, N, [&](EventWaitWork &W) { return setEvent(W, E); });
}

// ---------------------------------------------------------------- memory

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *Result, cudaGraph_t G,
                                     const cudaGraphNode_t *After, size_t Count,
                                     cudaMemAllocNodeParams *P) {
  return deviceCall([&](Context &C) {
    if (!P || !P->bytesize)
      return cudaErrorInvalidValue;
    AllocWork W;
    if (cudaError_t E = reserveForGraph(C, P->bytesize, poolDevice(C, P->poolProps), W);
        E != cudaSuccess)
      return E;
    P->dptr = reinterpret_cast<void *>(W.Address);
    return addNode(Result, G, After, nullptr, Count, cudaGraphNodeTypeMemAlloc, W);
  });
}
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t Handle, cudaMemAllocNodeParams *P) {
  return withNode<AllocWork>(Handle, [&](AllocWork &W) {
    if (!P)
      return cudaErrorInvalidValue;
    *P = {};
    P->bytesize = W.Bytes;
    P->dptr = reinterpret_cast<void *>(W.Address);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *Result, cudaGraph_t G,
                                    const cudaGraphNode_t *After, size_t Count, void *P) {
  return deviceCall([&](Context &C) {
    FreeWork W;
    if (cudaError_t E = freeInGraph(C, P, W); E != cudaSuccess)
      return E;
    return addNode(Result, G, After, nullptr, Count, cudaGraphNodeTypeMemFree, W);
  });
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t Handle, void *Result) {
  return withNode<FreeWork>(Handle, [&](FreeWork &W) {
    if (!Result)
      return cudaErrorInvalidValue;
    return memcpy(Result, &W.Address, sizeof W.Address), cudaSuccess;
  });
}

// ---------------------------------------------------------------- any node

/// The work that parameters describe. `Old` is what the node did so far (for changes), else empty.
static cudaError_t workOf(Context &C, cudaGraphNodeParams &P, NodeWork &W) {
  switch (P.type) {
  case cudaGraphNodeTypeKernel: {
    KernelWork *Old = W.as<KernelWork>();
    KernelWork New = Old ? *Old : KernelWork();
    cudaError_t E = kernelOf(P.kernel, New);
    W = New;
    return E;
  }
  case cudaGraphNodeTypeMemcpy: {
    CopyWork New;
    cudaError_t E = copyOf(C, P.memcpy.copyParams, New);
    W = New;
    return E;
  }
  case cudaGraphNodeTypeMemset: {
    FillWork New;
    cudaError_t E = fillOf(C, P.memset, New);
    W = New;
    return E;
  }
  case cudaGraphNodeTypeHost:
    W = HostWork{"cudaGraphAddNode", P.host.fn, P.host.userData};
    return P.host.fn ? cudaSuccess : cudaErrorInvalidValue;
  case cudaGraphNodeTypeGraph: {
    Graph *Body = lookupGraph(P.graph.graph);
    if (!Body)
      return cudaErrorInvalidValue;
    if (P.graph.ownership == cudaGraphChildGraphOwnershipMove) {
      ChildWork Moved{std::unique_ptr<Graph>(Body)};
      Body->InChild = true;
      W = std::move(Moved);
    } else {
      W = childOf(*Body);
    }
    return cudaSuccess;
  }
  case cudaGraphNodeTypeEmpty:
    W = EmptyWork{};
    return cudaSuccess;
  case cudaGraphNodeTypeWaitEvent:
    W = EventWaitWork{lookupEvent(P.eventWait.event)};
    return lookupEvent(P.eventWait.event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  case cudaGraphNodeTypeEventRecord:
    W = EventRecordWork{lookupEvent(P.eventRecord.event)};
    return lookupEvent(P.eventRecord.event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  case cudaGraphNodeTypeMemAlloc: {
    AllocWork New;
    if (cudaError_t E = reserveForGraph(C, P.alloc.bytesize, poolDevice(C, P.alloc.poolProps), New);
        E != cudaSuccess)
      return E;
    P.alloc.dptr = reinterpret_cast<void *>(New.Address);
    W = New;
    return cudaSuccess;
  }
  case cudaGraphNodeTypeMemFree: {
    FreeWork New;
    cudaError_t E = freeInGraph(C, P.free.dptr, New);
    W = New;
    return E;
  }
  default:
    host::incomplete("the CPU backend lacks graph nodes of type " + std::to_string(int(P.type)));
    return cudaErrorNotSupported;
  }
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *Result, cudaGraph_t G, const cudaGraphNode_t *After,
                             const cudaGraphEdgeData *Data, size_t Count, cudaGraphNodeParams *P) {
  return deviceCall([&](Context &C) {
    NodeWork W;
    if (!P)
      return cudaErrorInvalidValue;
    if (cudaError_t E = workOf(C, *P, W); E != cudaSuccess)
      return E;
    return addNode(Result, G, After, Data, Count, P->type, std::move(W));
  });
}

static cudaError_t change(Context &C, GraphNode *N, cudaGraphNodeParams *P) {
  if (!N || !P || N->Type != P->type || N->Type == cudaGraphNodeTypeMemAlloc ||
      N->Type == cudaGraphNodeTypeMemFree || N->Type == cudaGraphNodeTypeGraph)
    return cudaErrorInvalidValue;
  NodeWork New;
  if (KernelWork *Old = N->Work.as<KernelWork>())
    New = *Old; // keeps its attributes
  if (cudaError_t E = workOf(C, *P, New); E != cudaSuccess)
    return E;
  N->Work = std::move(New);
  return cudaSuccess;
}
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t Handle, cudaGraphNodeParams *P) {
  return deviceCall([&](Context &C) { return change(C, lookupNode(Handle), P); });
}
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t Exec, cudaGraphNode_t Handle,
                                       cudaGraphNodeParams *P) {
  return deviceCall([&](Context &C) {
    GraphExec *X = lookupExec(Exec);
    return X ? change(C, X->copyOf(Handle), P) : cudaErrorInvalidValue;
  });
}
