#include "cpu/shim/capture.h"

#include "cpu/shim/graph_exec.h"
#include "cpu/shim/variants.h"

#include <algorithm>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

std::vector<std::shared_ptr<Capture>> &captures() {
  static auto *List = new std::vector<std::shared_ptr<Capture>>;
  return *List;
}

cudaStreamCaptureMode &threadMode() {
  static thread_local cudaStreamCaptureMode Mode = cudaStreamCaptureModeGlobal;
  return Mode;
}

void join(Stream &S, const std::shared_ptr<Capture> &C) {
  if (S.Capturing)
    return;
  S.Capturing = C;
  S.CaptureTail.clear();
  C->Streams.push_back(&S);
}

void addTail(Stream &S, GraphNode *N) {
  if (std::find(S.CaptureTail.begin(), S.CaptureTail.end(), N) == S.CaptureTail.end())
    S.CaptureTail.push_back(N);
}

/// A programmatic launch overlaps the kernels in front of it.
bool overlaps(const Stream &S, const NodeWork &W) {
  const auto *Kernel = const_cast<NodeWork &>(W).as<KernelWork>();
  return Kernel && Kernel->Programmatic && !S.CaptureTail.empty() &&
         std::all_of(S.CaptureTail.begin(), S.CaptureTail.end(),
                     [](GraphNode *N) { return N->Type == cudaGraphNodeTypeKernel; });
}

/// CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, for which the runtime has no name.
constexpr auto BatchMemOp = cudaGraphNodeType(12);

cudaGraphNodeType typeOf(const Work &W) {
  static constexpr cudaGraphNodeType Types[] = {
      cudaGraphNodeTypeEmpty,   cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy,
      cudaGraphNodeTypeMemset,  cudaGraphNodeTypeHost,   cudaGraphNodeTypeMemAlloc,
      cudaGraphNodeTypeMemFree, cudaGraphNodeTypeMemcpy, BatchMemOp};
  static_assert(std::variant_size_v<Work> == std::size(Types));
  return Types[W.index()];
}

} // namespace

// ---------------------------------------------------------------- work

cudaError_t scopesan::cpu::captureNode(Stream &S, cudaGraphNodeType Type, NodeWork W) {
  Capture &C = *S.Capturing;
  if (C.Invalidated)
    return cudaErrorStreamCaptureInvalidated;
  bool Overlaps = overlaps(S, W);
  cudaGraphEdgeData Data{};
  if (Overlaps) {
    Data.from_port = cudaGraphKernelNodePortProgrammatic;
    Data.type = cudaGraphDependencyTypeProgrammatic;
  }
  GraphNode *N = C.Into->add(Type, std::move(W), S.Device);
  for (GraphNode *From : S.CaptureTail)
    C.Into->connect(From, N, Data);
  if (!Overlaps)
    S.CaptureTail.clear();
  S.CaptureTail.push_back(N);
  return cudaSuccess;
}

static cudaError_t captureParallel(Stream &S, const std::vector<Work> &List) {
  const std::vector<GraphNode *> Before = S.CaptureTail;
  std::vector<GraphNode *> After;
  for (const Work &W : List) {
    S.CaptureTail = Before;
    if (cudaError_t E = captureNode(S, typeOf(W), W); E != cudaSuccess)
      return E;
    After.push_back(S.CaptureTail.back());
  }
  S.CaptureTail = After;
  return cudaSuccess;
}

cudaError_t scopesan::cpu::submit(Context &C, Stream &S, const Work &W, OperationRef *Enqueued) {
  if (S.Capturing)
    return captureNode(S, typeOf(W), W);
  if (cudaError_t E = checkImplicitJoin(C, S); E != cudaSuccess)
    return E;
  OperationRef Op = C.Work.enqueue(S, W);
  if (Enqueued)
    *Enqueued = Op;
  return cudaSuccess;
}

cudaError_t scopesan::cpu::submitParallel(Context &C, Stream &S, const std::vector<Work> &List,
                                          const Dependencies &Extra) {
  if (S.Capturing)
    return captureParallel(S, List);
  if (cudaError_t E = checkImplicitJoin(C, S); E != cudaSuccess)
    return E;
  OperationRef Begin = C.Work.enqueueMarker(S, nullptr);
  Dependencies Ends{{Begin, Begin->Node}};
  for (size_t I = 0; I < List.size(); ++I) {
    Placement P = C.Work.placeBeside(S, I);
    P.After = {{Begin, Begin->Node}};
    if (I < Extra.size() && Extra[I].Op)
      P.After.push_back(Extra[I]);
    OperationRef Op = C.Work.enqueue(P, List[I]);
    Ends.push_back({Op, Op->Node});
  }
  C.Work.enqueueMarker(S, nullptr, Ends);
  return cudaSuccess;
}

// ---------------------------------------------------------------- what is forbidden

cudaError_t scopesan::cpu::captureFails(Stream &S, cudaError_t E) {
  S.Capturing->Invalidated = true;
  return E;
}

cudaError_t scopesan::cpu::checkUnsafeCall(Context &) {
  if (threadMode() == cudaStreamCaptureModeRelaxed)
    return cudaSuccess;
  cudaError_t Result = cudaSuccess;
  for (auto &Cap : captures()) {
    bool Own = Cap->Thread == std::this_thread::get_id();
    bool Forbids = Cap->Mode == cudaStreamCaptureModeGlobal
                       ? Own || threadMode() == cudaStreamCaptureModeGlobal
                       : Cap->Mode == cudaStreamCaptureModeThreadLocal && Own;
    if (!Forbids)
      continue;
    Cap->Invalidated = true;
    Result = cudaErrorStreamCaptureUnsupported;
  }
  return Result;
}

cudaError_t scopesan::cpu::checkImplicitJoin(Context &, const Stream &S) {
  if (!S.IsLegacy)
    return cudaSuccess;
  cudaError_t Result = cudaSuccess;
  for (auto &Cap : captures())
    for (Stream *Other : Cap->Streams)
      if (Other->Blocking && Other->Device == S.Device) {
        Cap->Invalidated = true;
        Result = cudaErrorStreamCaptureImplicit;
      }
  return Result;
}

// ---------------------------------------------------------------- events

void scopesan::cpu::captureRecord(Stream &S, Event &E) {
  E.Captured = S.Capturing;
  E.CapturedNodes = S.CaptureTail;
  E.Recorded = false;
}

cudaError_t scopesan::cpu::captureWait(Stream &S, Event &E) {
  if (!E.Captured) // work outside of the graph
    return captureFails(S, cudaErrorStreamCaptureIsolation);
  bool Active = std::find(captures().begin(), captures().end(), E.Captured) != captures().end();
  if (!Active)
    return S.Capturing ? captureFails(S, cudaErrorStreamCaptureIsolation) : cudaErrorInvalidValue;
  if (S.Capturing && S.Capturing != E.Captured) {
    E.Captured->Invalidated = true;
    return captureFails(S, cudaErrorStreamCaptureMerge);
  }
  join(S, E.Captured);
  for (GraphNode *N : E.CapturedNodes)
    if (lookupNode(handleOf(N))) // not destroyed in the meantime
      addTail(S, N);
  return cudaSuccess;
}

// ---------------------------------------------------------------- begin and end

static cudaError_t beginCapture(cudaStream_t Handle, cudaStreamCaptureMode Mode, cudaGraph_t Into,
                                const cudaGraphNode_t *After, size_t Count) {
  return streamCall(Handle, [&](Context &, Stream &S) {
    if (unsigned(Mode) > cudaStreamCaptureModeRelaxed)
      return cudaErrorInvalidValue;
    if (S.IsLegacy)
      return cudaErrorStreamCaptureUnsupported;
    if (S.Capturing)
      return cudaErrorIllegalState;
    static uint64_t LastId = 0;
    auto C = std::make_shared<Capture>();
    C->Id = ++LastId;
    if (Into) {
      C->Into = lookupGraph(Into);
      if (!C->Into || (Count && !After))
        return cudaErrorInvalidValue;
    } else {
      C->Owned = std::make_unique<Graph>();
      C->Into = C->Owned.get();
    }
    C->Origin = &S;
    C->Mode = Mode;
    C->Thread = std::this_thread::get_id();
    join(S, C);
    captures().push_back(C);
    for (size_t I = 0; I < Count; ++I)
      if (GraphNode *N = lookupNode(After[I]))
        addTail(S, N);
    return cudaSuccess;
  });
}

/// Every stream that joined must have been joined back: what it captured precedes the origin's end.
static bool allJoined(const Capture &C) {
  for (Stream *S : C.Streams)
    for (GraphNode *N : S->CaptureTail)
      if (std::none_of(C.Origin->CaptureTail.begin(), C.Origin->CaptureTail.end(),
                       [&](GraphNode *End) { return Graph::reaches(N, End); }))
        return false;
  return true;
}

cudaError_t cudaStreamEndCapture(cudaStream_t Handle, cudaGraph_t *Result) {
  return streamCall(Handle, [&](Context &, Stream &S) {
    if (!Result)
      return cudaErrorInvalidValue;
    *Result = nullptr;
    std::shared_ptr<Capture> C = S.Capturing;
    if (!C)
      return cudaErrorIllegalState;
    if (C->Origin != &S)
      return captureFails(S, cudaErrorStreamCaptureUnmatched);
    if (C->Mode != cudaStreamCaptureModeRelaxed && C->Thread != std::this_thread::get_id())
      return cudaErrorStreamCaptureWrongThread;
    cudaError_t E = C->Invalidated   ? cudaErrorStreamCaptureInvalidated
                    : !allJoined(*C) ? cudaErrorStreamCaptureUnjoined
                                     : cudaSuccess;
    for (Stream *Other : C->Streams) {
      Other->Capturing.reset();
      Other->CaptureTail.clear();
    }
    C->Streams.clear();
    std::erase(captures(), C);
    if (E != cudaSuccess)
      return E; // the graph goes with the capture
    *Result = handleOf(C->Into);
    C->Owned.release();
    return cudaSuccess;
  });
}
SCOPESAN_EXPORT cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t S, cudaGraph_t *G) {
  return cudaStreamEndCapture(perThread(S), G);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t S, cudaStreamCaptureMode Mode) {
  return beginCapture(S, Mode, nullptr, nullptr, 0);
}
SCOPESAN_EXPORT cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t S,
                                                        cudaStreamCaptureMode Mode) {
  return cudaStreamBeginCapture(perThread(S), Mode);
}
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t S, cudaGraph_t G,
                                          const cudaGraphNode_t *After, const cudaGraphEdgeData *,
                                          size_t Count, cudaStreamCaptureMode Mode) {
  return G ? beginCapture(S, Mode, G, After, Count) : record(cudaErrorInvalidValue);
}
SCOPESAN_EXPORT cudaError_t cudaStreamBeginCaptureToGraph_ptsz(cudaStream_t S, cudaGraph_t G,
                                                               const cudaGraphNode_t *After,
                                                               const cudaGraphEdgeData *Data,
                                                               size_t Count,
                                                               cudaStreamCaptureMode Mode) {
  return cudaStreamBeginCaptureToGraph(perThread(S), G, After, Data, Count, Mode);
}

// ---------------------------------------------------------------- queries

static cudaStreamCaptureStatus statusOf(const Stream &S) {
  if (!S.Capturing)
    return cudaStreamCaptureStatusNone;
  return S.Capturing->Invalidated ? cudaStreamCaptureStatusInvalidated
                                  : cudaStreamCaptureStatusActive;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t Handle, cudaStreamCaptureStatus *Status) {
  return streamCall(Handle, [&](Context &C, Stream &S) {
    if (cudaError_t E = checkImplicitJoin(C, S); E != cudaSuccess)
      return E;
    return *Status = statusOf(S), cudaSuccess;
  });
}
SCOPESAN_EXPORT cudaError_t cudaStreamIsCapturing_ptsz(cudaStream_t S,
                                                       cudaStreamCaptureStatus *Status) {
  return cudaStreamIsCapturing(perThread(S), Status);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t Handle, cudaStreamCaptureStatus *Status,
                                     unsigned long long *Id, cudaGraph_t *G,
                                     const cudaGraphNode_t **After, const cudaGraphEdgeData **Data,
                                     size_t *Count) {
  return streamCall(Handle, [&](Context &C, Stream &S) {
    if (cudaError_t E = checkImplicitJoin(C, S); E != cudaSuccess)
      return E;
    if (!Status)
      return cudaErrorInvalidValue;
    *Status = statusOf(S);
    if (*Status != cudaStreamCaptureStatusActive)
      return cudaSuccess;
    static thread_local std::vector<cudaGraphEdgeData> Plain;
    Plain.assign(S.CaptureTail.size(), cudaGraphEdgeData{});
    if (Id)
      *Id = S.Capturing->Id;
    if (G)
      *G = handleOf(S.Capturing->Into);
    if (After)
      *After = reinterpret_cast<const cudaGraphNode_t *>(S.CaptureTail.data());
    if (Data)
      *Data = Plain.data();
    if (Count)
      *Count = S.CaptureTail.size();
    return cudaSuccess;
  });
}
SCOPESAN_EXPORT cudaError_t cudaStreamGetCaptureInfo_ptsz(
    cudaStream_t S, cudaStreamCaptureStatus *Status, unsigned long long *Id, cudaGraph_t *G,
    const cudaGraphNode_t **After, const cudaGraphEdgeData **Data, size_t *Count) {
  return cudaStreamGetCaptureInfo(perThread(S), Status, Id, G, After, Data, Count);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t Handle, cudaGraphNode_t *After,
                                                const cudaGraphEdgeData *, size_t Count,
                                                unsigned Flags) {
  return streamCall(Handle, [&](Context &, Stream &S) {
    if (!S.Capturing)
      return cudaErrorIllegalState;
    std::vector<GraphNode *> New;
    for (size_t I = 0; I < Count; ++I) {
      New.push_back(lookupNode(After[I]));
      if (!New.back() || New.back()->Owner != S.Capturing->Into)
        return cudaErrorInvalidValue;
    }
    if (Flags & cudaStreamSetCaptureDependencies)
      S.CaptureTail.clear();
    for (GraphNode *N : New)
      addTail(S, N);
    return cudaSuccess;
  });
}
SCOPESAN_EXPORT cudaError_t cudaStreamUpdateCaptureDependencies_ptsz(cudaStream_t S,
                                                                     cudaGraphNode_t *After,
                                                                     const cudaGraphEdgeData *Data,
                                                                     size_t Count, unsigned Flags) {
  return cudaStreamUpdateCaptureDependencies(perThread(S), After, Data, Count, Flags);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *Mode) {
  return apiCall([&](Context &) { return std::swap(*Mode, threadMode()), cudaSuccess; });
}
