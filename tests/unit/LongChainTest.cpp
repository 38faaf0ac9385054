// S3, S4 on RMW chains with more release patterns than are kept apart: what is summarized is judged
// exactly where an acquirer includes all or none of the releasers, X1 where it may include some.
#include "Simulation.h"

#include <gtest/gtest.h>

using namespace scopesan::core;
using namespace scopesan::core::test;

namespace {
/// More release patterns on one chain than are kept apart.
struct LongChain : testing::Test {
  Simulation s;
  Block *b[4] = {};
  void SetUp() override {
    NodeId n = s.launch(s.stream(), 4, 64);
    for (int i = 0; i < 4; ++i)
      b[i] = s.block(n, i);
  }
  Thread &t(uint32_t block, uint32_t i = 0) { return s.thread(b[block], i); }
  static constexpr uint32_t Releasers = 64;
  void release(uint32_t block, uint32_t thread, uint32_t word) {
    s.write(t(block, thread), X + 4 * word, 7);
    s.rmw(t(block, thread), F, Release, Scope::System, 8);
  }
  void readAll(Thread &by, uint32_t words) {
    for (uint32_t i = 0; i < words; ++i)
      s.read(by, X + 4 * i, 9);
  }
};
} // namespace

TEST_F(LongChain, NarrowerAcquirersThatIncludeAllReleasers) {
  for (uint32_t i = 0; i < Releasers; ++i)
    release(i % 3, i / 3, i);
  s.load(t(3), F, Acquire, Scope::Device);
  readAll(t(3), Releasers);
  EXPECT_EQ(s.rules(), "");
  EXPECT_TRUE(s.Sink.givenUp.empty());
}

TEST_F(LongChain, NarrowerFencesThatIncludeAllReleasers) {
  for (uint32_t i = 0; i < Releasers; ++i) {
    s.write(t(i % 3, i / 3), X + 4 * i);
    s.fence(t(i % 3, i / 3), AcqRel, Scope::System);
    s.rmw(t(i % 3, i / 3), F, Relaxed, Scope::Device);
  }
  s.load(t(3), F, Relaxed, Scope::Device);
  s.fence(t(3), Acquire, Scope::Device);
  readAll(t(3), Releasers);
  EXPECT_EQ(s.rules(), "");
  EXPECT_TRUE(s.Sink.givenUp.empty());
}

TEST_F(LongChain, OfOneBlockIncludesItsOwnThreads) {
  for (uint32_t i = 0; i + 1 < Releasers; ++i)
    release(0, i, i);
  s.load(t(0, Releasers - 1), F, Acquire, Scope::Block);
  readAll(t(0, Releasers - 1), Releasers - 1);
  EXPECT_EQ(s.rules(), "");
  EXPECT_TRUE(s.Sink.givenUp.empty());
}

TEST_F(LongChain, AcquirerThatIncludesNoReleaserIsToBlame) {
  for (uint32_t i = 0; i < Releasers; ++i)
    release(0, i, i);
  s.rmw(t(1, 0), F, Relaxed, Scope::System); // extends the chain
  s.load(t(1, 1), F, Relaxed, Scope::System);
  s.fence(t(1, 1), Acquire, Scope::Block, 6);
  s.read(t(1, 1), X, 9);
  ASSERT_EQ(s.rules(), "D3");
  const Finding &f = s.Sink.races()[0];
  ASSERT_EQ(f.blamedCount, 1u);
  EXPECT_EQ(f.blamed[0].site, site(6));
  EXPECT_EQ(f.blamed[0].needs, Scope::Device);
  EXPECT_TRUE(s.Sink.givenUp.empty());
}

TEST_F(LongChain, AcquirerThatIncludesSomeReleasersLearnsOfAllAndSaysSo) {
  for (uint32_t i = 0; i < Releasers; ++i)
    release(i % 2, i / 2, i);
  s.rmw(t(1, 40), F, Relaxed, Scope::System);
  s.load(t(1, 41), F, Relaxed, Scope::System);
  s.fence(t(1, 41), Acquire, Scope::Block);
  readAll(t(1, 41), Releasers);
  EXPECT_EQ(s.rules(), "") << "a finding may be lost, none is invented";
  EXPECT_FALSE(s.Sink.givenUp.empty());
}

TEST_F(LongChain, ReleasersOfOtherDomainsAreKeptApart) {
  Simulation two;
  Block *near = two.block(two.launch(two.stream(), 1, 64));
  LaunchFacts other;
  other.domain = {1};
  Block *far = two.block(two.launch(two.stream(), 1, 64, {}, other));
  for (uint32_t i = 0; i < Releasers; ++i) {
    Thread &t = two.thread(i % 2 ? far : near, i / 2);
    two.write(t, X + 4 * i, 7);
    two.rmw(t, F, Release, Scope::System, 8);
  }
  two.rmw(two.thread(near, 40), F, Relaxed, Scope::System);
  two.load(two.thread(near, 41), F, Relaxed, Scope::System);
  two.fence(two.thread(near, 41), Acquire, Scope::Device, 6);
  two.read(two.thread(near, 41), X);
  EXPECT_EQ(two.rules(), "");
  two.read(two.thread(near, 41), X + 4, 9);
  EXPECT_EQ(two.rules(), "D4");
  EXPECT_TRUE(two.Sink.givenUp.empty());
}
