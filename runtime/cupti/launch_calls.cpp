// Launches of kernels and graphs.
#include "cupti/calls.h"

namespace scopesan::cupti {
namespace {

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
  r.context = k.data->context;
  return r;
}

/// P6: domain and map of the launch, else of its stream.
struct DomainChoice {
  bool hasDomain = false, hasMap = false;
  CUlaunchMemSyncDomain domain = CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT;
  CUlaunchMemSyncDomainMap map{0, 0};

  core::DomainId physical(CUstream stream) {
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
  r.context = k.data->context;
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
      r.programmatic = a.value.programmaticStreamSerializationAllowed;
      break;
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
      r.startedEvent = a.value.launchCompletionEvent.event;
      break;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
      r.triggeredEvent = a.value.programmaticEvent.event;
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
    c.uncheckedLaunch("a graph was launched: graphs are not checked on the GPU yet",
                      k.stream(c, stream));
  else
    c.launchIssued(k.succeeded, stream);
}

constexpr CallRow Rows[] = {
    {"cuLaunchKernel", onLaunch, true},
    {"cuLaunchKernelEx", onLaunchEx, true},
    {"cuLaunchCooperativeKernel", onCooperative, true},
    {"cuGraphLaunch", onGraphLaunch, true},
};

} // namespace

std::span<const CallRow> launchCalls() { return Rows; }

} // namespace scopesan::cupti
