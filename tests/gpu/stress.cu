// Synchronization at the GPU's own scale: all multiprocessors, real contention. Every way must be
// clean in its fixed form and racy in the other (`stress WAY racy`).
//
//   lock      a spin lock taken by every block, plain data inside
//   ticket    a ticket lock
//   counter   one counter that 100,000 threads raise; the last one reads what all wrote
//   barrier   a grid barrier made of an arrival counter and a generation
//   grid      cooperative groups' grid.sync()
//   scan      decoupled look-back: each block waits for the one before it
//   shared    atomics in shared memory, a barrier, plain reads
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace cg = cooperative_groups;
using Device = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

#define CHECK(call)                                                                                \
  if (cudaError_t e = (call); e != cudaSuccess) {                                                  \
    printf("%s: %s\n", #call, cudaGetErrorName(e));                                                \
    exit(2);                                                                                       \
  }

__global__ void lock(unsigned *words, unsigned *data, bool racy) {
  if (threadIdx.x)
    return;
  Device l(words[0]);
  for (int i = 0; i < 4; ++i) {
    unsigned expected = 0;
    while (!l.compare_exchange_strong(expected, 1, cuda::memory_order_acquire,
                                      cuda::memory_order_relaxed))
      expected = 0;
    *data += 1;
    l.store(0, racy ? cuda::memory_order_relaxed : cuda::memory_order_release);
  }
}

__global__ void ticket(unsigned *words, unsigned *data, bool racy) {
  if (threadIdx.x)
    return;
  Device next(words[0]), serving(words[32]);
  unsigned mine = next.fetch_add(1, cuda::memory_order_relaxed);
  while (serving.load(racy ? cuda::memory_order_relaxed : cuda::memory_order_acquire) != mine) {
  }
  *data += 1;
  serving.store(mine + 1, cuda::memory_order_release);
}

__global__ void counter(unsigned *words, unsigned *data, bool racy) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  data[i] = i;
  Device c(words[0]);
  unsigned old = racy ? c.fetch_add(1, cuda::memory_order_relaxed)
                      : c.fetch_add(1, cuda::memory_order_acq_rel);
  if (old == n - 1)
    for (unsigned k = 0; k < n; k += 97)
      words[64] += data[k];
}

__device__ void gridBarrier(unsigned *words, bool racy) {
  __syncthreads();
  if (threadIdx.x == 0) {
    Device arrived(words[0]), generation(words[32]);
    unsigned g = generation.load(cuda::memory_order_acquire);
    if (arrived.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1) {
      arrived.store(0, cuda::memory_order_relaxed);
      generation.store(g + 1, cuda::memory_order_release);
    } else {
      while (generation.load(racy ? cuda::memory_order_relaxed : cuda::memory_order_acquire) == g) {
      }
    }
  }
  __syncthreads();
}

__global__ void barrier(unsigned *words, unsigned *data, bool racy) {
  unsigned n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int step = 0; step < 3; ++step) {
    data[step * n + i] = i;
    gridBarrier(words, racy);
    data[3 * n + i] = data[step * n + (i + blockDim.x) % n];
  }
}

__global__ void grid(unsigned *, unsigned *data, bool racy) {
  unsigned n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int step = 0; step < 3; ++step) {
    data[step * n + i] = i;
    if (!racy)
      cg::this_grid().sync();
    data[3 * n + i] = data[step * n + (i + blockDim.x) % n];
  }
}

__global__ void scan(unsigned *words, unsigned *data, bool racy) {
  if (threadIdx.x)
    return;
  __threadfence(); // nothing to publish yet: must not count
  Device before(words[256 + blockIdx.x]), mine(words[257 + blockIdx.x]);
  if (blockIdx.x)
    while (before.load(cuda::memory_order_acquire) == 0) {
    }
  data[blockIdx.x + 1] = data[blockIdx.x] + 1;
  mine.store(1, racy ? cuda::memory_order_relaxed : cuda::memory_order_release);
}

__global__ void shared(unsigned *, unsigned *data, bool racy) {
  __shared__ unsigned bins[32];
  if (threadIdx.x < 32)
    bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = 0; i < 4; ++i)
    atomicAdd_block(&bins[(threadIdx.x * 7 + i) % 32], 1);
  if (!racy)
    __syncthreads();
  if (threadIdx.x < 32)
    data[blockIdx.x * 32 + threadIdx.x] = bins[threadIdx.x];
}

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "";
  bool racy = argc > 2;
  unsigned *words, *data;
  CHECK(cudaMalloc(&words, 1 << 20));
  CHECK(cudaMalloc(&data, 1 << 22));
  CHECK(cudaMemset(words, 0, 1 << 20));
  CHECK(cudaMemset(data, 0, 1 << 22));
  if (!strcmp(way, "lock"))
    lock<<<132, 32>>>(words, data, racy);
  else if (!strcmp(way, "ticket"))
    ticket<<<132, 32>>>(words, data, racy);
  else if (!strcmp(way, "counter"))
    counter<<<400, 256>>>(words, data, racy);
  else if (!strcmp(way, "scan"))
    scan<<<800, 32>>>(words, data, racy);
  else if (!strcmp(way, "shared"))
    shared<<<264, 256>>>(words, data, racy);
  else if (!strcmp(way, "grid") || !strcmp(way, "barrier")) { // blocks wait for each other (D12)
    void *arguments[] = {&words, &data, &racy};
    CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void *>(*way == 'g' ? grid : barrier),
                                      dim3(132), dim3(128), arguments, 0, nullptr));
  } else {
    return 3;
  }
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  return 0;
}
