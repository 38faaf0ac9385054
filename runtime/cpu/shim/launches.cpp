// Kernel launches.
#include "cpu/shim/launches.h"

#include "cpu/shim/capture.h"
#include "cpu/shim/modules.h"
#include "cpu/shim/occupancy.h"
#include "cpu/shim/variants.h"

using namespace scopesan;
using namespace scopesan::cpu;
using Limits = DeviceLimits;

namespace {

core::Dim3 toDim(dim3 D) { return {D.x, D.y, D.z}; }

/// Dimensions compiled into the kernel count where the launch gives none.
void applyKernelDefaults(KernelWork &R, const KernelFunction &F) {
  // __block_size__ with a cluster: the launch counts clusters and may leave the block out.
  if (F.Code->gridInClusters) {
    const uint32_t *Block = F.Code->reqntid, *Cluster = F.Code->clusterDim;
    R.Grid = {R.Grid.x * Cluster[0], R.Grid.y * Cluster[1], R.Grid.z * Cluster[2]};
    if (R.Block.count() == 1)
      R.Block = {Block[0], Block[1], Block[2]};
  }
  if (!R.ExplicitCluster && F.Code->clusterDim[0]) {
    R.Cluster = {F.Code->clusterDim[0], F.Code->clusterDim[1], F.Code->clusterDim[2]};
    R.ExplicitCluster = true;
  }
}

cudaError_t checkCluster(const KernelWork &R, const KernelFunction &F) {
  uint64_t Size = R.Cluster.count();
  if (!Size || Size > uint64_t(F.NonPortableCluster ? Limits::LargestClusterSize
                                                    : Limits::PortableClusterSize))
    return cudaErrorInvalidClusterSize;
  if (R.Grid.x % R.Cluster.x || R.Grid.y % R.Cluster.y || R.Grid.z % R.Cluster.z)
    return cudaErrorInvalidConfiguration;
  return cudaSuccess;
}

cudaError_t check(const KernelWork &R, const KernelFunction &F) {
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

} // namespace

cudaError_t scopesan::cpu::completeLaunch(KernelWork &W, const void *Handle, void **Args) {
  KernelFunction *F = modules().kernel(Handle);
  if (!F)
    return cudaErrorInvalidDeviceFunction;
  if (cudaError_t E = modules().prepare(*F, currentDevice()); E != cudaSuccess)
    return E;
  applyKernelDefaults(W, *F);
  if (cudaError_t E = check(W, *F); E != cudaSuccess)
    return E;
  W.Function = F;
  W.Handle = Handle;
  if (Args || !F->Code->paramCount)
    W.Args = copyArguments(*F->Code, Args);
  return W.Args ? cudaSuccess : cudaErrorInvalidValue;
}

namespace {

cudaError_t launch(const void *Handle, KernelWork W, void **Args, cudaStream_t Queue) {
  return streamCall(Queue, [&](Context &C, Stream &S) {
    if (S.Device != currentDevice())
      return cudaErrorInvalidResourceHandle;
    if (cudaError_t E = completeLaunch(W, Handle, Args); E != cudaSuccess)
      return E;
    // P6: the stream's attributes where the launch has none; a captured node keeps them.
    if (!W.Domain)
      W.Domain = S.Domain;
    if (!W.DomainMap)
      W.DomainMap = S.DomainMap;
    return submit(C, S, W);
  });
}

} // namespace

cudaLaunchMemSyncDomainMap scopesan::cpu::defaultDomainMap(uint32_t DomainCount) {
  return {0, uint8_t(DomainCount > 1 ? 1 : 0)};
}

cudaError_t scopesan::cpu::applyDomainAttribute(Context &C, KernelWork &W,
                                                const cudaLaunchAttribute &A) {
  if (A.id == cudaLaunchAttributeMemSyncDomain) {
    if (unsigned(A.val.memSyncDomain) > cudaLaunchMemSyncDomainRemote)
      return cudaErrorInvalidValue;
    W.Domain = A.val.memSyncDomain;
  } else if (A.id == cudaLaunchAttributeMemSyncDomainMap) {
    const auto &Map = A.val.memSyncDomainMap;
    if (Map.default_ >= C.DomainCount || Map.remote >= C.DomainCount)
      return cudaErrorInvalidValue;
    W.DomainMap = Map;
  }
  return cudaSuccess;
}

bool scopesan::cpu::applyAttribute(KernelWork &R, const cudaLaunchAttribute &A) {
  switch (A.id) {
  case cudaLaunchAttributeClusterDimension:
    R.Cluster = {A.val.clusterDim.x, A.val.clusterDim.y, A.val.clusterDim.z};
    R.ExplicitCluster = true;
    return true;
  case cudaLaunchAttributeCooperative:
    R.Cooperative = A.val.cooperative != 0;
    return true;
  case cudaLaunchAttributePriority:
    R.Priority = A.val.priority;
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
    R.Others[A.id] = A.val;
    return true;
  }
}

namespace {

KernelWork plainRequest(dim3 Grid, dim3 Block, size_t Shared) {
  KernelWork R;
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
  KernelWork R = plainRequest(Grid, Block, Shared);
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
  KernelWork R = plainRequest(Config->gridDim, Config->blockDim, Config->dynamicSmemBytes);
  for (unsigned I = 0; I < Config->numAttrs; ++I) {
    if (!applyAttribute(R, Config->attrs[I]))
      return record(cudaErrorNotSupported);
    if (cudaError_t E = applyDomainAttribute(context(), R, Config->attrs[I]); E != cudaSuccess)
      return record(E);
  }
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
