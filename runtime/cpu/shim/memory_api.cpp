// Allocation, pinning, pointer queries, memory pools.
#include "cpu/shim/memory_api.h"

#include "cpu/shim/capture.h"
#include "cpu/shim/graph_memory.h"
#include "cpu/shim/pools.h"
#include "cpu/shim/variants.h"

#include <string.h>

using namespace scopesan;
using namespace scopesan::cpu;
using host::MemoryKind;

namespace {

cudaError_t allocate(Context &C, void **Result, size_t Bytes, MemoryKind Kind, const char *Api,
                     unsigned Flags = 0) {
  if (!Result)
    return cudaErrorInvalidValue;
  *Result = nullptr;
  if (!Bytes)
    return cudaSuccess;
  *Result = C.Memory.allocate(Bytes, Kind, Api, currentDevice(), Flags);
  return *Result ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t allocate(void **Result, size_t Bytes, MemoryKind Kind, const char *Api,
                     unsigned Flags = 0) {
  return deviceCall([&](Context &C) {
    if (cudaError_t E = checkUnsafeCall(C); E != cudaSuccess)
      return E;
    return allocate(C, Result, Bytes, Kind, Api, Flags);
  });
}

cudaError_t release(void *P, bool Host, const char *Api) {
  return deviceCall([&](Context &C) {
    if (!P)
      return cudaSuccess;
    if (cudaError_t E = checkUnsafeCall(C); E != cudaSuccess)
      return E;
    const Allocation *A = C.Memory.find(P);
    if (!A || A->Address != reinterpret_cast<uint64_t>(P) || !A->Owned || A->onHost() != Host)
      return cudaErrorInvalidValue;
    return endAllocation(C, *A, Api);
  });
}

constexpr size_t PitchGranule = 512;

} // namespace

cudaError_t scopesan::cpu::endAllocation(Context &C, const Allocation &A, const char *Api) {
  uint64_t Address = A.Address;
  bool Waits = host::options().free_waits && !A.StreamOrdered;
  C.Work.drain(/*RunCallbacks=*/true);
  if (C.Sticky != cudaSuccess)
    return C.Sticky;
  C.Memory.release(Address, C.Work.hostFree(Api), Waits);
  return cudaSuccess;
}

// ---------------------------------------------------------------- allocate and free

cudaError_t cudaMalloc(void **P, size_t Bytes) {
  return allocate(P, Bytes, MemoryKind::Device, "cudaMalloc");
}
cudaError_t cudaMallocManaged(void **P, size_t Bytes, unsigned Flags) {
  if (!Bytes)
    return record(cudaErrorInvalidValue);
  cudaError_t E = allocate(P, Bytes, MemoryKind::Managed, "cudaMallocManaged", Flags);
  if (E == cudaSuccess && Flags == cudaMemAttachHost)
    apiCall([&](Context &C) {
      C.Memory.attach(reinterpret_cast<uint64_t>(*P), Attachment::Host, 0);
      return cudaSuccess;
    });
  return E;
}
cudaError_t cudaHostAlloc(void **P, size_t Bytes, unsigned Flags) {
  // Unified addressing: pinned host memory is always mapped.
  MemoryKind Kind = Flags & cudaHostAllocMapped ? MemoryKind::MappedHost : MemoryKind::PinnedHost;
  return allocate(P, Bytes, Kind, "cudaHostAlloc", Flags);
}
cudaError_t cudaMallocHost(void **P, size_t Bytes) {
  return allocate(P, Bytes, MemoryKind::PinnedHost, "cudaMallocHost");
}
cudaError_t cudaFree(void *P) { return release(P, false, "cudaFree"); }
cudaError_t cudaFreeHost(void *P) { return release(P, true, "cudaFreeHost"); }

cudaError_t cudaMallocPitch(void **P, size_t *Pitch, size_t Width, size_t Height) {
  if (!Pitch)
    return record(cudaErrorInvalidValue);
  *Pitch = (Width + PitchGranule - 1) / PitchGranule * PitchGranule;
  return allocate(P, *Pitch * Height, MemoryKind::Device, "cudaMallocPitch");
}
cudaError_t cudaMalloc3D(cudaPitchedPtr *P, cudaExtent E) {
  if (!P)
    return record(cudaErrorInvalidValue);
  P->pitch = (E.width + PitchGranule - 1) / PitchGranule * PitchGranule;
  P->xsize = E.width;
  P->ysize = E.height;
  return allocate(&P->ptr, P->pitch * E.height * E.depth, MemoryKind::Device, "cudaMalloc3D");
}

// ---------------------------------------------------------------- stream-ordered allocation

static cudaError_t allocateInStream(void **P, size_t Bytes, const Pool *Given, cudaStream_t Handle,
                                    const char *Api) {
  return streamCall(Handle, [&](Context &C, Stream &S) {
    if (!P)
      return cudaErrorInvalidValue;
    const Pool &From = Given ? *Given : currentPool(S.Device);
    AllocWork W;
    if (S.Capturing) {
      W.Api = Api;
      if (cudaError_t E = reserveForGraph(C, Bytes, From.Device, W); E != cudaSuccess)
        return E;
      *P = reinterpret_cast<void *>(W.Address);
      return submit(C, S, W);
    }
    if (cudaError_t E = checkImplicitJoin(C, S); E != cudaSuccess)
      return E;
    *P = nullptr;
    if (!Bytes)
      return cudaSuccess;
    *P = C.Memory.allocate(Bytes, MemoryKind::Device, Api, From.Device);
    if (!*P)
      return cudaErrorMemoryAllocation;
    W = {Api, reinterpret_cast<uint64_t>(*P), Bytes};
    C.Memory.markStreamOrdered(W.Address, &From);
    From.UsedHigh = std::max(From.UsedHigh, C.Memory.bytesFrom(&From));
    return submit(C, S, W);
  });
}

cudaError_t cudaMallocAsync(void **P, size_t Bytes, cudaStream_t S) {
  return allocateInStream(P, Bytes, nullptr, S, "cudaMallocAsync");
}
SCOPESAN_EXPORT cudaError_t cudaMallocAsync_ptsz(void **P, size_t Bytes, cudaStream_t S) {
  return cudaMallocAsync(P, Bytes, perThread(S));
}
cudaError_t cudaMallocFromPoolAsync(void **P, size_t Bytes, cudaMemPool_t From, cudaStream_t S) {
  const Pool *Known = lookupPool(From);
  return Known ? allocateInStream(P, Bytes, Known, S, "cudaMallocFromPoolAsync")
               : record(cudaErrorInvalidValue);
}
SCOPESAN_EXPORT cudaError_t cudaMallocFromPoolAsync_ptsz(void **P, size_t Bytes, cudaMemPool_t From,
                                                         cudaStream_t S) {
  return cudaMallocFromPoolAsync(P, Bytes, From, perThread(S));
}
cudaError_t cudaFreeAsync(void *P, cudaStream_t Handle) {
  return streamCall(Handle, [&](Context &C, Stream &S) {
    const Allocation *A = C.Memory.find(P);
    if (!A || A->Address != reinterpret_cast<uint64_t>(P) || !A->Owned || A->onHost())
      return cudaErrorInvalidValue;
    return submit(C, S, FreeWork{"cudaFreeAsync", A->Address, A->Bytes, bool(S.Capturing)});
  });
}
SCOPESAN_EXPORT cudaError_t cudaFreeAsync_ptsz(void *P, cudaStream_t S) {
  return cudaFreeAsync(P, perThread(S));
}

// ---------------------------------------------------------------- pinning

cudaError_t cudaHostRegister(void *P, size_t Bytes, unsigned Flags) {
  return deviceCall([&](Context &C) {
    if (!P || !Bytes)
      return cudaErrorInvalidValue;
    if (C.Memory.find(P))
      return cudaErrorHostMemoryAlreadyRegistered;
    Allocation A;
    A.Address = reinterpret_cast<uint64_t>(P);
    A.Bytes = Bytes;
    A.Kind = Flags & cudaHostRegisterMapped ? MemoryKind::MappedHost : MemoryKind::PinnedHost;
    A.Flags = Flags;
    A.Registered = true;
    A.Device = currentDevice();
    C.Memory.adopt(A, "cudaHostRegister");
    return cudaSuccess;
  });
}
cudaError_t cudaHostUnregister(void *P) {
  return deviceCall([&](Context &C) {
    const Allocation *A = C.Memory.find(P);
    if (!A || !A->Registered || A->Address != reinterpret_cast<uint64_t>(P))
      return cudaErrorHostMemoryNotRegistered;
    C.Work.drain(/*RunCallbacks=*/true);
    C.Memory.release(reinterpret_cast<uint64_t>(P), C.Work.hostFree("cudaHostUnregister"),
                     host::options().free_waits);
    return C.Sticky;
  });
}
cudaError_t cudaHostGetDevicePointer(void **Device, void *Host, unsigned) {
  return deviceCall([&](Context &C) {
    const Allocation *A = C.Memory.find(Host);
    if (!Device || !A || !A->onHost())
      return cudaErrorInvalidValue;
    *Device = Host; // unified addressing
    return cudaSuccess;
  });
}
cudaError_t cudaHostGetFlags(unsigned *Flags, void *Host) {
  return deviceCall([&](Context &C) {
    const Allocation *A = C.Memory.find(Host);
    if (!Flags || !A || !A->onHost())
      return cudaErrorInvalidValue;
    *Flags = A->Flags | cudaHostAllocMapped;
    return cudaSuccess;
  });
}

// ---------------------------------------------------------------- queries

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *Result, const void *P) {
  return deviceCall([&](Context &C) {
    if (!Result)
      return cudaErrorInvalidValue;
    memset(Result, 0, sizeof *Result);
    Result->device = -2; // cudaInvalidDeviceId
    const Allocation *A = C.Memory.find(P);
    if (!A) {
      Result->hostPointer = const_cast<void *>(P);
      Result->type = cudaMemoryTypeUnregistered;
      return cudaSuccess;
    }
    bool Managed = A->Kind == MemoryKind::Managed;
    Result->type = Managed       ? cudaMemoryTypeManaged
                   : A->onHost() ? cudaMemoryTypeHost
                                 : cudaMemoryTypeDevice;
    Result->device = A->Device;
    Result->devicePointer = const_cast<void *>(P);
    Result->hostPointer = Managed || A->onHost() ? const_cast<void *>(P) : nullptr;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t *Free, size_t *Total) {
  return deviceCall([&](Context &C) {
    if (!Free || !Total)
      return cudaErrorInvalidValue;
    *Total = MemoryTable::TotalDeviceBytes;
    *Free = MemoryTable::TotalDeviceBytes - C.Memory.deviceBytesUsed(currentDevice());
    return cudaSuccess;
  });
}
