// Shared by the functions that add nodes and change their parameters.
#pragma once

#include "cpu/shim/context.h"
#include "cpu/shim/graph_exec.h"

namespace scopesan::cpu {

// ---- API parameters as work; each checks what it is given
cudaError_t kernelOf(const cudaKernelNodeParams &P, KernelWork &W);
cudaError_t kernelOf(const cudaKernelNodeParamsV2 &P, KernelWork &W);
cudaError_t copyOf(Context &C, const cudaMemcpy3DParms &P, CopyWork &W);
cudaError_t fillOf(Context &C, const cudaMemsetParams &P, FillWork &W);
cudaError_t fillOf(Context &C, const cudaMemsetParamsV2 &P, FillWork &W);

/// Runs `Body(work)` on a node of a graph whose work is a `T`.
template <typename T, typename Function>
cudaError_t withNode(cudaGraphNode_t Handle, Function Body) {
  return deviceCall([&](Context &) {
    GraphNode *N = lookupNode(Handle);
    T *W = N ? N->Work.as<T>() : nullptr;
    return W ? Body(*W) : cudaErrorInvalidValue;
  });
}
/// The same on the copy of that node in an instantiated graph.
template <typename T, typename Function>
cudaError_t withExecNode(cudaGraphExec_t Exec, cudaGraphNode_t Handle, Function Body) {
  return deviceCall([&](Context &) {
    GraphExec *X = lookupExec(Exec);
    GraphNode *N = X ? X->copyOf(Handle) : nullptr;
    T *W = N ? N->Work.as<T>() : nullptr;
    return W ? Body(*W) : cudaErrorInvalidValue;
  });
}

} // namespace scopesan::cpu
