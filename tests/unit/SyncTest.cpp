// S1-S6 and the blame of D2-D4, each racy case beside its fixed twin.
#include "Simulation.h"

#include <gtest/gtest.h>

using namespace scopesan::core;
using namespace scopesan::core::test;

namespace {
struct TwoBlocks : testing::Test {
  Simulation s;
  Block *b[4] = {};
  void SetUp() override {
    NodeId n = s.launch(s.stream(), 4, 64);
    for (int i = 0; i < 4; ++i)
      b[i] = s.block(n, i);
  }
  Thread &t(uint32_t block, uint32_t i = 0) { return s.thread(b[block], i); }
  const Finding &only() {
    EXPECT_EQ(s.Sink.races().size(), 1u);
    Last = s.Sink.races().at(0);
    return Last;
  }
  Finding Last;
};
using S1 = TwoBlocks;
using S2 = TwoBlocks;
using S3 = TwoBlocks;
using S4 = TwoBlocks;
using S5 = TwoBlocks;
using S6 = TwoBlocks;
using S16 = TwoBlocks;
using O5 = TwoBlocks;
} // namespace

TEST_F(S3, MessagePassingAtDeviceScope) {
  s.write(t(0), X);
  s.store(t(0), F, Release, Scope::Device);
  s.load(t(1), F, Acquire, Scope::Device);
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S3, BlockScopeReleaseIsD2OnTheFlagAndD3OnTheData) {
  s.write(t(0), X, 11);
  s.store(t(0), F, Release, Scope::Block, 12);
  s.load(t(1), F, Acquire, Scope::Device, 13);
  s.read(t(1), X, 14);
  ASSERT_EQ(s.rules(), "D2 D3");
  Finding d2 = s.Sink.races()[0], d3 = s.Sink.races()[1];
  EXPECT_EQ(d2.first.site, site(12));
  EXPECT_EQ(d2.second.site, site(13));
  ASSERT_EQ(d2.blamedCount, 1u);
  EXPECT_EQ(d2.blamed[0].site, site(12));
  ASSERT_EQ(d3.blamedCount, 1u);
  EXPECT_EQ(d3.blamed[0].site, site(12));
  EXPECT_EQ(d3.blamed[0].needs, Scope::Device);
  EXPECT_EQ(d3.first.site, site(11));
  EXPECT_EQ(d3.second.site, site(14));
  EXPECT_EQ(d3.distance, Distance::SameGrid);
}

TEST_F(S3, BlockScopeSufficesWithinABlock) {
  s.write(t(0, 0), X);
  s.store(t(0, 0), F, Release, Scope::Block);
  s.load(t(0, 40), F, Acquire, Scope::Block);
  s.read(t(0, 40), X);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S3, RelaxedFlagOrdersNothing) {
  s.write(t(0), X);
  s.store(t(0), F, Relaxed, Scope::Device);
  s.load(t(1), F, Acquire, Scope::Device);
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S3, MissingAcquireOrdersNothing) {
  s.write(t(0), X);
  s.store(t(0), F, Release, Scope::Device);
  s.load(t(1), F, Relaxed, Scope::Device);
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S1, FenceThenRelaxedStoreReleases) {
  s.write(t(0), X);
  s.fence(t(0), SeqCst, Scope::Device);
  s.store(t(0), F, Relaxed, Scope::Device);
  s.load(t(1), F, Acquire, Scope::Device);
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S1, WhatFollowsTheFenceIsNotPublished) {
  s.fence(t(0), SeqCst, Scope::Device);
  s.write(t(0), X);
  s.store(t(0), F, Relaxed, Scope::Device);
  s.load(t(1), F, Acquire, Scope::Device);
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S1, PatternsCoexist) { // fence.gpu then fence.cta still releases at gpu
  s.write(t(0), X);
  s.fence(t(0), SeqCst, Scope::Device);
  s.write(t(0), Y);
  s.fence(t(0), SeqCst, Scope::Block);
  s.store(t(0), F, Relaxed, Scope::Device);
  s.load(t(1), F, Acquire, Scope::Device);
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "");
  s.read(t(1), Y);
  EXPECT_EQ(s.rules(), "D3");
}

TEST_F(S3, NarrowFenceSpoilsAWideFlag) {
  s.write(t(0), X);
  s.fence(t(0), SeqCst, Scope::Block, 21);
  s.store(t(0), F, Relaxed, Scope::Device, 22);
  s.load(t(1), F, Acquire, Scope::Device, 23);
  s.read(t(1), X);
  const Finding &f = only();
  EXPECT_EQ(f.rule, Rule::InsufficientScope);
  ASSERT_EQ(f.blamedCount, 1u);
  EXPECT_EQ(f.blamed[0].site, site(21));
  EXPECT_EQ(f.blamed[0].op.kind(), AccessKind::Fence);
  EXPECT_EQ(f.blamed[0].needs, Scope::Device);
}

TEST_F(S3, WideFenceDoesNotSaveANarrowFlag) {
  s.write(t(0), X);
  s.fence(t(0), SeqCst, Scope::Device, 21);
  s.store(t(0), F, Relaxed, Scope::Block, 22);
  s.load(t(1), F, Acquire, Scope::Device, 23);
  s.read(t(1), X);
  ASSERT_EQ(s.rules(), "D2 D3");
  EXPECT_EQ(s.Sink.races()[1].blamed[0].site, site(22));
}

TEST_F(S3, NarrowAcquireSideIsBlamed) {
  s.write(t(0), X);
  s.store(t(0), F, Release, Scope::Device, 21);
  s.load(t(1), F, Relaxed, Scope::Device, 22);
  s.fence(t(1), SeqCst, Scope::Block, 23);
  s.read(t(1), X);
  const Finding &f = only();
  EXPECT_EQ(f.rule, Rule::InsufficientScope);
  ASSERT_EQ(f.blamedCount, 1u);
  EXPECT_EQ(f.blamed[0].site, site(23));
}

TEST_F(S3, BothFencesOfALockAreBlamed) {
  for (uint32_t i = 0; i < 2; ++i) {
    s.cas(t(i), F, Relaxed, Scope::Device, true, 31);
    s.fence(t(i), SeqCst, Scope::Block, 32);
    s.read(t(i), X, 33);
    s.write(t(i), X, 34);
    s.fence(t(i), SeqCst, Scope::Block, 35);
    s.rmw(t(i), F, Relaxed, Scope::Device, 36);
  }
  std::vector<Finding> races = s.Sink.races();
  ASSERT_FALSE(races.empty());
  for (const Finding &f : races) {
    EXPECT_EQ(f.rule, Rule::InsufficientScope);
    ASSERT_EQ(f.blamedCount, 2u);
    EXPECT_EQ(f.blamed[0].site, site(35));
    EXPECT_EQ(f.blamed[1].site, site(32));
    EXPECT_EQ(f.blamed[0].needs, Scope::Device);
  }
}

TEST_F(S3, LockWithDeviceFencesIsClean) {
  for (uint32_t round = 0; round < 3; ++round)
    for (uint32_t i = 0; i < 4; ++i) {
      s.cas(t(i), F, Relaxed, Scope::Device, true);
      s.fence(t(i), SeqCst, Scope::Device);
      s.read(t(i), X);
      s.write(t(i), X);
      s.fence(t(i), SeqCst, Scope::Device);
      s.rmw(t(i), F, Relaxed, Scope::Device);
    }
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S2, PendingReadSurvivesANarrowFence) {
  s.write(t(0), X);
  s.store(t(0), F, Release, Scope::Device);
  s.load(t(1), F, Relaxed, Scope::Device);
  s.fence(t(1), SeqCst, Scope::Block);
  s.fence(t(1), SeqCst, Scope::Device);
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S2, RelaxedReadThenAcquireOnTheSameLocation) {
  s.write(t(0), X);
  s.store(t(0), F, Release, Scope::Device);
  s.load(t(1), F, Relaxed, Scope::Device);
  s.store(t(2), F, Relaxed, Scope::Device); // replaces the value
  s.load(t(1), F, Acquire, Scope::Device);
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S2, AcquireOnAnotherLocationDoesNotHelp) {
  s.write(t(0), X);
  s.store(t(0), F, Release, Scope::Device);
  s.load(t(1), F, Relaxed, Scope::Device);
  s.load(t(1), G, Acquire, Scope::Device);
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S3, ReleaseSequenceThroughRmwsAndReds) {
  s.write(t(0), X);
  s.store(t(0), F, Release, Scope::Device);
  s.rmw(t(2), F, Relaxed, Scope::Device);
  s.red(t(3), F, Relaxed, Scope::Device);
  s.load(t(1), F, Acquire, Scope::Device);
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S3, NarrowHopBreaksTheChain) {
  s.write(t(0), X);
  s.store(t(0), F, Release, Scope::Device, 41);
  s.rmw(t(2), F, Relaxed, Scope::Block, 42);
  s.rmw(t(3), F, Relaxed, Scope::Device, 43);
  s.load(t(1), F, Acquire, Scope::Device, 44);
  s.read(t(1), X, 45);
  std::vector<Finding> races = s.Sink.races();
  ASSERT_FALSE(races.empty());
  const Finding &f = races.back();
  EXPECT_EQ(f.rule, Rule::InsufficientScope);
  ASSERT_EQ(f.blamedCount, 1u);
  EXPECT_EQ(f.blamed[0].site, site(42));
}

TEST_F(S4, AnotherThreadsStoreReplaces) {
  s.write(t(0), X);
  s.store(t(0), F, Release, Scope::Device);
  s.store(t(2), F, Relaxed, Scope::Device);
  s.load(t(1), F, Acquire, Scope::Device);
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S4, LaterStrongStoreOfTheReleaserRepublishes) {
  s.write(t(0), X);
  s.store(t(0), F, Release, Scope::Device);
  s.write(t(0), Y);
  s.store(t(2), F, Relaxed, Scope::Device);
  s.store(t(0), F, Relaxed, Scope::Device);
  s.load(t(1), F, Acquire, Scope::Device);
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "");
  s.read(t(1), Y);
  EXPECT_EQ(s.rules(), "D1") << "only what precedes the first element is published";
}

TEST_F(S4, WeakStoreCarriesNothing) {
  s.write(t(0), X);
  s.store(t(0), F, Release, Scope::Device);
  s.write(t(0), F, 51);
  s.load(t(1), F, Acquire, Scope::Device, 52);
  s.read(t(1), X, 53);
  EXPECT_EQ(s.rules(), "D1 D1"); // the weak store against the load, and x
}

TEST_F(S5, BareSeqCstFencesMakeNoEdge) {
  s.write(t(0), X);
  s.fence(t(0), SeqCst, Scope::Device);
  s.fence(t(1), SeqCst, Scope::Device);
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "D1");
}

/// S5: all threads of block 0 write and fence, meet, and thread 0 raises the flag; block 1 sees it
/// by thread 0, meets, and all its threads fence and read.
struct FencesAndBarriers : TwoBlocks {
  scopesan::abi::MemoryOrder releasing = SeqCst, acquiring = SeqCst;
  Scope width = Scope::Device;
  bool writeLate = false;
  void pass() {
    for (uint32_t i = 0; i < 64; ++i)
      s.write(t(0, i), X + 4 * i);
    for (uint32_t i = 0; i < 64; ++i)
      s.fence(t(0, i), releasing, width, 21);
    if (writeLate)
      s.write(t(0, 7), X + 4 * 7);
    s.barrier(b[0]);
    s.rmw(t(0, 0), F, Relaxed, Scope::Device);
    s.rmw(t(1, 0), F, Relaxed, Scope::Device);
    s.barrier(b[1]);
    for (uint32_t i = 0; i < 64; ++i)
      s.fence(t(1, i), acquiring, Scope::Device);
    for (uint32_t i = 0; i < 64; ++i)
      s.read(t(1, i), X + 4 * ((i + 5) % 64));
  }
};
using S5Barriers = FencesAndBarriers;

TEST_F(S5Barriers, FencesOfAllThreadsReachPastTheBarriers) {
  pass();
  EXPECT_EQ(s.rules(), "");
}
TEST_F(S5Barriers, OverSeveralBarriers) {
  s.fence(t(0, 3), SeqCst, Scope::Device);
  s.write(t(0, 3), X + 400);
  s.fence(t(0, 3), SeqCst, Scope::Device);
  s.barrier(b[0]);
  s.barrier(b[0]);
  pass();
  s.barrier(b[1]);
  s.read(t(1, 9), X + 400);
  EXPECT_EQ(s.rules(), "");
}
TEST_F(S5Barriers, WhatFollowsTheFenceIsNotCovered) {
  writeLate = true;
  pass();
  EXPECT_EQ(s.rules(), "D1");
}
TEST_F(S5Barriers, AReleaseFenceIsNotEnough) {
  releasing = AcqRel;
  pass();
  EXPECT_NE(s.rules(), "");
}
TEST_F(S5Barriers, AnAcquireFenceIsNotEnough) {
  acquiring = AcqRel;
  pass();
  EXPECT_NE(s.rules(), "");
}
TEST_F(S5Barriers, NarrowFencesAreBlamed) {
  width = Scope::Block;
  pass();
  ASSERT_FALSE(s.Sink.races().empty());
  for (const Finding &f : s.Sink.races()) {
    EXPECT_EQ(f.rule, Rule::InsufficientScope);
    ASSERT_EQ(f.blamedCount, 1u);
    EXPECT_EQ(f.blamed[0].site, site(21));
    EXPECT_EQ(f.blamed[0].needs, Scope::Device);
  }
}
TEST_F(S5Barriers, AnotherWarpIsNotPartOfAWarpBarrier) {
  s.write(t(0, 1), X);
  s.write(t(0, 40), Y);
  s.fence(t(0, 1), SeqCst, Scope::Device);
  s.fence(t(0, 40), SeqCst, Scope::Device);
  s.warpBarrier(b[0], 0);
  s.store(t(0, 0), F, Relaxed, Scope::Device);
  s.load(t(1), F, Relaxed, Scope::Device);
  s.fence(t(1), SeqCst, Scope::Device);
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "");
  s.read(t(1), Y);
  EXPECT_EQ(s.rules(), "D1");
}
TEST_F(S5Barriers, AnotherStoreReplacesTheFlag) {
  s.write(t(0, 1), X);
  s.fence(t(0, 1), SeqCst, Scope::Device);
  s.barrier(b[0]);
  s.store(t(0, 0), F, Relaxed, Scope::Device);
  s.store(t(2), F, Relaxed, Scope::Device);
  s.load(t(1), F, Relaxed, Scope::Device);
  s.fence(t(1), SeqCst, Scope::Device);
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S6, CumulativityAcrossScopes) {
  s.write(t(0, 0), X);
  s.store(t(0, 0), F, Release, Scope::Block);
  s.load(t(0, 1), F, Acquire, Scope::Block);
  s.store(t(0, 1), G, Release, Scope::Device);
  s.load(t(1), G, Acquire, Scope::Device);
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S6, BarrierThenReleaseByOneThread) {
  for (uint32_t i = 0; i < 64; ++i)
    s.write(t(0, i), X + 4 * i);
  s.barrier(b[0]);
  s.fence(t(0, 0), SeqCst, Scope::Device);
  s.rmw(t(0, 0), F, Relaxed, Scope::Device);
  s.rmw(t(1, 0), F, Relaxed, Scope::Device);
  s.fence(t(1, 0), SeqCst, Scope::Device);
  s.barrier(b[1]);
  for (uint32_t i = 0; i < 64; ++i)
    s.read(t(1, i), X + 4 * ((i + 5) % 64));
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S6, PublicationBeforeTheBlockIsDone) {
  s.write(t(0, 5), X);
  s.fence(t(0, 0), SeqCst, Scope::Device);
  s.rmw(t(0, 0), F, Relaxed, Scope::Device);
  s.rmw(t(1, 0), F, Relaxed, Scope::Device);
  s.fence(t(1, 0), SeqCst, Scope::Device);
  s.read(t(1, 0), X);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S16, ObservationOrdersTheWriteItselfOnly) {
  s.write(t(0), X);
  s.fence(t(0), SeqCst, Scope::Device);
  s.store(t(0), F, Relaxed, Scope::Device);
  s.load(t(1), F, Relaxed, Scope::Device);
  s.read(t(1), F); // weak read of the flag that was observed
  EXPECT_EQ(s.rules(), "");
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(O5, FailedCompareExchangeIsAReadThatKeepsItsAcquire) {
  s.write(t(0), X);
  s.store(t(0), F, Release, Scope::Device);
  s.cas(t(1), F, AcqRel, Scope::Device, false);
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "");
  EXPECT_EQ(s.D.counters().values[RuleCounters::O5FailedCas], 1u);
}

TEST_F(O5, RedNeverAcquires) {
  s.write(t(0), X);
  s.store(t(0), F, Release, Scope::Device);
  s.red(t(1), F, AcqRel, Scope::Device);
  s.fence(t(1), SeqCst, Scope::Device);
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S3, BlameChainsOverTwoNarrowEdges) {
  s.write(t(0), X, 60);
  s.store(t(0), F, Release, Scope::Block, 61);
  s.load(t(1), F, Acquire, Scope::Device, 62);
  s.store(t(1), G, Release, Scope::Block, 63);
  s.load(t(2), G, Acquire, Scope::Device, 64);
  s.read(t(2), X, 65);
  const Finding f = s.Sink.races().back();
  EXPECT_EQ(f.rule, Rule::InsufficientScope);
  ASSERT_EQ(f.blamedCount, 2u);
  EXPECT_EQ(f.blamed[0].site, site(61));
  EXPECT_EQ(f.blamed[1].site, site(63));
}

TEST(D4, DeviceScopeAcrossDomainsNeedsSystem) {
  Simulation s;
  LaunchFacts a, b;
  b.domain = {1};
  Block *x = s.block(s.launch(s.stream(), 1, 32, {}, a)),
        *y = s.block(s.launch(s.stream(), 1, 32, {}, b));
  s.write(s.thread(x, 0), X);
  s.store(s.thread(x, 0), F, Release, Scope::Device);
  s.load(s.thread(y, 0), F, Acquire, Scope::Device);
  s.read(s.thread(y, 0), X);
  ASSERT_EQ(s.rules(), "D4 D4");
  for (const Finding &f : s.Sink.races()) {
    EXPECT_EQ(f.blamedCount, 2u);
    EXPECT_EQ(f.blamed[0].needs, Scope::System);
    EXPECT_EQ(f.distance, Distance::BetweenDomains);
  }
  s.store(s.thread(x, 0), G, Release, Scope::System);
  s.load(s.thread(y, 0), G, Acquire, Scope::System);
  s.read(s.thread(y, 0), X);
  EXPECT_EQ(s.rules(), "D4 D4") << "system scope is enough";
}

TEST_F(S3, LongReleaseChainStaysExactAtDeviceScope) {
  Simulation many;
  NodeId n = many.launch(many.stream(), 200, 32);
  std::vector<Block *> blocks;
  for (uint32_t i = 0; i < 200; ++i) {
    blocks.push_back(many.block(n, i));
    Thread &t = many.thread(blocks[i], 0);
    many.write(t, X + 4 * i);
    many.rmw(t, F, Release, Scope::Device);
  }
  Thread &last = many.thread(blocks[0], 1);
  many.load(last, F, Acquire, Scope::Device);
  for (uint32_t i = 0; i < 200; ++i)
    many.read(last, X + 4 * i);
  EXPECT_EQ(many.rules(), "");
  EXPECT_TRUE(many.Sink.givenUp.empty());
}
