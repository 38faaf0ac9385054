// scopesan-test: thrust::copy_if, remove_if, partition, unique, unique_by_key, set operations
//
// variant all
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S7 S14
// variant in_place -DIN_PLACE
//   why a block's writes overtake what its predecessors read: docs/known-library-findings.md
//   verdict findings
//   require D11 lib:unique.h:consume_tile_impl(load,weak,4B) lib:unique.h:scatter(store,weak,4B)
//   ... hazard=WAR
//   require D1 lib:block_load.cuh:LoadDirectWarpStriped(load,weak,4B)
//   ... lib:agent_select_if.cuh(store,weak,4B) distance=same-grid hazard=WAR
//   require D1 lib:block_load.cuh:LoadDirectWarpStriped(load,weak,4B)
//   ... lib:agent_unique_by_key.cuh:Scatter(store,weak,4B) distance=same-grid hazard=WAR
//   may-advise progress-not-promised
//   proof S3 O6 D1 D11
#include "suite.h"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/remove.h>
#include <thrust/set_operations.h>
#include <thrust/unique.h>

namespace thrust_select {

struct Odd {
  __host__ __device__ bool operator()(int x) const { return x & 1; }
};
using Vector = thrust::device_vector<int>;

std::vector<int> onHost(const Vector &v, Vector::iterator end) {
  std::vector<int> result(end - v.begin());
  thrust::copy(v.begin(), Vector::const_iterator(end), result.begin());
  return result;
}

SUITE_TEST(thrustCopyIf) {
  std::vector<int> in = suite::values(n, 1000), right;
  std::copy_if(in.begin(), in.end(), std::back_inserter(right), Odd());
  Vector data(in.begin(), in.end()), out(n);
  auto end = thrust::copy_if(data.begin(), data.end(), out.begin(), Odd());
  EXPECT(onHost(out, end) == right);
}

SUITE_TEST(thrustCopyIfStencil) {
  std::vector<int> in = suite::values(n, 1000), marks = suite::values(n, 2, 1), right;
  for (int i = 0; i < n; ++i)
    if (marks[i])
      right.push_back(in[i]);
  Vector data(in.begin(), in.end()), stencil(marks.begin(), marks.end()), out(n);
  auto end = thrust::copy_if(data.begin(), data.end(), stencil.begin(), out.begin(), Odd());
  EXPECT(onHost(out, end) == right);
}

SUITE_TEST(thrustRemoveIf) {
  std::vector<int> in = suite::values(n, 1000);
  Vector data(in.begin(), in.end());
#ifdef IN_PLACE
  auto end = thrust::remove_if(data.begin(), data.end(), Odd());
  Vector &out = data;
#else
  Vector out(n);
  auto end = thrust::remove_copy_if(data.begin(), data.end(), out.begin(), Odd());
#endif
  in.erase(std::remove_if(in.begin(), in.end(), Odd()), in.end());
  EXPECT(onHost(out, end) == in);
}

SUITE_TEST(thrustUnique) {
  std::vector<int> in = suite::values(n, 3);
  Vector data(in.begin(), in.end());
#ifdef IN_PLACE
  auto end = thrust::unique(data.begin(), data.end());
  Vector &out = data;
#else
  Vector out(n);
  auto end = thrust::unique_copy(data.begin(), data.end(), out.begin());
#endif
  in.erase(std::unique(in.begin(), in.end()), in.end());
  EXPECT(onHost(out, end) == in);
}

SUITE_TEST(thrustUniqueByKey) {
  std::vector<int> keys = suite::values(n, 3), right;
  Vector k(keys.begin(), keys.end()), data(n);
  std::vector<int> in(n);
  std::iota(in.begin(), in.end(), 0);
  thrust::copy(in.begin(), in.end(), data.begin());
#ifdef IN_PLACE
  Vector &out = data;
  auto ends = thrust::unique_by_key(k.begin(), k.end(), data.begin());
#else
  Vector outKeys(n), out(n);
  auto ends =
      thrust::unique_by_key_copy(k.begin(), k.end(), data.begin(), outKeys.begin(), out.begin());
#endif
  for (int i = 0; i < n; ++i) // the first of each run stays
    if (!i || keys[i] != keys[i - 1])
      right.push_back(i);
  EXPECT(onHost(out, ends.second) == right);
}

SUITE_TEST(thrustSetIntersection) {
  std::vector<int> a = suite::values(n, 3 * n + 1), b = suite::values(n, 3 * n + 1, 1), right;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(right));
  Vector x(a.begin(), a.end()), y(b.begin(), b.end()), out(n);
  auto end = thrust::set_intersection(x.begin(), x.end(), y.begin(), y.end(), out.begin());
  EXPECT(onHost(out, end) == right);
}

} // namespace thrust_select
