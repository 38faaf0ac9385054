// scopesan-test: a dependent kernel reads its input through the read-only path
//
// variant fixed
//   why the reads come after griddepcontrol.wait
//   verdict clean
//   proof O6 S14
// variant hoisted -DRACY
//   why a read-only load ahead of the wait, where a compiler may move it for a restrict pointer
//   verdict findings
//   require D11 produce(store,weak) consume(load,weak) distance=between-kernels
//   proof O6 S14 D11
// variant coherent_hoisted -DRACY -DCOHERENT
//   why on the coherent path it is a plain race
//   verdict findings
//   require D1 produce(store,weak) consume(load,weak) distance=between-kernels
//   proof S14 D1
#include "check.h"

constexpr int kBlocks = 2, kThreads = 64, kCount = kBlocks * kThreads;

__global__ void produce(int *values) {
  cudaTriggerProgrammaticLaunchCompletion();
  values[blockIdx.x * kThreads + threadIdx.x] = 3 * int(threadIdx.x); // @produce
}

__device__ int fetch(const int *p) {
#ifdef COHERENT
  return *p; // @consume
#else
  return __ldg(p); // @consume
#endif
}

__global__ void consume(const int *values, int *out) {
  const int i = int(blockIdx.x * kThreads + threadIdx.x);
#ifdef RACY
  const int x = fetch(values + i);
  cudaGridDependencySynchronize();
#else
  cudaGridDependencySynchronize();
  const int x = fetch(values + i);
#endif
  out[i] = x + 1;
}

int main() {
  int host[kCount], *values = nullptr, *out = nullptr;
  CHECK(cudaMalloc(&values, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMemset(values, 0, sizeof(host)));
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute[0].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = kBlocks;
  config.blockDim = kThreads;
  config.attrs = attribute;
  config.numAttrs = 1;
  produce<<<kBlocks, kThreads>>>(values);
  CHECK(cudaLaunchKernelEx(&config, consume, (const int *)values, out));
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(values));
  CHECK(cudaFree(out));
  bool right = true;
  for (int i = 0; i < kCount; ++i)
    right = right && host[i] == 3 * (i % kThreads) + 1;
  return verdict(right);
}
