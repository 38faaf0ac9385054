// scopesan-test: a warp puts items into a queue in shared memory, another one polls its head
//
// variant fixed
//   why the head is released and acquired at block scope; __syncwarp takes the lanes along
//   verdict clean
//   proof S1 S2 S8
// variant fences -DFENCES
//   why a volatile head between block fences does the same
//   verdict clean
//   may-advise volatile-sync
//   proof O2 O4 S1 S2 S8
// variant volatile_only -DRACY=1
//   why a volatile head publishes nothing
//   verdict findings
//   require D1 put(store,weak) take(load,weak) memory=items distance=same-block
//   proof O2 S1 D1
// variant no_syncwarp -DRACY=2
//   why lane 0 releases what it stored itself; the other lanes' items may still be on their way
//   verdict findings
//   require D1 put(store,weak) take(load,weak) memory=items distance=same-block
//   proof S1 S8 D1
#include "check.h"

#include <cuda/atomic>

constexpr int kBatches = 4;

struct Head {
  int value;
  __device__ void set(int to) {
#if defined(FENCES)
    __threadfence_block();
    *const_cast<volatile int *>(&value) = to;
#elif RACY == 1
    *const_cast<volatile int *>(&value) = to;
#else
    cuda::atomic_ref<int, cuda::thread_scope_block>(value).store(to, cuda::memory_order_release);
#endif
  }
  __device__ int get() {
#if defined(FENCES)
    const int seen = *const_cast<volatile int *>(&value);
    __threadfence_block();
    return seen;
#elif RACY == 1
    return *const_cast<volatile int *>(&value);
#else
    return cuda::atomic_ref<int, cuda::thread_scope_block>(value).load(cuda::memory_order_acquire);
#endif
  }
};

__global__ void relay(const int *in, int *out) {
  __shared__ int items[kBatches][32];
  __shared__ Head head;
  const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
  if (threadIdx.x == 0)
    head.value = 0;
  __syncthreads();
  for (int batch = 0; batch < kBatches; ++batch)
    if (warp == 0) {
      items[batch][lane] = in[batch * 32 + lane]; // @put
#if RACY != 2
      __syncwarp();
#endif
      if (lane == 0)
        head.set(batch + 1);
    } else {
      while (head.get() <= batch)
        __nanosleep(20);
      out[batch * 32 + lane] = items[batch][31 - lane]; // @take
    }
}

int main() {
  constexpr int n = kBatches * 32;
  int host[n], result[n], *in = nullptr, *out = nullptr;
  for (int i = 0; i < n; ++i)
    host[i] = i * 3;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  relay<<<1, 64>>>(in, out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  bool right = true;
  for (int i = 0; i < n; ++i)
    right = right && result[i] == host[i ^ 31];
  return verdict(right);
}
