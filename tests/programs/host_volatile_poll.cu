// scopesan-test: the host polls a completion flag through a volatile pointer
//
// variant fixed -fscopesan-host
//   why an acquire fence after the poll that succeeded; the kernel releases at system scope
//   verdict clean
//   may-advise volatile-sync
//   proof S2 S15
// variant no_acquire -fscopesan-host -DRACY
//   why a volatile load acquires nothing; hosts with weak memory order do read old results
//   verdict findings
//   require D1 result(store,weak) use(load,weak) distance=host-device
//   proof S2 S15 D1
#include "check.h"

#include <atomic>
#include <cuda/atomic>

struct Completion {
  int result[32];
  unsigned done;
};

__global__ void produce(Completion *completion) {
  completion->result[threadIdx.x] = 3 * int(threadIdx.x); // @result
  __syncthreads();
  if (threadIdx.x == 0)
    asm volatile("st.release.sys.global.u32 [%0], 1;" ::"l"(&completion->done) : "memory");
}

int main() {
  Completion *completion = nullptr;
  cudaStream_t stream;
  CHECK(cudaHostAlloc(&completion, sizeof(Completion), cudaHostAllocMapped));
  completion->done = 0;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  produce<<<1, 32, 0, stream>>>(completion);
  CHECK(cudaGetLastError());
  const volatile unsigned *done = &completion->done;
  while (*done == 0)
    (void)cudaStreamQuery(nullptr); // of nothing: it promises progress and orders nothing
#ifndef RACY
  std::atomic_thread_fence(std::memory_order_acquire);
#endif
  int sum = 0;
  for (int value : completion->result) // @use
    sum += value;                      // @use
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFreeHost(completion));
  return verdict(sum == 3 * 31 * 16);
}
