// Inclusive sum in one pass: each tile waits for the sum of the tiles before it (decoupled
// look-back). A tile's state is one 64-bit word: status in the high half, sum in the low half.
#include "bench.h"

#include <cuda/atomic>

constexpr int Threads = 256, PerThread = 8, Tile = Threads * PerThread;
constexpr unsigned Aggregate = 1, Prefix = 2;
using State = unsigned long long;
using Atomic = cuda::atomic_ref<State, cuda::thread_scope_device>;

__global__ void scan(const unsigned *in, unsigned *out, State *states, unsigned *next) {
  __shared__ unsigned sums[Threads], tileIndex, before;
  if (threadIdx.x == 0)
    tileIndex = atomicAdd(next, 1u);
  __syncthreads();
  unsigned tile = tileIndex, mine[PerThread], sum = 0;
  size_t first = size_t(tile) * Tile + threadIdx.x * PerThread;
  for (int i = 0; i < PerThread; ++i)
    mine[i] = sum += in[first + i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int distance = 1; distance < Threads; distance *= 2) {
    unsigned other = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
    __syncthreads();
    sums[threadIdx.x] += other;
    __syncthreads();
  }
  if (threadIdx.x == Threads - 1) {
    unsigned total = sums[Threads - 1], prefix = 0;
    Atomic own(states[tile]);
    if (tile == 0) {
      own.store(State(Prefix) << 32 | total, cuda::memory_order_release);
    } else {
      own.store(State(Aggregate) << 32 | total, cuda::memory_order_release);
      for (unsigned t = tile - 1;; --t) {
        Atomic other(states[t]);
        State s;
        do
          s = other.load(cuda::memory_order_acquire);
        while (s >> 32 == 0);
        prefix += unsigned(s);
        if (s >> 32 == Prefix)
          break;
      }
      own.store(State(Prefix) << 32 | (prefix + total), cuda::memory_order_release);
    }
    before = prefix;
  }
  __syncthreads();
  unsigned base = before + sums[threadIdx.x] - sum;
  for (int i = 0; i < PerThread; ++i)
    out[first + i] = base + mine[i];
}

int main(int argc, char **argv) {
  Bench bench("lookback_scan", argc, argv, 1 << 25);
  size_t tiles = bench.n / Tile;
  unsigned *in = bench.upload(scattered(tiles * Tile)), *out = bench.allocate<unsigned>(tiles * Tile);
  auto *states = bench.allocate<State>(tiles);
  auto *next = bench.allocate<unsigned>(1);
  bench.measure(
      reinterpret_cast<void *>(scan),
      [&] {
        CHECK(cudaMemset(states, 0, tiles * sizeof(State)));
        CHECK(cudaMemset(next, 0, sizeof(unsigned)));
      },
      [&] { scan<<<unsigned(tiles), Threads>>>(in, out, states, next); });
  bench.result(out, 1 << 20);
  return 0;
}
