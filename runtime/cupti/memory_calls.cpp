// Memory becomes alive and ends (D8), variables of modules, contexts.
#include "cupti/calls.h"

#include "host/options.h"

namespace scopesan::cupti {
namespace {

using host::MemoryKind;

template <typename P> void onAllocated(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  if (k.enter)
    return c.quarantineEnded(k.context);
  if (!k.succeeded)
    return;
  MemoryKind pinned = MemoryKind::PinnedHost, mapped = MemoryKind::MappedHost;
  auto add = [&](uint64_t address, uint64_t bytes, MemoryKind kind) {
    c.allocated(address, {bytes, kind, k.context}, k.api);
  };
  if constexpr (std::is_same_v<P, cuMemAllocPitch_v2_params>)
    add(*p.dptr, *p.pPitch * p.Height, MemoryKind::Device);
  else if constexpr (std::is_same_v<P, cuMemAllocManaged_params>)
    add(*p.dptr, p.bytesize, MemoryKind::Managed);
  else if constexpr (std::is_same_v<P, cuMemHostAlloc_params>)
    add(raw(*p.pp), p.bytesize, p.Flags & CU_MEMHOSTALLOC_DEVICEMAP ? mapped : pinned);
  else if constexpr (std::is_same_v<P, cuMemAllocHost_v2_params>)
    add(raw(*p.pp), p.bytesize, pinned);
  else if constexpr (std::is_same_v<P, cuMemHostRegister_v2_params>)
    add(raw(p.p), p.bytesize, p.Flags & CU_MEMHOSTREGISTER_DEVICEMAP ? mapped : pinned);
  else if constexpr (std::is_same_v<P, cuMemMap_params>)
    add(p.ptr, p.size, MemoryKind::Device);
  else
    add(*p.dptr, p.bytesize, MemoryKind::Device);
}
/// Pools give freed memory back to the system when a stream is waited for. Whoever still uses it
/// would end the context instead of being reported: the first part of it stays mapped.
void keepMapped(CUmemoryPool pool) {
  constexpr cuuint64_t Kept = 64 << 20;
  cuuint64_t threshold = 0;
  if (cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold) == CUDA_SUCCESS &&
      threshold < Kept) {
    threshold = Kept;
    cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold);
  }
}
template <typename P> void keepMapped(const P &p) {
  CUmemoryPool pool = nullptr;
  CUdevice device = 0;
  if constexpr (std::is_same_v<P, cuMemAllocFromPoolAsync_params>)
    return keepMapped(p.pool);
  if (cuStreamGetDevice(p.hStream, &device) == CUDA_SUCCESS &&
      cuDeviceGetMemPool(&pool, device) == CUDA_SUCCESS)
    keepMapped(pool);
}
/// Alive for whatever comes after this point of the stream.
template <typename P> void onAllocatedInOrder(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  if (k.enter || !k.succeeded)
    return;
  Collector::Memory m{p.bytesize, MemoryKind::Device, k.context};
  m.streamOrdered = true;
  keepMapped(p);
  if (k.captured(p.hStream))
    return c.allocated(*p.dptr, m, k.api);
  gpu::Stream &s = k.stream(c, p.hStream);
  core::NodeId since = c.Order.allocation(s);
  host::nodeNamed(since, k.api, k.origin(s));
  c.allocated(*p.dptr, m, k.api, since);
}

/// A free by the host. Drivers wait for the device in it, which CUDA does not promise: it orders
/// nothing for the host, and `free_waits=0` does not rely on it.
void endByHost(Collector &c, const Call &k, uint64_t address) {
  const Collector::Memory *m = c.find(address);
  if (!m || c.beginOf(address) != address)
    return;
  bool waits = host::options().free_waits && !m->streamOrdered;
  core::NodeId by = c.Order.hostFree();
  host::nodeNamed(by, k.api, {.isHost = true, .stack = host::captureStack()});
  c.freed(address, by, waits);
}
/// From ENTER to EXIT another thread may get the same address: the free is noted before it happens.
void onFreed(Collector &c, const Call &k) {
  uint64_t address = params<cuMemFree_v2_params>(k).dptr;
  if (k.enter) {
    const Collector::Memory *m = c.find(address);
    bool isPlain =
        m && m->kind == MemoryKind::Device && !m->streamOrdered && m->context == k.context;
    k.kept() = isPlain && c.beginOf(address) == address ? m->bytes : 0;
    endByHost(c, k, address);
  } else if (k.succeeded && k.kept()) {
    c.quarantine(address, k.kept(), k.context);
  }
  c.settle(false);
}
void onHostFreed(Collector &c, const Call &k) {
  if (k.enter)
    endByHost(c, k, raw(params<cuMemFreeHost_params>(k).p));
  c.settle(false);
}
void onUnmapped(Collector &c, const Call &k) {
  const auto &p = params<cuMemUnmap_params>(k);
  if (!k.enter)
    return;
  for (uint64_t a : c.allocationsWithin(p.ptr, p.size))
    endByHost(c, k, a);
}
void onFreedInOrder(Collector &c, const Call &k) {
  const auto &p = params<cuMemFreeAsync_params>(k);
  if (!k.enter || k.captured(p.hStream))
    return;
  gpu::Stream &s = k.stream(c, p.hStream);
  core::NodeId by = c.Order.release(s);
  host::nodeNamed(by, k.api, k.origin(s));
  c.settle(false);
  c.freed(p.dptr, by, /*afterAll=*/false);
}

template <typename P> void onVariable(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  if (!k.enter && k.succeeded && p.dptr && *p.dptr && p.bytes)
    c.variableNamed(*p.dptr, *p.bytes, p.name, k.context);
}

constexpr CallRow Memory[] = {
    {"cuMemAlloc_v2", onAllocated<cuMemAlloc_v2_params>},
    {"cuMemAllocPitch_v2", onAllocated<cuMemAllocPitch_v2_params>},
    {"cuMemAllocManaged", onAllocated<cuMemAllocManaged_params>},
    {"cuMemHostAlloc", onAllocated<cuMemHostAlloc_params>},
    {"cuMemAllocHost_v2", onAllocated<cuMemAllocHost_v2_params>},
    {"cuMemHostRegister_v2", onAllocated<cuMemHostRegister_v2_params>},
    {"cuMemMap", onAllocated<cuMemMap_params>},
    {"cuMemAllocAsync", onAllocatedInOrder<cuMemAllocAsync_params>},
    {"cuMemAllocFromPoolAsync", onAllocatedInOrder<cuMemAllocFromPoolAsync_params>},
    {"cuMemFree_v2", onFreed},
    {"cuMemFreeHost", onHostFreed},
    {"cuMemHostUnregister", onHostFreed},
    {"cuMemFreeAsync", onFreedInOrder},
    {"cuMemUnmap", onUnmapped},
    {"cuModuleGetGlobal_v2", onVariable<cuModuleGetGlobal_v2_params>},
    {"cuLibraryGetGlobal", onVariable<cuLibraryGetGlobal_params>},
    {"cuLibraryGetManaged", onVariable<cuLibraryGetManaged_params>},
};

/// A context may end: what it recorded is judged first, what it owned is dropped after.
void onContextDestroyed(Collector &c, const Call &k) {
  if (k.enter)
    return c.contextMayEnd(params<cuCtxDestroy_v2_params>(k).ctx);
  if (!k.succeeded)
    return;
  c.contextEnds(params<cuCtxDestroy_v2_params>(k).ctx);
  c.dropContexts(k.api);
}
/// A device's primary context; null = it has none now.
CUcontext primaryOf(CUdevice device) {
  unsigned flags = 0;
  int active = 0;
  CUcontext context = nullptr;
  if (cuDevicePrimaryCtxGetState(device, &flags, &active) != CUDA_SUCCESS || !active ||
      cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS)
    return nullptr;
  cuDevicePrimaryCtxRelease(device);
  return context;
}
void onPrimaryEnds(Collector &c, const Call &k) {
  CUdevice device = params<cuDevicePrimaryCtxReset_v2_params>(k).dev; // ..Release begins alike
  if (k.enter) {
    CUcontext primary = primaryOf(device);
    k.kept() = raw(primary);
    return c.contextMayEnd(primary);
  }
  auto context = reinterpret_cast<CUcontext>(k.kept());
  bool isReset = std::string_view(k.data->functionName).find("Reset") != std::string_view::npos;
  if (!k.succeeded || !context || (!isReset && primaryOf(device)))
    return;
  c.contextEnds(context);
  c.dropContexts(k.api);
}
/// Functions and variables of other modules are found again at their next use.
void onUnloaded(Collector &c, const Call &k) {
  if (k.enter)
    c.settle(true);
  else if (k.succeeded)
    c.forgetModules(nullptr);
}

constexpr CallRow Contexts[] = {
    {"cuDevicePrimaryCtxReset_v2", onPrimaryEnds},
    {"cuDevicePrimaryCtxRelease_v2", onPrimaryEnds},
    {"cuCtxDestroy_v2", onContextDestroyed},
    {"cuModuleUnload", onUnloaded},
    {"cuLibraryUnload", onUnloaded},
};

} // namespace

/// The runtime ends the primary context by ways of its own.
void deviceReset(Collector &c, bool enter) {
  thread_local CUcontext context = nullptr;
  if (enter) {
    context = nullptr;
    cuCtxGetCurrent(&context);
    c.contextMayEnd(context);
  } else if (context) {
    c.contextEnds(context);
    c.dropContexts("cudaDeviceReset");
  }
}

std::span<const CallRow> memoryCalls() { return Memory; }
std::span<const CallRow> contextCalls() { return Contexts; }

} // namespace scopesan::cupti
