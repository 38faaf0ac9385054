// scopesan-compat: C++20, cuda::std, atomic_ref, groups that reduce and scan, extended lambdas
// flags -std=c++20 --extended-lambda --expt-relaxed-constexpr
// config-flags -std=c++20
#include "check.h"

#include <concepts>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/mdspan>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/variant>

namespace cg = cooperative_groups;

template <typename T>
concept Number = std::integral<T> || std::floating_point<T>;
template <Number... Ts> constexpr auto sum(Ts... values) { return (values + ... + 0); }

struct Point {
  int x, y;
  constexpr bool operator==(const Point &) const = default;
};

template <typename... Functions> __global__ void chain(int *data, Functions... functions) {
  int value = data[threadIdx.x];
  ((value = functions(value)), ...);
  data[threadIdx.x] = value;
}

template <auto Function> __global__ void constantFunction(int *data) {
  data[threadIdx.x] = Function(data[threadIdx.x]);
}
__device__ constexpr int square(int value) { return value * value; }

__global__ void groups(int *data, int *results) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  cuda::std::span<int> all(data, block.size());
  int mine = all[block.thread_rank()];
  int total = cg::reduce(warp, mine, cg::plus<int>());
  int before = cg::exclusive_scan(warp, mine);
  auto evens = cg::labeled_partition(warp, mine % 2);
  cuda::atomic_ref<int, cuda::thread_scope_device> counter(results[0]);
  if (warp.thread_rank() == 0)
    counter.fetch_add(total, cuda::memory_order_relaxed);
  if (warp.thread_rank() == 31 && before + mine != total)
    counter.store(-1000);
  if (evens.thread_rank() == 0)
    atomicAdd(&results[1], int(evens.size()));
}

__global__ void types(const int *in, int *out) {
  using Extents = cuda::std::extents<int, 8, 8>;
  cuda::std::mdspan<const int, Extents> from(in);
  cuda::std::mdspan<int, Extents> to(out);
  cuda::std::array<int, 3> three{1, 2, 3};
  cuda::std::optional<int> some = from(0, 0) < 0 ? cuda::std::nullopt : cuda::std::optional(4);
  cuda::std::variant<float, Point> either = Point{1, 2};
  auto [a, b] = cuda::std::tuple(three[2], cuda::std::complex<float>(0, 1).imag());
  bool same = *cuda::std::get_if<Point>(&either) == Point{1, 2};
  to(threadIdx.y, threadIdx.x) = from(threadIdx.x, threadIdx.y) + cuda::std::popcount(7u) +
                                 some.value_or(0) + sum(a, int(b)) + same;
}

int main() {
  int host[64], *data, *other, *results, counts[2];
  for (int i = 0; i < 64; ++i)
    host[i] = i;
  CHECK(cudaMalloc(&data, sizeof host));
  CHECK(cudaMalloc(&other, sizeof host));
  CHECK(cudaMalloc(&results, sizeof counts));
  CHECK(cudaMemset(results, 0, sizeof counts));
  CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
  groups<<<1, 64>>>(data, results);
  types<<<1, dim3(8, 8)>>>(data, other);
  int factor = 2;
  auto twice = [factor] __device__(int value) { return value * factor; };
  chain<<<1, 64>>>(other, [] __device__(int value) { return value + 1; }, twice);
  constantFunction<square><<<1, 64>>>(other);
  CHECK(cudaMemcpy(host, other, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(counts, results, sizeof counts, cudaMemcpyDeviceToHost));
  int right = (8 + 3 + 4 + 4 + 1 + 1) * 2; // data[8] is transposed to other[1]
  return verdict(counts[0] == 63 * 32 && counts[1] == 64 && host[1] == right * right);
}
