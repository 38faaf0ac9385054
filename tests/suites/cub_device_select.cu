// scopesan-test: cub::DeviceSelect and DevicePartition: predicate, flags, in place, unique
//
// variant all
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S7 S14
// variant in_place -DIN_PLACE
//   why a block's writes overtake what its predecessors read: docs/known-library-findings.md
//   verdict findings
//   require D1 lib:block_load.cuh:LoadDirectWarpStriped(load,weak,4B)
//   ... lib:agent_select_if.cuh(store,weak,4B) distance=same-grid hazard=WAR
//   may-advise progress-not-promised
//   proof S3 D1
#include "suite.h"

#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>

namespace device_select {

struct Odd {
  __host__ __device__ bool operator()(int x) const { return x & 1; }
};

std::vector<int> odd(const std::vector<int> &in) {
  std::vector<int> right;
  std::copy_if(in.begin(), in.end(), std::back_inserter(right), Odd());
  return right;
}

SUITE_TEST(deviceSelectIf) {
  std::vector<int> in = suite::values(n, 1000), right = odd(in);
  suite::Device<int> data(in), out(n), count(1);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceSelect::If(s, bytes, data.get(), out.get(), count.get(), n, Odd());
  });
  EXPECT(count.host()[0] == int(right.size()));
  EXPECT(out.host(right.size()) == right);
}

#ifdef IN_PLACE
SUITE_TEST(deviceSelectInPlace) {
  std::vector<int> in = suite::values(n, 1000), right = odd(in);
  suite::Device<int> data(in), count(1);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceSelect::If(s, bytes, data.get(), count.get(), n, Odd());
  });
  EXPECT(count.host()[0] == int(right.size()));
  EXPECT(data.host(right.size()) == right);
}
#endif

SUITE_TEST(deviceSelectFlagged) {
  std::vector<int> in = suite::values(n, 1000);
  std::vector<char> flags = suite::values<char>(n, 2, 1);
  suite::Device<int> data(in), out(n), count(1);
  suite::Device<char> marks(flags);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceSelect::Flagged(s, bytes, data.get(), marks.get(), out.get(), count.get(), n);
  });
  std::vector<int> right;
  for (int i = 0; i < n; ++i)
    if (flags[i])
      right.push_back(in[i]);
  EXPECT(count.host()[0] == int(right.size()));
  EXPECT(out.host(right.size()) == right);
}

SUITE_TEST(deviceSelectUnique) {
  std::vector<int> in = suite::values(n, 3), right = in;
  right.erase(std::unique(right.begin(), right.end()), right.end());
  suite::Device<int> data(in), out(n), count(1);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceSelect::Unique(s, bytes, data.get(), out.get(), count.get(), n);
  });
  EXPECT(count.host()[0] == int(right.size()));
  EXPECT(out.host(right.size()) == right);
}

SUITE_TEST(devicePartitionIf) {
  std::vector<int> in = suite::values(n, 1000), right = odd(in);
  suite::Device<int> data(in), out(n), count(1);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DevicePartition::If(s, bytes, data.get(), out.get(), count.get(), n, Odd());
  });
  EXPECT(count.host()[0] == int(right.size()));
  for (int i = n; i-- > 0;) // the rest comes in reverse order
    if (!Odd()(in[i]))
      right.push_back(in[i]);
  EXPECT(out.host() == right);
}

} // namespace device_select
