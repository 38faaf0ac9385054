// scopesan-test: cub::DeviceRunLengthEncode: runs with lengths, non-trivial runs
//
// variant all
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S7 S14
// variant non_trivial -DNON_TRIVIAL
//   why lanes that hold no run write to one word of shared memory that nobody reads:
//   why docs/known-library-findings.md
//   verdict findings
//   require D1 lib:agent_rle.cuh:ScatterTwoPhase(store,weak,4B)
//   ... lib:agent_rle.cuh:ScatterTwoPhase(store,weak,4B) distance=same-warp hazard=WAW
//   may-advise progress-not-promised
//   proof S8 D1
#include "suite.h"

#include <cub/device/device_run_length_encode.cuh>

namespace device_run_length {

struct Run {
  int value, from, length;
};
std::vector<Run> runsOf(const std::vector<int> &in) {
  std::vector<Run> runs;
  for (int i = 0; i < int(in.size()); ++i) {
    if (!i || in[i] != in[i - 1])
      runs.push_back({in[i], i, 0});
    ++runs.back().length;
  }
  return runs;
}

SUITE_TEST(runLengthEncode) {
  std::vector<int> in = suite::values(n, 2);
  std::vector<Run> right = runsOf(in);
  suite::Device<int> data(in), unique(n), lengths(n), count(1);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceRunLengthEncode::Encode(s, bytes, data.get(), unique.get(), lengths.get(),
                                              count.get(), n);
  });
  EXPECT(count.host()[0] == int(right.size()));
  std::vector<int> u = unique.host(), l = lengths.host();
  for (size_t i = 0; i < right.size(); ++i)
    EXPECT(u[i] == right[i].value && l[i] == right[i].length);
}

#ifdef NON_TRIVIAL
SUITE_TEST(runLengthNonTrivial) {
  std::vector<int> in = suite::values(n, 2);
  std::vector<Run> right = runsOf(in);
  right.erase(std::remove_if(right.begin(), right.end(), [](Run r) { return r.length < 2; }),
              right.end());
  suite::Device<int> data(in), offsets(n), lengths(n), count(1);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceRunLengthEncode::NonTrivialRuns(s, bytes, data.get(), offsets.get(),
                                                      lengths.get(), count.get(), n);
  });
  EXPECT(count.host()[0] == int(right.size()));
  std::vector<int> o = offsets.host(), l = lengths.host();
  for (size_t i = 0; i < right.size(); ++i)
    EXPECT(o[i] == right[i].from && l[i] == right[i].length);
}
#endif

} // namespace device_run_length
