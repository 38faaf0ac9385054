// scopesan-test: cooperative groups: coalesced groups in divergent code, labeled and binary
// partition
//
// variant all
//   verdict clean
//   why which lanes form a coalesced group is not promised: any partition must give these answers
//   proof S8 O3
#include "suite.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg_coalesced {
namespace cg = cooperative_groups;

/// One atomic for each group that arrives together; every odd value gets a place of its own.
__global__ void compact(const int *in, int n, int *out, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || in[i] % 2 == 0)
    return;
  cg::coalesced_group active = cg::coalesced_threads();
  int base = 0;
  if (active.thread_rank() == 0)
    base = atomicAdd(count, int(active.num_threads()));
  out[active.shfl(base, 0) + active.thread_rank()] = in[i];
}

SUITE_TEST(coalescedCompaction) {
  std::vector<int> in = suite::values(n, 1000), right;
  std::copy_if(in.begin(), in.end(), std::back_inserter(right), [](int v) { return v % 2; });
  suite::Device<int> data(in), out(n), count(1, 0);
  compact<<<suite::blocksFor(n, 128), 128>>>(data.get(), n, out.get(), count.get());
  CHECK(cudaGetLastError());
  EXPECT(count.host()[0] == int(right.size()));
  std::vector<int> got = out.host(right.size());
  std::sort(got.begin(), got.end());
  std::sort(right.begin(), right.end());
  EXPECT(got == right);
}

/// The group's reductions and scans, added up: each member counts once whatever the groups are.
__global__ void collectives(const int *in, int n, int *totals, int *bad) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || in[i] % 3 == 0)
    return;
  cg::coalesced_group active = cg::coalesced_threads();
  int sum = cg::reduce(active, in[i], cg::plus<int>());
  int most = cg::reduce(active, in[i], cg::greater<int>());
  int upTo = cg::inclusive_scan(active, in[i]);
  int before = cg::exclusive_scan(active, in[i]);
  bool last = active.thread_rank() == active.num_threads() - 1;
  if (before + in[i] != upTo || most < in[i] || (last && upTo != sum) ||
      !active.all(most == active.shfl(most, 0)))
    atomicAdd(bad, 1);
  active.sync();
  if (active.thread_rank() == 0)
    atomicAdd(totals, sum);
}

SUITE_TEST(coalescedCollectives) {
  std::vector<int> in = suite::values(n, 1000);
  suite::Device<int> data(in), totals(1, 0), bad(1, 0);
  collectives<<<suite::blocksFor(n, 96), 96>>>(data.get(), n, totals.get(), bad.get());
  CHECK(cudaGetLastError());
  int right = 0;
  for (int v : in)
    right += v % 3 ? v : 0;
  EXPECT(totals.host()[0] == right);
  EXPECT(bad.host()[0] == 0);
}

/// Lanes of a tile with one label form a group; lanes of it exchange through shared memory.
__global__ void labels(const int *in, int n, int *sums, int *ranks, int *sizes, int *shared) {
  __shared__ int slots[128];
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int mine = i < n ? in[i] : 0;
  auto group = cg::labeled_partition(tile, mine % 5);
  int sum = cg::reduce(group, mine, cg::plus<int>());
  int rank = group.thread_rank();
  slots[threadIdx.x] = mine;
  group.sync();
  int leader = group.shfl(int(threadIdx.x), 0);
  int fromLeader = slots[leader];
  auto odd = cg::binary_partition(tile, mine & 1);
  if (i < n) {
    sums[i] = sum;
    ranks[i] = rank;
    sizes[i] = odd.num_threads();
    shared[i] = fromLeader;
  }
}

SUITE_TEST(labeledPartition) {
  if (!n)
    return;
  std::vector<int> in = suite::values(n, 1000);
  suite::Device<int> data(in), sums(n), ranks(n), sizes(n), shared(n);
  labels<<<suite::blocksFor(n, 128), 128>>>(data.get(), n, sums.get(), ranks.get(), sizes.get(),
                                            shared.get());
  CHECK(cudaGetLastError());
  std::vector<int> s = sums.host(), r = ranks.host(), z = sizes.host(), f = shared.host();
  for (int i = 0; i < n; ++i) {
    int base = i / 32 * 32, sum = 0, rank = 0, size = 0, leader = -1;
    for (int j = base; j < base + 32; ++j) {
      int v = j < n ? in[j] : 0;
      size += (v & 1) == (in[i] & 1);
      if (v % 5 != in[i] % 5)
        continue;
      if (leader < 0)
        leader = j;
      sum += v;
      rank += j < i;
    }
    EXPECT(s[i] == sum && r[i] == rank && z[i] == size);
    EXPECT(f[i] == (leader < n ? in[leader] : 0));
  }
}

} // namespace cg_coalesced
