#include "cpu/shim/occupancy.h"

#include "cpu/shim/context.h"

#include <algorithm>

using namespace scopesan;
using namespace scopesan::cpu;
using Limits = DeviceLimits;

int scopesan::cpu::multiprocessors() { return int(TheEngine.settings().SmCount); }

size_t scopesan::cpu::staticShared(const KernelFunction &F) {
  return F.Code && F.Code->staticShared > ReservedShared ? F.Code->staticShared - ReservedShared
                                                         : 0;
}

int scopesan::cpu::maxThreads(const KernelFunction &F) {
  int Bound = F.Code ? int(F.Code->maxThreads) : 0;
  return Bound ? std::min(Bound, Limits::ThreadsPerBlock) : Limits::ThreadsPerBlock;
}

int scopesan::cpu::blocksPerMultiprocessor(const KernelFunction &F, int BlockSize,
                                           size_t DynamicShared) {
  if (BlockSize <= 0 || BlockSize > maxThreads(F))
    return 0;
  int Threads = (BlockSize + Limits::WarpSize - 1) / Limits::WarpSize * Limits::WarpSize;
  size_t Shared = (staticShared(F) + DynamicShared + Limits::ReservedShared + 127) / 128 * 128;
  int ByShared = int(size_t(Limits::SharedPerSm) / Shared);
  int ByRegisters = Limits::RegistersPerSm / (Threads * Limits::RegistersPerThread);
  return std::min({Limits::ThreadsPerSm / Threads, Limits::BlocksPerSm, ByShared, ByRegisters});
}

/// Runs Body on a known kernel whose module is loaded. Kernels that cannot run have no size.
template <typename Function> static cudaError_t kernelCall(const void *Handle, Function Body) {
  return deviceCall([&](Context &) {
    KernelFunction *F = modules().kernel(Handle);
    if (!F)
      return cudaErrorInvalidDeviceFunction;
    if (F->Home->instrumented())
      if (cudaError_t E = modules().prepare(*F); E != cudaSuccess)
        return E;
    return Body(*F);
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *Blocks, const void *Kernel,
                                                                   int BlockSize,
                                                                   size_t DynamicShared, unsigned) {
  return kernelCall(Kernel, [&](KernelFunction &F) {
    if (!Blocks || BlockSize <= 0)
      return cudaErrorInvalidValue;
    *Blocks = blocksPerMultiprocessor(F, BlockSize, DynamicShared);
    return cudaSuccess;
  });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *Blocks, const void *Kernel,
                                                          int BlockSize, size_t DynamicShared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(Blocks, Kernel, BlockSize,
                                                                DynamicShared, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *Bytes, const void *Kernel, int Blocks,
                                                      int BlockSize) {
  return kernelCall(Kernel, [&](KernelFunction &F) {
    if (!Bytes || Blocks <= 0 || BlockSize <= 0)
      return cudaErrorInvalidValue;
    size_t Each = size_t(Limits::SharedPerSm) / size_t(Blocks) / 128 * 128;
    size_t Fixed = staticShared(F) + Limits::ReservedShared;
    size_t Most = size_t(Limits::SharedPerBlockOptin) -
                  std::min(staticShared(F), size_t(Limits::SharedPerBlockOptin));
    *Bytes = Each > Fixed ? std::min(Each - Fixed, Most) : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *Size, const void *Kernel,
                                                 const cudaLaunchConfig_t *) {
  return kernelCall(Kernel, [&](KernelFunction &F) {
    if (!Size)
      return cudaErrorInvalidValue;
    *Size = F.NonPortableCluster ? Limits::LargestClusterSize : Limits::PortableClusterSize;
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveClusters(int *Clusters, const void *Kernel,
                                           const cudaLaunchConfig_t *Config) {
  return kernelCall(Kernel, [&](KernelFunction &F) {
    if (!Clusters || !Config)
      return cudaErrorInvalidValue;
    unsigned Size = 1;
    for (unsigned I = 0; I < Config->numAttrs; ++I)
      if (Config->attrs[I].id == cudaLaunchAttributeClusterDimension) {
        const auto &D = Config->attrs[I].val.clusterDim;
        Size = D.x * D.y * D.z;
      }
    int BlockSize = int(Config->blockDim.x * Config->blockDim.y * Config->blockDim.z);
    int Blocks =
        blocksPerMultiprocessor(F, BlockSize, Config->dynamicSmemBytes) * multiprocessors();
    *Clusters = Size ? Blocks / int(Size) : 0;
    return cudaSuccess;
  });
}
