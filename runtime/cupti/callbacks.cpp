// From CUPTI's callbacks to the handlers of driver calls. The suffixes _ptsz and _ptds mean that a
// null stream is the calling thread's own.
#include "cupti/calls.h"
#include "cupti/host_code.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <stdio.h>
#include <stdlib.h>

namespace scopesan::cupti {

bool Call::captured(CUstream given) const {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return cuStreamIsCapturing(handle(given), &status) == CUDA_SUCCESS &&
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

namespace {

/// The runtime function that the thread is in.
thread_local const char *RuntimeName = nullptr;

struct Entry {
  const CallRow *row = nullptr;
  bool perThread = false;
  bool known = false; ///< has a handler, or needs none
};

constexpr std::string_view NoEffect[] = {
#define SCOPESAN_NO_EFFECT(name) #name,
#include "cupti/no_effect.def"
};

Entry lookUp(std::string_view name) {
  Entry e;
  for (std::string_view suffix : {"_ptsz", "_ptds"})
    if (name.ends_with(suffix)) {
      e.perThread = true;
      name.remove_suffix(suffix.size());
    }
  for (auto family : {launchCalls(), copyCalls(), batchCalls(), orderCalls(), graphCalls(),
                      graphExecCalls(), memoryCalls(), contextCalls(), tensorCalls()})
    for (const CallRow &row : family)
      if (row.name == name)
        e.row = &row;
  e.known =
      e.row || std::find(std::begin(NoEffect), std::end(NoEffect), name) != std::end(NoEffect);
  return e;
}

std::string apiName(const CUpti_CallbackData &data) {
  std::string_view name = RuntimeName ? RuntimeName : data.functionName;
  for (std::string_view suffix : {"_ptsz", "_ptds", "_v2"})
    if (name.ends_with(suffix))
      name.remove_suffix(suffix.size());
  return std::string(name);
}

/// X1: the program did something of which nobody says what it does to memory.
void unknownCall(const CUpti_CallbackData &data) {
  bool inReset = RuntimeName && std::string_view(RuntimeName).starts_with("cudaDeviceReset");
  if (inReset || data.callbackSite == CUPTI_API_ENTER || // a reset is known as a whole
      *static_cast<const CUresult *>(data.functionReturnValue) != CUDA_SUCCESS)
    return;
  InsideScope inside;
  std::string api = apiName(data);
  std::string_view function = data.functionName;
  std::string what = function.starts_with(api) ? api : api + " (" + data.functionName + ")";
  host::incomplete("the GPU backend does not know what " + what + " does to memory and order");
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

/// CUPTI does not always know the context.
CUcontext currentContext(const CUpti_CallbackData &data) {
  CUcontext context = data.context;
  if (!context)
    cuCtxGetCurrent(&context);
  return context;
}

/// The call in which CUDA starts is only seen to end.
void countCall(bool enter) {
  if (enter)
    ++InCuda;
  else if (InCuda)
    --InCuda;
}

bool trace() {
  static bool on = getenv("SCOPESAN_TRACE_CUDA") != nullptr;
  return on;
}

void driverCall(CUpti_CallbackId id, const CUpti_CallbackData &data) {
  if (Inside)
    return;
  bool enter = data.callbackSite == CUPTI_API_ENTER;
  countCall(enter);
  if (trace() && enter)
    fprintf(stderr, "scopesan: %s (%s)\n", data.functionName, RuntimeName ? RuntimeName : "-");
  const Entry &e = entryOf(id, data.functionName);
  if (!e.known)
    unknownCall(data);
  if (!e.row)
    return;
  InsideScope inside;
  Collector &c = Collector::get();
  Call k{&data,
         enter,
         e.perThread,
         !enter && *static_cast<const CUresult *>(data.functionReturnValue) == CUDA_SUCCESS,
         apiName(data),
         currentContext(data)};
  if (e.row->isLaunch) {
    if (enter)
      c.Lock.lock();
    c.hostLearns();
    e.row->handle(c, k);
    if (!enter)
      c.Lock.unlock();
    return;
  }
  std::lock_guard guard(c.Lock);
  c.hostLearns();
  e.row->handle(c, k);
}

void runtimeCall(const CUpti_CallbackData &d) {
  bool enter = d.callbackSite == CUPTI_API_ENTER;
  RuntimeName = enter ? d.functionName : nullptr;
  if (!Inside)
    countCall(enter);
  if (Inside || std::string_view(d.functionName).substr(0, 15) != "cudaDeviceReset")
    return;
  InsideScope inside;
  Collector &c = Collector::get();
  std::lock_guard guard(c.Lock);
  deviceReset(c, enter);
}

/// The driver may hold locks: these only take notes. Other ids have other data, or none.
void resource(CUpti_CallbackId id, const void *data) {
  InsideScope inside;
  const auto *r = static_cast<const CUpti_ResourceData *>(data);
  if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
    return Collector::get().contextEnds(r->context);
  if (id != CUPTI_CBID_RESOURCE_MODULE_LOADED)
    return;
  const auto *m = static_cast<const CUpti_ModuleResourceData *>(r->resourceDescriptor);
  if (!m)
    return;
  if (trace())
    fprintf(stderr, "scopesan: module of %zu bytes\n", m->cubinSize);
  Collector::get().imageLoaded(m->pCubin, m->cubinSize);
}

void CUPTIAPI callback(void *, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data) {
  switch (domain) {
  case CUPTI_CB_DOMAIN_DRIVER_API:
    return driverCall(id, *static_cast<const CUpti_CallbackData *>(data));
  case CUPTI_CB_DOMAIN_RUNTIME_API:
    return runtimeCall(*static_cast<const CUpti_CallbackData *>(data));
  case CUPTI_CB_DOMAIN_RESOURCE:
    return resource(id, data);
  default:
    return;
  }
}

} // namespace

std::string subscribeCollector() { return subscribe(callback); }

} // namespace scopesan::cupti
