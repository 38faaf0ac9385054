// What the program changes in an instantiated graph is changed in the collector's copy of it.
#include "cupti/calls.h"

namespace scopesan::cupti {
namespace {

/// Runs `change(copy of the node)` after the call has succeeded. What it cannot do makes later
/// launches unchecked.
template <typename P, typename Change>
void changed(Collector &c, const Call &k, const P &p, Change change) {
  if (k.enter || !k.succeeded)
    return;
  GraphExec *x = c.Graphs.find(p.hGraphExec);
  if (!x || !x->obstacle.empty())
    return;
  CUgraphNode n = x->copyOf(p.hNode);
  if (!n || !change(*x, n))
    x->obstacle = "it was changed in a way that is not followed (" + k.api + ")";
}

/// The driver sets the same of the copy: `Set(copy of the node, the call's Value)`.
template <typename P, auto Set, auto Value> void onChanged(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  changed(c, k, p, [&](GraphExec &, CUgraphNode n) { return Set(n, p.*Value) == CUDA_SUCCESS; });
}
void onChildChanged(Collector &c, const Call &k) {
  const auto &p = params<cuGraphExecChildGraphNodeSetParams_params>(k);
  changed(c, k, p, [&](GraphExec &x, CUgraphNode n) {
    return c.Graphs.childChanged(x, n, p.childGraph), true;
  });
}
void onAnyChanged(Collector &c, const Call &k) {
  const auto &p = params<cuGraphExecNodeSetParams_params>(k);
  changed(c, k, p, [&](GraphExec &x, CUgraphNode n) {
    if (p.nodeParams->type == CU_GRAPH_NODE_TYPE_GRAPH)
      return c.Graphs.childChanged(x, n, p.nodeParams->graph.graph), true;
    return cuGraphNodeSetParams(n, p.nodeParams) == CUDA_SUCCESS;
  });
}
void onEnabled(Collector &c, const Call &k) {
  const auto &p = params<cuGraphNodeSetEnabled_params>(k);
  changed(c, k, p, [&](GraphExec &x, CUgraphNode n) {
    p.isEnabled ? void(x.disabled.erase(n)) : void(x.disabled.insert(n));
    return true;
  });
}
template <typename P> void onUnknownChange(Collector &c, const Call &k) {
  changed(c, k, params<P>(k), [](GraphExec &, CUgraphNode) { return false; });
}
template <typename P> void onUpdated(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  if (!k.enter && k.succeeded)
    c.Graphs.updated(p.hGraphExec, p.hGraph);
}

constexpr CallRow Rows[] = {
    {"cuGraphExecKernelNodeSetParams", onUnknownChange<cuGraphExecKernelNodeSetParams_params>},
    {"cuGraphExecKernelNodeSetParams_v2",
     onChanged<cuGraphExecKernelNodeSetParams_v2_params, cuGraphKernelNodeSetParams,
               &cuGraphExecKernelNodeSetParams_v2_params::nodeParams>},
    {"cuGraphExecMemcpyNodeSetParams",
     onChanged<cuGraphExecMemcpyNodeSetParams_params, cuGraphMemcpyNodeSetParams,
               &cuGraphExecMemcpyNodeSetParams_params::copyParams>},
    {"cuGraphExecMemsetNodeSetParams",
     onChanged<cuGraphExecMemsetNodeSetParams_params, cuGraphMemsetNodeSetParams,
               &cuGraphExecMemsetNodeSetParams_params::memsetParams>},
    {"cuGraphExecHostNodeSetParams",
     onChanged<cuGraphExecHostNodeSetParams_params, cuGraphHostNodeSetParams,
               &cuGraphExecHostNodeSetParams_params::nodeParams>},
    {"cuGraphExecEventRecordNodeSetEvent",
     onChanged<cuGraphExecEventRecordNodeSetEvent_params, cuGraphEventRecordNodeSetEvent,
               &cuGraphExecEventRecordNodeSetEvent_params::event>},
    {"cuGraphExecEventWaitNodeSetEvent",
     onChanged<cuGraphExecEventWaitNodeSetEvent_params, cuGraphEventWaitNodeSetEvent,
               &cuGraphExecEventWaitNodeSetEvent_params::event>},
    {"cuGraphExecChildGraphNodeSetParams", onChildChanged},
    {"cuGraphExecNodeSetParams", onAnyChanged},
    {"cuGraphExecBatchMemOpNodeSetParams",
     onUnknownChange<cuGraphExecBatchMemOpNodeSetParams_params>},
    {"cuGraphNodeSetEnabled", onEnabled},
    {"cuGraphExecUpdate", onUpdated<cuGraphExecUpdate_params>},
    {"cuGraphExecUpdate_v2", onUpdated<cuGraphExecUpdate_v2_params>},
};

} // namespace

std::span<const CallRow> graphExecCalls() { return Rows; }

} // namespace scopesan::cupti
