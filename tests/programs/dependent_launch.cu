// scopesan-test: a kernel that starts before the one before it in the stream has ended
//
// variant fixed
//   why griddepcontrol.wait returns when the first kernel has ended and its writes are visible
//   verdict clean
//   proof S14
// variant no_wait -DRACY=1
//   why the launch attribute gives up stream order
//   verdict findings
//   require D1 produce(store,weak) consume(load,weak) distance=between-kernels
//   litmus API/pdl-nowait
//   proof S14 D1
// variant trigger_is_no_release -DRACY=2
//   why launch_dependents releases nothing, also when everything was written before it
//   verdict findings
//   require D1 produce(store,weak) consume(load,weak) distance=between-kernels
//   litmus API/pdl-trigger-only
//   proof S14 D1
// variant wait_of_a_peer -DRACY=3
//   why the wait orders the thread that executes it; its peers need a barrier
//   verdict findings
//   label full
//   require D1 produce(store,weak) consume(load,weak) distance=between-kernels
//   proof S14 D1
// variant wait_then_barrier -DPEER
//   why the barrier hands on what the waiting thread knows
//   verdict clean
//   label full
//   proof S7 S14
// variant serialized -DSERIAL
//   why without the attribute the kernels are in stream order
//   verdict clean
//   proof S14
#include "check.h"

constexpr int kBlocks = 2, kThreads = 64, kCount = kBlocks * kThreads;

__global__ void produce(int *values) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
#if RACY != 2
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
  values[i] = 3 * i; // @produce
#if RACY == 2
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

__global__ void consume(const int *values, int *out) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
#if RACY == 3 || defined(PEER)
  if (threadIdx.x == 0)
    asm volatile("griddepcontrol.wait;" ::: "memory");
#elif !defined(RACY) && !defined(SERIAL)
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
#ifdef PEER
  __syncthreads();
#endif
  out[i] = values[kCount - 1 - i]; // @consume
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
#ifndef SERIAL
  config.numAttrs = 1;
#endif
  produce<<<kBlocks, kThreads>>>(values);
  CHECK(cudaLaunchKernelEx(&config, consume, (const int *)values, out));
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(values));
  CHECK(cudaFree(out));
  bool right = true;
  for (int i = 0; i < kCount; ++i)
    right = right && host[i] == 3 * (kCount - 1 - i);
  return verdict(right);
}
