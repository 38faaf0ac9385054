// Graphs: what the program builds, instantiates, changes and launches.
//
// A launch of the program becomes one of ours, node by node (graph_replay); the program's own launch
// must then do nothing. It is captured into a graph that is thrown away, or, where the stream cannot
// be captured (legacy default stream), its nodes are disabled meanwhile (ADR 022).
#include "cupti/graph_replay.h"

namespace scopesan::cupti {
namespace {

// ---------------------------------------------------------------- building

template <typename P> void onNodeAdded(Collector &c, const Call &k) {
  if (!k.enter && k.succeeded)
    c.Graphs.named(*params<P>(k).phGraphNode, k.api);
}
void onChildAdded(Collector &c, const Call &k) {
  const auto &p = params<cuGraphAddChildGraphNode_params>(k);
  CUgraph body = nullptr;
  if (k.enter || !k.succeeded)
    return;
  c.Graphs.named(*p.phGraphNode, k.api);
  if (cuGraphChildGraphNodeGetGraph(*p.phGraphNode, &body) == CUDA_SUCCESS)
    c.Graphs.copyNames(body, p.childGraph);
}
void onAnyAdded(Collector &c, const Call &k) {
  const auto &p = params<cuGraphAddNode_v2_params>(k);
  CUgraph body = nullptr;
  if (k.enter || !k.succeeded)
    return;
  c.Graphs.named(*p.phGraphNode, k.api);
  if (p.nodeParams->type == CU_GRAPH_NODE_TYPE_GRAPH &&
      cuGraphChildGraphNodeGetGraph(*p.phGraphNode, &body) == CUDA_SUCCESS)
    c.Graphs.copyNames(body, p.nodeParams->graph.graph);
}
void onCloned(Collector &c, const Call &k) {
  const auto &p = params<cuGraphClone_params>(k);
  if (!k.enter && k.succeeded)
    c.Graphs.copyNames(*p.phGraphClone, p.originalGraph);
}
void onGraphDestroyed(Collector &c, const Call &k) {
  if (k.enter)
    c.Graphs.graphEnds(params<cuGraphDestroy_params>(k).hGraph);
}

// ---------------------------------------------------------------- instantiating

template <typename P> void onInstantiated(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  if (k.enter || !k.succeeded)
    return;
  RelaxedCapture relaxed;
  unsigned long long flags = 0;
  if constexpr (std::is_same_v<P, cuGraphInstantiateWithFlags_params>)
    flags = p.flags;
  else if constexpr (std::is_same_v<P, cuGraphInstantiateWithParams_params>)
    flags = p.instantiateParams->flags;
  c.Graphs.instantiated(*p.phGraphExec, p.hGraph,
                        flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH);
}
void onExecDestroyed(Collector &c, const Call &k) {
  if (k.enter)
    c.Graphs.destroyed(params<cuGraphExecDestroy_params>(k).hGraphExec);
}

// ---------------------------------------------------------------- launching

/// Nodes of the program's instantiated graph that were disabled for a while.
using Silenced = std::vector<CUgraphNode>;

bool isSilenceable(CUgraphNodeType type) {
  return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
         type == CU_GRAPH_NODE_TYPE_MEMSET;
}

/// Host functions cannot be disabled. They may run in the program's own launch if nothing that is
/// replayed follows them.
bool hostFunctionsAreLast(const GraphExec &x) {
  std::vector<bool> afterHost(x.steps.size());
  for (size_t i = 0; i < x.steps.size(); ++i) {
    for (const gpu::FlatNode::Before &b : x.order[i].after)
      if (afterHost[b.index] || x.steps[b.index].type == CU_GRAPH_NODE_TYPE_HOST)
        afterHost[i] = true;
    if (afterHost[i] && isSilenceable(x.steps[i].type))
      return false;
  }
  return true;
}

void restore(CUgraphExec exec, const Silenced &nodes) {
  for (CUgraphNode n : nodes)
    cuGraphNodeSetEnabled(exec, n, 1);
}

bool silence(CUgraphExec exec, const GraphExec &x, Silenced &nodes) {
  if (!x.source || !hostFunctionsAreLast(x))
    return false;
  std::unordered_map<CUgraphNode, CUgraphNode> originals;
  for (CUgraphNode n : nodesOf(x.source))
    if (CUgraphNode copy = x.copyOf(n))
      originals[copy] = n;
  for (const GraphStep &step : x.steps) {
    if (!isSilenceable(step.type) || x.disabled.count(step.node))
      continue;
    auto original = originals.find(step.node);
    if (original == originals.end() ||
        cuGraphNodeSetEnabled(exec, original->second, 0) != CUDA_SUCCESS) {
      restore(exec, nodes);
      return false;
    }
    nodes.push_back(original->second);
  }
  return true;
}

/// From ENTER to EXIT, which the collector's lock joins.
struct Underway {
  GraphExec *exec = nullptr;
  bool isCaptured = false, isUnchecked = false;
  Silenced silenced;
} TheLaunch;

void graphBegins(Collector &c, const Call &k, CUgraphExec exec, CUstream given) {
  TheLaunch = {};
  GraphExec *x = c.Graphs.find(exec);
  std::string why = !x ? "its instantiation was not seen" : x->obstacle;
  RelaxedCapture relaxed;
  c.settle(/*wait=*/true);
  if (why.empty()) {
    TheLaunch.exec = x;
    if (cuStreamBeginCapture(k.handle(given), CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS) {
      TheLaunch.isCaptured = true;
      return;
    }
    if (silence(exec, *x, TheLaunch.silenced)) {
      GraphReplay replay(c, *x, k, given);
      replay.leaveHostFunctions();
      return replay.run();
    }
    why = "it was launched into the legacy default stream, and it was destroyed, or has child "
          "graphs or work that follows host functions";
  }
  TheLaunch.exec = nullptr;
  TheLaunch.isUnchecked = true;
  c.uncheckedLaunch("a graph was launched that is not checked on the GPU: " + why,
                    k.stream(c, given));
}

void graphIssued(Collector &c, const Call &k, CUgraphExec exec, CUstream given) {
  Underway u = std::move(TheLaunch);
  TheLaunch = {};
  RelaxedCapture relaxed;
  if (u.isUnchecked)
    return c.launchIssued(k.succeeded, k.handle(given));
  if (!u.exec)
    return;
  restore(exec, u.silenced);
  GraphReplay replay(c, *u.exec, k, given);
  if (u.isCaptured) {
    CUgraph captured = nullptr;
    CUresult ended = cuStreamEndCapture(k.handle(given), &captured);
    if (captured)
      cuGraphDestroy(captured);
    if (!k.succeeded)
      return;
    if (ended != CUDA_SUCCESS)
      return host::incomplete("a launch of a graph was lost: it could not be replaced");
    replay.run();
  }
  replay.ended();
}

void onGraphLaunch(Collector &c, const Call &k) {
  const auto &p = params<cuGraphLaunch_params>(k);
  if (k.enter && !k.captured(p.hStream))
    return graphBegins(c, k, p.hGraph, p.hStream);
  if (k.enter)
    return;
  if (TheLaunch.exec || TheLaunch.isUnchecked)
    return graphIssued(c, k, p.hGraph, p.hStream);
  if (k.succeeded)
    c.Graphs.childCaptured(k.handle(p.hStream), p.hGraph, k.api);
}

constexpr CallRow Rows[] = {
    {"cuGraphAddKernelNode", onNodeAdded<cuGraphAddKernelNode_params>},
    {"cuGraphAddKernelNode_v2", onNodeAdded<cuGraphAddKernelNode_v2_params>},
    {"cuGraphAddMemcpyNode", onNodeAdded<cuGraphAddMemcpyNode_params>},
    {"cuGraphAddMemsetNode", onNodeAdded<cuGraphAddMemsetNode_params>},
    {"cuGraphAddHostNode", onNodeAdded<cuGraphAddHostNode_params>},
    {"cuGraphAddChildGraphNode", onChildAdded},
    {"cuGraphAddNode", onNodeAdded<cuGraphAddNode_params>},
    {"cuGraphAddNode_v2", onAnyAdded},
    {"cuGraphClone", onCloned},
    {"cuGraphDestroy", onGraphDestroyed},
    {"cuGraphInstantiate", onInstantiated<cuGraphInstantiate_params>},
    {"cuGraphInstantiate_v2", onInstantiated<cuGraphInstantiate_v2_params>},
    {"cuGraphInstantiateWithFlags", onInstantiated<cuGraphInstantiateWithFlags_params>},
    {"cuGraphInstantiateWithParams", onInstantiated<cuGraphInstantiateWithParams_params>},
    {"cuGraphExecDestroy", onExecDestroyed},
    {"cuGraphLaunch", onGraphLaunch, true},
};

} // namespace

std::span<const CallRow> graphCalls() { return Rows; }

} // namespace scopesan::cupti
