// Device selection, properties, limits, peers, versions.
#include "cpu/device_heap.h"
#include "cpu/shim/capture.h"
#include "cpu/shim/occupancy.h"

#include <stdio.h>
#include <string.h>

using namespace scopesan;
using namespace scopesan::cpu;
using Limits = DeviceLimits;

static constexpr int RuntimeVersion = 13000;

/// "0000:01:00.0", one bus per device.
static std::string pciBusId(int Device) {
  char Text[16];
  snprintf(Text, sizeof Text, "0000:%02x:00.0", Device + 1);
  return Text;
}

// ---------------------------------------------------------------- selection

cudaError_t cudaGetDeviceCount(int *Count) {
  return apiCall([&](Context &C) { return *Count = C.DeviceCount, cudaSuccess; });
}
cudaError_t cudaGetDevice(int *Device) {
  return apiCall([&](Context &) { return *Device = currentDevice(), cudaSuccess; });
}
cudaError_t cudaSetDevice(int Device) {
  return deviceCall([&](Context &C) {
    if (!C.valid(Device))
      return cudaErrorInvalidDevice;
    return currentDevice() = Device, cudaSuccess;
  });
}
cudaError_t cudaInitDevice(int Device, unsigned, unsigned) {
  return deviceCall(
      [&](Context &C) { return C.valid(Device) ? cudaSuccess : cudaErrorInvalidDevice; });
}
cudaError_t cudaSetValidDevices(int *, int) { return cudaSuccess; }
cudaError_t cudaChooseDevice(int *Device, const cudaDeviceProp *) { return cudaGetDevice(Device); }
cudaError_t cudaDeviceSynchronize() {
  return deviceCall([](Context &C) {
    cudaError_t E = checkUnsafeCall(C);
    return E == cudaSuccess ? C.Work.waitForDevice(currentDevice()) : E;
  });
}
cudaError_t cudaDeviceReset() {
  return apiCall([](Context &C) {
    if (C.Sticky == cudaSuccess)
      C.Work.drain(/*RunCallbacks=*/true);
    std::vector<uint64_t> Owned = C.Memory.ownedOn(currentDevice());
    core::NodeId Reset = Owned.empty() ? core::NodeId{} : C.Work.hostFree("cudaDeviceReset");
    for (uint64_t Address : Owned)
      C.Memory.release(Address, Reset, /*AfterAll=*/true);
    C.Work.forgetFailure();
    lastError() = cudaSuccess;
    return cudaSuccess;
  });
}
cudaError_t cudaRuntimeGetVersion(int *Version) { return *Version = RuntimeVersion, cudaSuccess; }
cudaError_t cudaDriverGetVersion(int *Version) { return *Version = RuntimeVersion, cudaSuccess; }
cudaError_t cudaSetDeviceFlags(unsigned Flags) {
  return apiCall([&](Context &C) { return C.current().Flags = Flags, cudaSuccess; });
}
cudaError_t cudaGetDeviceFlags(unsigned *Flags) {
  return apiCall(
      [&](Context &C) { return *Flags = C.current().Flags | cudaDeviceMapHost, cudaSuccess; });
}
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

// ---------------------------------------------------------------- limits and configuration

cudaError_t cudaDeviceSetLimit(cudaLimit Limit, size_t Value) {
  return deviceCall([&](Context &C) {
    if (unsigned(Limit) >= sizeof C.Limits / sizeof C.Limits[0])
      return cudaErrorUnsupportedLimit;
    C.Limits[Limit] = Value;
    if (Limit == cudaLimitMallocHeapSize)
      TheDeviceHeap.Limit = Value;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetLimit(size_t *Value, cudaLimit Limit) {
  return deviceCall([&](Context &C) {
    if (unsigned(Limit) >= sizeof C.Limits / sizeof C.Limits[0])
      return cudaErrorUnsupportedLimit;
    return *Value = C.Limits[Limit], cudaSuccess;
  });
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *Config) {
  return *Config = cudaFuncCachePreferNone, cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *Config) {
  return *Config = cudaSharedMemBankSizeFourByte, cudaSuccess;
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

// ---------------------------------------------------------------- peers

/// Devices reach each other's memory, once the program enables it.
static bool arePeers(Context &C, int Device, int Peer) {
  return C.valid(Device) && C.valid(Peer) && Device != Peer;
}

cudaError_t cudaDeviceCanAccessPeer(int *Can, int Device, int Peer) {
  return apiCall([&](Context &C) {
    if (!Can)
      return cudaErrorInvalidValue;
    *Can = arePeers(C, Device, Peer);
    return C.valid(Device) && C.valid(Peer) ? cudaSuccess : cudaErrorInvalidDevice;
  });
}
cudaError_t cudaDeviceEnablePeerAccess(int Peer, unsigned Flags) {
  return deviceCall([&](Context &C) {
    if (!arePeers(C, currentDevice(), Peer))
      return cudaErrorInvalidDevice;
    if (Flags)
      return cudaErrorInvalidValue;
    C.reachChanged();
    return C.current().Peers.insert(Peer).second ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
  });
}
cudaError_t cudaDeviceDisablePeerAccess(int Peer) {
  return deviceCall([&](Context &C) {
    if (!arePeers(C, currentDevice(), Peer))
      return cudaErrorInvalidDevice;
    C.reachChanged();
    return C.current().Peers.erase(Peer) ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
  });
}
cudaError_t cudaDeviceGetP2PAttribute(int *Value, cudaDeviceP2PAttr Attribute, int From, int To) {
  return apiCall([&](Context &C) {
    if (!Value)
      return cudaErrorInvalidValue;
    if (!arePeers(C, From, To))
      return cudaErrorInvalidDevice;
    switch (Attribute) {
    case cudaDevP2PAttrPerformanceRank:
      return *Value = 0, cudaSuccess;
    case cudaDevP2PAttrAccessSupported:
      return *Value = 1, cudaSuccess;
    case cudaDevP2PAttrNativeAtomicSupported:
      return *Value = host::options().p2p_native_atomics, cudaSuccess;
    case cudaDevP2PAttrCudaArrayAccessSupported:
      return *Value = 0, cudaSuccess;
    default:
      return cudaErrorInvalidValue;
    }
  });
}

/// What is native between two places, by operation: as between NVIDIA GPUs over NVLink.
static cudaError_t atomicCapabilities(unsigned *Result, const cudaAtomicOperation *List,
                                      unsigned Count, bool Native) {
  if (!Result || !List || !Count)
    return cudaErrorInvalidValue;
  constexpr unsigned Widths = cudaAtomicCapabilityScalar32 | cudaAtomicCapabilityScalar64;
  constexpr unsigned Integers = cudaAtomicCapabilitySigned | cudaAtomicCapabilityUnsigned;
  for (unsigned I = 0; I < Count; ++I) {
    unsigned Can;
    switch (List[I]) {
    case cudaAtomicOperationIntegerAdd:
    case cudaAtomicOperationIntegerMin:
    case cudaAtomicOperationIntegerMax:
    case cudaAtomicOperationAnd:
    case cudaAtomicOperationOr:
    case cudaAtomicOperationXOR:
      Can = Integers | Widths | cudaAtomicCapabilityReduction;
      break;
    case cudaAtomicOperationIntegerIncrement:
    case cudaAtomicOperationIntegerDecrement:
      Can = cudaAtomicCapabilityUnsigned | cudaAtomicCapabilityScalar32 |
            cudaAtomicCapabilityReduction;
      break;
    case cudaAtomicOperationExchange:
    case cudaAtomicOperationCAS:
      Can = Integers | Widths | cudaAtomicCapabilityScalar128;
      break;
    case cudaAtomicOperationFloatAdd:
      Can = cudaAtomicCapabilitySigned | Widths | cudaAtomicCapabilityReduction;
      break;
    case cudaAtomicOperationFloatMin:
    case cudaAtomicOperationFloatMax:
      Can = 0; // no such instruction
      break;
    default:
      return cudaErrorInvalidValue;
    }
    Result[I] = Native ? Can : 0;
  }
  return cudaSuccess;
}
cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned *Result, const cudaAtomicOperation *List,
                                                unsigned Count, int Device) {
  return apiCall([&](Context &C) {
    return C.valid(Device)
               ? atomicCapabilities(Result, List, Count, host::options().host_native_atomics)
               : cudaErrorInvalidDevice;
  });
}
cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned *Result, const cudaAtomicOperation *List,
                                               unsigned Count, int From, int To) {
  return apiCall([&](Context &C) {
    return arePeers(C, From, To)
               ? atomicCapabilities(Result, List, Count, host::options().p2p_native_atomics)
               : cudaErrorInvalidDevice;
  });
}
cudaError_t cudaDeviceGetPCIBusId(char *Id, int Bytes, int Device) {
  return apiCall([&](Context &C) {
    std::string Text = pciBusId(Device);
    if (!Id || Bytes <= int(Text.size()))
      return cudaErrorInvalidValue;
    if (!C.valid(Device))
      return cudaErrorInvalidDevice;
    memcpy(Id, Text.c_str(), Text.size() + 1);
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetByPCIBusId(int *Device, const char *Id) {
  return apiCall([&](Context &C) {
    for (int D = 0; Device && Id && D < C.DeviceCount; ++D)
      if (pciBusId(D) == Id)
        return *Device = D, cudaSuccess;
    return cudaErrorInvalidValue;
  });
}

// ---------------------------------------------------------------- attributes

namespace {

struct AttributeValue {
  cudaDeviceAttr Attribute;
  int Value;
};
/// What an H200 answers; attributes not listed are 0.
constexpr AttributeValue Attributes[] = {
    {cudaDevAttrMaxThreadsPerBlock, Limits::ThreadsPerBlock},
    {cudaDevAttrMaxBlockDimX, 1024},
    {cudaDevAttrMaxBlockDimY, 1024},
    {cudaDevAttrMaxBlockDimZ, 64},
    {cudaDevAttrMaxGridDimX, 0x7fffffff},
    {cudaDevAttrMaxGridDimY, 65535},
    {cudaDevAttrMaxGridDimZ, 65535},
    {cudaDevAttrMaxSharedMemoryPerBlock, Limits::SharedPerBlock},
    {cudaDevAttrTotalConstantMemory, 65536},
    {cudaDevAttrWarpSize, Limits::WarpSize},
    {cudaDevAttrMaxPitch, 0x7fffffff},
    {cudaDevAttrMaxRegistersPerBlock, Limits::RegistersPerSm},
    {cudaDevAttrClockRate, 1980000},
    {cudaDevAttrTextureAlignment, 512},
    {cudaDevAttrGpuOverlap, 1},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrEccEnabled, 1},
    {cudaDevAttrMemoryClockRate, 3201000},
    {cudaDevAttrGlobalMemoryBusWidth, 6016},
    {cudaDevAttrL2CacheSize, 62914560},
    {cudaDevAttrMaxThreadsPerMultiProcessor, Limits::ThreadsPerSm},
    {cudaDevAttrAsyncEngineCount, 3},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrTexturePitchAlignment, 32},
    {cudaDevAttrComputeCapabilityMajor, 9},
    {cudaDevAttrComputeCapabilityMinor, 0},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, Limits::SharedPerSm},
    {cudaDevAttrMaxRegistersPerMultiprocessor, Limits::RegistersPerSm},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
    {cudaDevAttrComputePreemptionSupported, 1},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {cudaDevAttrCooperativeLaunch, 1},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, Limits::SharedPerBlockOptin},
    {cudaDevAttrHostRegisterSupported, 1},
    {cudaDevAttrMaxBlocksPerMultiprocessor, Limits::BlocksPerSm},
    {cudaDevAttrReservedSharedMemoryPerBlock, Limits::ReservedShared},
    {cudaDevAttrMemoryPoolsSupported, 1},
    {cudaDevAttrClusterLaunch, 1},
    {cudaDevAttrNumaId, -1},
    {cudaDevAttrHostNumaId, 0},
    {cudaDevAttrMaxTexture1DLinearWidth, 1 << 28},
#define SCOPESAN_TEXTURE_LIMIT(attribute, member, value) {cudaDevAttrMax##attribute, value},
#include "cpu/shim/texture_limits.def"
};

int attribute(cudaDeviceAttr A, int Device = 0) {
  const host::Options &O = host::options();
  switch (A) { // what options choose
  case cudaDevAttrMultiProcessorCount:
    return multiprocessors();
  case cudaDevAttrMemSyncDomainCount:
    return int(context().DomainCount);
  case cudaDevAttrConcurrentManagedAccess:
    return O.concurrent_managed_access;
  case cudaDevAttrPageableMemoryAccess:
    return O.pageable_memory_access;
  case cudaDevAttrHostNativeAtomicSupported:
    return O.host_native_atomics;
  case cudaDevAttrPciBusId:
    return Device + 1;
  default:
    break;
  }
  for (const AttributeValue &V : Attributes)
    if (V.Attribute == A)
      return V.Value;
  return 0;
}

void describe(cudaDeviceProp &P, int Device) {
  memset(&P, 0, sizeof P);
  snprintf(P.name, sizeof P.name, "ScopeSan CPU backend (NVIDIA H200 model)");
  memcpy(P.uuid.bytes, "ScopeSan-CPU-000", sizeof P.uuid.bytes);
  P.uuid.bytes[15] = char('0' + Device % 10);
  P.totalGlobalMem = MemoryTable::TotalDeviceBytes;
  P.sharedMemPerBlock = Limits::SharedPerBlock;
  P.regsPerBlock = P.regsPerMultiprocessor = Limits::RegistersPerSm;
  P.warpSize = Limits::WarpSize;
  P.memPitch = 0x7fffffff;
  P.maxThreadsPerBlock = Limits::ThreadsPerBlock;
  P.maxThreadsDim[0] = P.maxThreadsDim[1] = 1024;
  P.maxThreadsDim[2] = 64;
  P.maxGridSize[0] = 0x7fffffff;
  P.maxGridSize[1] = P.maxGridSize[2] = 65535;
  P.totalConstMem = 65536;
  P.major = 9;
  P.textureAlignment = 512;
  P.texturePitchAlignment = 32;
  P.multiProcessorCount = multiprocessors();
  P.canMapHostMemory = P.concurrentKernels = P.ECCEnabled = P.unifiedAddressing = 1;
  P.pciBusID = Device + 1;
  P.asyncEngineCount = 3;
  P.memoryBusWidth = attribute(cudaDevAttrGlobalMemoryBusWidth);
  P.l2CacheSize = attribute(cudaDevAttrL2CacheSize);
  P.maxThreadsPerMultiProcessor = Limits::ThreadsPerSm;
  P.streamPrioritiesSupported = P.globalL1CacheSupported = P.localL1CacheSupported = 1;
  P.sharedMemPerMultiprocessor = Limits::SharedPerSm;
  P.managedMemory = P.computePreemptionSupported = 1;
  P.concurrentManagedAccess = attribute(cudaDevAttrConcurrentManagedAccess);
  P.pageableMemoryAccess = attribute(cudaDevAttrPageableMemoryAccess);
  P.hostNativeAtomicSupported = attribute(cudaDevAttrHostNativeAtomicSupported);
  P.canUseHostPointerForRegisteredMem = P.cooperativeLaunch = P.hostRegisterSupported = 1;
  P.sharedMemPerBlockOptin = Limits::SharedPerBlockOptin;
  P.maxBlocksPerMultiProcessor = Limits::BlocksPerSm;
  P.reservedSharedMemPerBlock = Limits::ReservedShared;
  P.memoryPoolsSupported = P.clusterLaunch = 1;
#define SCOPESAN_TEXTURE_LIMIT(attribute, member, value) P.member = value;
#include "cpu/shim/texture_limits.def"
}

} // namespace

cudaError_t cudaDeviceGetAttribute(int *Value, cudaDeviceAttr Attribute, int Device) {
  return apiCall([&](Context &C) {
    if (!Value)
      return cudaErrorInvalidValue;
    if (!C.valid(Device))
      return cudaErrorInvalidDevice;
    return *Value = attribute(Attribute, Device), cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *Result, int Device) {
  return apiCall([&](Context &C) {
    if (!Result)
      return cudaErrorInvalidValue;
    if (!C.valid(Device))
      return cudaErrorInvalidDevice;
    return describe(*Result, Device), cudaSuccess;
  });
}
