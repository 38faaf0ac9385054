// What must hold at any size and for any use of the API. Every way must be clean in its fixed form,
// or incomplete where something had to be given up, and never clean in its racy form (`hold WAY
// racy`). Never a wrong finding, never a crash.
//
//   blocks     a million blocks
//   threads    blocks of 1024 threads that exchange through shared memory
//   memory     10 GB of device memory
//   barriers   100,000 block barriers in one kernel
//   shared     as much dynamic shared memory as a block can have
//   bounds     kernels with __launch_bounds__
//   launches   more launches than there are tags
//   hosts      host threads that launch into streams of their own
//   graph      a captured graph, launched many times
//   contexts   two contexts on one device
//   reset      cudaDeviceReset between two uses
//   module     a module that the driver's API loads, unloads and loads again (hold.cubin)
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <thread>
#include <vector>

#define CHECK(call)                                                                                \
  if (cudaError_t e = (call); e != cudaSuccess) {                                                  \
    printf("%s: %s\n", #call, cudaGetErrorName(e));                                                \
    exit(2);                                                                                       \
  }
#define DRIVER(call)                                                                               \
  if (CUresult e = (call); e != CUDA_SUCCESS) {                                                    \
    printf("%s: error %d\n", #call, int(e));                                                       \
    exit(2);                                                                                       \
  }

/// Every thread writes its own word; racy: also its neighbour block's first word.
__global__ void fill(unsigned *data, size_t n, bool racy) {
  size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  for (size_t k = i; k < n; k += size_t(gridDim.x) * blockDim.x)
    data[k] = unsigned(k);
  if (racy && i % blockDim.x == 1 && blockIdx.x + 1 < gridDim.x)
    data[(blockIdx.x + 1) * size_t(blockDim.x)] = 7;
}
__global__ void add(unsigned *data, unsigned value) {
  data[blockIdx.x * blockDim.x + threadIdx.x] += value;
}

/// Words travel around the block, one place in each step.
__device__ void turn(unsigned *words, unsigned *out, unsigned steps, bool racy) {
  unsigned t = threadIdx.x, n = blockDim.x;
  words[t] = t;
  __syncthreads();
  unsigned value = 0;
  for (unsigned s = 0; s < steps; ++s) {
    value = words[(t + 1) % n];
    __syncthreads();
    words[t] = value;
    if (!(racy && s + 1 == steps))
      __syncthreads();
  }
  if (racy)
    value = words[(t + 1) % n];
  out[blockIdx.x * n + t] = value;
}
__global__ void rounds(unsigned *out, unsigned steps, bool racy) {
  extern __shared__ unsigned words[];
  turn(words, out, steps, racy);
}
__global__ void __launch_bounds__(1024) bounded(unsigned *out, bool racy) {
  __shared__ unsigned words[1024];
  turn(words, out, 3, racy);
}
__global__ void __launch_bounds__(256, 8) boundedTwice(unsigned *out, bool racy) {
  __shared__ unsigned words[256];
  turn(words, out, 3, racy);
}
__global__ void sharedAll(unsigned *out, unsigned count, bool racy) {
  extern __shared__ unsigned words[];
  unsigned sum = 0;
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
    words[i] = i;
  if (!racy)
    __syncthreads();
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
    sum += words[count - 1 - i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static unsigned *memory(size_t words) {
  unsigned *p = nullptr;
  CHECK(cudaMalloc(&p, words * sizeof(unsigned)));
  CHECK(cudaMemset(p, 0, words * sizeof(unsigned)));
  CHECK(cudaDeviceSynchronize());
  return p;
}

static void hosts(bool racy) {
  unsigned *data = memory(1 << 20);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([=] {
      cudaStream_t s;
      CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
      for (int k = 0; k < 50; ++k)
        add<<<16, 64, 0, s>>>(data + (racy ? 0 : i * 1024), k);
      CHECK(cudaStreamSynchronize(s));
    });
  for (std::thread &t : threads)
    t.join();
}

/// Fill, two kernels side by side, two more; the last words count the launches.
static cudaGraph_t captured(unsigned *data, bool racy, cudaStream_t s, cudaStream_t other) {
  cudaEvent_t fork, join;
  cudaGraph_t graph;
  CHECK(cudaEventCreate(&fork));
  CHECK(cudaEventCreate(&join));
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemsetAsync(data, 0, 2048, s));
  CHECK(cudaEventRecord(fork, s));
  CHECK(cudaStreamWaitEvent(other, fork, 0));
  add<<<4, 64, 0, s>>>(data, 1);
  add<<<4, 64, 0, other>>>(data + (racy ? 0 : 256), 2);
  CHECK(cudaEventRecord(join, other));
  CHECK(cudaStreamWaitEvent(s, join, 0));
  add<<<4, 64, 0, s>>>(data, 3);
  add<<<4, 64, 0, s>>>(data + 768, 1);
  CHECK(cudaStreamEndCapture(s, &graph));
  return graph;
}

static void graph(bool racy) {
  unsigned *data = memory(1024), first = 0, launches = 0;
  cudaStream_t s, other;
  CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  cudaGraph_t graph = captured(data, racy, s, other), again = captured(data, racy, s, other);
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  for (int i = 0; i < 20; ++i)
    CHECK(cudaGraphLaunch(exec, s));
  cudaGraphExecUpdateResultInfo result;
  CHECK(cudaGraphExecUpdate(exec, again, &result));
  for (int i = 0; i < 5; ++i)
    CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(&first, data, 4, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&launches, data + 768, 4, cudaMemcpyDeviceToHost));
  if (launches != 25 || (!racy && first != 4)) {
    printf("wrong result %u after %u launches\n", first, launches);
    exit(3);
  }
}

/// The kernel `step(unsigned *, unsigned)` of the module, launched by the driver's API.
static void launchStep(CUfunction f, CUdeviceptr data, unsigned value, CUstream s) {
  void *arguments[] = {&data, &value};
  DRIVER(cuLaunchKernel(f, 8, 1, 1, 64, 1, 1, 0, s, arguments, nullptr));
}
static void module(const std::string &file, bool racy) {
  CHECK(cudaFree(nullptr));
  for (int round = 0; round < 3; ++round) {
    CUmodule m;
    CUfunction f;
    CUdeviceptr data;
    CUstream a, b;
    DRIVER(cuModuleLoad(&m, file.c_str()));
    DRIVER(cuModuleGetFunction(&f, m, "step"));
    DRIVER(cuMemAlloc(&data, 4096));
    DRIVER(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    DRIVER(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
    launchStep(f, data, 1, a);
    launchStep(f, data, 2, racy ? b : a);
    DRIVER(cuCtxSynchronize());
    DRIVER(cuStreamDestroy(a));
    DRIVER(cuStreamDestroy(b));
    DRIVER(cuMemFree(data));
    DRIVER(cuModuleUnload(m));
  }
}
static void contexts(const std::string &file, bool racy) {
  DRIVER(cuInit(0));
  CUdevice device;
  DRIVER(cuDeviceGet(&device, 0));
  for (int i = 0; i < 2; ++i) {
    CUcontext context;
    CUmodule m;
    CUfunction f;
    CUdeviceptr data;
    CUstream other;
    CUctxCreateParams parameters = {};
    DRIVER(cuCtxCreate(&context, &parameters, 0, device));
    DRIVER(cuModuleLoad(&m, file.c_str()));
    DRIVER(cuModuleGetFunction(&f, m, "step"));
    DRIVER(cuMemAlloc(&data, 4096));
    DRIVER(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    launchStep(f, data, 1, nullptr);
    launchStep(f, data, 2, racy ? other : nullptr);
    DRIVER(cuCtxSynchronize());
    if (i)
      DRIVER(cuCtxDestroy(context));
  }
}

int main(int argc, char **argv) {
  std::string way = argc > 1 ? argv[1] : "", self = argv[0];
  bool racy = argc > 2;
  if (way == "module" || way == "contexts") {
    std::string file = self.substr(0, self.rfind('/') + 1) + "hold.cubin";
    way == "module" ? module(file, racy) : contexts(file, racy);
    return 0;
  }
  if (way == "blocks") {
    fill<<<1'000'000, 64>>>(memory(64'000'000), 64'000'000, racy);
  } else if (way == "threads") {
    rounds<<<264, 1024, 4096>>>(memory(264 * 1024), 4, racy);
  } else if (way == "memory") {
    size_t words = 2'500'000'000;
    unsigned *data = memory(words);
    fill<<<132 * 8, 256>>>(data, words, false);
    if (racy) {
      cudaStream_t s;
      CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
      fill<<<132 * 8, 256, 0, s>>>(data, words, false);
    }
  } else if (way == "barriers") {
    rounds<<<4, 256, 1024>>>(memory(1024), 50'000, racy);
  } else if (way == "shared") {
    int bytes = 0;
    CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(cudaFuncSetAttribute(sharedAll, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    sharedAll<<<400, 256, bytes>>>(memory(400 * 256), bytes / 4, racy);
  } else if (way == "bounds") {
    bounded<<<200, 1024>>>(memory(200 * 1024), racy);
    boundedTwice<<<2000, 256>>>(memory(2000 * 256), racy);
  } else if (way == "launches") {
    unsigned *data = memory(1 << 16);
    for (unsigned i = 0; i < 300; ++i)
      add<<<16, 64>>>(data, i);
    if (racy) {
      cudaStream_t s;
      CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
      add<<<16, 64, 0, s>>>(data, 1);
    }
  } else if (way == "hosts") {
    hosts(racy);
  } else if (way == "graph") {
    graph(racy);
  } else if (way == "reset") {
    add<<<16, 64>>>(memory(1 << 16), 1);
    CHECK(cudaDeviceReset());
    unsigned *data = memory(1 << 16);
    add<<<16, 64>>>(data, 1);
    if (racy)
      fill<<<16, 64>>>(data, 1024, true);
  } else {
    return 3;
  }
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  return 0;
}
