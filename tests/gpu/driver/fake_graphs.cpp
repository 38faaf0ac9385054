// Graphs of the made-up driver: lists of nodes with parameters, copied on instantiation. When a
// graph is launched its nodes "run": they are counted, host functions are called.
#include "fake_driver.h"

#include <algorithm>
#include <memory>
#include <string.h>

struct CUgraphNode_st {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  CUgraph owner = nullptr;
  CUgraphNode original = nullptr;
  std::vector<CUgraphNode> after;
  CUDA_KERNEL_NODE_PARAMS kernel{};
  CUDA_MEMCPY3D copy{};
  CUDA_MEMSET_NODE_PARAMS fill{};
  CUDA_HOST_NODE_PARAMS host{};
  CUevent event = nullptr;
  CUgraph body = nullptr;
};
struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  CUgraph original = nullptr;
};
struct CUgraphExec_st {
  CUgraph graph = nullptr;
  std::vector<CUgraphNode> disabled; ///< of the graph that was instantiated
};

namespace {

CUgraph copyOf(CUgraph g) {
  auto copy = new CUgraph_st;
  copy->original = g;
  for (auto &n : g->nodes) {
    auto c = std::make_unique<CUgraphNode_st>(*n);
    c->owner = copy;
    c->original = n.get();
    if (n->body)
      c->body = copyOf(n->body);
    copy->nodes.push_back(std::move(c));
  }
  for (auto &n : copy->nodes)
    for (CUgraphNode &a : n->after)
      for (auto &other : copy->nodes)
        if (other->original == a) {
          a = other.get();
          break;
        }
  return copy;
}

CUgraphNode add(CUgraph g, CUgraphNodeType type, const CUgraphNode *after, size_t count) {
  g->nodes.push_back(std::make_unique<CUgraphNode_st>());
  CUgraphNode n = g->nodes.back().get();
  n->type = type;
  n->owner = g;
  n->after.assign(after, after + count);
  return n;
}

void run(CUgraphExec x, CUgraph g) {
  for (auto &n : g->nodes) {
    bool isOff =
        std::find(x->disabled.begin(), x->disabled.end(), n->original) != x->disabled.end();
    if (n->body)
      run(x, n->body);
    else if (n->type == CU_GRAPH_NODE_TYPE_HOST)
      n->host.fn(n->host.userData);
    else if (!isOff && n->type != CU_GRAPH_NODE_TYPE_EMPTY)
      ++fakeDriver().nodesRun;
  }
}

} // namespace

#define FAKE extern "C" __attribute__((visibility("default"))) CUresult

FAKE cuGraphCreate(CUgraph *g, unsigned) { return *g = new CUgraph_st, CUDA_SUCCESS; }
FAKE cuGraphDestroy(CUgraph g) { return delete g, CUDA_SUCCESS; }
FAKE cuGraphClone(CUgraph *copy, CUgraph g) { return *copy = copyOf(g), CUDA_SUCCESS; }
FAKE cuGraphNodeFindInClone(CUgraphNode *n, CUgraphNode original, CUgraph copy) {
  for (auto &c : copy->nodes)
    if (copy->original == original->owner && c->original == original)
      return *n = c.get(), CUDA_SUCCESS;
  return CUDA_ERROR_INVALID_VALUE;
}
FAKE cuGraphNodeGetType(CUgraphNode n, CUgraphNodeType *t) { return *t = n->type, CUDA_SUCCESS; }
FAKE cuGraphGetNodes(CUgraph g, CUgraphNode *nodes, size_t *count) {
  for (size_t i = 0; nodes && i < g->nodes.size(); ++i)
    nodes[i] = g->nodes[i].get();
  return *count = g->nodes.size(), CUDA_SUCCESS;
}
FAKE cuGraphGetEdges(CUgraph g, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data,
                     size_t *count) {
  size_t i = 0;
  for (auto &n : g->nodes)
    for (CUgraphNode a : n->after) {
      if (from)
        from[i] = a, to[i] = n.get(), data[i] = {};
      ++i;
    }
  return *count = i, CUDA_SUCCESS;
}

// ---------------------------------------------------------------- nodes

FAKE cuGraphAddKernelNode(CUgraphNode *n, CUgraph g, const CUgraphNode *after, size_t count,
                          const CUDA_KERNEL_NODE_PARAMS *p) {
  (*n = add(g, CU_GRAPH_NODE_TYPE_KERNEL, after, count))->kernel = *p;
  return CUDA_SUCCESS;
}
FAKE cuGraphAddMemsetNode(CUgraphNode *n, CUgraph g, const CUgraphNode *after, size_t count,
                          const CUDA_MEMSET_NODE_PARAMS *p, CUcontext) {
  (*n = add(g, CU_GRAPH_NODE_TYPE_MEMSET, after, count))->fill = *p;
  return CUDA_SUCCESS;
}
FAKE cuGraphAddMemcpyNode(CUgraphNode *n, CUgraph g, const CUgraphNode *after, size_t count,
                          const CUDA_MEMCPY3D *p, CUcontext) {
  (*n = add(g, CU_GRAPH_NODE_TYPE_MEMCPY, after, count))->copy = *p;
  return CUDA_SUCCESS;
}
FAKE cuGraphAddHostNode(CUgraphNode *n, CUgraph g, const CUgraphNode *after, size_t count,
                        const CUDA_HOST_NODE_PARAMS *p) {
  (*n = add(g, CU_GRAPH_NODE_TYPE_HOST, after, count))->host = *p;
  return CUDA_SUCCESS;
}
FAKE cuGraphAddEventRecordNode(CUgraphNode *n, CUgraph g, const CUgraphNode *after, size_t count,
                               CUevent e) {
  (*n = add(g, CU_GRAPH_NODE_TYPE_EVENT_RECORD, after, count))->event = e;
  return CUDA_SUCCESS;
}
FAKE cuGraphAddEventWaitNode(CUgraphNode *n, CUgraph g, const CUgraphNode *after, size_t count,
                             CUevent e) {
  (*n = add(g, CU_GRAPH_NODE_TYPE_WAIT_EVENT, after, count))->event = e;
  return CUDA_SUCCESS;
}
FAKE cuGraphAddChildGraphNode(CUgraphNode *n, CUgraph g, const CUgraphNode *after, size_t count,
                              CUgraph body) {
  (*n = add(g, CU_GRAPH_NODE_TYPE_GRAPH, after, count))->body = copyOf(body);
  return CUDA_SUCCESS;
}
FAKE cuGraphAddMemFreeNode(CUgraphNode *n, CUgraph g, const CUgraphNode *after, size_t count,
                           CUdeviceptr) {
  return *n = add(g, CU_GRAPH_NODE_TYPE_MEM_FREE, after, count), CUDA_SUCCESS;
}
FAKE cuGraphKernelNodeGetParams(CUgraphNode n, CUDA_KERNEL_NODE_PARAMS *p) {
  return *p = n->kernel, CUDA_SUCCESS;
}
FAKE cuGraphKernelNodeSetParams(CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *p) {
  return n->kernel = *p, CUDA_SUCCESS;
}
FAKE cuGraphKernelNodeGetAttribute(CUgraphNode, CUkernelNodeAttrID, CUkernelNodeAttrValue *v) {
  return memset(v, 0, sizeof *v), CUDA_SUCCESS;
}
FAKE cuGraphMemcpyNodeGetParams(CUgraphNode n, CUDA_MEMCPY3D *p) {
  return *p = n->copy, CUDA_SUCCESS;
}
FAKE cuGraphMemcpyNodeSetParams(CUgraphNode n, const CUDA_MEMCPY3D *p) {
  return n->copy = *p, CUDA_SUCCESS;
}
FAKE cuGraphMemsetNodeGetParams(CUgraphNode n, CUDA_MEMSET_NODE_PARAMS *p) {
  return *p = n->fill, CUDA_SUCCESS;
}
FAKE cuGraphMemsetNodeSetParams(CUgraphNode n, const CUDA_MEMSET_NODE_PARAMS *p) {
  return n->fill = *p, CUDA_SUCCESS;
}
FAKE cuGraphHostNodeGetParams(CUgraphNode n, CUDA_HOST_NODE_PARAMS *p) {
  return *p = n->host, CUDA_SUCCESS;
}
FAKE cuGraphHostNodeSetParams(CUgraphNode n, const CUDA_HOST_NODE_PARAMS *p) {
  return n->host = *p, CUDA_SUCCESS;
}
FAKE cuGraphEventRecordNodeGetEvent(CUgraphNode n, CUevent *e) {
  return *e = n->event, CUDA_SUCCESS;
}
FAKE cuGraphEventRecordNodeSetEvent(CUgraphNode n, CUevent e) { return n->event = e, CUDA_SUCCESS; }
FAKE cuGraphEventWaitNodeGetEvent(CUgraphNode n, CUevent *e) { return *e = n->event, CUDA_SUCCESS; }
FAKE cuGraphEventWaitNodeSetEvent(CUgraphNode n, CUevent e) { return n->event = e, CUDA_SUCCESS; }
FAKE cuGraphChildGraphNodeGetGraph(CUgraphNode n, CUgraph *g) { return *g = n->body, CUDA_SUCCESS; }
FAKE cuGraphNodeSetParams(CUgraphNode, CUgraphNodeParams *) { return CUDA_ERROR_INVALID_VALUE; }

// ---------------------------------------------------------------- instantiated graphs

FAKE cuGraphInstantiateWithFlags(CUgraphExec *x, CUgraph g, unsigned long long) {
  *x = new CUgraphExec_st;
  return (*x)->graph = copyOf(g), CUDA_SUCCESS;
}
namespace {
/// Nodes of the graph that was instantiated, also those of its child graphs.
CUgraphNode inExec(CUgraph g, CUgraphNode original) {
  for (auto &n : g->nodes) {
    if (n->original == original)
      return n.get();
    if (CUgraphNode inner = n->body ? inExec(n->body, original) : nullptr)
      return inner;
  }
  return nullptr;
}
} // namespace

FAKE cuGraphNodeSetEnabled(CUgraphExec x, CUgraphNode n, unsigned on) {
  if (!inExec(x->graph, n))
    return CUDA_ERROR_INVALID_VALUE;
  std::erase(x->disabled, n);
  if (!on)
    x->disabled.push_back(n);
  return CUDA_SUCCESS;
}
FAKE cuGraphExecHostNodeSetParams(CUgraphExec x, CUgraphNode n, const CUDA_HOST_NODE_PARAMS *p) {
  CUgraphNode mine = inExec(x->graph, n);
  return mine ? (mine->host = *p, CUDA_SUCCESS) : CUDA_ERROR_INVALID_VALUE;
}
FAKE cuGraphLaunch(CUgraphExec x, CUstream) { return run(x, x->graph), CUDA_SUCCESS; }

// ---------------------------------------------------------------- capture

FAKE cuStreamBeginCapture(CUstream s, CUstreamCaptureMode) {
  if (!s)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  fakeDriver().captures[s] = {new CUgraph_st, {}};
  return CUDA_SUCCESS;
}
FAKE cuStreamEndCapture(CUstream s, CUgraph *g) {
  *g = fakeDriver().captures[s].graph;
  fakeDriver().captures.erase(s);
  return CUDA_SUCCESS;
}
FAKE cuStreamIsCapturing(CUstream s, CUstreamCaptureStatus *status) {
  *status = fakeDriver().captures.count(s) ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                           : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}
FAKE cuStreamGetCaptureInfo(CUstream s, CUstreamCaptureStatus *status, cuuint64_t *, CUgraph *,
                            const CUgraphNode **last, const CUgraphEdgeData **, size_t *count) {
  auto c = fakeDriver().captures.find(s);
  if (c == fakeDriver().captures.end())
    return *status = CU_STREAM_CAPTURE_STATUS_NONE, CUDA_SUCCESS;
  *status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  *last = c->second.last.data();
  return *count = c->second.last.size(), CUDA_SUCCESS;
}
