#include "cpu/shim/pools.h"

#include "cpu/shim/context.h"

#include <map>
#include <string.h>
#include <unordered_set>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

std::unordered_set<const Pool *> &livePools() {
  static auto *Set = new std::unordered_set<const Pool *>;
  return *Set;
}

cudaMemPool_t handleOf(Pool *P) { return reinterpret_cast<cudaMemPool_t>(P); }

Pool *newPool(int Device, bool IsDefault) {
  auto *P = new Pool;
  P->Device = Device;
  P->IsDefault = IsDefault;
  livePools().insert(P);
  return P;
}

Pool *defaultPool(int Device) {
  static auto *Defaults = new std::map<int, Pool *>;
  Pool *&P = (*Defaults)[Device];
  if (!P)
    P = newPool(Device, true);
  return P;
}

template <typename Function> cudaError_t poolCall(cudaMemPool_t Handle, Function Body) {
  return apiCall([&](Context &C) {
    Pool *P = lookupPool(Handle);
    return P ? Body(C, *P) : cudaErrorInvalidValue;
  });
}

template <typename Function> cudaError_t onDevice(int Device, Function Body) {
  return apiCall([&](Context &C) { return C.valid(Device) ? Body(C) : cudaErrorInvalidDevice; });
}

} // namespace

Pool *scopesan::cpu::lookupPool(cudaMemPool_t Handle) {
  auto *P = reinterpret_cast<Pool *>(Handle);
  return livePools().count(P) ? P : nullptr;
}

Pool &scopesan::cpu::currentPool(int Device) {
  Pool *Chosen = lookupPool(context().Devices[size_t(Device)].Pool);
  return Chosen ? *Chosen : *defaultPool(Device);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *Result, int Device) {
  return onDevice(Device,
                  [&](Context &) { return *Result = handleOf(defaultPool(Device)), cudaSuccess; });
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *Result, int Device) {
  return onDevice(Device,
                  [&](Context &) { return *Result = handleOf(&currentPool(Device)), cudaSuccess; });
}
cudaError_t cudaDeviceSetMemPool(int Device, cudaMemPool_t Handle) {
  return onDevice(Device, [&](Context &C) {
    if (!lookupPool(Handle))
      return cudaErrorInvalidValue;
    return C.Devices[size_t(Device)].Pool = Handle, cudaSuccess;
  });
}

/// The pools of a location: `Body(Context &, device)`. The backend has pinned memory on devices.
template <typename Function>
static cudaError_t atLocation(const cudaMemLocation *L, cudaMemAllocationType T, Function Body) {
  return apiCall([&](Context &C) {
    if (!L)
      return cudaErrorInvalidValue;
    if (L->type == cudaMemLocationTypeDevice && T == cudaMemAllocationTypePinned)
      return C.valid(L->id) ? Body(C, L->id) : cudaErrorInvalidValue;
    host::incomplete(
        "the CPU backend lacks memory pools that are not of pinned memory on a device");
    return cudaErrorNotSupported;
  });
}
cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *Result, cudaMemLocation *L,
                                     cudaMemAllocationType T) {
  if (!Result)
    return record(cudaErrorInvalidValue);
  return atLocation(L, T, [&](Context &, int Device) {
    return *Result = handleOf(defaultPool(Device)), cudaSuccess;
  });
}
cudaError_t cudaMemGetMemPool(cudaMemPool_t *Result, cudaMemLocation *L, cudaMemAllocationType T) {
  if (!Result)
    return record(cudaErrorInvalidValue);
  return atLocation(L, T, [&](Context &, int Device) {
    return *Result = handleOf(&currentPool(Device)), cudaSuccess;
  });
}
cudaError_t cudaMemSetMemPool(cudaMemLocation *L, cudaMemAllocationType T, cudaMemPool_t Handle) {
  return atLocation(L, T, [&](Context &C, int Device) {
    const Pool *P = lookupPool(Handle);
    if (!P || P->Device != Device)
      return cudaErrorInvalidValue;
    return C.Devices[size_t(Device)].Pool = Handle, cudaSuccess;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *Result, const cudaMemPoolProps *Props) {
  return apiCall([&](Context &C) {
    if (!Result || !Props)
      return cudaErrorInvalidValue;
    if (Props->location.type != cudaMemLocationTypeDevice) {
      host::incomplete("the CPU backend lacks memory pools that are not on a device");
      return cudaErrorNotSupported;
    }
    if (!C.valid(Props->location.id))
      return cudaErrorInvalidValue;
    return *Result = handleOf(newPool(Props->location.id, false)), cudaSuccess;
  });
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t Handle) {
  return poolCall(Handle, [](Context &, Pool &P) {
    if (P.IsDefault)
      return cudaErrorInvalidValue;
    livePools().erase(&P); // allocations from it stay; the record stays for them
    return cudaSuccess;
  });
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t Handle, size_t) {
  return poolCall(Handle, [](Context &, Pool &) { return cudaSuccess; });
}
/// Null for another attribute.
static int *reusePolicy(Pool &P, cudaMemPoolAttr Attribute) {
  switch (Attribute) {
  case cudaMemPoolReuseFollowEventDependencies:
    return &P.Reuse[0];
  case cudaMemPoolReuseAllowOpportunistic:
    return &P.Reuse[1];
  case cudaMemPoolReuseAllowInternalDependencies:
    return &P.Reuse[2];
  default:
    return nullptr;
  }
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t Handle, cudaMemPoolAttr Attribute, void *Value) {
  return poolCall(Handle, [&](Context &C, Pool &P) {
    if (!Value)
      return cudaErrorInvalidValue;
    if (int *Policy = reusePolicy(P, Attribute))
      *Policy = *static_cast<int *>(Value) != 0;
    else if (Attribute == cudaMemPoolAttrReleaseThreshold)
      P.ReleaseThreshold = *static_cast<uint64_t *>(Value);
    else if (Attribute == cudaMemPoolAttrUsedMemHigh || Attribute == cudaMemPoolAttrReservedMemHigh)
      P.UsedHigh = C.Memory.bytesFrom(&P); // may only be reset
    return cudaSuccess;
  });
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t Handle, cudaMemPoolAttr Attribute, void *Value) {
  return poolCall(Handle, [&](Context &C, Pool &P) {
    auto *Wide = static_cast<uint64_t *>(Value);
    if (!Value)
      return cudaErrorInvalidValue;
    switch (Attribute) {
    case cudaMemPoolAttrReleaseThreshold:
      return *Wide = P.ReleaseThreshold, cudaSuccess;
    case cudaMemPoolAttrUsedMemCurrent:
    case cudaMemPoolAttrReservedMemCurrent:
      return *Wide = C.Memory.bytesFrom(&P), cudaSuccess;
    case cudaMemPoolAttrUsedMemHigh:
    case cudaMemPoolAttrReservedMemHigh:
      return *Wide = P.UsedHigh, cudaSuccess;
    default:
      if (int *Policy = reusePolicy(P, Attribute))
        return *static_cast<int *>(Value) = *Policy, cudaSuccess;
      return cudaErrorInvalidValue;
    }
  });
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t Handle, const cudaMemAccessDesc *List,
                                 size_t Count) {
  return poolCall(Handle, [&](Context &C, Pool &P) {
    for (size_t I = 0; I < Count; ++I) {
      int Device = List[I].location.id;
      if (List[I].location.type != cudaMemLocationTypeDevice || !C.valid(Device))
        return cudaErrorInvalidDevice;
      if (Device == P.Device && List[I].flags == cudaMemAccessFlagsProtNone)
        return cudaErrorInvalidValue;
      if (List[I].flags == cudaMemAccessFlagsProtNone)
        P.Access.erase(Device);
      else
        P.Access.insert(Device);
    }
    C.reachChanged();
    return cudaSuccess;
  });
}
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags *Flags, cudaMemPool_t Handle,
                                 cudaMemLocation *Location) {
  return poolCall(Handle, [&](Context &, Pool &P) {
    if (!Flags || !Location)
      return cudaErrorInvalidValue;
    bool May = Location->id == P.Device || P.Access.count(Location->id);
    return *Flags = May ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone, cudaSuccess;
  });
}
