// Launches of kernels.
#include "cupti/calls.h"

namespace scopesan::cupti {
namespace {

void launch(Collector &c, const Call &k, const LaunchRequest &r) {
  if (k.captured(r.stream))
    return k.nameCaptured(c, r.stream);
  if (k.enter)
    c.launchBegins(r);
  else
    c.launchIssued(k.succeeded, r.stream);
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

void apply(const CUlaunchAttribute &a, LaunchRequest &r, DomainChoice &domain) {
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

void onLaunch(Collector &c, const Call &k) {
  const auto &p = params<cuLaunchKernel_params>(k); // ..CooperativeKernel begins alike
  CUlaunchConfig g{p.gridDimX,  p.gridDimY,       p.gridDimZ, p.blockDimX, p.blockDimY,
                   p.blockDimZ, p.sharedMemBytes, p.hStream,  nullptr,     0};
  LaunchRequest r = requestOf(p.f, g, k.handle(g.hStream), k.enter);
  r.symbol = k.data->symbolName;
  r.context = k.context;
  r.cooperative = std::string_view(k.data->functionName).find("Cooperative") != std::string::npos;
  launch(c, k, r);
}
void onLaunchEx(Collector &c, const Call &k) {
  const auto &p = params<cuLaunchKernelEx_params>(k);
  LaunchRequest r = requestOf(p.f, *p.config, k.handle(p.config->hStream), k.enter);
  r.symbol = k.data->symbolName;
  r.context = k.context;
  launch(c, k, r);
}
constexpr CallRow Rows[] = {
    {"cuLaunchKernel", onLaunch, true},
    {"cuLaunchKernelEx", onLaunchEx, true},
    {"cuLaunchCooperativeKernel", onLaunch, true},
};

} // namespace

LaunchRequest requestOf(CUfunction f, const CUlaunchConfig &g, CUstream stream, bool withDomain) {
  LaunchRequest r;
  r.function = f;
  r.grid = {g.gridDimX, g.gridDimY, g.gridDimZ};
  r.block = {g.blockDimX, g.blockDimY, g.blockDimZ};
  r.dynamicShared = g.sharedMemBytes;
  r.stream = stream;
  DomainChoice domain;
  for (unsigned i = 0; i < g.numAttrs; ++i)
    apply(g.attrs[i], r, domain);
  if (withDomain)
    r.domain = domain.physical(stream);
  return r;
}

std::span<const CallRow> launchCalls() { return Rows; }

} // namespace scopesan::cupti
