// scopesan-test: blocks take tickets for a lock and wait until theirs is served
//
// variant fixed
//   why the next ticket is served by a release, awaited by an acquire
//   verdict clean
//   may-advise unordered-strong
//   proof S1 S2 S3 D12
// variant plain_serving -DRACY=1
//   why the owner alone writes the counter, but others read it meanwhile, and it publishes nothing
//   verdict findings
//   require D1 serve(store,weak) wait(load,acquire) distance=same-grid
//   require D1 update update distance=same-grid
//   allow   D1 serve serve distance=same-grid
//   may-advise unordered-strong
//   proof S4 D1
// variant narrow_serving -DRACY=2
//   why a block-scope release does not reach the block that holds the next ticket
//   verdict findings
//   require D2 serve(store,release,block) wait(load,acquire,device) blame=serve:device
//   require D3 update update blame=serve:device
//   allow   D2 serve serve blame=serve:device
//   may-advise unordered-strong
//   proof S3 D2 D3
#include "check.h"

#include <cuda/atomic>

constexpr int kBlocks = 6;

struct Lock {
  unsigned next, serving;
};

__global__ void count(Lock *lock, int *value) {
  const unsigned mine = atomicAdd(&lock->next, 1u);
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> serving(lock->serving);
  while (serving.load(cuda::memory_order_acquire) != mine) // @wait
    ;
  *value += 1; // @update
#if RACY == 1
  lock->serving = mine + 1; // @serve
#elif RACY == 2
  cuda::atomic_ref<unsigned, cuda::thread_scope_block>(lock->serving)
      .store(mine + 1, cuda::memory_order_release); // @serve
#else
  serving.store(mine + 1, cuda::memory_order_release);
#endif
}

int main() {
  Lock *lock = nullptr;
  int *value = nullptr, host = 0;
  CHECK(cudaMalloc(&lock, sizeof(Lock)));
  CHECK(cudaMalloc(&value, sizeof(int)));
  CHECK(cudaMemset(lock, 0, sizeof(Lock)));
  CHECK(cudaMemset(value, 0, sizeof(int)));
  count<<<kBlocks, 1>>>(lock, value);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&host, value, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(lock));
  CHECK(cudaFree(value));
  return verdict(host == kBlocks);
}
