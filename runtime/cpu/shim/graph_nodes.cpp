// Kernel, memcpy and memset nodes: adding them, and their parameters in graphs and in instantiated
// graphs.
#include "cpu/shim/graph_nodes.h"

#include "cpu/shim/arrays.h"
#include "cpu/shim/copies.h"
#include "cpu/shim/launches.h"
#include "cpu/shim/modules.h"

using namespace scopesan;
using namespace scopesan::cpu;

// ---------------------------------------------------------------- from parameters to work

template <typename Params>
static cudaError_t kernelFrom(const Params &P, KernelWork &W) { // keeps W's attributes
  if (P.extra) {
    host::incomplete("the CPU backend lacks kernel nodes with arguments in the 'extra' format");
    return cudaErrorNotSupported;
  }
  W.Grid = {P.gridDim.x, P.gridDim.y, P.gridDim.z};
  W.Block = {P.blockDim.x, P.blockDim.y, P.blockDim.z};
  W.DynamicShared = P.sharedMemBytes;
  return completeLaunch(W, P.func, P.kernelParams);
}
cudaError_t scopesan::cpu::kernelOf(const cudaKernelNodeParams &P, KernelWork &W) {
  return kernelFrom(P, W);
}
cudaError_t scopesan::cpu::kernelOf(const cudaKernelNodeParamsV2 &P, KernelWork &W) {
  return kernelFrom(P, W);
}

cudaError_t scopesan::cpu::copyOf(Context &C, const cudaMemcpy3DParms &P, CopyWork &W) {
  if (cudaError_t E = copyOf("cudaGraphAddMemcpyNode", P, W); E != cudaSuccess)
    return E;
  if (P.srcArray || P.dstArray)
    W.Given = std::make_shared<cudaMemcpy3DParms>(P);
  return W.Size.empty() ? cudaErrorInvalidValue : checkCopy(C, W);
}

static cudaError_t copyLine(Context &C, void *To, const void *From, size_t Bytes,
                            cudaMemcpyKind Kind, CopyWork &W) {
  W = {"cudaGraphAddMemcpyNode1D", lineAt(To), lineAt(From), {Bytes, 1, 1}, Kind};
  return Bytes ? checkCopy(C, W) : cudaErrorInvalidValue;
}

template <typename Params> static cudaError_t fillFrom(Context &C, const Params &P, FillWork &W) {
  if (P.elementSize != 1 && P.elementSize != 2 && P.elementSize != 4)
    return cudaErrorInvalidValue;
  W.Api = "cudaGraphAddMemsetNode";
  W.To = {static_cast<char *>(P.dst), P.pitch, 0};
  W.Size = {P.width * P.elementSize, P.height, 1};
  W.Value = P.value;
  W.ElementBytes = P.elementSize;
  return W.Size.empty() ? cudaErrorInvalidValue : checkFill(C, W);
}
cudaError_t scopesan::cpu::fillOf(Context &C, const cudaMemsetParams &P, FillWork &W) {
  return fillFrom(C, P, W);
}
cudaError_t scopesan::cpu::fillOf(Context &C, const cudaMemsetParamsV2 &P, FillWork &W) {
  return fillFrom(C, P, W);
}

// ---------------------------------------------------------------- kernel nodes

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *Result, cudaGraph_t G,
                                   const cudaGraphNode_t *After, size_t Count,
                                   const cudaKernelNodeParams *P) {
  return deviceCall([&](Context &) {
    KernelWork W;
    if (!P)
      return cudaErrorInvalidValue;
    if (cudaError_t E = kernelOf(*P, W); E != cudaSuccess)
      return E;
    return addNode(Result, G, After, nullptr, Count, cudaGraphNodeTypeKernel, W);
  });
}
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t Handle, cudaKernelNodeParams *P) {
  return withNode<KernelWork>(Handle, [&](KernelWork &W) {
    if (!P)
      return cudaErrorInvalidValue;
    *P = {};
    P->func = const_cast<void *>(W.Handle);
    P->gridDim = dim3(W.Grid.x, W.Grid.y, W.Grid.z);
    P->blockDim = dim3(W.Block.x, W.Block.y, W.Block.z);
    P->sharedMemBytes = unsigned(W.DynamicShared);
    P->kernelParams = const_cast<void **>(W.Args->Pointers.data());
    return cudaSuccess;
  });
}

static cudaError_t setKernel(KernelWork &W, const cudaKernelNodeParams *P) {
  KernelWork New = W;
  if (!P)
    return cudaErrorInvalidValue;
  if (cudaError_t E = kernelOf(*P, New); E != cudaSuccess)
    return E;
  W = New;
  return cudaSuccess;
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t Handle, const cudaKernelNodeParams *P) {
  return withNode<KernelWork>(Handle, [&](KernelWork &W) { return setKernel(W, P); });
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t Exec, cudaGraphNode_t Handle,
                                             const cudaKernelNodeParams *P) {
  return withExecNode<KernelWork>(Exec, Handle, [&](KernelWork &W) { return setKernel(W, P); });
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t Handle, cudaKernelNodeAttrID Id,
                                            const cudaKernelNodeAttrValue *Value) {
  return withNode<KernelWork>(Handle, [&](KernelWork &W) {
    if (!Value)
      return cudaErrorInvalidValue;
    cudaLaunchAttribute A{};
    A.id = Id;
    A.val = *Value;
    if (!applyAttribute(W, A))
      return cudaErrorNotSupported;
    return applyDomainAttribute(context(), W, A);
  });
}
cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t Handle, cudaKernelNodeAttrID Id,
                                            cudaKernelNodeAttrValue *Value) {
  return withNode<KernelWork>(Handle, [&](KernelWork &W) {
    if (!Value)
      return cudaErrorInvalidValue;
    *Value = {};
    if (Id == cudaLaunchAttributeMemSyncDomain)
      Value->memSyncDomain = W.Domain.value_or(cudaLaunchMemSyncDomainDefault);
    else if (Id == cudaLaunchAttributeMemSyncDomainMap)
      Value->memSyncDomainMap = W.DomainMap.value_or(defaultDomainMap(context().DomainCount));
    else if (Id == cudaLaunchAttributeCooperative)
      Value->cooperative = W.Cooperative;
    else if (Id == cudaLaunchAttributePriority)
      Value->priority = W.Priority;
    else if (Id == cudaLaunchAttributeClusterDimension) {
      Value->clusterDim.x = W.Cluster.x;
      Value->clusterDim.y = W.Cluster.y;
      Value->clusterDim.z = W.Cluster.z;
    } else {
      *Value = hintOf(W.Others, Id);
    }
    return cudaSuccess;
  });
}
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t First, cudaGraphNode_t Second) {
  return withNode<KernelWork>(First, [&](KernelWork &To) {
    return withNode<KernelWork>(Second, [&](KernelWork &From) {
      To.Cluster = From.Cluster;
      To.ExplicitCluster = From.ExplicitCluster;
      To.Cooperative = From.Cooperative;
      To.Priority = From.Priority;
      To.Others = From.Others;
      To.Domain = From.Domain;
      To.DomainMap = From.DomainMap;
      return cudaSuccess;
    });
  });
}

// ---------------------------------------------------------------- memcpy nodes

static cudaError_t addCopy(cudaGraphNode_t *Result, cudaGraph_t G, const cudaGraphNode_t *After,
                           size_t Count, cudaError_t Checked, const CopyWork &W) {
  if (Checked != cudaSuccess)
    return Checked;
  return addNode(Result, G, After, nullptr, Count, cudaGraphNodeTypeMemcpy, W);
}
static cudaError_t setCopy(CopyWork &W, cudaError_t Checked, const CopyWork &New) {
  if (Checked == cudaSuccess)
    W = New;
  return Checked;
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *Result, cudaGraph_t G,
                                   const cudaGraphNode_t *After, size_t Count,
                                   const cudaMemcpy3DParms *P) {
  return deviceCall([&](Context &C) {
    CopyWork W;
    return addCopy(Result, G, After, Count, P ? copyOf(C, *P, W) : cudaErrorInvalidValue, W);
  });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *Result, cudaGraph_t G,
                                     const cudaGraphNode_t *After, size_t Count, void *To,
                                     const void *From, size_t Bytes, cudaMemcpyKind Kind) {
  return deviceCall([&](Context &C) {
    CopyWork W;
    cudaError_t Checked = copyLine(C, To, From, Bytes, Kind, W);
    return addCopy(Result, G, After, Count, Checked, W);
  });
}
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *Result, cudaGraph_t G,
                                           const cudaGraphNode_t *After, size_t Count,
                                           const void *Symbol, const void *From, size_t Bytes,
                                           size_t Offset, cudaMemcpyKind Kind) {
  char *To = nullptr;
  if (cudaError_t E = resolveSymbol(Symbol, Offset, Bytes, To); E != cudaSuccess)
    return E;
  return cudaGraphAddMemcpyNode1D(Result, G, After, Count, To, From, Bytes, Kind);
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *Result, cudaGraph_t G,
                                             const cudaGraphNode_t *After, size_t Count, void *To,
                                             const void *Symbol, size_t Bytes, size_t Offset,
                                             cudaMemcpyKind Kind) {
  char *From = nullptr;
  if (cudaError_t E = resolveSymbol(Symbol, Offset, Bytes, From); E != cudaSuccess)
    return E;
  return cudaGraphAddMemcpyNode1D(Result, G, After, Count, To, From, Bytes, Kind);
}
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t Handle, cudaMemcpy3DParms *P) {
  return withNode<CopyWork>(Handle, [&](CopyWork &W) {
    if (!P)
      return cudaErrorInvalidValue;
    if (W.Given) {
      *P = *W.Given;
      return cudaSuccess;
    }
    *P = {};
    auto Pitched = [](const Place &At, const Box &B) {
      cudaPitchedPtr Ptr{At.Base, At.Pitch ? At.Pitch : B.Width, B.Width, B.Height};
      if (At.Pitch && At.Slice)
        Ptr.ysize = At.Slice / At.Pitch;
      return Ptr;
    };
    P->srcPtr = Pitched(W.From, W.Size);
    P->dstPtr = Pitched(W.To, W.Size);
    P->extent = {W.Size.Width, W.Size.Height, W.Size.Depth};
    P->kind = W.Kind;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t Handle, const cudaMemcpy3DParms *P) {
  return withNode<CopyWork>(Handle, [&](CopyWork &W) {
    CopyWork New;
    return setCopy(W, P ? copyOf(context(), *P, New) : cudaErrorInvalidValue, New);
  });
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t Handle, void *To, const void *From,
                                           size_t Bytes, cudaMemcpyKind Kind) {
  return withNode<CopyWork>(Handle, [&](CopyWork &W) {
    CopyWork New;
    cudaError_t Checked = copyLine(context(), To, From, Bytes, Kind, New);
    return setCopy(W, Checked, New);
  });
}
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t Handle, const void *Symbol,
                                                 const void *From, size_t Bytes, size_t Offset,
                                                 cudaMemcpyKind Kind) {
  char *To = nullptr;
  if (cudaError_t E = resolveSymbol(Symbol, Offset, Bytes, To); E != cudaSuccess)
    return E;
  return cudaGraphMemcpyNodeSetParams1D(Handle, To, From, Bytes, Kind);
}
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t Handle, void *To,
                                                   const void *Symbol, size_t Bytes, size_t Offset,
                                                   cudaMemcpyKind Kind) {
  char *From = nullptr;
  if (cudaError_t E = resolveSymbol(Symbol, Offset, Bytes, From); E != cudaSuccess)
    return E;
  return cudaGraphMemcpyNodeSetParams1D(Handle, To, From, Bytes, Kind);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t Exec, cudaGraphNode_t Handle,
                                             const cudaMemcpy3DParms *P) {
  return withExecNode<CopyWork>(Exec, Handle, [&](CopyWork &W) {
    CopyWork New;
    return setCopy(W, P ? copyOf(context(), *P, New) : cudaErrorInvalidValue, New);
  });
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t Exec, cudaGraphNode_t Handle,
                                               void *To, const void *From, size_t Bytes,
                                               cudaMemcpyKind Kind) {
  return withExecNode<CopyWork>(Exec, Handle, [&](CopyWork &W) {
    CopyWork New;
    cudaError_t Checked = copyLine(context(), To, From, Bytes, Kind, New);
    return setCopy(W, Checked, New);
  });
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t Exec, cudaGraphNode_t Handle,
                                                     const void *Symbol, const void *From,
                                                     size_t Bytes, size_t Offset,
                                                     cudaMemcpyKind Kind) {
  char *To = nullptr;
  if (cudaError_t E = resolveSymbol(Symbol, Offset, Bytes, To); E != cudaSuccess)
    return E;
  return cudaGraphExecMemcpyNodeSetParams1D(Exec, Handle, To, From, Bytes, Kind);
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t Exec, cudaGraphNode_t Handle,
                                                       void *To, const void *Symbol, size_t Bytes,
                                                       size_t Offset, cudaMemcpyKind Kind) {
  char *From = nullptr;
  if (cudaError_t E = resolveSymbol(Symbol, Offset, Bytes, From); E != cudaSuccess)
    return E;
  return cudaGraphExecMemcpyNodeSetParams1D(Exec, Handle, To, From, Bytes, Kind);
}

// ---------------------------------------------------------------- memset nodes

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *Result, cudaGraph_t G,
                                   const cudaGraphNode_t *After, size_t Count,
                                   const cudaMemsetParams *P) {
  return deviceCall([&](Context &C) {
    FillWork W;
    if (cudaError_t E = P ? fillOf(C, *P, W) : cudaErrorInvalidValue; E != cudaSuccess)
      return E;
    return addNode(Result, G, After, nullptr, Count, cudaGraphNodeTypeMemset, W);
  });
}
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t Handle, cudaMemsetParams *P) {
  return withNode<FillWork>(Handle, [&](FillWork &W) {
    if (!P)
      return cudaErrorInvalidValue;
    *P = {W.To.Base,    W.To.Pitch, W.Value, W.ElementBytes, W.Size.Width / W.ElementBytes,
          W.Size.Height};
    return cudaSuccess;
  });
}
static cudaError_t setFill(FillWork &W, const cudaMemsetParams *P) {
  FillWork New;
  cudaError_t E = P ? fillOf(context(), *P, New) : cudaErrorInvalidValue;
  if (E == cudaSuccess)
    W = New;
  return E;
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t Handle, const cudaMemsetParams *P) {
  return withNode<FillWork>(Handle, [&](FillWork &W) { return setFill(W, P); });
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t Exec, cudaGraphNode_t Handle,
                                             const cudaMemsetParams *P) {
  return withExecNode<FillWork>(Exec, Handle, [&](FillWork &W) { return setFill(W, P); });
}
