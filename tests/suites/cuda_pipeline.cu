// scopesan-test: cuda::pipeline and memcpy_async: of a thread, of a block, with roles
//
// variant all
//   verdict clean
//   proof S10 S12
// variant destroyed_at_once -DDESTROYED_AT_ONCE
//   why one lane leaves the pipeline for its warp, which only a match joined:
//   why docs/known-library-findings.md
//   verdict findings
//   require D1 block_wait(load,acquire,block) block_end(store,weak)
//   require D1 role_wait(load,acquire,block) role_end(store,weak)
//   allow D1 block_get block_end
//   allow D1 block_release block_end
//   allow D1 role_release role_end
//   proof S8 S10 S11 D1
#include "suite.h"

#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <new>

namespace cuda_pipeline {
namespace cg = cooperative_groups;
constexpr int Tile = 64, Stages = 2;
#ifdef DESTROYED_AT_ONCE
constexpr bool SyncAtEnd = false;
#else
constexpr bool SyncAtEnd = true;
#endif
using State = cuda::pipeline_shared_state<cuda::thread_scope_block, Stages>;

/// Each thread copies its own elements and waits for itself.
__global__ void ofThread(const int *in, int tiles, int *out) {
  __shared__ int slots[Stages][Tile];
  auto pipe = cuda::make_pipeline();
  for (int k = 0; k < tiles + 1; ++k) {
    if (k < tiles) {
      pipe.producer_acquire();
      cuda::memcpy_async(&slots[k % Stages][threadIdx.x], in + k * Tile + threadIdx.x,
                         cuda::aligned_size_t<4>(4), pipe);
      pipe.producer_commit();
    }
    if (k) {
      if (k < tiles)
        cuda::pipeline_consumer_wait_prior<1>(pipe);
      else
        pipe.consumer_wait();
      out[(k - 1) * Tile + threadIdx.x] = slots[(k - 1) % Stages][threadIdx.x] + 1;
      pipe.consumer_release();
    }
  }
}

/// The block copies tiles ahead; each thread reads another thread's element.
__global__ void ofBlock(const int *in, int tiles, int *out) {
  __shared__ alignas(16) int slots[Stages][Tile];
  __shared__ alignas(State) char storage[sizeof(State)];
  State *state = reinterpret_cast<State *>(storage);
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0)
    new (state) State();
  block.sync();
  auto pipe = cuda::make_pipeline(block, state);
  for (int fetch = 0, use = 0; use < tiles; ++use) {
    for (; fetch < tiles && fetch < use + Stages; ++fetch) {
      pipe.producer_acquire(); // @block_get
      cuda::memcpy_async(block, slots[fetch % Stages], in + fetch * Tile,
                         cuda::aligned_size_t<16>(Tile * sizeof(int)), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait(); // @block_wait
    out[use * Tile + threadIdx.x] = slots[use % Stages][Tile - 1 - threadIdx.x];
    pipe.consumer_release(); // @block_release
  }
  if (SyncAtEnd)
    block.sync(); // before the pipeline is destroyed
} // @block_end

/// The first warp produces, the others consume.
__global__ void withRoles(const int *in, int tiles, int *out) {
  __shared__ alignas(16) int slots[Stages][Tile];
  __shared__ alignas(State) char storage[sizeof(State)];
  State *state = reinterpret_cast<State *>(storage);
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0)
    new (state) State();
  block.sync();
  bool produces = threadIdx.x < 32;
  auto role = produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(block, state, role);
  for (int k = 0; k < tiles; ++k) {
    if (produces) {
      pipe.producer_acquire();
      for (int i = threadIdx.x; i < Tile; i += 32)
        cuda::memcpy_async(&slots[k % Stages][i], in + k * Tile + i, cuda::aligned_size_t<4>(4),
                           pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait(); // @role_wait
      int i = threadIdx.x - 32;
      out[k * Tile + i] = slots[k % Stages][Tile - 1 - i];
      pipe.consumer_release(); // @role_release
    }
  }
  if (SyncAtEnd)
    block.sync();
} // @role_end

void check(int n, void (*kernel)(const int *, int, int *), int threads, bool reversed) {
  int tiles = std::min(n / Tile + 1, 9);
  std::vector<int> in = suite::values(tiles * Tile, 1000), right(in.size());
  suite::Device<int> data(in), out(in.size());
  kernel<<<1, threads>>>(data.get(), tiles, out.get());
  CHECK(cudaGetLastError());
  for (int i = 0; i < tiles * Tile; ++i)
    right[i] = reversed ? in[i / Tile * Tile + Tile - 1 - i % Tile] : in[i] + 1;
  EXPECT(out.host() == right);
}

SUITE_TEST(pipelineOfThread) { check(n, ofThread, Tile, false); }
SUITE_TEST(pipelineOfBlock) { check(n, ofBlock, Tile, true); }
SUITE_TEST(pipelineWithRoles) { check(n, withRoles, Tile + 32, true); }

} // namespace cuda_pipeline
