// scopesan-test: a captured graph has the order of its streams and events, also when it is replayed
//
// variant fixed
//   why the second stream waits for the producer, the first one for the second; two replays of one
//   ... graph follow each other
//   verdict clean
//   proof S14
// variant forked_too_early -DRACY=1
//   why the event that the second stream waits for was recorded before the producer
//   verdict findings
//   require D1 produce consume distance=between-kernels
//   allow D1 api:cudaMemsetAsync consume
//   proof S14 D1
// variant joined_too_early -DRACY=2
//   why the join waits for the consumer's fork, not for the consumer
//   verdict findings
//   require D1 consume overwrite distance=between-kernels 
//   proof S14 D1
#include "check.h"

constexpr int kCount = 256;

__global__ void produce(int *data) {
  data[threadIdx.x] += 1; // @produce
}
__global__ void consume(const int *data, int *sum) {
  sum[threadIdx.x] += data[threadIdx.x]; // @consume
}
__global__ void overwrite(int *data) {
  data[threadIdx.x] = 100; // @overwrite
}

int main() {
  int *data = nullptr, *sum = nullptr, out[kCount];
  CHECK(cudaMalloc(&data, sizeof(out)));
  CHECK(cudaMalloc(&sum, sizeof(out)));
  CHECK(cudaMemset(sum, 0, sizeof(out)));
  CHECK(cudaDeviceSynchronize());
  cudaStream_t first, second;
  cudaEvent_t fork, join;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));

  CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemsetAsync(data, 0, sizeof(out), first));
#if RACY == 1
  CHECK(cudaEventRecord(fork, first));
#endif
  produce<<<1, kCount, 0, first>>>(data);
#if RACY != 1
  CHECK(cudaEventRecord(fork, first));
#endif
  CHECK(cudaStreamWaitEvent(second, fork, 0));
#if RACY == 2
  CHECK(cudaEventRecord(join, second));
#endif
  consume<<<1, kCount, 0, second>>>(data, sum);
#if RACY == 2
  // The consumer itself is joined after the overwriting kernel.
  CHECK(cudaStreamWaitEvent(first, join, 0));
  overwrite<<<1, kCount, 0, first>>>(data);
  CHECK(cudaEventRecord(join, second));
  CHECK(cudaStreamWaitEvent(first, join, 0));
#else
  CHECK(cudaEventRecord(join, second));
  CHECK(cudaStreamWaitEvent(first, join, 0));
  overwrite<<<1, kCount, 0, first>>>(data);
#endif
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamEndCapture(first, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));

  CHECK(cudaGraphLaunch(exec, first));
  CHECK(cudaGraphLaunch(exec, second));
  CHECK(cudaStreamSynchronize(second));
  CHECK(cudaMemcpy(out, sum, sizeof(out), cudaMemcpyDeviceToHost));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaEventDestroy(fork));
  CHECK(cudaEventDestroy(join));
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
  CHECK(cudaFree(data));
  CHECK(cudaFree(sum));
  bool right = true;
  for (int value : out)
    right = right && value == 2;
  return verdict(right);
}
