// scopesan-test: cuda::atomic_ref and cuda::atomic: all operations, types, orders; wait and notify
//
// variant all
//   verdict clean
//   may-advise progress-not-promised
//   may-advise over-synchronized
//   may-advise unordered-strong
//   proof O3 O5 S3 S4
#include "suite.h"

#include <cuda/atomic>

namespace cuda_atomic_ref {
template <class T> using Device = cuda::atomic_ref<T, cuda::thread_scope_device>;
template <class T> using Block = cuda::atomic_ref<T, cuda::thread_scope_block>;

struct Totals {
  int sum, least, most, ands, ors, xors;
  unsigned long long wide;
  float real;
  double wideReal;
  short narrow;
  uint8_t byte;
  int swapped, exchanges, blockWide;
};

__global__ void start(Totals *t) {
  *t = Totals();
  t->least = INT32_MAX;
  t->ands = -1;
}

__global__ void operate(const int *in, int n, Totals *t) {
  __shared__ int inBlock;
  if (threadIdx.x == 0)
    inBlock = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int v = in[i];
    Device<int>(t->sum).fetch_add(v, cuda::memory_order_relaxed);
    Device<int>(t->least).fetch_min(v, cuda::memory_order_acquire);
    Device<int>(t->most).fetch_max(v, cuda::memory_order_release);
    Device<int>(t->ands).fetch_and(v | 1, cuda::memory_order_acq_rel);
    Device<int>(t->ors).fetch_or(v, cuda::memory_order_seq_cst);
    Device<int>(t->xors).fetch_xor(v);
    Device<unsigned long long>(t->wide).fetch_add(v, cuda::memory_order_relaxed);
    Device<float>(t->real).fetch_add(v, cuda::memory_order_relaxed);
    Device<double>(t->wideReal).fetch_add(v, cuda::memory_order_relaxed);
    Device<short>(t->narrow).fetch_add(1, cuda::memory_order_relaxed);
    ++Device<uint8_t>(t->byte);
    Block<int>(inBlock).fetch_add(v, cuda::memory_order_relaxed);
    // Increment by compare-exchange: a failure reads the value again.
    Device<int> swapped(t->swapped);
    int old = swapped.load(cuda::memory_order_relaxed);
    while (!swapped.compare_exchange_weak(old, old + 1, cuda::memory_order_acq_rel))
      ;
    // What is taken out by exchange is put back by add: nothing gets lost.
    int taken = Device<int>(t->exchanges).exchange(0, cuda::memory_order_acq_rel);
    Device<int>(t->exchanges).fetch_add(taken + v, cuda::memory_order_relaxed);
  }
  __syncthreads();
  if (threadIdx.x == 0)
    Device<int>(t->blockWide).fetch_add(inBlock, cuda::memory_order_relaxed);
}

SUITE_TEST(atomicOperations) {
  n = std::min(n, 1000); // every thread acquires from every other
  std::vector<int> in = suite::values(n, 1000);
  suite::Device<int> data(in);
  suite::Device<Totals> totals(1);
  start<<<1, 1>>>(totals.get());
  operate<<<suite::blocksFor(n, 128), 128>>>(data.get(), n, totals.get());
  CHECK(cudaGetLastError());
  Totals t = totals.host()[0];
  int sum = std::accumulate(in.begin(), in.end(), 0), ands = -1, ors = 0, xors = 0;
  for (int v : in) {
    ands &= v | 1;
    ors |= v;
    xors ^= v;
  }
  EXPECT(t.sum == sum && t.wide == unsigned(sum) && t.blockWide == sum && t.exchanges == sum);
  EXPECT(t.least == (n ? *std::min_element(in.begin(), in.end()) : INT32_MAX));
  EXPECT(t.most == (n ? *std::max_element(in.begin(), in.end()) : 0));
  EXPECT(t.ands == ands && t.ors == ors && t.xors == xors);
  EXPECT(t.real == float(sum) && t.wideReal == sum); // exact below 2^24
  EXPECT(t.narrow == short(n) && t.byte == uint8_t(n) && t.swapped == n);
}

/// A relay: block k waits until block k - 1 has passed the value on.
__global__ void relay(int *turn, int *value) {
  Device<int> flag(*turn);
  for (int now; (now = flag.load(cuda::memory_order_acquire)) != int(blockIdx.x);)
    flag.wait(now, cuda::memory_order_acquire);
  *value += blockIdx.x + 1;
  flag.store(blockIdx.x + 1, cuda::memory_order_release);
  flag.notify_all();
}

SUITE_TEST(atomicWaitNotify) {
  int blocks = std::min(n, 33);
  if (!blocks)
    return;
  suite::Device<int> turn(1, 0), value(1, 0);
  relay<<<blocks, 1>>>(turn.get(), value.get());
  CHECK(cudaGetLastError());
  EXPECT(value.host()[0] == blocks * (blocks + 1) / 2);
}

/// Publication by fences around relaxed operations.
__global__ void fences(int *data, int *flag, int rounds, int *bad) {
  Device<int> turn(*flag);
  for (int k = 0; k < rounds; ++k) {
    while (turn.load(cuda::memory_order_relaxed) != 2 * k + int(blockIdx.x))
      ;
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    if (*data != 2 * k + int(blockIdx.x))
      atomicAdd(bad, 1);
    *data += 1;
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
    turn.store(2 * k + int(blockIdx.x) + 1, cuda::memory_order_relaxed);
  }
}

SUITE_TEST(atomicFences) {
  int rounds = std::min(n, 100);
  suite::Device<int> data(1, 0), flag(1, 0), bad(1, 0);
  int *d = data.get(), *f = flag.get(), *b = bad.get();
  void *arguments[] = {&d, &f, &rounds, &b};
  // Block 0 waits for block 1: else nothing promises that it runs (D12).
  CHECK(cudaLaunchCooperativeKernel(fences, dim3(2), dim3(1), arguments));
  EXPECT(bad.host()[0] == 0 && data.host()[0] == 2 * rounds);
}

} // namespace cuda_atomic_ref
