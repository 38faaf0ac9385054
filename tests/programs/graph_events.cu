// scopesan-test: event record and wait nodes order a graph with work outside of it
//
// variant fixed
//   why the stream waits for the event that the graph records after the producer, and the graph's
//   ... last node for an event that the stream recorded after the consumer
//   verdict clean
//   proof S14
// variant recorded_before_producer -DRACY=1
//   why the record node is a root
//   verdict findings
//   require D1 produce consume distance=between-kernels
//   proof S14 D1
// variant wait_is_no_dependency -DRACY=2
//   why nothing in the graph follows the wait node
//   verdict findings
//   require D1 produce_again consume distance=between-kernels
//   proof S14 D1
// variant record_of_an_older_launch -DRACY=3
//   why the stream waits for the record of the first launch and races with the second one
//   verdict findings
//   require D1 produce consume distance=between-kernels
//   proof S14 D1
#include "check.h"

#ifdef RACY
constexpr int kRacy = RACY;
#else
constexpr int kRacy = 0;
#endif
constexpr int kCount = 64;

__global__ void produce(int *data) {
  data[threadIdx.x] = 1; // @produce
}
__global__ void consume(const int *data, int *out) {
  out[threadIdx.x] = data[threadIdx.x]; // @consume
}
__global__ void produceAgain(int *data) {
  data[threadIdx.x] = 2; // @produce_again
}

static cudaGraphNode_t addKernel(cudaGraph_t graph, void (*kernel)(int *), int *data,
                                 cudaGraphNode_t after) {
  void *arguments[] = {&data};
  cudaKernelNodeParams params = {};
  params.func = reinterpret_cast<void *>(kernel);
  params.gridDim = dim3(1);
  params.blockDim = dim3(kCount);
  params.kernelParams = arguments;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddKernelNode(&node, graph, &after, after ? 1 : 0, &params));
  return node;
}

int main() {
  int *data = nullptr, *copy = nullptr, out[kCount];
  CHECK(cudaMalloc(&data, sizeof(out)));
  CHECK(cudaMalloc(&copy, sizeof(out)));
  cudaStream_t inGraph, outside;
  cudaEvent_t produced, consumed;
  CHECK(cudaStreamCreateWithFlags(&inGraph, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&outside, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&produced, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&consumed, cudaEventDisableTiming));

  // first graph: produce, record; second graph: wait, produce again
  cudaGraph_t first, second;
  cudaGraphExec_t firstExec, secondExec;
  cudaGraphNode_t record, wait;
  CHECK(cudaGraphCreate(&first, 0));
  cudaGraphNode_t node = addKernel(first, produce, data, nullptr);
  CHECK(cudaGraphAddEventRecordNode(&record, first, &node, kRacy == 1 ? 0 : 1, produced));
  CHECK(cudaGraphInstantiate(&firstExec, first, 0));
  CHECK(cudaGraphCreate(&second, 0));
  CHECK(cudaGraphAddEventWaitNode(&wait, second, nullptr, 0, consumed));
  addKernel(second, produceAgain, data, kRacy == 2 ? nullptr : wait);
  CHECK(cudaGraphInstantiate(&secondExec, second, 0));

  CHECK(cudaGraphLaunch(firstExec, inGraph));
  CHECK(cudaStreamWaitEvent(outside, produced, 0));
#if RACY == 3
  CHECK(cudaGraphLaunch(firstExec, inGraph));
#endif
  consume<<<1, kCount, 0, outside>>>(data, copy);
  CHECK(cudaEventRecord(consumed, outside));
  CHECK(cudaGraphLaunch(secondExec, inGraph));
  CHECK(cudaStreamSynchronize(inGraph));
  CHECK(cudaStreamSynchronize(outside));
  CHECK(cudaMemcpy(out, copy, sizeof(out), cudaMemcpyDeviceToHost));

  CHECK(cudaGraphExecDestroy(firstExec));
  CHECK(cudaGraphExecDestroy(secondExec));
  CHECK(cudaGraphDestroy(first));
  CHECK(cudaGraphDestroy(second));
  CHECK(cudaEventDestroy(produced));
  CHECK(cudaEventDestroy(consumed));
  CHECK(cudaStreamDestroy(inGraph));
  CHECK(cudaStreamDestroy(outside));
  CHECK(cudaFree(data));
  CHECK(cudaFree(copy));
  bool right = true;
  for (int value : out)
    right = right && value == 1;
  return verdict(right);
}
