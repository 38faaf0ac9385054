// scopesan-test: cooperative groups: block and grid: sync, split arrival, cooperative launch
//
// variant all
//   verdict clean
//   proof S3 S6 S7 S11
#include "suite.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg_block_grid {
namespace cg = cooperative_groups;

/// Reverses each block's part through shared memory; the second half is exchanged between arrival
/// and wait.
__global__ void reverse(const int *in, int n, int *out) {
  __shared__ int slots[256];
  cg::thread_block block = cg::this_thread_block();
  int i = block.group_index().x * block.num_threads() + block.thread_rank();
  slots[block.thread_rank()] = i < n ? in[i] : 0;
  block.sync();
  int got = slots[block.num_threads() - 1 - block.thread_rank()];
  auto token = block.barrier_arrive();
  int twice = 2 * got; // work that touches nothing shared
  block.barrier_wait(std::move(token));
  slots[block.thread_rank()] = twice;
  cg::sync(block);
  if (i < n)
    out[i] = slots[block.thread_rank()];
}

SUITE_TEST(blockGroup) {
  std::vector<int> in = suite::values(n, 1000);
  int blocks = suite::blocksFor(n, 256);
  suite::Device<int> data(in), out(n);
  reverse<<<blocks, 256>>>(data.get(), n, out.get());
  CHECK(cudaGetLastError());
  std::vector<int> got = out.host();
  for (int i = 0; i < n; ++i) {
    int from = i / 256 * 256 + 255 - i % 256;
    EXPECT(got[i] == (from < n ? 2 * in[from] : 0));
  }
}

/// Steps of a diffusion: every block reads its neighbours' results of the last step.
__global__ void diffuse(int *a, int *b, int n, int steps, int *sum) {
  cg::grid_group grid = cg::this_grid();
  for (int step = 0; step < steps; ++step) {
    for (int i = grid.thread_rank(); i < n; i += grid.num_threads())
      b[i] = a[i] + (i ? a[i - 1] : 0) + (i + 1 < n ? a[i + 1] : 0);
    if (step & 1) {
      grid.sync();
    } else {
      auto token = grid.barrier_arrive();
      grid.barrier_wait(std::move(token));
    }
    int *t = a;
    a = b;
    b = t;
  }
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int mine = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.num_threads())
    mine += a[i];
  mine = cg::reduce(tile, mine, cg::plus<int>());
  if (tile.thread_rank() == 0)
    atomicAdd(sum, mine);
  grid.sync();
  if (grid.thread_rank() == 0)
    sum[1] = sum[0] + (grid.is_valid() ? 1 : 0);
}

SUITE_TEST(gridGroup) {
  std::vector<int> in = suite::values(n, 10), next(n);
  suite::Device<int> a(in), b(n), sum(2, 0);
  int *first = a.get(), *second = b.get(), *total = sum.get(), steps = 3;
  void *arguments[] = {&first, &second, &n, &steps, &total};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void *>(diffuse), dim3(4), dim3(64), arguments,
                                    0, nullptr));
  CHECK(cudaDeviceSynchronize());
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < n; ++i)
      next[i] = in[i] + (i ? in[i - 1] : 0) + (i + 1 < n ? in[i + 1] : 0);
    in.swap(next);
  }
  EXPECT(b.host() == in);
  int right = std::accumulate(in.begin(), in.end(), 0);
  EXPECT(sum.host()[0] == right && sum.host()[1] == right + 1);
}

} // namespace cg_block_grid
