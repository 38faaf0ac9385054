// scopesan-test: cuda::counting_semaphore and binary_semaphore: mutual exclusion, hand-over
//
// variant all
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S4 S11
#include "suite.h"

#include <cuda/atomic>
#include <cuda/semaphore>
#include <new>

namespace cuda_semaphore {
using Counting = cuda::counting_semaphore<cuda::thread_scope_device, 8>;
using Binary = cuda::binary_semaphore<cuda::thread_scope_device>;

template <class Semaphore> __global__ void construct(Semaphore *s, int count) {
  new (s) Semaphore(count);
}

/// A plain counter under a binary semaphore; lanes of a warp wait for each other.
__global__ void exclude(Binary *lock, int *counter, int rounds) {
  for (int k = 0; k < rounds; ++k) {
    lock->acquire();
    *counter += 1;
    lock->release();
  }
}

SUITE_TEST(semaphoreExcludes) {
  int threads = std::min(n, 33);
  if (!threads)
    return;
  suite::Device<char> lock(sizeof(Binary));
  suite::Device<int> counter(1, 0);
  auto *object = reinterpret_cast<Binary *>(lock.get());
  construct<<<1, 1>>>(object, 1);
  exclude<<<2, threads>>>(object, counter.get(), 3);
  CHECK(cudaGetLastError());
  EXPECT(counter.host()[0] == 2 * threads * 3);
}

/// At most `most` threads inside at once.
__global__ void limit(Counting *s, int *inside, int *most) {
  s->acquire();
  int now = atomicAdd(inside, 1) + 1;
  atomicMax(most, now);
  atomicSub(inside, 1);
  s->release();
}

SUITE_TEST(semaphoreLimits) {
  int threads = std::min(n, 65);
  if (!threads)
    return;
  suite::Device<char> semaphore(sizeof(Counting));
  suite::Device<int> inside(1, 0), most(1, 0);
  auto *object = reinterpret_cast<Counting *>(semaphore.get());
  construct<<<1, 1>>>(object, 3);
  limit<<<2, threads>>>(object, inside.get(), most.get());
  CHECK(cudaGetLastError());
  EXPECT(most.host()[0] >= 1 && most.host()[0] <= 3);
  EXPECT(inside.host()[0] == 0);
}

/// Producer and consumer hand one slot to and fro.
__global__ void handOver(Binary *full, Binary *empty, int *slot, int rounds, int *sum) {
  for (int k = 0; k < rounds; ++k) {
    if (blockIdx.x == 0) {
      empty->acquire();
      *slot = k;
      full->release();
    } else {
      full->acquire();
      *sum += *slot;
      empty->release();
    }
  }
}

SUITE_TEST(semaphoreHandsOver) {
  int rounds = std::min(n, 257);
  suite::Device<char> full(sizeof(Binary)), empty(sizeof(Binary));
  suite::Device<int> slot(1), sum(1, 0);
  auto *f = reinterpret_cast<Binary *>(full.get()), *e = reinterpret_cast<Binary *>(empty.get());
  construct<<<1, 1>>>(f, 0);
  construct<<<1, 1>>>(e, 1);
  int *s = slot.get(), *total = sum.get();
  void *arguments[] = {&f, &e, &s, &rounds, &total};
  // Block 0 waits for block 1: else nothing promises that it runs (D12).
  CHECK(cudaLaunchCooperativeKernel(handOver, dim3(2), dim3(1), arguments));
  EXPECT(sum.host()[0] == rounds * (rounds - 1) / 2);
}

} // namespace cuda_semaphore
