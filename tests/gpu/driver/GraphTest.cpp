// Graphs: a launch is replayed node by node, in the graph's order, and the program's own does
// nothing.
#include "Program.h"

namespace {

// Kernels of the module, by their handles.
char First[] = "logged", Second[] = "logged";
CUfunction kernel(char *name) { return reinterpret_cast<CUfunction>(name); }

CUgraph newGraph() {
  CUgraph g = nullptr;
  call("cuGraphCreate", cuGraphCreate_params{&g, 0}, [&] { cuGraphCreate(&g, 0); });
  return g;
}
using Nodes = std::vector<CUgraphNode>;
CUgraphNode addKernel(CUgraph g, char *name, const Nodes &after = {}) {
  CUDA_KERNEL_NODE_PARAMS p{};
  p.func = kernel(name);
  p.gridDimX = p.gridDimY = p.gridDimZ = p.blockDimX = p.blockDimY = p.blockDimZ = 1;
  CUgraphNode n = nullptr;
  call("cuGraphAddKernelNode_v2",
       cuGraphAddKernelNode_v2_params{&n, g, after.data(), after.size(), &p},
       [&] { cuGraphAddKernelNode(&n, g, after.data(), after.size(), &p); });
  return n;
}
CUgraphNode addFill(CUgraph g, uint64_t to, const Nodes &after = {}) {
  CUDA_MEMSET_NODE_PARAMS p{to, 0, 0, 1, 4, 1};
  CUgraphNode n = nullptr;
  call("cuGraphAddMemsetNode",
       cuGraphAddMemsetNode_params{&n, g, after.data(), after.size(), &p, nullptr},
       [&] { cuGraphAddMemsetNode(&n, g, after.data(), after.size(), &p, nullptr); });
  return n;
}
unsigned HostCalls;
void count(void *) { ++HostCalls; }
CUgraphNode addHost(CUgraph g, const Nodes &after = {}) {
  CUDA_HOST_NODE_PARAMS p{count, nullptr};
  CUgraphNode n = nullptr;
  call("cuGraphAddHostNode", cuGraphAddHostNode_params{&n, g, after.data(), after.size(), &p},
       [&] { cuGraphAddHostNode(&n, g, after.data(), after.size(), &p); });
  return n;
}
CUgraphExec instantiate(CUgraph g) {
  CUgraphExec x = nullptr;
  call("cuGraphInstantiateWithFlags", cuGraphInstantiateWithFlags_params{&x, g, 0},
       [&] { cuGraphInstantiateWithFlags(&x, g, 0); });
  return x;
}
void launchGraph(CUgraphExec x, CUstream s) {
  call("cuGraphLaunch", cuGraphLaunch_params{x, s}, [&] { cuGraphLaunch(x, s); });
}

/// What the kernels do when the collector launches them, and what the driver was asked for.
struct Watched {
  explicit Watched(std::function<void(CUfunction)> effect) {
    fakeDriver().onKernel = std::move(effect);
    fakeDriver().issued.clear();
    fakeDriver().nodesRun = HostCalls = 0;
  }
  ~Watched() { fakeDriver().onKernel = nullptr; }
  std::string issued() const {
    std::string all;
    for (auto &i : fakeDriver().issued)
      all += i.what + (i.kernel == kernel(Second) ? "2 " : " ");
    return all;
  }
};

unsigned x1() { return lines("\"t\":\"incomplete\""); }

} // namespace

TEST_F(Collector, GraphWithEdge) {
  uint64_t p = allocateWithoutShadow();
  Watched w([&](CUfunction) { record(0, EventKind::Write, p); });
  CUgraph g = newGraph();
  CUgraphNode first = addKernel(g, First);
  addKernel(g, Second, {first});
  unsigned before = x1();
  launchGraph(instantiate(g), stream());
  synchronize();
  EXPECT_EQ(w.issued(), "kernel kernel2 ");
  EXPECT_EQ(fakeDriver().nodesRun, 0u) << "the program's own launch";
  EXPECT_EQ(found(), 0u);
  EXPECT_EQ(x1(), before);
}

TEST_F(Collector, GraphWithoutEdge) {
  uint64_t p = allocateWithoutShadow();
  Watched w([&](CUfunction) { record(0, EventKind::Write, p); });
  CUgraph g = newGraph();
  addKernel(g, First);
  addKernel(g, Second);
  launchGraph(instantiate(g), stream());
  synchronize();
  EXPECT_EQ(found(), 1u);
}

TEST_F(Collector, LaunchesOfOneGraphFollowEachOther) {
  uint64_t p = allocateWithoutShadow();
  Watched w([&](CUfunction) { record(0, EventKind::Write, p); });
  CUgraph g = newGraph();
  addKernel(g, First);
  CUgraphExec one = instantiate(g), other = instantiate(g);
  call("cuGraphDestroy", cuGraphDestroy_params{g});
  launchGraph(one, stream());
  launchGraph(one, stream());
  synchronize();
  EXPECT_EQ(found(), 0u);
  launchGraph(one, stream());
  launchGraph(other, stream());
  synchronize();
  EXPECT_EQ(found(), 1u);
}

TEST_F(Collector, GraphFollowsItsStream) {
  uint64_t p = allocateWithoutShadow();
  Watched w([&](CUfunction) { record(0, EventKind::Write, p); });
  CUgraph g = newGraph();
  addKernel(g, First);
  CUgraphExec x = instantiate(g);
  CUstream s = stream();
  launch("logged", s, [&] { record(0, EventKind::Write, p); });
  launchGraph(x, s);
  launch("logged", s, [&] { record(0, EventKind::Write, p); });
  synchronize();
  EXPECT_EQ(found(), 0u);
  launch("logged", stream(), [&] { record(0, EventKind::Write, p); });
  launchGraph(x, s);
  synchronize();
  EXPECT_EQ(found(), 1u);
}

TEST_F(Collector, FillBesideKernelInGraph) {
  uint64_t p = allocateWithoutShadow();
  Watched w([&](CUfunction) { record(0, EventKind::Write, p); });
  CUgraph g = newGraph();
  addFill(g, p);
  addKernel(g, First);
  launchGraph(instantiate(g), stream());
  synchronize();
  EXPECT_EQ(w.issued(), "fill kernel ");
  EXPECT_EQ(found(), 1u);
  EXPECT_GE(lines("cuGraphAddMemsetNode"), 1u);
}

TEST_F(Collector, CopiesComeEarly) {
  uint64_t p = allocateWithoutShadow();
  Watched w([&](CUfunction) { record(0, EventKind::Write, p); });
  CUgraph g = newGraph();
  CUgraphNode first = addKernel(g, First);
  addKernel(g, Second, {first});
  addFill(g, p + 64);
  launchGraph(instantiate(g), nullptr);
  EXPECT_EQ(w.issued(), "fill kernel kernel2 ");
}

TEST_F(Collector, HostFunctionInOrder) {
  Watched w([](CUfunction) {});
  CUgraph g = newGraph();
  CUgraphNode host = addHost(g);
  addKernel(g, Second, {host});
  CUgraphExec x = instantiate(g);
  launchGraph(x, stream());
  EXPECT_EQ(w.issued(), "host kernel2 ");
  EXPECT_EQ(HostCalls, 1u) << "by the collector's launch, not by the program's";
  // Outside of checked launches the program's graph is what it was.
  cuGraphLaunch(x, nullptr);
  EXPECT_EQ(fakeDriver().nodesRun, 1u);
  EXPECT_EQ(HostCalls, 2u);
}

TEST_F(Collector, GraphWasDestroyed) {
  Watched w([](CUfunction) {});
  CUgraph g = newGraph();
  addKernel(g, Second, {addHost(g)});
  CUgraphExec x = instantiate(g);
  call("cuGraphDestroy", cuGraphDestroy_params{g}, [&] { cuGraphDestroy(g); });
  unsigned before = x1();
  launchGraph(x, stream());
  EXPECT_EQ(w.issued(), "host kernel2 ");
  EXPECT_EQ(fakeDriver().nodesRun, 0u);
  EXPECT_EQ(HostCalls, 1u);
  EXPECT_EQ(x1(), before);
}

TEST_F(Collector, ChangedGraph) {
  Watched w([](CUfunction) {});
  CUgraph g = newGraph();
  CUgraphNode n = addKernel(g, First), off = addKernel(g, First, {n});
  CUgraphExec x = instantiate(g);
  CUDA_KERNEL_NODE_PARAMS p{};
  p.func = kernel(Second);
  p.gridDimX = p.gridDimY = p.gridDimZ = p.blockDimX = p.blockDimY = p.blockDimZ = 1;
  call("cuGraphExecKernelNodeSetParams_v2", cuGraphExecKernelNodeSetParams_v2_params{x, n, &p});
  call("cuGraphNodeSetEnabled", cuGraphNodeSetEnabled_params{x, off, 0});
  launchGraph(x, stream());
  EXPECT_EQ(w.issued(), "kernel2 ");
  call("cuGraphNodeSetEnabled", cuGraphNodeSetEnabled_params{x, off, 1});
  CUgraph other = newGraph();
  addKernel(other, Second, {addKernel(other, Second)});
  CUgraphExecUpdateResultInfo info{};
  call("cuGraphExecUpdate_v2", cuGraphExecUpdate_v2_params{x, other, &info});
  launchGraph(x, stream());
  EXPECT_EQ(w.issued(), "kernel2 kernel2 kernel2 ");
  call("cuGraphNodeSetEnabled", cuGraphNodeSetEnabled_params{x, off, 0});
  launchGraph(x, stream());
  EXPECT_EQ(w.issued(), "kernel2 kernel2 kernel2 kernel2 ");
}

TEST_F(Collector, ChildGraph) {
  uint64_t p = allocateWithoutShadow();
  Watched w([&](CUfunction f) { record(0, EventKind::Write, p + (f == kernel(First) ? 0 : 64)); });
  CUgraph body = newGraph(), g = newGraph();
  CUgraphNode fill = addFill(body, p + 64);
  addKernel(body, Second, {fill});
  CUgraphNode child = nullptr, first = addKernel(g, First);
  call("cuGraphAddChildGraphNode", cuGraphAddChildGraphNode_params{&child, g, &first, 1, body},
       [&] { cuGraphAddChildGraphNode(&child, g, &first, 1, body); });
  addKernel(g, First, {child});
  launchGraph(instantiate(g), stream());
  synchronize();
  EXPECT_EQ(w.issued(), "kernel fill kernel2 kernel ");
  EXPECT_EQ(found(), 0u);
}

TEST_F(Collector, EventNodes) {
  uint64_t p = allocateWithoutShadow();
  Watched w([&](CUfunction) { record(0, EventKind::Write, p); });
  auto event = handle<CUevent>(0x9000);
  CUgraph g = newGraph();
  CUgraphNode first = addKernel(g, First), recorded = nullptr;
  cuGraphAddEventRecordNode(&recorded, g, &first, 1, event);
  CUstream s = stream();
  launchGraph(instantiate(g), stream());
  call("cuStreamWaitEvent", cuStreamWaitEvent_params{s, event, 0});
  launch("logged", s, [&] { record(0, EventKind::Write, p); });
  synchronize();
  EXPECT_EQ(found(), 0u);
  CUgraph waits = newGraph();
  CUgraphNode wait = nullptr;
  cuGraphAddEventWaitNode(&wait, waits, nullptr, 0, event);
  addKernel(waits, First, {wait});
  CUstream t = stream();
  launch("logged", t, [&] { record(0, EventKind::Write, p); });
  call("cuEventRecord", cuEventRecord_params{event, t});
  launchGraph(instantiate(waits), stream());
  synchronize();
  EXPECT_EQ(found(), 0u);
}

TEST_F(Collector, UnknownNodesAreIncomplete) {
  Watched w([](CUfunction) {});
  CUgraph g = newGraph();
  CUgraphNode n = nullptr;
  cuGraphAddMemFreeNode(&n, g, nullptr, 0, 0x1000);
  addKernel(g, First);
  launchGraph(instantiate(g), stream());
  EXPECT_EQ(w.issued(), "");
  EXPECT_EQ(fakeDriver().nodesRun, 2u);
  EXPECT_GE(lines("nodes of a kind that is not checked"), 1u);
  CUgraphExec unseen = nullptr;
  cuGraphInstantiateWithFlags(&unseen, newGraph(), 0);
  launchGraph(unseen, nullptr);
  EXPECT_EQ(lines("its instantiation was not seen"), 1u);
}

TEST_F(Collector, CapturedWorkIsNamed) {
  uint64_t p = allocateWithoutShadow();
  Watched w([&](CUfunction) { record(0, EventKind::Write, p); });
  CUstream s = stream();
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  CUgraph g = fakeDriver().captures[s].graph;
  CUDA_MEMSET_NODE_PARAMS fill{p, 0, 0, 1, 4, 1};
  CUgraphNode n = nullptr;
  call("cuMemsetD8Async", cuMemsetD8Async_params{p, 0, 4, s}, [&] {
    cuGraphAddMemsetNode(&n, g, nullptr, 0, &fill, nullptr);
    fakeDriver().captures[s].last = {n};
  });
  cuStreamEndCapture(s, &g);
  addKernel(g, First);
  EXPECT_EQ(found(), 0u) << "nothing has run yet";
  launchGraph(instantiate(g), s);
  synchronize();
  EXPECT_EQ(found(), 1u);
  EXPECT_GE(lines("\"cuMemsetD8Async\""), 1u);
}
