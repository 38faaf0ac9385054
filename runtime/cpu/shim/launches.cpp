// Kernel launches.
#include "cpu/shim/modules.h"
#include "cpu/shim/occupancy.h"
#include "cpu/shim/variants.h"

#include <string.h>

using namespace scopesan;
using namespace scopesan::cpu;
using Limits = DeviceLimits;

namespace {

struct Request {
  core::Dim3 Grid, Block, Cluster;
  size_t DynamicShared = 0;
  bool ExplicitCluster = false;
  bool Cooperative = false;
  bool Programmatic = false;
  bool HasDomain = false, HasDomainMap = false;
  cudaLaunchMemSyncDomain Domain{};
  cudaLaunchMemSyncDomainMap DomainMap{};
};

core::Dim3 toDim(dim3 D) { return {D.x, D.y, D.z}; }

/// Dimensions compiled into the kernel count where the launch gives none.
void applyKernelDefaults(Request &R, const KernelFunction &F) {
  if (!R.ExplicitCluster && F.Code->clusterDim[0]) {
    R.Cluster = {F.Code->clusterDim[0], F.Code->clusterDim[1], F.Code->clusterDim[2]};
    R.ExplicitCluster = true;
  }
}

cudaError_t checkCluster(const Request &R, const KernelFunction &F) {
  uint64_t Size = R.Cluster.count();
  if (!Size || Size > uint64_t(F.NonPortableCluster ? Limits::LargestClusterSize
                                                    : Limits::PortableClusterSize))
    return cudaErrorInvalidClusterSize;
  if (R.Grid.x % R.Cluster.x || R.Grid.y % R.Cluster.y || R.Grid.z % R.Cluster.z)
    return cudaErrorInvalidConfiguration;
  return cudaSuccess;
}

cudaError_t check(const Request &R, const KernelFunction &F) {
  if (!R.Grid.count() || !R.Block.count() || R.Grid.x > 0x7fffffff || R.Grid.y > 65535 ||
      R.Grid.z > 65535)
    return cudaErrorInvalidConfiguration;
  if (R.Block.x > 1024 || R.Block.y > 1024 || R.Block.z > 64 ||
      R.Block.count() > Limits::ThreadsPerBlock)
    return cudaErrorInvalidConfiguration;
  if (R.Block.count() > uint64_t(maxThreads(F)))
    return cudaErrorInvalidValue;
  const uint32_t *Required = F.Code->reqntid;
  if (Required[0] && (R.Block.x != Required[0] || R.Block.y != std::max(Required[1], 1u) ||
                      R.Block.z != std::max(Required[2], 1u)))
    return cudaErrorInvalidValue;
  if (R.DynamicShared + staticShared(F) >
          std::max(size_t(F.MaxDynamicShared) + staticShared(F), size_t(Limits::SharedPerBlock)) ||
      R.DynamicShared + staticShared(F) > size_t(Limits::SharedPerBlockOptin) ||
      R.DynamicShared > size_t(F.MaxDynamicShared))
    return cudaErrorInvalidValue;
  if (cudaError_t E = checkCluster(R, F); E != cudaSuccess)
    return E;
  if (R.Cooperative &&
      R.Grid.count() > uint64_t(blocksPerMultiprocessor(F, int(R.Block.count()), R.DynamicShared)) *
                           uint64_t(multiprocessors()))
    return cudaErrorCooperativeLaunchTooLarge;
  return cudaSuccess;
}

/// P6: logical domain and map from the launch, else from the stream.
core::DomainId physicalDomain(const Request &R, const Stream &S) {
  auto Logical = R.HasDomain ? R.Domain : S.Domain;
  const auto &Map = R.HasDomainMap ? R.DomainMap : S.DomainMap;
  return {Logical == cudaLaunchMemSyncDomainRemote ? Map.remote : Map.default_};
}

/// The argument values at the call, each aligned for any type.
void copyArguments(const Kernel &Code, void **Args, Operation &Op) {
  constexpr size_t Alignment = 64;
  size_t Bytes = Alignment;
  for (uint32_t I = 0; I < Code.paramCount; ++I)
    Bytes += (Code.paramSizes[I] + Alignment - 1) / Alignment * Alignment;
  Op.Arguments.resize(Bytes);
  auto At =
      (reinterpret_cast<uint64_t>(Op.Arguments.data()) + Alignment - 1) / Alignment * Alignment;
  for (uint32_t I = 0; I < Code.paramCount; ++I) {
    auto *P = reinterpret_cast<void *>(At);
    memcpy(P, Args[I], Code.paramSizes[I]);
    Op.ArgumentPointers.push_back(P);
    At += (Code.paramSizes[I] + Alignment - 1) / Alignment * Alignment;
  }
}

host::LaunchRecord recordOf(Context &C, const Request &R, const KernelFunction &F, const Stream &S,
                            core::NodeId Node, core::DomainId Domain) {
  host::LaunchRecord L;
  L.node = Node;
  L.firstBlock = C.Detector->firstBlock(Node);
  L.kernel = F.Pretty;
  L.grid = R.Grid;
  L.block = R.Block;
  L.cluster = R.Cluster;
  L.dynamicShared = R.DynamicShared;
  L.stream = S.Ordinal;
  L.index = C.LaunchCount;
  L.cooperative = R.Cooperative;
  L.domain = Domain.value;
  return L;
}

cudaError_t launch(const void *Handle, Request R, void **Args, cudaStream_t Queue) {
  return streamCall(Queue, [&](Context &C, Stream &S) {
    KernelFunction *F = modules().kernel(Handle);
    if (!F)
      return cudaErrorInvalidDeviceFunction;
    if (cudaError_t E = modules().prepare(*F); E != cudaSuccess)
      return E;
    applyKernelDefaults(R, *F);
    if (cudaError_t E = check(R, *F); E != cudaSuccess)
      return E;
    auto Spec = std::make_unique<LaunchSpec>();
    Spec->Code = F->Code;
    Spec->Name = F->Pretty;
    Spec->Grid = R.Grid;
    Spec->BlockDim = R.Block;
    Spec->ClusterDim = R.Cluster;
    Spec->ExplicitCluster = R.ExplicitCluster;
    Spec->Cooperative = R.Cooperative;
    Spec->DynamicShared = uint32_t(R.DynamicShared);
    Spec->Index = ++C.LaunchCount;
    core::LaunchFacts Facts{};
    Facts.grid = R.Grid;
    Facts.block = R.Block;
    Facts.cluster = R.Cluster;
    Facts.cooperative = R.Cooperative;
    Facts.domain = physicalDomain(R, S);
    OperationRef Op = R.Programmatic ? C.Work.enqueueProgrammatic(S, Facts, std::move(Spec))
                                     : C.Work.enqueueLaunch(S, Facts, std::move(Spec));
    copyArguments(*F->Code, Args, *Op);
    Op->Kernel->Args = Op->ArgumentPointers.data();
    host::launchStarted(recordOf(C, R, *F, S, Op->Node, Facts.domain));
    return cudaSuccess;
  });
}

/// False when an attribute needs something that the backend lacks.
bool applyAttribute(Request &R, const cudaLaunchAttribute &A) {
  switch (A.id) {
  case cudaLaunchAttributeClusterDimension:
    R.Cluster = {A.val.clusterDim.x, A.val.clusterDim.y, A.val.clusterDim.z};
    R.ExplicitCluster = true;
    return true;
  case cudaLaunchAttributeCooperative:
    R.Cooperative = A.val.cooperative != 0;
    return true;
  case cudaLaunchAttributeMemSyncDomain:
    R.HasDomain = true;
    R.Domain = A.val.memSyncDomain;
    return true;
  case cudaLaunchAttributeMemSyncDomainMap:
    R.HasDomainMap = true;
    R.DomainMap = A.val.memSyncDomainMap;
    return true;
  case cudaLaunchAttributeProgrammaticStreamSerialization:
    R.Programmatic = A.val.programmaticStreamSerializationAllowed != 0;
    return true;
  case cudaLaunchAttributeProgrammaticEvent:
  case cudaLaunchAttributeLaunchCompletionEvent:
    host::incomplete("the CPU backend lacks the launch attribute with number " +
                     std::to_string(int(A.id)));
    return false;
  default:
    return true; // hints
  }
}

Request plainRequest(dim3 Grid, dim3 Block, size_t Shared) {
  Request R;
  R.Grid = toDim(Grid);
  R.Block = toDim(Block);
  R.DynamicShared = Shared;
  return R;
}

} // namespace

cudaError_t cudaLaunchKernel(const void *Kernel, dim3 Grid, dim3 Block, void **Args, size_t Shared,
                             cudaStream_t S) {
  return launch(Kernel, plainRequest(Grid, Block, Shared), Args, S);
}
SCOPESAN_EXPORT cudaError_t cudaLaunchKernel_ptsz(const void *Kernel, dim3 Grid, dim3 Block,
                                                  void **Args, size_t Shared, cudaStream_t S) {
  return launch(Kernel, plainRequest(Grid, Block, Shared), Args, perThread(S));
}
SCOPESAN_EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t Kernel, dim3 Grid, dim3 Block,
                                               void **Args, size_t Shared, cudaStream_t S) {
  return launch(reinterpret_cast<const void *>(Kernel), plainRequest(Grid, Block, Shared), Args, S);
}
SCOPESAN_EXPORT cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t Kernel, dim3 Grid, dim3 Block,
                                                    void **Args, size_t Shared, cudaStream_t S) {
  return __cudaLaunchKernel(Kernel, Grid, Block, Args, Shared, perThread(S));
}

cudaError_t cudaLaunchCooperativeKernel(const void *Kernel, dim3 Grid, dim3 Block, void **Args,
                                        size_t Shared, cudaStream_t S) {
  Request R = plainRequest(Grid, Block, Shared);
  R.Cooperative = true;
  return launch(Kernel, R, Args, S);
}
SCOPESAN_EXPORT cudaError_t cudaLaunchCooperativeKernel_ptsz(const void *Kernel, dim3 Grid,
                                                             dim3 Block, void **Args, size_t Shared,
                                                             cudaStream_t S) {
  return cudaLaunchCooperativeKernel(Kernel, Grid, Block, Args, Shared, perThread(S));
}

static cudaError_t launchWithAttributes(const cudaLaunchConfig_t *Config, const void *Kernel,
                                        void **Args, cudaStream_t S) {
  Request R = plainRequest(Config->gridDim, Config->blockDim, Config->dynamicSmemBytes);
  for (unsigned I = 0; I < Config->numAttrs; ++I)
    if (!applyAttribute(R, Config->attrs[I]))
      return record(cudaErrorNotSupported);
  return launch(Kernel, R, Args, S);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *Config, const void *Kernel, void **Args) {
  return Config ? launchWithAttributes(Config, Kernel, Args, Config->stream)
                : record(cudaErrorInvalidValue);
}
SCOPESAN_EXPORT cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *Config,
                                                     const void *Kernel, void **Args) {
  return Config ? launchWithAttributes(Config, Kernel, Args, perThread(Config->stream))
                : record(cudaErrorInvalidValue);
}
