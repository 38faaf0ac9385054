// scopesan-test: the rows of the litmus table about API synchronization that other programs leave
//
// One kernel writes, another one reads.
//
// variant same_stream -DCASE=0
//   verdict clean
//   litmus API/same-stream
//   proof S14
// variant two_streams -DCASE=1 -DRACY
//   verdict findings
//   require D1 store load distance=between-kernels
//   litmus API/two-streams
//   proof S14 D1
// variant event -DCASE=2
//   verdict clean
//   litmus API/two-streams-event
//   proof S14
// variant event_recorded_before -DCASE=3 -DRACY
//   verdict findings
//   label full
//   require D1 store load distance=between-kernels
//   litmus API/event-recorded-before
//   proof S14 D1
// variant graph_without_edge -DCASE=4 -DRACY
//   verdict findings
//   require D1 store load distance=between-kernels
//   litmus API/graph-noedge
//   proof S14 D1
// variant graph_with_edge -DCASE=5
//   verdict clean
//   label full
//   proof S14
#include "check.h"

__global__ void writer(int *g) {
  *g = 1; // @store
}
__global__ void reader(int *g, int *out) {
  *out = *g; // @load
}

[[maybe_unused]] static void launchGraph(int *g, int *out, bool withEdge) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t first, second;
  CHECK(cudaGraphCreate(&graph, 0));
  void *writes[] = {&g}, *reads[] = {&g, &out};
  cudaKernelNodeParams params = {};
  params.gridDim = params.blockDim = dim3(1);
  params.func = reinterpret_cast<void *>(writer);
  params.kernelParams = writes;
  CHECK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &params));
  params.func = reinterpret_cast<void *>(reader);
  params.kernelParams = reads;
  CHECK(cudaGraphAddKernelNode(&second, graph, &first, withEdge ? 1 : 0, &params));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

int main() {
  int *g = nullptr, *out = nullptr, result = 0;
  CHECK(cudaMalloc(&g, sizeof(int)));
  CHECK(cudaMalloc(&out, sizeof(int)));
  CHECK(cudaMemset(g, 0, sizeof(int)));
  CHECK(cudaDeviceSynchronize());
#if CASE >= 4
  launchGraph(g, out, CASE == 5);
#else
  cudaStream_t first, second;
  cudaEvent_t event;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
#if CASE == 3
  CHECK(cudaEventRecord(event, first));
#endif
  writer<<<1, 1, 0, first>>>(g);
#if CASE == 2
  CHECK(cudaEventRecord(event, first));
#endif
#if CASE >= 2
  CHECK(cudaStreamWaitEvent(second, event, 0));
#endif
  reader<<<1, 1, 0, CASE ? second : first>>>(g, out);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaEventDestroy(event));
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
#endif
  CHECK(cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost));
  return verdict(result == 1);
}
