// scopesan-test: a persistent kernel's scheduler reads the group sizes when it is constructed
//
// variant fixed
//   why the scheduler is constructed after the wait for the kernel that writes the sizes
//   verdict clean
//   proof S14
// variant constructed_early -DRACY
//   why the constructor reads what the preceding kernel may not have written yet; the data come after the wait
//   verdict findings
//   require D1 write_size(store,weak) read_size(load,weak) distance=between-kernels
//   proof S14 D1
#include "check.h"

constexpr int kGroups = 4, kBlocks = 2, kThreads = 32;

class Scheduler {
public:
  __device__ explicit Scheduler(const int *sizes) {
    for (int g = 0, end = 0; g < kGroups; ++g)
      Ends[g] = end += sizes[g]; // @read_size
  }
  __device__ int items() const { return Ends[kGroups - 1]; }
  __device__ int groupOf(int item) const {
    int group = 0;
    while (item >= Ends[group])
      ++group;
    return group;
  }

private:
  int Ends[kGroups];
};

__global__ void plan(int *sizes, int *values) {
  cudaTriggerProgrammaticLaunchCompletion();
  if (threadIdx.x < kGroups)
    sizes[threadIdx.x] = int(threadIdx.x) + 1; // @write_size
  values[threadIdx.x] = 10;
}

__global__ void work(const int *sizes, const int *values, int *out) {
#ifdef RACY
  Scheduler scheduler(sizes);
  cudaGridDependencySynchronize();
#else
  cudaGridDependencySynchronize();
  Scheduler scheduler(sizes);
#endif
  for (int item = int(blockIdx.x); item < scheduler.items(); item += kBlocks)
    if (threadIdx.x == 0)
      atomicAdd(&out[scheduler.groupOf(item)], values[item]);
}

int main() {
  int host[kGroups], *sizes = nullptr, *values = nullptr, *out = nullptr;
  CHECK(cudaMalloc(&sizes, sizeof(host)));
  CHECK(cudaMalloc(&values, kThreads * sizeof(int)));
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMemset(sizes, 0, sizeof(host)));
  CHECK(cudaMemset(out, 0, sizeof(host)));
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute[0].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = kBlocks;
  config.blockDim = kThreads;
  config.attrs = attribute;
  config.numAttrs = 1;
  plan<<<1, kThreads>>>(sizes, values);
  CHECK(cudaLaunchKernelEx(&config, work, (const int *)sizes, (const int *)values, out));
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  for (int *p : {sizes, values, out})
    CHECK(cudaFree(p));
  bool right = true;
  for (int g = 0; g < kGroups; ++g)
    right = right && host[g] == 10 * (g + 1);
  return verdict(right);
}
