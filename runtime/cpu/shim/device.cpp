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
static constexpr char PciBusId[] = "0000:01:00.0";

static bool valid(int Device) { return Device == 0; }

// ---------------------------------------------------------------- selection

cudaError_t cudaGetDeviceCount(int *Count) {
  return apiCall([&](Context &) { return *Count = 1, cudaSuccess; });
}
cudaError_t cudaGetDevice(int *Device) {
  return apiCall([&](Context &) { return *Device = 0, cudaSuccess; });
}
cudaError_t cudaSetDevice(int Device) {
  return deviceCall(
      [&](Context &) { return valid(Device) ? cudaSuccess : cudaErrorInvalidDevice; });
}
cudaError_t cudaInitDevice(int Device, unsigned, unsigned) { return cudaSetDevice(Device); }
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
    std::vector<uint64_t> Owned = C.Memory.owned();
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
  return apiCall([&](Context &C) { return C.DeviceFlags = Flags, cudaSuccess; });
}
cudaError_t cudaGetDeviceFlags(unsigned *Flags) {
  return apiCall(
      [&](Context &C) { return *Flags = C.DeviceFlags | cudaDeviceMapHost, cudaSuccess; });
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

// ---------------------------------------------------------------- peers: there is one device

cudaError_t cudaDeviceCanAccessPeer(int *Can, int Device, int Peer) {
  return apiCall([&](Context &) {
    *Can = 0;
    return valid(Device) && valid(Peer) ? cudaSuccess : cudaErrorInvalidDevice;
  });
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return record(cudaErrorInvalidDevice); }
cudaError_t cudaDeviceDisablePeerAccess(int) { return record(cudaErrorInvalidDevice); }
cudaError_t cudaDeviceGetPCIBusId(char *Id, int Bytes, int Device) {
  if (!Id || Bytes < int(sizeof PciBusId))
    return record(cudaErrorInvalidValue);
  if (!valid(Device))
    return record(cudaErrorInvalidDevice);
  memcpy(Id, PciBusId, sizeof PciBusId);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetByPCIBusId(int *Device, const char *) { return cudaGetDevice(Device); }

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
    {cudaDevAttrPciBusId, 1},
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
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrComputePreemptionSupported, 1},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {cudaDevAttrCooperativeLaunch, 1},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, Limits::SharedPerBlockOptin},
    {cudaDevAttrHostRegisterSupported, 1},
    {cudaDevAttrMaxBlocksPerMultiprocessor, Limits::BlocksPerSm},
    {cudaDevAttrReservedSharedMemoryPerBlock, Limits::ReservedShared},
    {cudaDevAttrMemoryPoolsSupported, 1},
    {cudaDevAttrClusterLaunch, 1},
    {cudaDevAttrMemSyncDomainCount, 4},
    {cudaDevAttrNumaId, -1},
    {cudaDevAttrHostNumaId, 0},
};

int attribute(cudaDeviceAttr A) {
  if (A == cudaDevAttrMultiProcessorCount)
    return multiprocessors();
  for (const AttributeValue &V : Attributes)
    if (V.Attribute == A)
      return V.Value;
  return 0;
}

void describe(cudaDeviceProp &P) {
  memset(&P, 0, sizeof P);
  snprintf(P.name, sizeof P.name, "ScopeSan CPU backend (NVIDIA H200 model)");
  memcpy(P.uuid.bytes, "ScopeSan-CPU-000", sizeof P.uuid.bytes);
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
  P.major = DeviceLimits::Architecture / 10;
  P.textureAlignment = 512;
  P.texturePitchAlignment = 32;
  P.multiProcessorCount = multiprocessors();
  P.canMapHostMemory = P.concurrentKernels = P.ECCEnabled = P.unifiedAddressing = 1;
  P.pciBusID = 1;
  P.asyncEngineCount = 3;
  P.memoryBusWidth = attribute(cudaDevAttrGlobalMemoryBusWidth);
  P.l2CacheSize = attribute(cudaDevAttrL2CacheSize);
  P.maxThreadsPerMultiProcessor = Limits::ThreadsPerSm;
  P.streamPrioritiesSupported = P.globalL1CacheSupported = P.localL1CacheSupported = 1;
  P.sharedMemPerMultiprocessor = Limits::SharedPerSm;
  P.managedMemory = P.concurrentManagedAccess = P.computePreemptionSupported = 1;
  P.canUseHostPointerForRegisteredMem = P.cooperativeLaunch = P.hostRegisterSupported = 1;
  P.sharedMemPerBlockOptin = Limits::SharedPerBlockOptin;
  P.maxBlocksPerMultiProcessor = Limits::BlocksPerSm;
  P.reservedSharedMemPerBlock = Limits::ReservedShared;
  P.memoryPoolsSupported = P.clusterLaunch = 1;
}

} // namespace

cudaError_t cudaDeviceGetAttribute(int *Value, cudaDeviceAttr Attribute, int Device) {
  return apiCall([&](Context &) {
    if (!Value)
      return cudaErrorInvalidValue;
    if (!valid(Device))
      return cudaErrorInvalidDevice;
    return *Value = attribute(Attribute), cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *Result, int Device) {
  return apiCall([&](Context &) {
    if (!Result)
      return cudaErrorInvalidValue;
    if (!valid(Device))
      return cudaErrorInvalidDevice;
    return describe(*Result), cudaSuccess;
  });
}
