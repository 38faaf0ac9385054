// Virtual memory management: cuMemAddressReserve, cuMemCreate, cuMemMap, cuMemSetAccess.
//
// Memory is a file without a name, and mapping it maps that file. Its identity (P1) is the first
// address that it is mapped at; further ones are aliases (S13).
#include "cpu/shim/virtual_memory.h"

#include "cpu/aliases.h"
#include "cpu/shim/capture.h"
#include "cpu/shim/context.h"

#include "host/options.h"

#pragma GCC visibility push(default)
#include <cuda.h>
#pragma GCC visibility pop

#include <map>
#include <set>
#include <sys/mman.h>
#include <unistd.h>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

constexpr uint64_t Granularity = 2 << 20;

struct Memory {
  int File = -1;
  uint64_t Bytes = 0;
  int Device = 0;
  bool Released = false;
  uint64_t First = 0; ///< address; 0: not mapped
  unsigned Mappings = 0;
};
struct Mapping {
  uint64_t Bytes = 0, Handle = 0;
  std::set<int> Devices; ///< that may access it
};

/// Guarded by the context's mutex.
struct VirtualMemory {
  std::map<uint64_t, uint64_t> Reserved; ///< address -> bytes
  std::map<uint64_t, Memory> Memories;   ///< by handle
  std::map<uint64_t, Mapping> Mappings;  ///< by address
  uint64_t NextHandle = 1, NextAddress = 0x180000000000;

  bool isReserved(uint64_t Address, uint64_t Bytes) const {
    auto It = Reserved.upper_bound(Address);
    if (It == Reserved.begin())
      return false;
    --It;
    return Address - It->first <= It->second && Bytes <= It->second - (Address - It->first);
  }
  bool isMapped(uint64_t Address, uint64_t Bytes) const {
    auto It = Mappings.lower_bound(Address + Bytes);
    return It != Mappings.begin() && (--It)->first + It->second.Bytes > Address;
  }
  void closeIfUnused(uint64_t Handle) {
    Memory &M = Memories[Handle];
    if (!M.Released || M.Mappings)
      return;
    close(M.File);
    Memories.erase(Handle);
  }
};
VirtualMemory &state() {
  static VirtualMemory *V = new VirtualMemory; // never destroyed, like the context
  return *V;
}

template <typename Function> CUresult driverCall(Function Body) {
  return CUresult(int(deviceCall([&](Context &C) { // the numbers agree
    cudaError_t E = checkUnsafeCall(C);
    return E == cudaSuccess ? Body(C, state()) : E;
  })));
}

bool whole(uint64_t Bytes) { return Bytes && Bytes % Granularity == 0; }

/// Addresses without memory behind them.
bool clear(uint64_t Address, uint64_t Bytes) {
  return mmap(reinterpret_cast<void *>(Address), Bytes, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

bool isKnown(Context &C, const CUmemAllocationProp *P) {
  return P && P->type == CU_MEM_ALLOCATION_TYPE_PINNED &&
         P->location.type == CU_MEM_LOCATION_TYPE_DEVICE && C.valid(P->location.id);
}

cudaError_t map(Context &C, VirtualMemory &V, uint64_t Address, uint64_t Bytes, uint64_t Handle) {
  auto It = V.Memories.find(Handle);
  if (It == V.Memories.end() || It->second.Released || !whole(Bytes) || Bytes > It->second.Bytes ||
      Address % Granularity || !V.isReserved(Address, Bytes) || V.isMapped(Address, Bytes))
    return cudaErrorInvalidValue;
  Memory &M = It->second;
  if (mmap(reinterpret_cast<void *>(Address), Bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
           M.File, 0) == MAP_FAILED)
    return cudaErrorMemoryAllocation;
  V.Mappings[Address] = {Bytes, Handle, {}};
  if (M.Mappings++)
    TheAliases.add(Address, Bytes, M.First);
  else
    M.First = Address;
  Allocation A;
  A.Address = Address;
  A.Bytes = Bytes;
  A.Kind = host::MemoryKind::Device;
  A.Device = M.Device;
  C.Memory.adopt(A, "cuMemMap");
  C.reachChanged();
  return cudaSuccess;
}

cudaError_t unmap(Context &C, VirtualMemory &V, uint64_t Address, uint64_t Bytes) {
  auto It = V.Mappings.find(Address);
  if (It == V.Mappings.end() || It->second.Bytes != Bytes)
    return cudaErrorInvalidValue;
  C.Work.drain(/*RunCallbacks=*/true);
  if (C.Sticky != cudaSuccess)
    return C.Sticky;
  uint64_t Handle = It->second.Handle;
  Memory &M = V.Memories[Handle];
  if (M.First == Address && M.Mappings > 1)
    host::incomplete("memory was unmapped at the first of its addresses; accesses there are not "
                     "told from those at the others");
  else
    C.Memory.release(Address, C.Work.hostFree("cuMemUnmap"), host::options().free_waits);
  TheAliases.remove(Address);
  V.Mappings.erase(It);
  --M.Mappings;
  V.closeIfUnused(Handle);
  C.reachChanged();
  return clear(Address, Bytes) ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t setAccess(Context &C, VirtualMemory &V, uint64_t Address, uint64_t Bytes,
                      const CUmemAccessDesc *Descriptions, size_t Count) {
  for (size_t I = 0; I < Count; ++I) {
    const CUmemAccessDesc &D = Descriptions[I];
    if (D.location.type != CU_MEM_LOCATION_TYPE_DEVICE || !C.valid(D.location.id))
      return cudaErrorInvalidValue;
    if (D.flags == CU_MEM_ACCESS_FLAGS_PROT_READ)
      host::incomplete("memory that a device may only read: its writes are not refused");
  }
  uint64_t Covered = 0;
  for (auto It = V.Mappings.lower_bound(Address);
       It != V.Mappings.end() && It->first + It->second.Bytes <= Address + Bytes; ++It) {
    Covered += It->second.Bytes;
    for (size_t I = 0; I < Count; ++I)
      if (Descriptions[I].flags == CU_MEM_ACCESS_FLAGS_PROT_NONE)
        It->second.Devices.erase(Descriptions[I].location.id);
      else
        It->second.Devices.insert(Descriptions[I].location.id);
  }
  C.reachChanged();
  return Covered == Bytes ? cudaSuccess : cudaErrorInvalidValue;
}

} // namespace

bool scopesan::cpu::mappingAllows(uint64_t Address, int Device, bool Otherwise) {
  auto It = state().Mappings.find(Address);
  return It == state().Mappings.end() ? Otherwise : It->second.Devices.count(Device) != 0;
}

CUresult cuMemGetAllocationGranularity(size_t *Result, const CUmemAllocationProp *Prop,
                                       CUmemAllocationGranularity_flags) {
  return driverCall([&](Context &C, VirtualMemory &) {
    if (!Result || !isKnown(C, Prop))
      return cudaErrorInvalidValue;
    *Result = Granularity;
    return cudaSuccess;
  });
}

CUresult cuMemAddressReserve(CUdeviceptr *Result, size_t Bytes, size_t Alignment, CUdeviceptr,
                             unsigned long long Flags) {
  return driverCall([&](Context &, VirtualMemory &V) {
    if (!Result || !whole(Bytes) || Alignment & (Alignment - 1) || Flags)
      return cudaErrorInvalidValue;
    uint64_t A = Alignment > Granularity ? Alignment : Granularity;
    uint64_t Address = (V.NextAddress + A - 1) / A * A;
    if (!clear(Address, Bytes))
      return cudaErrorMemoryAllocation;
    V.NextAddress = Address + Bytes + Granularity; // an overrun hits nobody
    V.Reserved[Address] = Bytes;
    *Result = Address;
    return cudaSuccess;
  });
}

CUresult cuMemAddressFree(CUdeviceptr Address, size_t Bytes) {
  return driverCall([&](Context &, VirtualMemory &V) {
    auto It = V.Reserved.find(Address);
    if (It == V.Reserved.end() || It->second != Bytes || V.isMapped(Address, Bytes))
      return cudaErrorInvalidValue;
    V.Reserved.erase(It); // never used again: late accesses meet nobody's memory
    return cudaSuccess;
  });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *Handle, size_t Bytes,
                     const CUmemAllocationProp *Prop, unsigned long long Flags) {
  return driverCall([&](Context &C, VirtualMemory &V) {
    if (!Handle || !whole(Bytes) || Flags || !Prop)
      return cudaErrorInvalidValue;
    if (!isKnown(C, Prop)) {
      host::incomplete("the CPU backend lacks cuMemCreate for other than pinned device memory");
      return cudaErrorNotSupported;
    }
    Memory M;
    M.File = memfd_create("scopesan", MFD_CLOEXEC);
    if (M.File < 0 || ftruncate(M.File, off_t(Bytes)) != 0)
      return cudaErrorMemoryAllocation;
    M.Bytes = Bytes;
    M.Device = Prop->location.id;
    *Handle = V.NextHandle++;
    V.Memories[*Handle] = M;
    return cudaSuccess;
  });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle Handle) {
  return driverCall([&](Context &, VirtualMemory &V) {
    auto It = V.Memories.find(Handle);
    if (It == V.Memories.end() || It->second.Released)
      return cudaErrorInvalidValue;
    It->second.Released = true;
    V.closeIfUnused(Handle);
    return cudaSuccess;
  });
}

CUresult cuMemMap(CUdeviceptr Address, size_t Bytes, size_t Offset,
                  CUmemGenericAllocationHandle Handle, unsigned long long Flags) {
  return driverCall([&](Context &C, VirtualMemory &V) {
    return Offset || Flags ? cudaErrorInvalidValue : map(C, V, Address, Bytes, Handle);
  });
}

CUresult cuMemUnmap(CUdeviceptr Address, size_t Bytes) {
  return driverCall([&](Context &C, VirtualMemory &V) { return unmap(C, V, Address, Bytes); });
}

CUresult cuMemSetAccess(CUdeviceptr Address, size_t Bytes, const CUmemAccessDesc *Descriptions,
                        size_t Count) {
  return driverCall([&](Context &C, VirtualMemory &V) {
    if (!Descriptions || !Count)
      return cudaErrorInvalidValue;
    return setAccess(C, V, Address, Bytes, Descriptions, Count);
  });
}
