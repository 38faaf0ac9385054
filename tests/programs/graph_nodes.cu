// scopesan-test: a graph built node by node: fill, kernel, copy, host function; one edge may be missing
//
// variant fixed
//   verdict clean
//   proof S14 O7
// variant kernel_not_after_fill -DRACY=1
//   why the kernel is a root beside the memset node
//   verdict findings
//   require D1 api:cudaGraphAddMemsetNode twice
//   allow D1 api:cudaGraphAddMemsetNode halve
//   allow D1 api:cudaGraphAddMemsetNode api:cudaGraphAddMemcpyNode1D
//   proof S14 O7 D1
// variant copy_not_after_kernel -DRACY=2
//   why the copy follows the fill only
//   verdict findings
//   require D1 twice(store,weak) api:cudaGraphAddMemcpyNode1D
//   allow D1 halve(store,weak) api:cudaGraphAddMemcpyNode1D
//   proof S14 O7 D1
// variant two_roots -DRACY=3
//   why two kernels without an edge between them
//   verdict findings
//   require D1 twice halve distance=between-kernels
//   proof S14 D1
// variant edge_removed -DRACY=4
//   why cudaGraphRemoveDependencies took the edge away before the graph was instantiated
//   verdict findings
//   require D1 twice halve distance=between-kernels
//   proof S14 D1
#include "check.h"

#ifdef RACY
constexpr int kRacy = RACY;
#else
constexpr int kRacy = 0;
#endif

constexpr int kCount = 128;

__global__ void twice(unsigned *data) {
  data[threadIdx.x] *= 2; // @twice
}
__global__ void halve(unsigned *data) {
  data[threadIdx.x] /= 2; // @halve
}

static cudaGraphNode_t addKernel(cudaGraph_t graph, void (*kernel)(unsigned *), unsigned *data,
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

static void check(void *result) {
  auto *out = static_cast<unsigned *>(result);
  bool right = true;
  for (int i = 0; i < kCount; ++i)
    right = right && out[i] == 7;
  out[kCount] = right;
}

int main() {
  unsigned *data = nullptr, *out = nullptr;
  const size_t bytes = kCount * sizeof(unsigned);
  CHECK(cudaMalloc(&data, bytes));
  CHECK(cudaMallocHost(&out, bytes + sizeof(unsigned)));
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));

  cudaMemsetParams fill = {};
  fill.dst = data;
  fill.value = 7;
  fill.elementSize = sizeof(unsigned);
  fill.width = kCount;
  fill.height = 1;
  cudaGraphNode_t filled, copied, checked;
  CHECK(cudaGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill));
  cudaGraphNode_t doubled = addKernel(graph, twice, data, kRacy == 1 ? nullptr : filled);
  cudaGraphNode_t halved = addKernel(graph, halve, data, kRacy == 3 ? filled : doubled);
#if RACY == 4
  CHECK(cudaGraphRemoveDependencies(graph, &doubled, &halved, nullptr, 1));
  CHECK(cudaGraphAddDependencies(graph, &filled, &halved, nullptr, 1));
#endif
  cudaGraphNode_t both[] = {kRacy == 2 ? filled : doubled, kRacy == 2 ? filled : halved};
  CHECK(cudaGraphAddMemcpyNode1D(&copied, graph, both, kRacy == 2 ? 1 : 2, out, data, bytes,
                                 cudaMemcpyDeviceToHost));
  cudaHostNodeParams host = {check, out};
  CHECK(cudaGraphAddHostNode(&checked, graph, &copied, 1, &host));

  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaDeviceSynchronize());
  bool right = out[kCount] == 1;
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFreeHost(out));
  CHECK(cudaFree(data));
  return verdict(right);
}
