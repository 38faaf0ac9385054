// Cases that the differential test against the axiomatic model found (tests/litmus): S1-S4, S16.
#include "Simulation.h"

#include <gtest/gtest.h>

using namespace scopesan::core;
using namespace scopesan::core::test;

namespace {
/// Two clusters of two blocks; t(c, b) is a thread of block b of cluster c.
struct Clusters : testing::Test {
  Simulation s;
  Block *b[4] = {};
  void SetUp() override {
    LaunchFacts f;
    f.cluster = {2, 1, 1};
    NodeId n = s.launch(s.stream(), 4, 64, {}, f);
    for (int i = 0; i < 4; ++i)
      b[i] = s.block(n, i);
  }
  Thread &t(uint32_t cluster, uint32_t block, uint32_t i = 0) {
    return s.thread(b[2 * cluster + block], i);
  }
  bool races(uint32_t first, uint32_t second) const {
    for (const Finding &f : s.Sink.races())
      if (f.first.site == site(first) && f.second.site == site(second))
        return true;
    return false;
  }
};
using S1Differential = Clusters;
using S2Differential = Clusters;
using S16Differential = Clusters;
using FilterDifferential = Clusters;
} // namespace

TEST_F(S1Differential, AWiderReleaseStaysBesideALaterNarrowerOne) {
  s.write(t(0, 0), X, 1);
  s.store(t(0, 0), F, Release, Scope::Device, 2);
  s.store(t(0, 0), F, Release, Scope::Block, 3);
  s.store(t(0, 0), F, Relaxed, Scope::Device, 4);
  s.load(t(1, 0), F, Acquire, Scope::Device, 5);
  s.read(t(1, 0), X, 6);
  EXPECT_FALSE(races(1, 6));
}

TEST_F(S1Differential, ANarrowerReleaseStillLosesToADistantReader) {
  s.store(t(0, 0), F, Release, Scope::Device, 2);
  s.write(t(0, 0), X, 1);
  s.store(t(0, 0), F, Release, Scope::Block, 3);
  s.store(t(0, 0), F, Relaxed, Scope::Device, 4);
  s.load(t(1, 0), F, Acquire, Scope::Device, 5);
  s.read(t(1, 0), X, 6);
  EXPECT_TRUE(races(1, 6));
}

TEST_F(S1Differential, AnOlderReleaseWriteDoesNotReplaceANewerFence) {
  s.red(t(0, 0), F, Release, Scope::Cluster, 1);
  s.write(t(0, 0), X, 2);
  s.fence(t(0, 0), AcqRel, Scope::Cluster);
  s.store(t(0, 0), F, Relaxed, Scope::Cluster, 3);
  s.load(t(0, 1), F, Acquire, Scope::Cluster, 4);
  s.read(t(0, 1), X, 5);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S2Differential, AnIntactPathBesideABrokenOneCounts) {
  s.write(t(0, 0), X, 1);
  s.store(t(0, 0), F, Release, Scope::Cluster, 2);
  s.rmw(t(0, 1), F, AcqRel, Scope::Block, 3);
  s.rmw(t(0, 0), F, Relaxed, Scope::Cluster, 4); // republishes
  s.load(t(0, 1, 1), F, Relaxed, Scope::Device, 5);
  s.fence(t(0, 1, 1), Acquire, Scope::Device);
  s.write(t(0, 1, 1), X, 6);
  EXPECT_FALSE(races(1, 6));
}

TEST_F(S16Differential, AnObservedRmwIsOrderedAsOneOperation) {
  s.rmw(t(0, 0), F, Relaxed, Scope::Cluster, 1);
  s.load(t(0, 1), F, Relaxed, Scope::System, 2);
  s.store(t(0, 1), F, Release, Scope::Block, 3);
  EXPECT_FALSE(races(1, 3));
}

TEST_F(S16Differential, ALaterReadIsOrderedAfterAnObservedRmw) {
  s.rmw(t(0, 0), F, Relaxed, Scope::Cluster, 1);
  s.load(t(0, 1), F, Relaxed, Scope::System, 2);
  s.load(t(0, 1), F, Relaxed, Scope::Block, 3);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S16Differential, AReadDoesNotObserveOnItsOwnBehalf) {
  s.rmw(t(0, 0), F, Acquire, Scope::Cluster, 1);
  s.rmw(t(0, 0), F, Relaxed, Scope::System, 2);
  s.load(t(1, 0), F, Acquire, Scope::Device, 3);
  EXPECT_TRUE(races(1, 3));
}

TEST_F(S16Differential, AReductionObserves) {
  s.rmw(t(1, 0), F, Relaxed, Scope::System, 1);
  s.red(t(0, 0), F, Release, Scope::System, 2);
  s.read(t(0, 0), F, 3);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S16Differential, TwoWritesOfOneThreadAreToldApart) {
  s.store(t(0, 0), F, Relaxed, Scope::Block, 1);
  s.store(t(0, 0), F, Release, Scope::Cluster, 2);
  s.rmw(t(0, 1), F, Release, Scope::Device, 3); // observes the second
  EXPECT_TRUE(races(1, 3));
}

TEST_F(S16Differential, AReadIsNoLinkOfAChain) {
  s.store(t(0, 0), F, Relaxed, Scope::System, 1);
  s.load(t(0, 1), F, Relaxed, Scope::System, 2);
  s.store(t(0, 0, 32), F, Release, Scope::System, 3);
  s.load(t(0, 0), F, Relaxed, Scope::System, 4); // the first writer observes, but writes nothing
  s.read(t(0, 1), F, 5);
  EXPECT_TRUE(races(3, 5));
}

TEST_F(FilterDifferential, ANarrowerStrongAccessOfTheSameThreadIsNotForgotten) {
  s.rmw(t(0, 0), F, Relaxed, Scope::System, 1);
  s.rmw(t(0, 0), F, AcqRel, Scope::Block, 2);
  s.store(t(0, 1), F, Relaxed, Scope::Device, 3);
  EXPECT_TRUE(races(2, 3));
}

TEST(S16Chain, ALongCounterIsObservedAsAWhole) {
  Simulation s;
  NodeId n = s.launch(s.stream(), 300, 32);
  Thread *last = nullptr;
  for (uint32_t i = 0; i < 300; ++i) {
    last = &s.thread(s.block(n, i), 0);
    s.rmw(*last, F, Relaxed, Scope::Device, 1);
  }
  s.read(*last, F, 2); // the last arrival read the counter's value: all increments were observed
  EXPECT_EQ(s.rules(), "");
  s.write(*last, F, 3); // the reset of a last-block counter
  EXPECT_EQ(s.rules(), "");
}

TEST(S16Chain, TheResetRacesInCxxMode) {
  DetectorOptions o;
  o.cxxMode = true;
  Simulation s(o);
  NodeId n = s.launch(s.stream(), 2, 32);
  Thread &a = s.thread(s.block(n, 0), 0), &b = s.thread(s.block(n, 1), 0);
  s.rmw(a, F, Relaxed, Scope::Device, 1);
  s.rmw(b, F, Relaxed, Scope::Device, 1);
  s.write(b, F, 3);
  EXPECT_EQ(s.rules(), "D1");
}

TEST(S16Chain, ANarrowStepEndsIt) {
  Simulation s;
  NodeId n = s.launch(s.stream(), 3, 32);
  Thread &a = s.thread(s.block(n, 0), 0), &b = s.thread(s.block(n, 1), 0),
         &c = s.thread(s.block(n, 2), 0);
  s.store(a, F, Relaxed, Scope::Device, 1);
  s.rmw(b, F, Relaxed, Scope::Block, 2);
  s.load(c, F, Relaxed, Scope::Device, 3);
  size_t before = s.Sink.races().size();
  s.read(c, F, 4); // observed neither: the RMW's scope excludes both neighbours
  EXPECT_EQ(s.Sink.races().size(), before + 2);
}
