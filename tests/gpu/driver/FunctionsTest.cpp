// What of the driver's functions the collector knows.
#include "Program.h"

namespace {

unsigned unknown(const std::string &name) {
  return lines("does not know what " + name + " does to memory");
}
struct Nothing {
  uint64_t words[8] = {};
};

TEST_F(Collector, AFunctionThatNobodyKnowsIsX1) {
  call("cuSomethingNew", Nothing{});
  EXPECT_EQ(unknown("cuSomethingNew"), 1u);
  call("cuIpcOpenMemHandle_v2", Nothing{});
  EXPECT_EQ(unknown("cuIpcOpenMemHandle"), 1u);
}

TEST_F(Collector, AFunctionWithoutEffectIsNoX1) {
  call("cuMemGetInfo_v2", Nothing{});
  call("cuStreamGetPriority_ptsz", Nothing{});
  EXPECT_EQ(unknown("cuMemGetInfo"), 0u);
  EXPECT_EQ(unknown("cuStreamGetPriority"), 0u);
}

TEST_F(Collector, AFunctionThatFailedDidNothing) {
  call("cuSomethingElse", Nothing{}, {}, CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(unknown("cuSomethingElse"), 0u);
}

TEST_F(Collector, ValuesThatStreamsWriteAreX1) {
  uint64_t p = allocate();
  call("cuStreamWriteValue32_v2", cuStreamWriteValue32_v2_params{stream(), p, 1, 0});
  EXPECT_EQ(lines("a value that a stream writes to memory"), 1u);
}

} // namespace
