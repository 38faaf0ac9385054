#include "cupti/graphs.h"

#include <algorithm>

namespace scopesan::cupti {

std::vector<CUgraphNode> nodesOf(CUgraph graph) {
  size_t count = 0;
  if (!graph || cuGraphGetNodes(graph, nullptr, &count) != CUDA_SUCCESS)
    return {};
  std::vector<CUgraphNode> nodes(count);
  if (count && cuGraphGetNodes(graph, nodes.data(), &count) != CUDA_SUCCESS)
    return {};
  return nodes;
}

CUgraphNodeType typeOf(CUgraphNode node) {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  cuGraphNodeGetType(node, &type);
  return type;
}

namespace {

CUgraph bodyOf(CUgraphNode child) {
  CUgraph body = nullptr;
  return cuGraphChildGraphNodeGetGraph(child, &body) == CUDA_SUCCESS ? body : nullptr;
}

/// Edges between places in `nodes`. False: they cannot be told.
bool edgesOf(CUgraph graph, const std::vector<CUgraphNode> &nodes,
             std::vector<gpu::GraphEdge> &edges) {
  size_t count = 0;
  if (cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &count) != CUDA_SUCCESS)
    return false;
  std::vector<CUgraphNode> from(count), to(count);
  std::vector<CUgraphEdgeData> data(count);
  if (count && cuGraphGetEdges(graph, from.data(), to.data(), data.data(), &count) != CUDA_SUCCESS)
    return false;
  std::unordered_map<CUgraphNode, uint32_t> places;
  for (CUgraphNode n : nodes)
    places.emplace(n, uint32_t(places.size()));
  for (size_t i = 0; i < count; ++i)
    edges.push_back(
        {places[from[i]], places[to[i]], data[i].type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC});
  return true;
}

bool isReplayed(CUgraphNodeType type) {
  switch (type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
  case CU_GRAPH_NODE_TYPE_MEMCPY:
  case CU_GRAPH_NODE_TYPE_MEMSET:
  case CU_GRAPH_NODE_TYPE_HOST:
  case CU_GRAPH_NODE_TYPE_GRAPH:
  case CU_GRAPH_NODE_TYPE_EMPTY:
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return true;
  default:
    return false;
  }
}

} // namespace

GraphExec::~GraphExec() {
  for (auto &[child, body] : bodies)
    cuGraphDestroy(body);
  if (model)
    cuGraphDestroy(model);
  if (ended)
    cuEventDestroy(ended);
}

// ---------------------------------------------------------------- names

void GraphTable::named(CUgraphNode node, const std::string &api) {
  Names[node] = {api, host::captureStack()};
  if (typeOf(node) == CU_GRAPH_NODE_TYPE_MEMCPY && api.find("AddNode") != std::string::npos)
    Names[node].api = "cudaGraphAddMemcpyNode";
  if (typeOf(node) == CU_GRAPH_NODE_TYPE_MEMSET && api.find("AddNode") != std::string::npos)
    Names[node].api = "cudaGraphAddMemsetNode";
}

void GraphTable::nameCaptured(CUstream stream, const std::string &api) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUgraphNode *last = nullptr;
  const CUgraphEdgeData *edges = nullptr;
  size_t count = 0;
  if (cuStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &last, &edges, &count) !=
      CUDA_SUCCESS)
    return;
  for (size_t i = 0; i < count; ++i)
    named(last[i], api);
}

/// Child graphs are copied without a word about which node became which: in order.
void GraphTable::copyNames(CUgraph to, CUgraph from) {
  std::vector<CUgraphNode> copies = nodesOf(to), originals = nodesOf(from);
  for (size_t i = 0; i < std::min(copies.size(), originals.size()); ++i) {
    auto name = Names.find(originals[i]);
    if (name == Names.end() || typeOf(copies[i]) != typeOf(originals[i]))
      continue;
    NodeName n = name->second;
    Names[copies[i]] = n;
    if (typeOf(copies[i]) == CU_GRAPH_NODE_TYPE_GRAPH)
      copyNames(bodyOf(copies[i]), bodyOf(originals[i]));
  }
}

void GraphTable::graphEnds(CUgraph graph) {
  for (CUgraphNode n : nodesOf(graph))
    Names.erase(n);
  for (auto &[exec, x] : Execs) {
    if (x->source != graph)
      continue;
    x->isSilent = x->obstacle.empty() && silence(exec, *x); // later there are no handles
    x->source = nullptr;
  }
}

// ---------------------------------------------------------------- the program's own launches

namespace {

void CUDA_CB doNothing(void *) {}

/// Switches one step of the program's own on or off. True: that is done, or there is nothing to do.
bool enable(CUgraphExec exec, const GraphExec &x, const GraphStep &step, bool on) {
  bool isHost = step.type == CU_GRAPH_NODE_TYPE_HOST;
  bool canDisable = step.type == CU_GRAPH_NODE_TYPE_KERNEL ||
                    step.type == CU_GRAPH_NODE_TYPE_MEMCPY ||
                    step.type == CU_GRAPH_NODE_TYPE_MEMSET;
  if (!isHost && (!canDisable || x.disabled.count(step.node)))
    return true;
  auto handle = x.handles.find(step.node);
  if (handle == x.handles.end() || !handle->second)
    return false;
  if (canDisable)
    return cuGraphNodeSetEnabled(exec, handle->second, on) == CUDA_SUCCESS;
  CUDA_HOST_NODE_PARAMS p{doNothing, nullptr};
  return (!on || cuGraphHostNodeGetParams(step.node, &p) == CUDA_SUCCESS) &&
         cuGraphExecHostNodeSetParams(exec, handle->second, &p) == CUDA_SUCCESS;
}

} // namespace

bool silence(CUgraphExec exec, const GraphExec &x) {
  for (size_t i = 0; i < x.steps.size(); ++i) {
    if (enable(exec, x, x.steps[i], false))
      continue;
    while (i-- > 0)
      enable(exec, x, x.steps[i], true);
    return false;
  }
  return true;
}

void restore(CUgraphExec exec, const GraphExec &x) {
  for (const GraphStep &step : x.steps)
    enable(exec, x, step, true);
}

// ---------------------------------------------------------------- instantiated graphs

GraphExec *GraphTable::find(CUgraphExec exec) const {
  auto x = Execs.find(exec);
  return x == Execs.end() ? nullptr : x->second.get();
}

/// `copy` is a copy of `graph`: its nodes by the originals.
void GraphTable::pair(GraphExec &x, CUgraph graph, CUgraph copy) {
  std::vector<CUgraphNode> originals = nodesOf(graph), copies = nodesOf(copy);
  for (size_t i = 0; i < originals.size(); ++i) {
    CUgraphNode n = nullptr;
    if (cuGraphNodeFindInClone(&n, originals[i], copy) != CUDA_SUCCESS)
      n = i < copies.size() ? copies[i] : nullptr;
    if (!n || typeOf(n) != typeOf(originals[i])) {
      x.obstacle = "its copy has other nodes";
      return;
    }
    x.copies[originals[i]] = n;
    x.handles[n] = originals[i];
    if (auto name = Names.find(originals[i]); name != Names.end())
      Names[n] = NodeName(name->second);
    if (typeOf(n) == CU_GRAPH_NODE_TYPE_GRAPH)
      pair(x, bodyOf(originals[i]), bodyOf(n));
  }
}

void GraphTable::makeModel(GraphExec &x, CUgraph graph) {
  x.source = graph;
  x.model = nullptr;
  x.copies.clear();
  x.handles.clear();
  if (cuGraphClone(&x.model, graph) != CUDA_SUCCESS) {
    x.obstacle = "it cannot be copied";
    return;
  }
  pair(x, graph, x.model);
  makeSteps(x);
}

void GraphTable::flatten(GraphExec &x, CUgraph graph,
                         const std::vector<gpu::FlatNode::Before> &entry,
                         std::vector<gpu::FlatNode::Before> &exit) {
  std::vector<CUgraphNode> nodes = nodesOf(graph);
  std::vector<gpu::GraphEdge> edges;
  if (!edgesOf(graph, nodes, edges)) {
    x.obstacle = "its edges are not known";
    return;
  }
  std::vector<uint32_t> flatIndex(nodes.size());
  for (uint32_t place : gpu::topologicalOrder(uint32_t(nodes.size()), edges)) {
    CUgraphNode n = nodes[place];
    gpu::FlatNode flat;
    flat.isKernel = typeOf(n) == CU_GRAPH_NODE_TYPE_KERNEL;
    bool followed = false;
    for (const gpu::GraphEdge &e : edges) {
      if (e.to == place)
        flat.after.push_back({flatIndex[e.from], e.programmatic});
      followed |= e.from == place && !e.programmatic;
    }
    if (flat.after.empty())
      flat.after = entry;
    GraphStep step{n, typeOf(n), place, {}};
    if (auto name = Names.find(n); name != Names.end())
      step.name = name->second;
    if (!isReplayed(step.type))
      x.obstacle = "it has nodes of a kind that is not checked on the GPU (memory, conditions, "
                   "values or semaphores)";
    if (step.type == CU_GRAPH_NODE_TYPE_GRAPH) {
      std::vector<gpu::FlatNode::Before> end;
      auto changed = x.bodies.find(n);
      flatten(x, changed == x.bodies.end() ? bodyOf(n) : changed->second, flat.after, end);
      if (!end.empty())
        flat.after = end;
      step.type = CU_GRAPH_NODE_TYPE_EMPTY;
    }
    flatIndex[place] = uint32_t(x.steps.size());
    if (!followed)
      exit.push_back({flatIndex[place], false});
    x.steps.push_back(step);
    x.order.push_back(std::move(flat));
  }
}

void GraphTable::makeSteps(GraphExec &x) {
  gpu::FlatGraph before = std::move(x.order);
  x.steps.clear();
  x.order.clear();
  std::vector<gpu::FlatNode::Before> exit;
  flatten(x, x.model, {}, exit);
  x.sequence = gpu::serialOrder(x.order);
  bool isSame = std::equal(before.begin(), before.end(), x.order.begin(), x.order.end(),
                           [](auto &a, auto &b) { return a.after == b.after; });
  if (isSame && !before.empty())
    x.order = std::move(before); // the lines stay
  else
    host::assignLines(x.order, D);
}

void GraphTable::instantiated(CUgraphExec exec, CUgraph graph, bool onDevice) {
  auto x = std::make_unique<GraphExec>();
  x->ordinal = ++Instantiations;
  makeModel(*x, graph);
  if (onDevice)
    x->obstacle = "it may be launched from the device";
  if (cuEventCreate(&x->ended, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS)
    x->obstacle = "there is no event for its end";
  Execs[exec] = std::move(x);
}

/// Nodes correspond by their order. What the program calls a node of the graph before still counts.
void GraphTable::updated(CUgraphExec exec, CUgraph graph) {
  GraphExec *x = find(exec);
  if (!x || !x->obstacle.empty())
    return;
  std::unordered_map<CUgraphNode, size_t> places;
  for (CUgraphNode n : nodesOf(x->model))
    places.emplace(n, places.size());
  auto copies = std::move(x->copies), handles = std::move(x->handles);
  auto disabled = x->disabled;
  for (auto &[child, body] : x->bodies)
    cuGraphDestroy(body);
  x->bodies.clear();
  CUgraph old = x->model, source = x->source;
  makeModel(*x, graph);
  x->source = source;
  std::vector<CUgraphNode> nodes = nodesOf(x->model);
  auto now = [&](CUgraphNode n) {
    auto place = places.find(n);
    return place == places.end() || place->second >= nodes.size() ? nullptr : nodes[place->second];
  };
  for (auto &[original, copy] : copies)
    if (CUgraphNode n = now(copy))
      x->copies.try_emplace(original, n);
  x->handles.clear();
  for (auto &[copy, handle] : handles)
    if (CUgraphNode n = now(copy))
      x->handles[n] = handle;
  x->disabled.clear();
  for (CUgraphNode d : disabled)
    x->disabled.insert(now(d));
  cuGraphDestroy(old);
  for (const GraphStep &step : x->steps)
    if (x->isSilent && step.type == CU_GRAPH_NODE_TYPE_HOST)
      x->obstacle = "its host functions were changed after the graph had been destroyed";
}

void GraphTable::childChanged(GraphExec &x, CUgraphNode child, CUgraph body) {
  CUgraph copy = nullptr;
  if (cuGraphClone(&copy, body) != CUDA_SUCCESS) {
    x.obstacle = "a child graph of it cannot be copied";
    return;
  }
  auto known = x.bodies.find(child);
  std::vector<CUgraphNode> before =
      nodesOf(known == x.bodies.end() ? bodyOf(child) : known->second);
  std::vector<CUgraphNode> handles;
  for (CUgraphNode n : before)
    handles.push_back(x.handles.count(n) ? x.handles[n] : nullptr);
  pair(x, body, copy);
  std::vector<CUgraphNode> now = nodesOf(copy);
  for (size_t i = 0; i < now.size(); ++i) // what the instantiated graph calls them stays
    x.handles[now[i]] = i < handles.size() ? handles[i] : nullptr;
  auto [place, isNew] = x.bodies.try_emplace(child, copy);
  if (!isNew) {
    cuGraphDestroy(place->second);
    place->second = copy;
  }
  makeSteps(x);
}

void GraphTable::destroyed(CUgraphExec exec) {
  if (GraphExec *x = find(exec))
    for (CUgraphNode n : nodesOf(x->model))
      Names.erase(n);
  Execs.erase(exec);
}

} // namespace scopesan::cupti
