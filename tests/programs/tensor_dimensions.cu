// scopesan-test: tensor copies of three to five dimensions in, reductions of them out
//
// variant fixed
//   why the blocks add to the same elements; each is a relaxed operation at device scope
//   verdict clean
//   proof O1 S12 S13
// variant plain_store -DRACY=1
//   why one block's copy does not reduce
//   verdict findings
//   require D10 add store
//   proof O1 S12 D10
// variant early_read -DRACY=2
//   why an element is read while additions may be under way
//   verdict findings
//   require D10 add peek(load,weak)
//   proof S12 D10
// variant early_reuse -DRACY=3
//   why the tile is written again while the reduction may still read it
//   verdict findings
//   label full
//   require D10 add reuse(store,weak) memory=tile
//   proof S12 D10
// variant negative -DNEGATIVE
//   why a copy out of shared memory may not start before its tensor; one into shared memory may
//   verdict incomplete
//   incomplete a kernel ended with an error
//   exit any
//   proof O1
// variant im2col -DIM2COL
//   why the im2col mode is not modelled: neither verdict nor silence
//   verdict incomplete
//   label full
//   incomplete im2col
//   may-be-incomplete an operation that ScopeSan does not model was executed
//   may-be-incomplete a kernel ended with an error
//   exit any
//   backends cpu
//   proof X1
#include "check.h"
#include "driver.h"
#include "hopper.h"

#ifndef RACY
#define RACY 0
#endif
constexpr int kMaxRank = 5;
// Part of each box lies outside of its tensor.
constexpr int kSizes[] = {8, 6, 5, 4, 3}, kBox[] = {4, 3, 2, 2, 2}, kStart[] = {4, 4, 4, 3, 2};
#ifdef NEGATIVE
constexpr int kAway = -1;
#else
constexpr int kAway = kStart[1];
#endif
constexpr int countOf(const int *each, int rank) {
  return rank ? each[rank - 1] * countOf(each, rank - 1) : 1;
}

#define LOAD(dim, at)                                                                              \
  asm volatile("cp.async.bulk.tensor." dim                                                         \
               ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, " at          \
               "], [%7];" ::"r"(address(tile)),                                                    \
               "l"(&from), "r"(start0), "r"(start1), "r"(start2), "r"(start3), "r"(start4),        \
               "r"(address(&full))                                                                 \
               : "memory")
#define AWAY(name, kind, at)                                                                       \
  asm volatile(name ".global.shared::cta" kind ".bulk_group [%1, " at                              \
                    "], [%0];" ::"r"(address(tile)),                                               \
               "l"(&to), "r"(start0), "r"(away), "r"(start2), "r"(start3), "r"(start4)             \
               : "memory")
#define REDUCE(dim, at) AWAY("cp.reduce.async.bulk.tensor." dim, ".add", at)
#define STORE(dim, at) AWAY("cp.async.bulk.tensor." dim, "", at)
#define OF_RANK(copy)                                                                              \
  do {                                                                                             \
    if (Rank == 3)                                                                                 \
      copy("3d", "{%2, %3, %4}");                                                                  \
    if (Rank == 4)                                                                                 \
      copy("4d", "{%2, %3, %4, %5}");                                                              \
    if (Rank == 5)                                                                                 \
      copy("5d", "{%2, %3, %4, %5, %6}");                                                          \
  } while (0)

template <int Rank>
__global__ void __launch_bounds__(64)
    addTile(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
            const int *sums, int *peeked) {
  constexpr int kTile = countOf(kBox, Rank), start0 = kStart[0], start1 = kStart[1],
                start2 = kStart[2], start3 = kStart[3], start4 = kStart[4], away = kAway,
                peekedAt = kSizes[0] * (kSizes[1] * kStart[2] + kStart[1]) + kStart[0];
  __shared__ alignas(128) int tile[kTile];
  __shared__ uint64_t full;
  const int i = int(threadIdx.x);
  if (i == 0) {
    mbarrierInit(&full, 1);
    shareMbarriers();
  }
  __syncthreads();
  if (i == 0) {
    mbarrierArriveExpect(&full, sizeof(tile));
#ifdef IM2COL
    if (Rank == 3)
      asm volatile(
          "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
          "[%0], [%1, {%2, %3, %4}], [%5], {%6};" ::"r"(address(tile)),
          "l"(&from), "r"(0), "r"(0), "r"(0), "r"(address(&full)), "h"(uint16_t(0))
          : "memory");
#else
    OF_RANK(LOAD); // @load
#endif
  }
  mbarrierWait(&full, 0);
  for (int e = i; e < kTile; e += 64)
    tile[e] += 1 + int(blockIdx.x);
  fenceProxyAsync();
  __syncthreads();
  if (i == 0) {
    if (RACY == 1 && blockIdx.x == 1)
      OF_RANK(STORE); // @store
    else
      OF_RANK(REDUCE); // @add
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    if (RACY == 2)
      peeked[blockIdx.x] = sums[peekedAt]; // @peek
    if (RACY != 3)
      bulkWaitRead();
    tile[0] = 0; // @reuse
    bulkWait();
  }
}

bool encode(CUtensorMap *map, void *memory, int rank) {
  auto tiled = driverFunction<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  cuuint64_t sizes[kMaxRank], strides[kMaxRank], bytes = 4;
  cuuint32_t box[kMaxRank], steps[] = {1, 1, 1, 1, 1};
  for (int d = 0; d < rank; ++d) {
    sizes[d] = cuuint64_t(kSizes[d]);
    box[d] = cuuint32_t(kBox[d]);
    strides[d] = bytes *= sizes[d];
  }
  return tiled(map, CU_TENSOR_MAP_DATA_TYPE_INT32, cuuint32_t(rank), memory, sizes, strides, box,
               steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

/// Both blocks add the box's elements, each one more than its number to every element.
template <int Rank> bool run(int *in, int *sums, int *peeked) {
  constexpr int kCount = countOf(kSizes, Rank);
  static int result[kCount];
  CUtensorMap from, to;
  if (!encode(&from, in, Rank) || !encode(&to, sums, Rank))
    return false;
  CHECK(cudaMemset(sums, 0, sizeof(result)));
  addTile<Rank><<<2, 64>>>(from, to, sums, peeked);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, sums, sizeof(result), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int e = 0; e < kCount; ++e) {
    bool inside = true;
    for (int d = 0, rest = e; d < Rank; rest /= kSizes[d++])
      inside = inside && rest % kSizes[d] >= kStart[d] && rest % kSizes[d] < kStart[d] + kBox[d];
    right = right && result[e] == (inside ? 2 * 7 * e + 3 : 0);
  }
  if (!right)
    printf("wrong: %d dimensions\n", Rank);
  return right;
}

int main() {
  constexpr int kCount = countOf(kSizes, kMaxRank);
  static int host[kCount];
  int *in = nullptr, *sums = nullptr, *peeked = nullptr;
  for (int e = 0; e < kCount; ++e)
    host[e] = 7 * e;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&sums, sizeof(host)));
  CHECK(cudaMalloc(&peeked, 2 * sizeof(int)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  bool right = run<3>(in, sums, peeked);
  right = run<4>(in, sums, peeked) && right;
  right = run<5>(in, sums, peeked) && right;
  for (int *p : {in, sums, peeked})
    CHECK(cudaFree(p));
  return verdict(right);
}
