// scopesan-test: launches of one instantiated graph follow each other, whatever their streams are;
// two instantiations of one graph do not
//
// variant one_exec
//   why each launch is ordered behind the previous launches of the instantiated graph
//   verdict clean
//   proof S14
// variant updated_exec -DUPDATE
//   why new parameters change what a later launch does, not its order
//   verdict clean
//   label full
//   proof S14
// variant child -DCHILD
//   why the parent graphs run the same body one after the other
//   verdict clean
//   proof S14
// variant two_execs -DRACY=1
//   why two instantiations on two streams are unordered
//   verdict findings
//   require D1 add add distance=between-kernels
//   proof S14 D1
// variant other_kernel -DRACY=2
//   why a kernel on another stream does not wait for the graph
//   verdict findings
//   require D1 add other distance=between-kernels
//   proof S14 D1
// variant child_beside -DRACY=3
//   why the child graph has no edge to the kernel beside it
//   verdict findings
//   label full
//   require D1 add other distance=between-kernels
//   proof S14 D1
#include "check.h"

constexpr int kCount = 64;

__global__ void addTo(int *data, int value) {
  data[threadIdx.x] += value; // @add
}
__global__ void addOther(int *data) {
  data[threadIdx.x] += 100; // @other
}

static cudaGraphNode_t addKernel(cudaGraph_t graph, void *kernel, int *data, int *value,
                                 cudaGraphExec_t update = nullptr,
                                 cudaGraphNode_t changed = nullptr) {
  void *arguments[] = {&data, value};
  cudaKernelNodeParams params = {};
  params.func = kernel;
  params.gridDim = dim3(1);
  params.blockDim = dim3(kCount);
  params.kernelParams = arguments;
  cudaGraphNode_t node = changed;
  if (update)
    CHECK(cudaGraphExecKernelNodeSetParams(update, changed, &params));
  else
    CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
  return node;
}

int main() {
  int *data = nullptr, out[kCount], one = 1, ten = 10;
  CHECK(cudaMalloc(&data, sizeof(out)));
  CHECK(cudaMemset(data, 0, sizeof(out)));
  CHECK(cudaDeviceSynchronize());
  cudaStream_t first, second;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  cudaGraph_t graph;
  cudaGraphExec_t exec, again;
  CHECK(cudaGraphCreate(&graph, 0));
#if defined(CHILD) || RACY == 3
  cudaGraph_t body;
  cudaGraphNode_t child;
  CHECK(cudaGraphCreate(&body, 0));
  addKernel(body, reinterpret_cast<void *>(addTo), data, &one);
  CHECK(cudaGraphAddChildGraphNode(&child, graph, nullptr, 0, body));
#if RACY == 3
  addKernel(graph, reinterpret_cast<void *>(addOther), data, &one);
#endif
  CHECK(cudaGraphDestroy(body));
#else
  cudaGraphNode_t node = addKernel(graph, reinterpret_cast<void *>(addTo), data, &one);
#endif
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphInstantiate(&again, graph, 0));

  CHECK(cudaGraphLaunch(exec, first));
#if RACY == 1
  CHECK(cudaGraphLaunch(again, second));
#elif RACY == 2
  addOther<<<1, kCount, 0, second>>>(data);
#else
#ifdef UPDATE
  addKernel(graph, reinterpret_cast<void *>(addTo), data, &ten, exec, node);
#endif
  CHECK(cudaGraphLaunch(exec, second));
#endif
  CHECK(cudaStreamSynchronize(first));
  CHECK(cudaStreamSynchronize(second));
  CHECK(cudaMemcpy(out, data, sizeof(out), cudaMemcpyDeviceToHost));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphExecDestroy(again));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
  CHECK(cudaFree(data));
#ifdef UPDATE
  const int expected = one + ten;
#else
  const int expected = 2;
#endif
  bool right = true;
  for (int value : out)
    right = right && value == expected;
  (void)ten;
  return verdict(right);
}
