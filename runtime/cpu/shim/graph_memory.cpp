#include "cpu/shim/graph_memory.h"

#include <algorithm>
#include <map>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

/// Bytes that graphs use on a device. What is reserved for them is what was used at most since the
/// last trim.
struct GraphMemory {
  std::map<uint64_t, uint64_t> Live; ///< address -> bytes
  uint64_t Used = 0, UsedHigh = 0, Reserved = 0, ReservedHigh = 0;
};

std::map<int, GraphMemory> &graphMemory() {
  static auto *Devices = new std::map<int, GraphMemory>;
  return *Devices;
}

uint64_t *attributeOf(GraphMemory &M, cudaGraphMemAttributeType What) {
  switch (What) {
  case cudaGraphMemAttrUsedMemCurrent:
    return &M.Used;
  case cudaGraphMemAttrUsedMemHigh:
    return &M.UsedHigh;
  case cudaGraphMemAttrReservedMemCurrent:
    return &M.Reserved;
  case cudaGraphMemAttrReservedMemHigh:
    return &M.ReservedHigh;
  default:
    return nullptr;
  }
}

} // namespace

void scopesan::cpu::graphAllocated(uint64_t Address, uint64_t Bytes, int Device) {
  GraphMemory &M = graphMemory()[Device];
  if (M.Live.emplace(Address, Bytes).second)
    M.Used += Bytes;
  M.UsedHigh = std::max(M.UsedHigh, M.Used);
  M.Reserved = std::max(M.Reserved, M.Used);
  M.ReservedHigh = std::max(M.ReservedHigh, M.Reserved);
}

void scopesan::cpu::graphFreed(uint64_t Address) {
  for (auto &[Device, M] : graphMemory())
    if (auto It = M.Live.find(Address); It != M.Live.end()) {
      M.Used -= It->second;
      M.Live.erase(It);
    }
}

cudaError_t scopesan::cpu::reserveForGraph(Context &C, size_t Bytes, int Device, AllocWork &W) {
  if (!*W.Api)
    W.Api = "cudaGraphAddMemAllocNode";
  void *P = C.Memory.allocate(Bytes, host::MemoryKind::Device, W.Api, Device);
  if (!P)
    return cudaErrorMemoryAllocation;
  W.Address = reinterpret_cast<uint64_t>(P);
  W.Bytes = Bytes;
  W.Reservation = std::shared_ptr<void>(P, [&C, Serial = C.Memory.find(P)->Serial](void *P) {
    std::lock_guard Lock(C.Mutex);
    C.Memory.forget(reinterpret_cast<uint64_t>(P), Serial);
  });
  return cudaSuccess;
}

cudaError_t scopesan::cpu::freeInGraph(Context &C, void *P, FreeWork &W) {
  const Allocation *A = C.Memory.find(P);
  if (!A || A->Address != reinterpret_cast<uint64_t>(P))
    return cudaErrorInvalidValue;
  W.Api = "cudaGraphAddMemFreeNode";
  W.Address = A->Address;
  W.Bytes = A->Bytes;
  W.InGraph = true;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetGraphMemAttribute(int Device, cudaGraphMemAttributeType What,
                                           void *Value) {
  return apiCall([&](Context &C) {
    if (!C.valid(Device))
      return cudaErrorInvalidDevice;
    const uint64_t *Counted = attributeOf(graphMemory()[Device], What);
    if (!Value || !Counted)
      return cudaErrorInvalidValue;
    return *static_cast<uint64_t *>(Value) = *Counted, cudaSuccess;
  });
}
cudaError_t cudaDeviceSetGraphMemAttribute(int Device, cudaGraphMemAttributeType What,
                                           void *Value) {
  return apiCall([&](Context &C) {
    if (!C.valid(Device))
      return cudaErrorInvalidDevice;
    GraphMemory &M = graphMemory()[Device];
    bool UsedHigh = What == cudaGraphMemAttrUsedMemHigh;
    if (!Value || *static_cast<uint64_t *>(Value) ||
        (!UsedHigh && What != cudaGraphMemAttrReservedMemHigh))
      return cudaErrorInvalidValue; // a high-water mark may be reset to 0, the others only read
    return (UsedHigh ? M.UsedHigh = M.Used : M.ReservedHigh = M.Reserved), cudaSuccess;
  });
}
cudaError_t cudaDeviceGraphMemTrim(int Device) {
  return apiCall([&](Context &C) {
    if (!C.valid(Device))
      return cudaErrorInvalidDevice;
    GraphMemory &M = graphMemory()[Device];
    return M.Reserved = M.Used, cudaSuccess;
  });
}
