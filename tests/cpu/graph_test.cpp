// Graphs and stream capture: the API's semantics, with native kernels registered by hand.
#include "shim_fixture.h"

#include <vector>

using namespace scopesan;
using namespace scopesan::cpu;
using namespace scopesan::cpu::test;

namespace {

class Graphs : public Shim {
protected:
  void SetUp() override {
    cudaStreamCreateWithFlags(&A, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&B, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&E, cudaEventDisableTiming);
    D = deviceInts(8);
  }
  void TearDown() override {
    cudaStreamDestroy(A);
    cudaStreamDestroy(B);
    cudaEventDestroy(E);
    cudaFree(D);
    cudaGetLastError();
    Shim::TearDown();
  }
  cudaGraphNode_t kernelNode(cudaGraph_t G, int *To, int Value,
                             std::vector<cudaGraphNode_t> After = {}) {
    void *Args[] = {&To, &Value};
    cudaKernelNodeParams P{};
    P.func = &StoreStub;
    P.gridDim = P.blockDim = dim3(1);
    P.kernelParams = Args;
    cudaGraphNode_t N = nullptr;
    EXPECT_EQ(cudaGraphAddKernelNode(&N, G, After.data(), After.size(), &P), cudaSuccess);
    return N;
  }
  cudaGraphExec_t instantiate(cudaGraph_t G) {
    cudaGraphExec_t X = nullptr;
    EXPECT_EQ(cudaGraphInstantiate(&X, G, 0), cudaSuccess);
    return X;
  }
  std::vector<cudaGraphNodeType> types(cudaGraph_t G) {
    size_t N = 0;
    cudaGraphGetNodes(G, nullptr, &N);
    std::vector<cudaGraphNode_t> Nodes(N);
    cudaGraphGetNodes(G, Nodes.data(), &N);
    std::vector<cudaGraphNodeType> Result(N);
    for (size_t I = 0; I < N; ++I)
      cudaGraphNodeGetType(Nodes[I], &Result[I]);
    return Result;
  }

  cudaStream_t A, B;
  cudaEvent_t E;
  int *D;
};

TEST_F(Graphs, CaptureRecordsAndDoesNotRun) {
  cudaGraph_t G;
  ASSERT_EQ(cudaStreamBeginCapture(A, cudaStreamCaptureModeGlobal), cudaSuccess);
  cudaStreamCaptureStatus Status;
  EXPECT_EQ(cudaStreamIsCapturing(A, &Status), cudaSuccess);
  EXPECT_EQ(Status, cudaStreamCaptureStatusActive);
  EXPECT_EQ(store(D, 1, A), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(D + 1, 0, 4, A), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(D + 2, D, 4, cudaMemcpyDeviceToDevice, A), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(A, &G), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(A), cudaSuccess);
  EXPECT_EQ(D[0], 0);
  EXPECT_EQ(types(G), (std::vector{cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemset,
                                   cudaGraphNodeTypeMemcpy}));
  cudaGraphExec_t X = instantiate(G);
  for (int Round = 0; Round < 3; ++Round) {
    D[0] = D[2] = 0;
    D[1] = 9;
    EXPECT_EQ(cudaGraphLaunch(X, A), cudaSuccess);
    EXPECT_EQ(D[0], 0) << "queued, not run";
    EXPECT_EQ(cudaStreamSynchronize(A), cudaSuccess);
    EXPECT_EQ(D[0], 1);
    EXPECT_EQ(D[1], 0);
    EXPECT_EQ(D[2], 1);
  }
  EXPECT_EQ(cudaGraphExecDestroy(X), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(G), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(G), cudaErrorInvalidValue);
}

TEST_F(Graphs, EventsForkAndJoinACapture) {
  cudaGraph_t G;
  cudaStreamBeginCapture(A, cudaStreamCaptureModeGlobal);
  store(D, 1, A);
  EXPECT_EQ(cudaEventRecord(E, A), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(B, E, 0), cudaSuccess);
  store(D + 1, 2, B);
  store(D + 2, 3, A);
  EXPECT_EQ(cudaEventRecord(E, B), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(A, E, 0), cudaSuccess);
  store(D + 3, 4, A);
  ASSERT_EQ(cudaStreamEndCapture(A, &G), cudaSuccess);
  size_t Count = 0;
  cudaGraphGetEdges(G, nullptr, nullptr, nullptr, &Count);
  EXPECT_EQ(Count, 4u);
  cudaGraphDestroy(G);
}

TEST_F(Graphs, UnjoinedStreamsAreAnError) {
  cudaGraph_t G;
  cudaStreamBeginCapture(A, cudaStreamCaptureModeGlobal);
  store(D, 1, A);
  cudaEventRecord(E, A);
  cudaStreamWaitEvent(B, E, 0);
  store(D + 1, 2, B);
  EXPECT_EQ(cudaStreamEndCapture(A, &G), cudaErrorStreamCaptureUnjoined);
  EXPECT_EQ(G, nullptr);
  EXPECT_EQ(store(D, 1, B), cudaSuccess) << "capture is over for both";
  EXPECT_EQ(cudaStreamSynchronize(B), cudaSuccess);
}

TEST_F(Graphs, SynchronizationInvalidatesACapture) {
  cudaGraph_t G;
  cudaStreamBeginCapture(A, cudaStreamCaptureModeThreadLocal);
  EXPECT_EQ(cudaStreamSynchronize(A), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(store(D, 1, A), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaStreamEndCapture(A, &G), cudaErrorStreamCaptureInvalidated);

  cudaStreamBeginCapture(A, cudaStreamCaptureModeGlobal);
  void *P;
  EXPECT_EQ(cudaMalloc(&P, 4), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamEndCapture(A, &G), cudaErrorStreamCaptureInvalidated);

  cudaStreamBeginCapture(A, cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaMalloc(&P, 4), cudaSuccess);
  EXPECT_EQ(cudaStreamEndCapture(A, &G), cudaSuccess);
  EXPECT_EQ(cudaFree(P), cudaSuccess);
  cudaGraphDestroy(G);
}

TEST_F(Graphs, EventsOutsideTheCaptureCannotBeWaitedFor) {
  cudaGraph_t G;
  cudaEventRecord(E, B);
  cudaStreamBeginCapture(A, cudaStreamCaptureModeGlobal);
  EXPECT_EQ(cudaStreamWaitEvent(A, E, 0), cudaErrorStreamCaptureIsolation);
  EXPECT_EQ(cudaStreamEndCapture(A, &G), cudaErrorStreamCaptureInvalidated);
}

TEST_F(Graphs, TheLegacyStreamWouldJoinABlockingCapture) {
  cudaStream_t S;
  cudaGraph_t G;
  cudaStreamCreate(&S);
  cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal);
  EXPECT_EQ(store(D, 1, nullptr), cudaErrorStreamCaptureImplicit);
  EXPECT_EQ(cudaStreamEndCapture(S, &G), cudaErrorStreamCaptureInvalidated);
  cudaStreamBeginCapture(A, cudaStreamCaptureModeThreadLocal);
  EXPECT_EQ(store(D, 1, nullptr), cudaSuccess) << "a non-blocking stream is not joined";
  EXPECT_EQ(cudaStreamEndCapture(A, &G), cudaSuccess);
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal),
            cudaErrorStreamCaptureUnsupported);
  cudaGraphDestroy(G);
  cudaStreamDestroy(S);
}

TEST_F(Graphs, CapturedEventsCannotBeQueried) {
  cudaGraph_t G;
  cudaStreamBeginCapture(A, cudaStreamCaptureModeGlobal);
  cudaEventRecord(E, A);
  EXPECT_EQ(cudaEventQuery(E), cudaErrorCapturedEvent);
  EXPECT_EQ(cudaEventSynchronize(E), cudaErrorCapturedEvent);
  EXPECT_EQ(cudaStreamEndCapture(A, &G), cudaSuccess);
  cudaGraphDestroy(G);
}

TEST_F(Graphs, ExplicitNodesRunInOrderOfTheirEdges) {
  cudaGraph_t G;
  cudaGraphCreate(&G, 0);
  cudaGraphNode_t First = kernelNode(G, D, 1), Second = kernelNode(G, D, 2, {First});
  cudaGraphExec_t X = instantiate(G);
  cudaGraphLaunch(X, nullptr);
  EXPECT_EQ(fetch(D), 2);
  // The other way round.
  EXPECT_EQ(cudaGraphRemoveDependencies(G, &First, &Second, nullptr, 1), cudaSuccess);
  EXPECT_EQ(cudaGraphRemoveDependencies(G, &First, &Second, nullptr, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphAddDependencies(G, &Second, &First, nullptr, 1), cudaSuccess);
  cudaGraphExec_t Y = instantiate(G);
  cudaGraphLaunch(Y, nullptr);
  EXPECT_EQ(fetch(D), 1);
  // A cycle.
  cudaGraphAddDependencies(G, &First, &Second, nullptr, 1);
  cudaGraphExec_t Z;
  EXPECT_EQ(cudaGraphInstantiate(&Z, G, 0), cudaErrorInvalidValue);
  cudaGraphExecDestroy(X);
  cudaGraphExecDestroy(Y);
  cudaGraphDestroy(G);
}

TEST_F(Graphs, ParametersOfAnInstantiatedGraphCanChange) {
  cudaGraph_t G;
  cudaGraphCreate(&G, 0);
  cudaGraphNode_t N = kernelNode(G, D, 1);
  cudaGraphExec_t X = instantiate(G);
  cudaKernelNodeParams P{};
  ASSERT_EQ(cudaGraphKernelNodeGetParams(N, &P), cudaSuccess);
  int *To = D + 1, Value = 5;
  void *Args[] = {&To, &Value};
  P.kernelParams = Args;
  EXPECT_EQ(cudaGraphExecKernelNodeSetParams(X, N, &P), cudaSuccess);
  cudaGraphLaunch(X, nullptr);
  EXPECT_EQ(fetch(D), 0);
  EXPECT_EQ(fetch(D + 1), 5);
  // A whole-graph update takes the new graph's parameters.
  cudaGraph_t H;
  cudaGraphCreate(&H, 0);
  kernelNode(H, D + 2, 7);
  cudaGraphExecUpdateResultInfo Info;
  EXPECT_EQ(cudaGraphExecUpdate(X, H, &Info), cudaSuccess);
  cudaGraphLaunch(X, nullptr);
  EXPECT_EQ(fetch(D + 2), 7);
  kernelNode(H, D + 3, 8);
  EXPECT_EQ(cudaGraphExecUpdate(X, H, &Info), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(Info.result, cudaGraphExecUpdateErrorTopologyChanged);
  // Disabled nodes do nothing.
  EXPECT_EQ(cudaGraphNodeSetEnabled(X, N, 0), cudaSuccess);
  *(D + 2) = 0;
  cudaGraphLaunch(X, nullptr);
  EXPECT_EQ(fetch(D + 2), 0);
  cudaGraphExecDestroy(X);
  cudaGraphDestroy(G);
  cudaGraphDestroy(H);
}

TEST_F(Graphs, ChildGraphsAreCopiedWhenTheyAreAdded) {
  cudaGraph_t Child, G;
  cudaGraphCreate(&Child, 0);
  cudaGraphNode_t Inner = kernelNode(Child, D, 3);
  cudaGraphCreate(&G, 0);
  cudaGraphNode_t First = kernelNode(G, D, 1), Middle, Body;
  ASSERT_EQ(cudaGraphAddChildGraphNode(&Middle, G, &First, 1, Child), cudaSuccess);
  kernelNode(Child, D + 1, 9, {Inner}); // not part of the copy
  int *From = D, *To = D + 2;
  cudaGraphNode_t Last;
  ASSERT_EQ(cudaGraphAddMemcpyNode1D(&Last, G, &Middle, 1, To, From, 4, cudaMemcpyDeviceToDevice),
            cudaSuccess);
  cudaGraphExec_t X = instantiate(G);
  cudaGraphLaunch(X, nullptr);
  EXPECT_EQ(fetch(D + 2), 3);
  EXPECT_EQ(fetch(D + 1), 0);
  // Nodes of the child can be changed through the parent's handle.
  cudaGraph_t Embedded;
  EXPECT_EQ(cudaGraphChildGraphNodeGetGraph(Middle, &Embedded), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(Embedded), cudaErrorInvalidValue);
  size_t Count = 1;
  EXPECT_EQ(cudaGraphGetNodes(Embedded, &Body, &Count), cudaSuccess);
  cudaKernelNodeParams P{};
  cudaGraphKernelNodeGetParams(Body, &P);
  int Value = 6;
  void *Args[] = {&From, &Value};
  P.kernelParams = Args;
  EXPECT_EQ(cudaGraphExecKernelNodeSetParams(X, Body, &P), cudaSuccess);
  cudaGraphLaunch(X, nullptr);
  EXPECT_EQ(fetch(D + 2), 6);
  cudaGraphExecDestroy(X);
  cudaGraphDestroy(G);
  cudaGraphDestroy(Child);
}

TEST_F(Graphs, MemsetElementsOfSeveralBytes) {
  cudaGraph_t G;
  cudaGraphCreate(&G, 0);
  cudaMemsetParams P{};
  P.dst = D;
  P.value = 0x01020304;
  P.elementSize = 4;
  P.width = 3;
  P.height = 1;
  cudaGraphNode_t N;
  ASSERT_EQ(cudaGraphAddMemsetNode(&N, G, nullptr, 0, &P), cudaSuccess);
  cudaMemsetParams Back{};
  EXPECT_EQ(cudaGraphMemsetNodeGetParams(N, &Back), cudaSuccess);
  EXPECT_EQ(Back.width, 3u);
  cudaGraphExec_t X = instantiate(G);
  cudaGraphLaunch(X, nullptr);
  EXPECT_EQ(fetch(D + 2), 0x01020304);
  EXPECT_EQ(fetch(D + 3), 0);
  P.elementSize = 3;
  EXPECT_EQ(cudaGraphAddMemsetNode(&N, G, nullptr, 0, &P), cudaErrorInvalidValue);
  cudaGraphExecDestroy(X);
  cudaGraphDestroy(G);
}

TEST_F(Graphs, HostNodesAndExternalEvents) {
  static int Seen;
  Seen = 0;
  cudaGraph_t G;
  cudaGraphCreate(&G, 0);
  cudaGraphNode_t Kernel = kernelNode(G, D, 4), Host, Record;
  cudaHostNodeParams P{[](void *Data) { Seen = *static_cast<int *>(Data); }, D};
  ASSERT_EQ(cudaGraphAddHostNode(&Host, G, &Kernel, 1, &P), cudaSuccess);
  ASSERT_EQ(cudaGraphAddEventRecordNode(&Record, G, &Host, 1, E), cudaSuccess);
  cudaGraphExec_t X = instantiate(G);
  cudaGraphLaunch(X, A);
  EXPECT_EQ(Seen, 0);
  EXPECT_EQ(cudaEventSynchronize(E), cudaSuccess);
  EXPECT_EQ(Seen, 4);
  cudaGraphExecDestroy(X);
  cudaGraphDestroy(G);
}

TEST_F(Graphs, LaunchIntoACaptureMakesAChild) {
  cudaGraph_t G, H;
  cudaGraphCreate(&G, 0);
  kernelNode(G, D, 2);
  cudaGraphExec_t X = instantiate(G);
  cudaStreamBeginCapture(A, cudaStreamCaptureModeGlobal);
  EXPECT_EQ(cudaGraphLaunch(X, A), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(A, &H), cudaSuccess);
  EXPECT_EQ(types(H), std::vector{cudaGraphNodeTypeGraph});
  cudaGraphExecDestroy(X);
  cudaGraphDestroy(G);
  cudaGraphDestroy(H);
}

TEST_F(Graphs, CloneFindsItsNodes) {
  cudaGraph_t G, H;
  cudaGraphCreate(&G, 0);
  cudaGraphNode_t N = kernelNode(G, D, 2), M = nullptr;
  ASSERT_EQ(cudaGraphClone(&H, G), cudaSuccess);
  EXPECT_EQ(cudaGraphNodeFindInClone(&M, N, H), cudaSuccess);
  EXPECT_NE(M, N);
  EXPECT_EQ(cudaGraphDestroyNode(M), cudaSuccess);
  EXPECT_TRUE(types(H).empty());
  EXPECT_EQ(types(G).size(), 1u);
  cudaGraphDestroy(G);
  cudaGraphDestroy(H);
}

TEST_F(Graphs, ConditionalNodesAreNotModelled) {
  cudaGraph_t G;
  cudaGraphCreate(&G, 0);
  cudaGraphNodeParams P{};
  P.type = cudaGraphNodeTypeConditional;
  cudaGraphNode_t N;
  EXPECT_EQ(cudaGraphAddNode(&N, G, nullptr, nullptr, 0, &P), cudaErrorNotSupported);
  cudaGraphDestroy(G);
}

} // namespace
