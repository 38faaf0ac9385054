// A1 progress-not-promised.
#include "Simulation.h"

#include <gtest/gtest.h>

using namespace scopesan::core;
using namespace scopesan::core::test;

namespace {
struct A1Progress : testing::Test {
  Simulation s;
  Block *b[2] = {};
  void begin(LaunchFacts f = {}) {
    NodeId n = s.launch(s.stream(), 2, 32, {}, f);
    b[0] = s.block(n, 0);
    b[1] = s.block(n, 1);
  }
  Thread &t(uint32_t block, uint32_t i = 0) { return s.thread(b[block], i); }
  void spin(Thread &th, uint64_t a = F) {
    for (int i = 0; i < 3; ++i)
      s.load(th, a, Acquire, Scope::Device, 3);
  }
  size_t advisories() { return s.Sink.findings.size() - s.Sink.races().size(); }
};
} // namespace

TEST_F(A1Progress, WaitForAnotherBlockIsNotPromised) {
  begin();
  spin(t(0));
  s.store(t(1), F, Release, Scope::Device, 4);
  s.load(t(0), F, Acquire, Scope::Device, 3);
  s.D.threadExit(t(0));
  ASSERT_EQ(advisories(), 1u);
  EXPECT_EQ(s.Sink.findings[0].second.site, site(3));
  EXPECT_EQ(s.Sink.findings[0].first.site, site(4));
}

TEST_F(A1Progress, WithinABlockItIs) {
  begin();
  spin(t(0));
  s.store(t(0, 5), F, Release, Scope::Device);
  s.load(t(0), F, Acquire, Scope::Device, 3);
  s.D.threadExit(t(0));
  EXPECT_EQ(advisories(), 0u);
}

TEST_F(A1Progress, InACooperativeGridItIs) {
  LaunchFacts f;
  f.cooperative = true;
  begin(f);
  spin(t(0));
  s.store(t(1), F, Release, Scope::Device);
  s.load(t(0), F, Acquire, Scope::Device, 3);
  s.D.threadExit(t(0));
  EXPECT_EQ(advisories(), 0u);
}

TEST_F(A1Progress, LockOwnerHasAlreadyRun) {
  begin();
  s.cas(t(1), F, Relaxed, Scope::Device, true);
  for (int i = 0; i < 3; ++i)
    s.cas(t(0), F, Relaxed, Scope::Device, false, 3);
  s.rmw(t(1), F, Relaxed, Scope::Device);
  s.cas(t(0), F, Relaxed, Scope::Device, true, 3);
  s.D.threadExit(t(0));
  EXPECT_EQ(advisories(), 0u);
}

TEST_F(A1Progress, TicketsPromisePredecessors) {
  begin();
  s.rmw(t(1), G, Relaxed, Scope::Device); // ticket 0
  s.rmw(t(0), G, Relaxed, Scope::Device); // ticket 1: the holder of ticket 0 has run
  spin(t(0));
  s.store(t(1), F, Release, Scope::Device);
  s.load(t(0), F, Acquire, Scope::Device, 3);
  s.D.threadExit(t(0));
  EXPECT_EQ(advisories(), 0u);
}

TEST_F(A1Progress, AFirstReadThatSucceedsIsNoWait) {
  begin();
  s.store(t(1), F, Release, Scope::Device);
  s.load(t(0), F, Acquire, Scope::Device, 3);
  s.D.threadExit(t(0));
  EXPECT_EQ(advisories(), 0u);
}
