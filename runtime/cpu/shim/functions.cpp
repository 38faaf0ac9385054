// Kernel handles and their attributes.
#include "cpu/shim/context.h"
#include "cpu/shim/occupancy.h"

#include <string.h>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

template <typename Function> cudaError_t functionCall(const void *Handle, Function Body) {
  return deviceCall([&](Context &) {
    KernelFunction *F = modules().kernel(Handle);
    return F ? Body(*F) : cudaErrorInvalidDeviceFunction;
  });
}

cudaError_t setAttribute(KernelFunction &F, cudaFuncAttribute Attribute, int Value) {
  switch (Attribute) {
  case cudaFuncAttributeMaxDynamicSharedMemorySize:
    if (F.Home->instrumented())
      if (cudaError_t E = modules().prepare(F); E != cudaSuccess)
        return E;
    if (Value < 0 || size_t(Value) + staticShared(F) > size_t(DeviceLimits::SharedPerBlockOptin))
      return cudaErrorInvalidValue;
    F.MaxDynamicShared = Value;
    return cudaSuccess;
  case cudaFuncAttributePreferredSharedMemoryCarveout:
    if (Value < -1 || Value > 100)
      return cudaErrorInvalidValue;
    F.Carveout = Value;
    return cudaSuccess;
  case cudaFuncAttributeNonPortableClusterSizeAllowed:
    F.NonPortableCluster = Value != 0;
    return cudaSuccess;
  case cudaFuncAttributeClusterSchedulingPolicyPreference:
    return cudaSuccess;
  case cudaFuncAttributeClusterDimMustBeSet:
  case cudaFuncAttributeRequiredClusterWidth:
  case cudaFuncAttributeRequiredClusterHeight:
  case cudaFuncAttributeRequiredClusterDepth:
    return cudaErrorNotPermitted;
  default:
    return cudaErrorInvalidValue;
  }
}

} // namespace

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *Result, const void *Handle) {
  return functionCall(Handle, [&](KernelFunction &F) {
    if (!Result)
      return cudaErrorInvalidValue;
    if (F.Home->instrumented())
      if (cudaError_t E = modules().prepare(F); E != cudaSuccess)
        return E;
    memset(Result, 0, sizeof *Result);
    Result->sharedSizeBytes = staticShared(F);
    Result->maxThreadsPerBlock = maxThreads(F);
    Result->numRegs = DeviceLimits::RegistersPerThread;
    Result->ptxVersion = Result->binaryVersion = DeviceLimits::Architecture;
    Result->maxDynamicSharedSizeBytes = F.MaxDynamicShared;
    Result->preferredShmemCarveout = F.Carveout;
    Result->nonPortableClusterSizeAllowed = F.NonPortableCluster;
    if (F.Code && F.Code->clusterDim[0]) {
      Result->clusterDimMustBeSet = 1;
      Result->requiredClusterWidth = int(F.Code->clusterDim[0]);
      Result->requiredClusterHeight = int(F.Code->clusterDim[1]);
      Result->requiredClusterDepth = int(F.Code->clusterDim[2]);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void *Handle, cudaFuncAttribute Attribute, int Value) {
  return functionCall(Handle, [&](KernelFunction &F) { return setAttribute(F, Attribute, Value); });
}

cudaError_t cudaFuncSetCacheConfig(const void *Handle, cudaFuncCache) {
  return functionCall(Handle, [](KernelFunction &) { return cudaSuccess; });
}

cudaError_t cudaFuncSetSharedMemConfig(const void *Handle, cudaSharedMemConfig) {
  return functionCall(Handle, [](KernelFunction &) { return cudaSuccess; });
}

cudaError_t cudaFuncGetName(const char **Name, const void *Handle) {
  return functionCall(Handle,
                      [&](KernelFunction &F) { return *Name = F.Symbol.c_str(), cudaSuccess; });
}

cudaError_t cudaFuncGetParamInfo(const void *Handle, size_t Index, size_t *Offset, size_t *Size) {
  return functionCall(Handle, [&](KernelFunction &F) {
    if (cudaError_t E = modules().prepare(F); E != cudaSuccess)
      return E;
    if (Index >= F.Code->paramCount)
      return cudaErrorInvalidValue;
    // Parameters lie one after the other, each aligned to its size up to 16 bytes.
    size_t At = 0;
    for (size_t I = 0; I <= Index; ++I) {
      size_t Bytes = F.Code->paramSizes[I], Alignment = 1;
      while (Alignment < 16 && Bytes % (Alignment * 2) == 0)
        Alignment *= 2;
      At = (At + Alignment - 1) / Alignment * Alignment;
      if (I < Index)
        At += Bytes;
    }
    *Offset = At;
    if (Size)
      *Size = F.Code->paramSizes[Index];
    return cudaSuccess;
  });
}

cudaError_t cudaGetKernel(cudaKernel_t *Result, const void *Handle) {
  return functionCall(Handle, [&](KernelFunction &F) {
    return *Result = reinterpret_cast<cudaKernel_t>(&F), cudaSuccess;
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *Result, const void *Symbol) {
  return functionCall(Symbol, [&](KernelFunction &F) {
    return *Result = reinterpret_cast<cudaFunction_t>(&F), cudaSuccess;
  });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t Kernel, cudaFuncAttribute Attribute,
                                            int Value, int) {
  return cudaFuncSetAttribute(reinterpret_cast<const void *>(Kernel), Attribute, Value);
}
