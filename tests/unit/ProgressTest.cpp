// A1 progress-not-promised, and D12 where the compiler saw that a loop does nothing but wait.
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

TEST_F(A1Progress, ASequentiallyConsistentReadWaitsToo) {
  begin();
  auto read = [&] {
    s.fence(t(0), SeqCst, Scope::Device, 3);
    s.load(t(0), F, Acquire, Scope::Device, 3);
  };
  for (int i = 0; i < 3; ++i)
    read();
  s.store(t(1), F, Release, Scope::Device, 4);
  read();
  s.D.threadExit(t(0));
  EXPECT_EQ(advisories(), 1u);
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

// ------------------------------------------------------------------ D12, waits for who starts
// later

namespace {
/// Loops of which the compiler says that only the value read ends them.
struct D12Backward : A1Progress {
  static constexpr uint32_t Wait = 30, Write = 40;
  static void read(Simulation &s, Thread &t, uint64_t a, AccessKind kind = AccessKind::Load) {
    Op op = Op(kind, Acquire, Scope::Device).with(Op::OnlyWayOutBit);
    s.D.atomicAfter(t, a, 4, op, site(Wait), false, 0);
  }
  /// `t` polls three times, `write` takes place, the next poll ends the loop.
  template <class Fn> void wait(Thread &t, Fn write, AccessKind kind = AccessKind::Load) {
    for (int i = 0; i < 3; ++i)
      read(s, t, F, kind);
    write();
    read(s, t, F, kind);
    s.D.threadExit(t);
  }
  void publish(Thread &t) { s.store(t, F, Release, Scope::Device, Write); }
  /// After the run: "D12", "A1" or nothing.
  std::string verdict() {
    s.D.finish();
    std::string out = s.rules();
    return out.empty() && advisories() ? "A1" : out;
  }
};
} // namespace

TEST_F(D12Backward, AWaitForABlockWithAHigherNumberIsAFinding) {
  begin();
  wait(t(0), [&] { publish(t(1)); });
  EXPECT_EQ(verdict(), "D12");
  EXPECT_EQ(s.Sink.findings[0].first.site, site(Write));
  EXPECT_EQ(s.Sink.findings[0].second.site, site(Wait));
  s.D.finish(); // once
  EXPECT_EQ(s.Sink.findings.size(), 1u);
}

TEST_F(D12Backward, ForOneWithALowerNumberItIsAdvice) {
  begin();
  wait(t(1), [&] { publish(t(0)); });
  EXPECT_EQ(verdict(), "A1");
}

TEST_F(D12Backward, ALoopWithOtherWaysOutIsAdvice) {
  begin();
  spin(t(0));
  publish(t(1));
  s.load(t(0), F, Acquire, Scope::Device, 3);
  s.D.threadExit(t(0));
  EXPECT_EQ(verdict(), "A1");
}

TEST_F(D12Backward, AnAttemptToSwapIsAWaitToo) {
  begin();
  wait(t(0), [&] { publish(t(1)); }, AccessKind::Cas);
  EXPECT_EQ(verdict(), "D12");
}

TEST_F(D12Backward, WhatTheWaiterDoesAfterwardsChangesNothing) {
  begin();
  wait(t(0), [&] { publish(t(1)); });
  publish(t(0));
  EXPECT_EQ(verdict(), "D12");
}

TEST_F(D12Backward, ABlockThatIsKnownToHaveRunIsPromised) {
  begin();
  s.store(t(1), G, Release, Scope::Device);
  s.load(t(0), G, Acquire, Scope::Device, 3);
  wait(t(0), [&] { publish(t(1)); });
  EXPECT_EQ(verdict(), "");
}

TEST_F(D12Backward, ACooperativeGridOrAClusterIsPromised) {
  LaunchFacts cooperative, clusters;
  cooperative.cooperative = true;
  clusters.cluster = {2, 1, 1};
  for (const LaunchFacts &f : {cooperative, clusters}) {
    begin(f);
    wait(t(0), [&] { publish(t(1)); });
    EXPECT_EQ(verdict(), "");
  }
}

TEST_F(D12Backward, WhoWritesAfterwardsMightHaveEndedIt) {
  NodeId n = s.launch(s.stream(), 3, 32);
  Block *blocks[] = {s.block(n, 0), s.block(n, 1), s.block(n, 2)};
  wait(s.thread(blocks[1], 0), [&] { publish(s.thread(blocks[2], 0)); });
  publish(s.thread(blocks[0], 0)); // starts earlier than the waiter
  EXPECT_EQ(verdict(), "A1");
}

TEST_F(D12Backward, WhoTriesToAfterwardsMightHaveToo) {
  NodeId n = s.launch(s.stream(), 3, 32);
  Block *blocks[] = {s.block(n, 0), s.block(n, 1), s.block(n, 2)};
  wait(s.thread(blocks[1], 0), [&] { publish(s.thread(blocks[2], 0)); });
  s.cas(s.thread(blocks[0], 0), F, Relaxed, Scope::Device, false);
  EXPECT_EQ(verdict(), "A1");
}

TEST_F(D12Backward, OthersThatStartLaterChangeNothing) {
  NodeId n = s.launch(s.stream(), 3, 32);
  Block *blocks[] = {s.block(n, 0), s.block(n, 1), s.block(n, 2)};
  wait(s.thread(blocks[0], 0), [&] { publish(s.thread(blocks[1], 0)); });
  publish(s.thread(blocks[2], 0));
  publish(s.thread(blocks[1], 0));
  EXPECT_EQ(verdict(), "D12");
}

TEST_F(D12Backward, WhoWroteUnseenBetweenTwoPollsMightHaveToo) {
  begin();
  wait(t(0), [&] {
    publish(t(1));
    publish(t(1));
  });
  EXPECT_EQ(verdict(), "A1");
}

TEST_F(D12Backward, AnEarlierKernelWaitsForALaterOne) {
  NodeId first = s.launch(s.stream(), 1, 32), second = s.launch(s.stream(), 1, 32);
  Thread &a = s.thread(s.block(first), 0), &b = s.thread(s.block(second), 0);
  wait(a, [&] { publish(b); });
  EXPECT_EQ(verdict(), "D12");
  EXPECT_EQ(s.Sink.findings[0].distance, Distance::BetweenKernels);
}

TEST_F(D12Backward, ALaterKernelForAnEarlierOneIsAdvice) {
  NodeId first = s.launch(s.stream(), 1, 32), second = s.launch(s.stream(), 1, 32);
  Thread &a = s.thread(s.block(first), 0), &b = s.thread(s.block(second), 0);
  wait(b, [&] { publish(a); });
  EXPECT_EQ(verdict(), "A1");
}

TEST_F(D12Backward, NodesOfOneGraphAreLaunchedInNoOrder) {
  LaunchFacts f;
  f.inGraph = true;
  NodeId first = s.launch(s.stream(), 1, 32, {}, f), second = s.launch(s.stream(), 1, 32, {}, f);
  Thread &a = s.thread(s.block(first), 0), &b = s.thread(s.block(second), 0);
  wait(a, [&] { publish(b); });
  EXPECT_EQ(verdict(), "A1");
}

TEST_F(D12Backward, DevicesDoNotWaitForEachOther) {
  LaunchFacts f;
  NodeId first = s.launch(s.stream(), 1, 32, {}, f);
  f.device = {1};
  NodeId second = s.launch(s.stream(), 1, 32, {}, f);
  Thread &a = s.thread(s.block(first), 0), &b = s.thread(s.block(second), 0);
  wait(a, [&] { s.store(b, F, Release, Scope::System, Write); });
  EXPECT_EQ(verdict().find("D12"), std::string::npos);
}
