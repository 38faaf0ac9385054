// scopesan-test: cuda::barrier: device scope in global memory, block scope in shared memory
//
// variant all
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S10 S11
#include "suite.h"

#include <cuda/barrier>
#include <new>

namespace cuda_barrier {
using Wide = cuda::barrier<cuda::thread_scope_device>;
using Block = cuda::barrier<cuda::thread_scope_block>;

__global__ void construct(Wide *barrier, int count) { new (barrier) Wide(count); }

/// Threads of several blocks rotate a ring; each step reads what the neighbour wrote before.
__global__ void rotate(Wide *barrier, int *ring, int *next, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < steps; ++k) {
    if (i < n)
      next[i] = ring[(i + 1) % n];
    if (k & 1)
      barrier->arrive_and_wait();
    else
      barrier->wait(barrier->arrive());
    int *t = ring;
    ring = next;
    next = t;
  }
}

SUITE_TEST(barrierInGlobalMemory) {
  if (!n)
    return;
  int used = std::min(n, 500), blocks = std::min(4, suite::blocksFor(used, 32));
  int threads = suite::blocksFor(used, blocks), steps = 4;
  std::vector<int> in = suite::values(used, 1000), right(used);
  suite::Device<char> barrier(sizeof(Wide));
  suite::Device<int> ring(in), next(used);
  auto *object = reinterpret_cast<Wide *>(barrier.get());
  construct<<<1, 1>>>(object, blocks * threads);
  int *from = ring.get(), *to = next.get();
  void *arguments[] = {&object, &from, &to, &used, &steps};
  // Blocks wait for each other: else nothing promises that those with higher numbers run (D12).
  CHECK(cudaLaunchCooperativeKernel(rotate, dim3(unsigned(blocks)), dim3(unsigned(threads)),
                                    arguments));
  for (int i = 0; i < used; ++i)
    right[i] = in[(i + steps) % used];
  EXPECT(ring.host() == right);
}

/// Half of the threads drop out after the first phase.
__global__ void dropHalf(int *out, int threads) {
  __shared__ int slots[256];
  __shared__ alignas(Block) char storage[sizeof(Block)];
  Block *barrier = reinterpret_cast<Block *>(storage);
  if (threadIdx.x == 0)
    init(barrier, threads);
  __syncthreads();
  slots[threadIdx.x] = threadIdx.x;
  if (threadIdx.x >= (unsigned)threads / 2 + 1) {
    barrier->arrive_and_drop();
    return;
  }
  barrier->arrive_and_wait();
  int got = slots[threads - 1 - threadIdx.x]; // of one that may have dropped out
  barrier->arrive_and_wait();
  slots[threadIdx.x] = got;
  barrier->wait(barrier->arrive());
  out[threadIdx.x] = slots[threadIdx.x / 2];
}

SUITE_TEST(barrierInSharedMemory) {
  int threads = std::min(n, 255);
  if (!threads)
    return;
  suite::Device<int> out(threads, 0);
  dropHalf<<<1, threads>>>(out.get(), threads);
  CHECK(cudaGetLastError());
  std::vector<int> got = out.host();
  for (int i = 0; i < std::min(threads, threads / 2 + 1); ++i)
    EXPECT(got[i] == threads - 1 - i / 2);
}

} // namespace cuda_barrier
