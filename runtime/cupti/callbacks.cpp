// From the driver's API to facts. One row per function name; the suffixes _ptsz and _ptds mean that
// a null stream is the calling thread's own.
#include "cupti/collector.h"
#include "cupti/cupti_api.h"

#include "host/options.h"

#include <atomic>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string_view>

namespace scopesan::cupti {
namespace {

using host::MemoryKind;

/// One driver call that the program made.
struct Call {
  const CUpti_CallbackData *data;
  bool enter, perThread, succeeded;
  std::string api; ///< what the program called: the runtime's name where there is one
  /// Kept from ENTER to EXIT.
  uint64_t &kept() const { return *data->correlationData; }
};
template <typename T> const T &params(const Call &c) {
  return *static_cast<const T *>(c.data->functionParams);
}
using Handler = void (*)(Collector &, const Call &);

/// The runtime function that the thread is in.
thread_local const char *RuntimeName = nullptr;

uint64_t raw(const void *p) { return reinterpret_cast<uint64_t>(p); }

// ---------------------------------------------------------------- launches

void launch(Collector &c, const Call &k, const LaunchRequest &r) {
  if (k.enter)
    c.launchBegins(r);
  else
    c.launchIssued(k.succeeded, r.stream);
}

template <typename Params> LaunchRequest plainRequest(const Call &k) {
  const auto &p = params<Params>(k);
  LaunchRequest r;
  r.function = p.f;
  r.symbol = k.data->symbolName;
  r.grid = {p.gridDimX, p.gridDimY, p.gridDimZ};
  r.block = {p.blockDimX, p.blockDimY, p.blockDimZ};
  r.dynamicShared = p.sharedMemBytes;
  r.stream = p.hStream;
  r.perThread = k.perThread;
  return r;
}

/// P6: domain and map of the launch, else of its stream.
struct DomainChoice {
  bool hasDomain = false, hasMap = false;
  CUlaunchMemSyncDomain domain = CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT;
  CUlaunchMemSyncDomainMap map{0, 0};

  core::DomainId physical(CUstream stream) {
    InsideScope inside;
    CUlaunchAttributeValue v;
    if (!hasDomain &&
        cuStreamGetAttribute(stream, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, &v) == CUDA_SUCCESS)
      domain = v.memSyncDomain;
    if (!hasMap &&
        cuStreamGetAttribute(stream, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, &v) == CUDA_SUCCESS)
      map = v.memSyncDomainMap;
    return {domain == CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE ? map.remote : map.default_};
  }
};

void onLaunch(Collector &c, const Call &k) {
  LaunchRequest r = plainRequest<cuLaunchKernel_params>(k);
  if (k.enter)
    r.domain = DomainChoice().physical(r.stream);
  launch(c, k, r);
}
void onCooperative(Collector &c, const Call &k) {
  LaunchRequest r = plainRequest<cuLaunchCooperativeKernel_params>(k);
  r.cooperative = true;
  if (k.enter)
    r.domain = DomainChoice().physical(r.stream);
  launch(c, k, r);
}
void onLaunchEx(Collector &c, const Call &k) {
  const auto &p = params<cuLaunchKernelEx_params>(k);
  const CUlaunchConfig &g = *p.config;
  LaunchRequest r;
  r.function = p.f;
  r.symbol = k.data->symbolName;
  r.grid = {g.gridDimX, g.gridDimY, g.gridDimZ};
  r.block = {g.blockDimX, g.blockDimY, g.blockDimZ};
  r.dynamicShared = g.sharedMemBytes;
  r.stream = g.hStream;
  r.perThread = k.perThread;
  DomainChoice domain;
  for (unsigned i = 0; i < g.numAttrs; ++i) {
    const CUlaunchAttribute &a = g.attrs[i];
    switch (a.id) {
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      r.cluster = {a.value.clusterDim.x, a.value.clusterDim.y, a.value.clusterDim.z};
      break;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      r.cooperative = a.value.cooperative;
      break;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
      domain.hasDomain = true;
      domain.domain = a.value.memSyncDomain;
      break;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
      domain.hasMap = true;
      domain.map = a.value.memSyncDomainMap;
      break;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
      if (k.enter)
        host::incomplete("programmatic dependent launch is taken as a full dependency on the GPU");
      break;
    default:
      break;
    }
  }
  if (k.enter)
    r.domain = domain.physical(r.stream);
  launch(c, k, r);
}
void onGraphLaunch(Collector &c, const Call &k) {
  CUstream stream = params<cuGraphLaunch_params>(k).hStream;
  if (k.enter)
    c.uncheckedLaunch("a graph was launched: graphs are not checked on the GPU yet", stream,
                      k.perThread);
  else
    c.launchIssued(k.succeeded, stream);
}

/// What is captured does not run now: it is X1 when its graph is launched.
bool captured(CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS &&
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

// ---------------------------------------------------------------- copies and fills

struct Rows {
  uint64_t address = 0, width = 0, height = 1, pitch = 0;
};

/// A copy or fill, in stream order (O7). Pageable host memory is not shadowed.
void transfer(Collector &c, const Call &k, CUstream stream, bool async, const Rows *from,
              const Rows &to) {
  if (captured(stream))
    return;
  gpu::Stream &s = c.Order.stream(stream, k.perThread);
  if (!k.enter) {
    auto onDevice = [&](const Rows &r) {
      const Collector::Memory *m = c.find(r.address);
      return m && !m->host && !m->managed;
    };
    // As in the CPU backend: copies to pageable memory wait, and synchronous ones unless both
    // sides are device memory; synchronous fills of host memory wait.
    bool waits = from ? (async ? !c.find(to.address) : !(onDevice(to) && onDevice(*from)))
                      : (!async && c.find(to.address) && !onDevice(to));
    if (k.succeeded && waits) {
      c.settle(false);
      c.Order.hostAfter({uint32_t(k.kept())});
    }
    return;
  }
  core::NodeId node = c.Order.copy(s);
  k.kept() = node.value;
  host::nodeNamed(node, k.api, {.stream = s.ordinal});
  Rows source = from ? *from : Rows{};
  bool reads = from && c.find(source.address), writes = c.find(to.address);
  c.settle(false);
  c.inOrder([&c, node, source, to, reads, writes] {
    auto each = [](const Rows &r, auto f) {
      for (uint64_t y = 0; y < r.height; ++y)
        f(r.address + y * r.pitch, r.width);
    };
    if (reads)
      each(source, [&](uint64_t a, uint64_t n) { c.Detector.nodeRead(node, a, n, {}); });
    if (writes)
      each(to, [&](uint64_t a, uint64_t n) { c.Detector.nodeWrite(node, a, n, {}); });
  });
}

template <typename P, bool Async> void onCopyDtoD(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  CUstream stream = nullptr;
  if constexpr (Async)
    stream = p.hStream;
  Rows from{p.srcDevice, p.ByteCount}, to{p.dstDevice, p.ByteCount};
  transfer(c, k, stream, Async, &from, to);
}
template <typename P, bool Async> void onCopyHtoD(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  CUstream stream = nullptr;
  if constexpr (Async)
    stream = p.hStream;
  Rows from{raw(p.srcHost), p.ByteCount}, to{p.dstDevice, p.ByteCount};
  transfer(c, k, stream, Async, &from, to);
}
template <typename P, bool Async> void onCopyDtoH(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  CUstream stream = nullptr;
  if constexpr (Async)
    stream = p.hStream;
  Rows from{p.srcDevice, p.ByteCount}, to{raw(p.dstHost), p.ByteCount};
  transfer(c, k, stream, Async, &from, to);
}
template <typename P, bool Async> void onCopy(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  CUstream stream = nullptr;
  if constexpr (Async)
    stream = p.hStream;
  Rows from{p.src, p.ByteCount}, to{p.dst, p.ByteCount};
  transfer(c, k, stream, Async, &from, to);
}
void copy2D(Collector &c, const Call &k, const CUDA_MEMCPY2D &m, CUstream stream, bool async) {
  auto base = [](CUmemorytype type, const void *host, CUdeviceptr device) {
    return type == CU_MEMORYTYPE_HOST ? raw(host) : uint64_t(device);
  };
  if (m.srcMemoryType == CU_MEMORYTYPE_ARRAY || m.dstMemoryType == CU_MEMORYTYPE_ARRAY) {
    if (k.enter)
      host::incomplete("CUDA arrays are not checked (" + k.api + ")");
    return;
  }
  Rows from{base(m.srcMemoryType, m.srcHost, m.srcDevice) + m.srcY * m.srcPitch + m.srcXInBytes,
            m.WidthInBytes, m.Height, m.srcPitch};
  Rows to{base(m.dstMemoryType, m.dstHost, m.dstDevice) + m.dstY * m.dstPitch + m.dstXInBytes,
          m.WidthInBytes, m.Height, m.dstPitch};
  transfer(c, k, stream, async, &from, to);
}
void onCopy2D(Collector &c, const Call &k) {
  copy2D(c, k, *params<cuMemcpy2D_v2_params>(k).pCopy, nullptr, false);
}
void onCopy2DAsync(Collector &c, const Call &k) {
  const auto &p = params<cuMemcpy2DAsync_v2_params>(k);
  copy2D(c, k, *p.pCopy, p.hStream, true);
}
template <typename P, unsigned Element, bool Async> void onFill(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  CUstream stream = nullptr;
  if constexpr (Async)
    stream = p.hStream;
  transfer(c, k, stream, Async, nullptr, {p.dstDevice, p.N * Element});
}
template <typename P, unsigned Element, bool Async> void onFill2D(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  CUstream stream = nullptr;
  if constexpr (Async)
    stream = p.hStream;
  transfer(c, k, stream, Async, nullptr, {p.dstDevice, p.Width * Element, p.Height, p.dstPitch});
}
void onUncheckedCopy(Collector &, const Call &k) {
  if (k.enter)
    host::incomplete("a copy of this kind is not checked on the GPU yet (" + k.api + ")");
}

// ---------------------------------------------------------------- streams, events, host waits

template <typename P> void onStreamCreated(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  unsigned flags;
  if constexpr (std::is_same_v<P, cuStreamCreate_params>)
    flags = p.Flags;
  else
    flags = p.flags;
  if (!k.enter && k.succeeded)
    c.Order.created(*p.phStream, !(flags & CU_STREAM_NON_BLOCKING));
}
void onStreamDestroyed(Collector &c, const Call &k) {
  if (k.enter)
    c.Order.destroyed(params<cuStreamDestroy_v2_params>(k).hStream);
}
void onStreamSynchronized(Collector &c, const Call &k) {
  if (k.enter || !k.succeeded)
    return c.settle(false);
  c.settle(false);
  c.Order.hostAfterStream(
      c.Order.stream(params<cuStreamSynchronize_params>(k).hStream, k.perThread));
}
void onStreamQueried(Collector &c, const Call &k) {
  if (!k.enter && k.succeeded)
    onStreamSynchronized(c, k);
}
void onContextSynchronized(Collector &c, const Call &k) {
  if (k.enter)
    return;
  c.settle(false);
  if (k.succeeded)
    c.Order.hostAfterAll();
}
void onStreamWaits(Collector &c, const Call &k) {
  const auto &p = params<cuStreamWaitEvent_params>(k);
  core::NodeId record = c.Order.recordOf(p.hEvent);
  if (k.enter && record.value && !captured(p.hStream))
    c.Order.marker(c.Order.stream(p.hStream, k.perThread), record);
}
void onEventRecorded(Collector &c, const Call &k) {
  const auto &p = params<cuEventRecord_params>(k); // ..WithFlags begins alike
  if (k.enter && !captured(p.hStream))
    c.Order.recorded(p.hEvent, c.Order.stream(p.hStream, k.perThread));
}
void onEventAwaited(Collector &c, const Call &k) {
  if (k.enter || !k.succeeded)
    return;
  c.settle(false);
  c.Order.hostAfter(c.Order.recordOf(params<cuEventSynchronize_params>(k).hEvent));
}
/// S14 (?): a wait for a value is taken as a wait for everything before it. All of these functions
/// take the stream first.
void onValueWaited(Collector &c, const Call &k) {
  CUstream stream = *static_cast<CUstream const *>(k.data->functionParams);
  if (!k.enter || captured(stream))
    return;
  host::incomplete("waits for a value in memory are taken as waits for all earlier work (" + k.api +
                   ")");
  c.Order.markerAfterAll(c.Order.stream(stream, k.perThread));
}
void onHostFunction(Collector &c, const Call &k) {
  const auto &p = params<cuLaunchHostFunc_params>(k);
  if (k.enter && !captured(p.hStream))
    c.Order.marker(c.Order.stream(p.hStream, k.perThread));
}

// ---------------------------------------------------------------- memory

template <typename P> void onAllocated(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  if (k.enter || !k.succeeded)
    return;
  if constexpr (std::is_same_v<P, cuMemAllocPitch_v2_params>)
    c.allocated(*p.dptr, *p.pPitch * p.Height, MemoryKind::Device, k.api);
  else if constexpr (std::is_same_v<P, cuMemAllocManaged_params>)
    c.allocated(*p.dptr, p.bytesize, MemoryKind::Managed, k.api);
  else if constexpr (std::is_same_v<P, cuMemHostAlloc_params>)
    c.allocated(raw(*p.pp), p.bytesize,
                p.Flags & CU_MEMHOSTALLOC_DEVICEMAP ? MemoryKind::MappedHost
                                                    : MemoryKind::PinnedHost,
                k.api);
  else if constexpr (std::is_same_v<P, cuMemAllocHost_v2_params>)
    c.allocated(raw(*p.pp), p.bytesize, MemoryKind::PinnedHost, k.api);
  else if constexpr (std::is_same_v<P, cuMemHostRegister_v2_params>)
    c.allocated(raw(p.p), p.bytesize,
                p.Flags & CU_MEMHOSTREGISTER_DEVICEMAP ? MemoryKind::MappedHost
                                                       : MemoryKind::PinnedHost,
                k.api);
  else {
    if constexpr (requires { p.hStream; })
      c.Order.marker(c.Order.stream(p.hStream, k.perThread));
    c.allocated(*p.dptr, p.bytesize, MemoryKind::Device, k.api);
  }
}
/// A free waits for the device; the wait is not documented, so it orders nothing.
void onFreed(Collector &c, const Call &k) {
  if (k.enter)
    return;
  c.settle(false);
  if (k.succeeded)
    c.freed(params<cuMemFree_v2_params>(k).dptr);
}
void onHostFreed(Collector &c, const Call &k) {
  if (k.enter)
    return;
  c.settle(false);
  if (k.succeeded)
    c.freed(raw(params<cuMemFreeHost_params>(k).p));
}
void onUnmapped(Collector &c, const Call &k) {
  const auto &p = params<cuMemUnmap_params>(k);
  if (!k.enter && k.succeeded)
    c.inOrder([&c, a = p.ptr, n = p.size] { c.Detector.forget(a, n); });
}
void onFreedInOrder(Collector &c, const Call &k) {
  const auto &p = params<cuMemFreeAsync_params>(k);
  if (!k.enter || captured(p.hStream))
    return;
  c.Order.marker(c.Order.stream(p.hStream, k.perThread));
  c.settle(false);
  c.freed(p.dptr);
}

// ---------------------------------------------------------------- dispatch

struct Row {
  std::string_view name;
  Handler handle;
};
constexpr Row Table[] = {
#include "cupti/driver_calls.def"
};

struct Entry {
  Handler handle = nullptr;
  bool perThread = false, isLaunch = false;
};

Entry lookUp(std::string_view name) {
  Entry e;
  for (std::string_view suffix : {"_ptsz", "_ptds"})
    if (name.ends_with(suffix)) {
      e.perThread = true;
      name.remove_suffix(suffix.size());
    }
  e.isLaunch = name.starts_with("cuLaunchKernel") || name == "cuLaunchCooperativeKernel" ||
               name == "cuGraphLaunch";
  for (const Row &row : Table)
    if (row.name == name)
      e.handle = row.handle;
  return e;
}

/// By callback id; filled at the first call of each function.
const Entry &entryOf(CUpti_CallbackId id, const char *name) {
  constexpr size_t Ids = 2048;
  static std::atomic<Entry *> entries[Ids];
  static Entry none;
  if (id >= Ids)
    return none;
  Entry *e = entries[id].load(std::memory_order_acquire);
  if (!e) {
    e = new Entry(lookUp(name));
    entries[id].store(e, std::memory_order_release);
  }
  return *e;
}

std::string apiName(const CUpti_CallbackData &data) {
  std::string_view name = RuntimeName ? RuntimeName : data.functionName;
  for (std::string_view suffix : {"_ptsz", "_ptds", "_v2"})
    if (name.ends_with(suffix))
      name.remove_suffix(suffix.size());
  return std::string(name);
}

bool trace() {
  static bool on = getenv("SCOPESAN_TRACE_CUDA") != nullptr;
  return on;
}

void driverCall(CUpti_CallbackId id, const CUpti_CallbackData &data) {
  if (Inside)
    return;
  bool enter = data.callbackSite == CUPTI_API_ENTER;
  if (trace() && enter)
    fprintf(stderr, "scopesan: %s (%s)\n", data.functionName, RuntimeName ? RuntimeName : "-");
  const Entry &e = entryOf(id, data.functionName);
  if (!e.handle)
    return;
  InsideScope inside;
  Collector &c = Collector::get();
  Call k{&data, enter, e.perThread,
         !enter && *static_cast<const CUresult *>(data.functionReturnValue) == CUDA_SUCCESS,
         apiName(data)};
  // The log belongs to one launch: the lock is held from its ENTER to its EXIT.
  if (e.isLaunch) {
    if (enter)
      c.Lock.lock();
    e.handle(c, k);
    if (!enter)
      c.Lock.unlock();
    return;
  }
  std::lock_guard guard(c.Lock);
  e.handle(c, k);
}

void CUPTIAPI callback(void *, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data) {
  switch (domain) {
  case CUPTI_CB_DOMAIN_DRIVER_API:
    return driverCall(id, *static_cast<const CUpti_CallbackData *>(data));
  case CUPTI_CB_DOMAIN_RUNTIME_API: {
    const auto &d = *static_cast<const CUpti_CallbackData *>(data);
    RuntimeName = d.callbackSite == CUPTI_API_ENTER ? d.functionName : nullptr;
    return;
  }
  case CUPTI_CB_DOMAIN_RESOURCE:
    if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED) {
      const auto &r = *static_cast<const CUpti_ResourceData *>(data);
      if (const auto *m = static_cast<const CUpti_ModuleResourceData *>(r.resourceDescriptor)) {
        if (trace())
          fprintf(stderr, "scopesan: module of %zu bytes\n", m->cubinSize);
        Collector::get().imageLoaded(m->pCubin, m->cubinSize);
      }
    }
    return;
  default:
    return;
  }
}

} // namespace

std::string subscribeCollector() { return subscribe(callback); }

} // namespace scopesan::cupti
