#include "cupti/graph_replay.h"

namespace scopesan::cupti {

void GraphReplay::expect(CUresult r, const char *what) {
  if (r != CUDA_SUCCESS)
    host::incomplete(std::string("a node of a graph could not be replayed (") + what + ")");
}

void GraphReplay::run() {
  ++X.launches;
  cuStreamWaitEvent(Stream, X.ended, 0); // of the launch before this one
  core::NodeId begin = C.Order.marker(S, X.lastEnd.value ? gpu::Nodes{X.lastEnd} : gpu::Nodes{});
  gpu::Nodes ends{begin};
  Places.resize(X.steps.size());
  Done.resize(X.steps.size());
  for (uint32_t i : X.sequence) {
    LaunchPlace place = placeOf(i, begin);
    Places[i] = place.at;
    Done[i] = issue(X.steps[i], place);
    if (X.order[i].isSink)
      ends.push_back(Done[i]);
  }
  X.lastEnd = C.Order.marker(S, ends);
}

LaunchPlace GraphReplay::placeOf(size_t i, core::NodeId begin) {
  const gpu::FlatNode &flat = X.order[i];
  LaunchPlace p;
  p.at.line = flat.line;
  if (flat.after.empty())
    p.at.after.push_back(begin);
  for (const gpu::FlatNode::Before &b : flat.after) {
    if (!b.programmatic) {
      p.at.after.push_back(Done[b.index]);
      continue;
    }
    // It has started, so what it follows has ended.
    const gpu::Place &primary = Places[b.index];
    p.at.after.insert(p.at.after.end(), primary.after.begin(), primary.after.end());
    p.at.primaries.push_back(Done[b.index]);
    p.at.primaries.insert(p.at.primaries.end(), primary.primaries.begin(), primary.primaries.end());
  }
  p.origin.stream = S.ordinal;
  p.origin.graph = X.ordinal;
  p.origin.graphLaunch = X.launches;
  p.origin.graphNode = X.steps[i].index;
  p.origin.stack = X.steps[i].name.stack;
  p.origin.graphStack = Stack;
  return p;
}

core::NodeId GraphReplay::issue(const GraphStep &step, LaunchPlace &place) {
  if (X.disabled.count(step.node))
    return C.Order.markerAt(place.at);
  switch (step.type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    return kernel(step, place);
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return copy(step, place);
  case CU_GRAPH_NODE_TYPE_MEMSET:
    return fill(step, place);
  case CU_GRAPH_NODE_TYPE_HOST:
    return hostFunction(step, place);
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return eventRecord(step, place);
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    return eventWait(step, place);
  default:
    return C.Order.markerAt(place.at);
  }
}

// ---------------------------------------------------------------- kernels

/// Attributes of the node that the launch must have, too.
static std::vector<CUlaunchAttribute> attributesOf(CUgraphNode node) {
  std::vector<CUlaunchAttribute> result;
  for (CUlaunchAttributeID id :
       {CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
        CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP}) {
    CUlaunchAttribute a{};
    a.id = id;
    if (cuGraphKernelNodeGetAttribute(node, id, &a.value) != CUDA_SUCCESS)
      continue;
    bool isUnset = (id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION && !a.value.clusterDim.x) ||
                   (id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && !a.value.cooperative);
    if (!isUnset)
      result.push_back(a);
  }
  return result;
}

core::NodeId GraphReplay::kernel(const GraphStep &step, LaunchPlace &place) {
  CUDA_KERNEL_NODE_PARAMS p{};
  CUresult known = cuGraphKernelNodeGetParams(step.node, &p);
  if (known != CUDA_SUCCESS) {
    expect(known, "a kernel");
    return C.Order.markerAt(place.at);
  }
  // A launch takes a kernel of a library as if it were a function.
  CUfunction f = p.func ? p.func : reinterpret_cast<CUfunction>(p.kern);
  std::vector<CUlaunchAttribute> attributes = attributesOf(step.node);
  CUlaunchConfig g{
      p.gridDimX,  p.gridDimY,       p.gridDimZ, p.blockDimX,       p.blockDimY,
      p.blockDimZ, p.sharedMemBytes, Stream,     attributes.data(), unsigned(attributes.size())};
  LaunchRequest r = requestOf(f, g, Stream, /*withDomain=*/true);
  r.context = p.ctx ? p.ctx : Context;
  r.place = &place;
  C.launchBegins(r);
  CUresult launched = cuLaunchKernelEx(&g, f, p.kernelParams, p.extra);
  expect(launched, "a kernel");
  C.launchIssued(launched == CUDA_SUCCESS, Stream);
  return place.node;
}

// ---------------------------------------------------------------- copies and fills

/// The step's place in the order, under the name of the call that made it.
core::NodeId GraphReplay::transferAt(const GraphStep &step, LaunchPlace &place,
                                     const char *otherwise) {
  core::NodeId node = C.Order.copyAt(place.at);
  host::nodeNamed(node, step.name.api.empty() ? otherwise : step.name.api, place.origin);
  return node;
}

core::NodeId GraphReplay::copy(const GraphStep &step, LaunchPlace &place) {
  CUDA_MEMCPY3D m{};
  CUresult known = cuGraphMemcpyNodeGetParams(step.node, &m);
  core::NodeId node = transferAt(step, place, "cudaGraphAddMemcpyNode");
  if (known != CUDA_SUCCESS) {
    expect(known, "a copy");
    return node;
  }
  Box from, to;
  if (!boxesOf(m, from, to)) {
    host::incomplete("CUDA arrays are not checked (a node of a graph)");
  } else {
    // A copy from pageable memory reads it when it is issued, a node when it runs.
    if (C.sideOf(from.address) == host::CopySide::Pageable && !C.waitFor(Stream))
      host::incomplete("a graph's copy from pageable memory was issued before what it follows had "
                       "ended");
    C.settle(false);
    C.copied(node, &from, &to);
  }
  expect(cuMemcpy3DAsync(&m, Stream), "a copy");
  return node;
}

static CUresult issueFill(const CUDA_MEMSET_NODE_PARAMS &p, CUstream s) {
  auto narrow = static_cast<unsigned char>(p.value);
  auto half = static_cast<unsigned short>(p.value);
  if (p.height > 1)
    return p.elementSize == 1   ? cuMemsetD2D8Async(p.dst, p.pitch, narrow, p.width, p.height, s)
           : p.elementSize == 2 ? cuMemsetD2D16Async(p.dst, p.pitch, half, p.width, p.height, s)
                                : cuMemsetD2D32Async(p.dst, p.pitch, p.value, p.width, p.height, s);
  return p.elementSize == 1   ? cuMemsetD8Async(p.dst, narrow, p.width, s)
         : p.elementSize == 2 ? cuMemsetD16Async(p.dst, half, p.width, s)
                              : cuMemsetD32Async(p.dst, p.value, p.width, s);
}

core::NodeId GraphReplay::fill(const GraphStep &step, LaunchPlace &place) {
  CUDA_MEMSET_NODE_PARAMS p{};
  CUresult known = cuGraphMemsetNodeGetParams(step.node, &p);
  core::NodeId node = transferAt(step, place, "cudaGraphAddMemsetNode");
  if (known != CUDA_SUCCESS) {
    expect(known, "a fill");
    return node;
  }
  Box to{p.dst, p.width * p.elementSize, p.height, p.pitch};
  C.settle(false);
  C.copied(node, nullptr, &to, gpu::Content::ofFill(p.value, p.elementSize));
  expect(issueFill(p, Stream), "a fill");
  return node;
}

// ---------------------------------------------------------------- host functions, events

core::NodeId GraphReplay::hostFunction(const GraphStep &step, LaunchPlace &place) {
  C.hostFunctionRuns();
  CUDA_HOST_NODE_PARAMS p{};
  CUresult r = cuGraphHostNodeGetParams(step.node, &p);
  expect(r == CUDA_SUCCESS ? cuLaunchHostFunc(Stream, p.fn, p.userData) : r, "a host function");
  return C.Order.markerAt(place.at);
}

core::NodeId GraphReplay::eventRecord(const GraphStep &step, LaunchPlace &place) {
  CUevent e = nullptr;
  CUresult r = cuGraphEventRecordNodeGetEvent(step.node, &e);
  expect(r == CUDA_SUCCESS ? cuEventRecord(e, Stream) : r, "an event");
  core::NodeId node = C.Order.markerAt(place.at);
  if (e)
    C.Order.recordedAt(e, node);
  return node;
}

core::NodeId GraphReplay::eventWait(const GraphStep &step, LaunchPlace &place) {
  CUevent e = nullptr;
  CUresult r = cuGraphEventWaitNodeGetEvent(step.node, &e);
  expect(r == CUDA_SUCCESS ? cuStreamWaitEvent(Stream, e, 0) : r, "an event");
  if (core::NodeId record = C.Order.recordOf(e); record.value)
    place.at.after.push_back(record);
  return C.Order.markerAt(place.at);
}

} // namespace scopesan::cupti
