// Graphs: what the program builds, instantiates, changes and launches.
//
// A launch of the program becomes one of ours, node by node (graph_replay); the nodes of the
// program's own are disabled meanwhile (ADR 022).
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

/// From ENTER to EXIT, which the collector's lock joins.
struct Underway {
  GraphExec *exec = nullptr;
  bool isUnchecked = false;
} TheLaunch;

void graphBegins(Collector &c, const Call &k, CUgraphExec exec, CUstream given) {
  GraphExec *x = c.Graphs.find(exec);
  std::string why = !x ? "its instantiation was not seen" : x->obstacle;
  RelaxedCapture relaxed;
  c.settle(/*wait=*/true);
  const std::string what = "a graph was launched that is not checked on the GPU: ";
  bool isSilent = (x && x->isSilent) || (why.empty() && x->source && silence(exec, *x));
  if (isSilent) {
    if (!why.empty())
      host::incomplete(what + why);
    TheLaunch = {x, false};
    return GraphReplay(c, *x, k, given).run();
  }
  if (why.empty())
    why = "its nodes cannot be disabled";
  TheLaunch = {nullptr, true};
  c.uncheckedLaunch(what + why, k.stream(c, given));
}

void onGraphLaunch(Collector &c, const Call &k) {
  const auto &p = params<cuGraphLaunch_params>(k);
  if (k.enter) {
    TheLaunch = {};
    if (!k.captured(p.hStream))
      graphBegins(c, k, p.hGraph, p.hStream);
    return;
  }
  Underway u = TheLaunch;
  if (u.isUnchecked)
    return c.launchIssued(k.succeeded, k.handle(p.hStream));
  if (!u.exec)
    return;
  // Launches that are under way do not notice.
  if (!u.exec->isSilent)
    restore(p.hGraph, *u.exec);
  cuEventRecord(u.exec->ended, k.handle(p.hStream));
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
