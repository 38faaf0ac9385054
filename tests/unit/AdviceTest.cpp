// A1: unordered-strong, volatile-sync, observation-only; each beside a twin without the advice.
#include "Advised.h"

using namespace scopesan::core;
using namespace scopesan::core::test;

namespace {
struct A1Unordered : Advised {
  size_t advised() {
    s.D.finish();
    EXPECT_EQ(s.rules(), "");
    return count(Rule::UnorderedStrong);
  }
};

struct A1Volatile : Advised {
  using Advised::Advised;
  /// Data, fence, volatile flag; volatile flag, fence.
  void pass(Thread &from, Thread &to, uint32_t flags = 0) {
    s.write(from, X, 1);
    s.fence(from, SeqCst, Scope::Device, 2);
    s.volatileStore(from, F, 3, flags);
    s.volatileLoad(to, F, 4, flags);
    s.fence(to, SeqCst, Scope::Device, 5);
  }
  size_t advised() { return count(Rule::VolatileSync); }
};
struct A1VolatileCxx : A1Volatile {
  A1VolatileCxx() : A1Volatile(true) {}
};

struct A1Observation : Advised {
  using Advised::Advised;
  /// Another block observes the counter and then reads it by a plain load.
  void observe() {
    s.rmw(t(0), F, Relaxed, Scope::Device, 1);
    s.load(t(2), F, Relaxed, Scope::Device, 2);
    s.read(t(2), F, 3);
  }
};
struct A1ObservationCxx : A1Observation {
  A1ObservationCxx() : A1Observation(true) {}
};
} // namespace

// ---------------------------------------------------------------- unordered-strong

TEST_F(A1Unordered, TwoStores) {
  s.store(t(0), F, Relaxed, Scope::Device, 1);
  s.store(t(1), F, Relaxed, Scope::Device, 2);
  ASSERT_EQ(advised(), 1u);
  Finding f = s.Sink.advice(Rule::UnorderedStrong)[0];
  EXPECT_EQ(f.first.site, site(1));
  EXPECT_EQ(f.second.site, site(2));
  EXPECT_EQ(f.hazard, Hazard::WriteAfterWrite);
  EXPECT_EQ(f.distance, Distance::SameCluster);
  EXPECT_EQ(hits(RuleCounters::A1UnorderedStrong), 1u);
}

TEST_F(A1Unordered, OrderedStores) {
  s.store(t(0), F, Relaxed, Scope::Device, 1);
  s.store(t(0), G, Release, Scope::Device, 2);
  s.load(t(1), G, Acquire, Scope::Device, 3);
  s.store(t(1), F, Relaxed, Scope::Device, 4);
  EXPECT_EQ(advised(), 0u);
}

TEST_F(A1Unordered, AReadBeforeTheWrite) {
  s.load(t(0), F, Relaxed, Scope::Device, 1);
  s.store(t(1), F, Relaxed, Scope::Device, 2);
  s.D.threadExit(t(0));
  ASSERT_EQ(advised(), 1u);
  EXPECT_EQ(s.Sink.advice(Rule::UnorderedStrong)[0].hazard, Hazard::WriteAfterRead);
}

TEST_F(A1Unordered, AWaitIsNoReadBeforeTheWrite) {
  s.load(t(0), F, Acquire, Scope::Device, 1);
  s.store(t(1), F, Release, Scope::Device, 2);
  s.load(t(0), F, Acquire, Scope::Device, 1);
  s.D.threadExit(t(0));
  EXPECT_EQ(advised(), 0u);
}

TEST_F(A1Unordered, ALockIsAWait) {
  s.cas(t(0), F, Acquire, Scope::Device, true, 1);
  s.cas(t(1), F, Acquire, Scope::Device, false, 1);
  s.store(t(0), F, Release, Scope::Device, 2);
  s.cas(t(1), F, Acquire, Scope::Device, true, 1);
  s.store(t(1), F, Release, Scope::Device, 2);
  end(4);
  EXPECT_EQ(advised(), 0u);
}

TEST_F(A1Unordered, AThreadThatNeverLooksAgainIsReportedAtTheEnd) {
  s.load(t(0), F, Relaxed, Scope::Device, 1);
  s.store(t(1), F, Relaxed, Scope::Device, 2);
  EXPECT_EQ(count(Rule::UnorderedStrong), 0u);
  EXPECT_EQ(advised(), 1u);
}

TEST_F(A1Unordered, WhoReadsTheValueHasSeenTheOrder) {
  s.store(t(0), F, Relaxed, Scope::Device, 1);
  s.load(t(1), F, Relaxed, Scope::Device, 2);
  s.rmw(t(2), F, Relaxed, Scope::Device, 3);
  s.rmw(t(3), F, Relaxed, Scope::Device, 4);
  s.red(t(1), F, Relaxed, Scope::Device, 5);
  s.D.threadExit(t(1));
  // The load of block 1 precedes the read-modify-writes, which could not know of it.
  EXPECT_EQ(advised(), 2u);
  for (const Finding &f : s.Sink.advice(Rule::UnorderedStrong))
    EXPECT_EQ(f.first.site, site(2));
}

TEST_F(A1Unordered, OccurrencesAreCounted) {
  for (int i = 0; i < 3; ++i) {
    s.store(t(0), F, Relaxed, Scope::Device, 1);
    s.store(t(1), F, Relaxed, Scope::Device, 1);
  }
  s.D.finish();
  std::vector<Finding> all = s.Sink.advice(Rule::UnorderedStrong);
  ASSERT_EQ(all.size(), 2u); // the first one at once, the rest at the end
  EXPECT_EQ(all[0].occurrences, 1u);
  EXPECT_EQ(all[1].occurrences, 4u);
}

TEST_F(A1Unordered, NarrowScopesAreAFinding) {
  s.store(t(0), F, Relaxed, Scope::Block, 1);
  s.store(t(1), F, Relaxed, Scope::Device, 2);
  EXPECT_EQ(s.rules(), "D2");
  EXPECT_EQ(count(Rule::UnorderedStrong), 0u);
}

TEST_F(A1Unordered, ArrivalsAtAnMbarrierAreNot) {
  Op arrive(AccessKind::Rmw, Release, Scope::Block), wait(AccessKind::Load, Acquire, Scope::Block);
  s.D.mbarrierInit(t(0), G, 2, site(1));
  s.barrier(b[0]);
  s.D.mbarrierWait(t(0, 2), G, wait, site(3), false);
  s.D.mbarrierArrive(t(0, 0), G, 1, 0, false, arrive, site(2));
  s.D.mbarrierArrive(t(0, 1), G, 1, 0, false, arrive, site(2));
  EXPECT_EQ(advised(), 0u);
}

TEST(A1, NothingWithoutTheOption) {
  Simulation s;
  NodeId n = s.launch(s.stream(), 2, 1);
  Thread &a = s.thread(s.block(n, 0), 0), &c = s.thread(s.block(n, 1), 0);
  s.write(a, X);
  s.fence(a, SeqCst, Scope::System);
  s.volatileStore(a, F, 1);
  s.volatileLoad(c, F, 2);
  s.fence(c, SeqCst, Scope::System);
  s.read(c, X);
  s.store(a, G, Relaxed, Scope::System);
  s.store(c, G, Relaxed, Scope::System);
  s.D.finish();
  EXPECT_TRUE(s.Sink.findings.empty());
  EXPECT_TRUE(s.Sink.uses.empty());
}

// ---------------------------------------------------------------- volatile-sync

TEST_F(A1Volatile, OnlyAVolatileFlagOrders) {
  pass(t(0), t(2));
  s.read(t(2), X, 6);
  EXPECT_EQ(s.rules(), "");
  ASSERT_EQ(advised(), 1u);
  Finding f = s.Sink.advice(Rule::VolatileSync)[0];
  EXPECT_EQ(f.first.site, site(1));
  EXPECT_EQ(f.second.site, site(6));
  ASSERT_EQ(f.blamedCount, 2u);
  EXPECT_EQ(f.blamed[0].site, site(3));
  EXPECT_EQ(f.blamed[0].needs, Scope::Device);
  EXPECT_EQ(f.blamed[1].site, site(4));
  EXPECT_EQ(hits(RuleCounters::A1VolatileSync), 1u);
}

TEST_F(A1Volatile, AnAtomicFlagDoes) {
  s.write(t(0), X, 1);
  s.fence(t(0), SeqCst, Scope::Device, 2);
  s.store(t(0), F, Relaxed, Scope::Device, 3);
  s.load(t(2), F, Relaxed, Scope::Device, 4);
  s.fence(t(2), SeqCst, Scope::Device, 5);
  s.read(t(2), X, 6);
  EXPECT_EQ(advised(), 0u);
}

TEST_F(A1Volatile, OneVolatileSideSuffices) {
  s.write(t(0), X, 1);
  s.store(t(0), F, Release, Scope::System, 3);
  s.volatileLoad(t(2), F, 4);
  s.fence(t(2), SeqCst, Scope::Device, 5);
  s.read(t(2), X, 6);
  ASSERT_EQ(advised(), 1u);
  EXPECT_EQ(s.Sink.advice(Rule::VolatileSync)[0].blamedCount, 1u);
}

TEST_F(A1Volatile, AnAcquireLoadOfAVolatileStoreIsAdvisedToo) {
  s.write(t(0), X, 1);
  s.fence(t(0), SeqCst, Scope::Device, 2);
  s.volatileStore(t(0), F, 3);
  s.load(t(2), F, Acquire, Scope::System, 4);
  s.read(t(2), X, 6);
  EXPECT_EQ(advised(), 1u);
}

TEST_F(A1Volatile, ARmwPassesTheValueOn) {
  s.write(t(0), X, 1);
  s.fence(t(0), SeqCst, Scope::Device, 2);
  s.volatileStore(t(0), F, 3);
  s.rmw(t(1), F, Relaxed, Scope::Device, 4);
  s.load(t(2), F, Acquire, Scope::Device, 5);
  s.read(t(2), X, 6);
  EXPECT_EQ(s.rules(), "");
  EXPECT_EQ(advised(), 1u);
}

TEST_F(A1Volatile, AnotherOrderMakesItSuperfluous) {
  pass(t(0), t(2));
  s.store(t(0), G, Release, Scope::Device, 7);
  s.load(t(2), G, Acquire, Scope::Device, 8);
  s.read(t(2), X, 6);
  EXPECT_EQ(advised(), 0u);
}

TEST_F(A1Volatile, ABarrierCarriesItOn) {
  pass(t(0), t(2));
  s.barrier(b[2]);
  s.read(t(2, 9), X, 6);
  EXPECT_EQ(s.rules(), "");
  EXPECT_EQ(advised(), 1u);
}

TEST_F(A1Volatile, AReleaseCarriesItOn) { // S6
  pass(t(0), t(2));
  s.store(t(2), G, Release, Scope::Device, 7);
  s.load(t(3), G, Acquire, Scope::Device, 8);
  s.write(t(3), X, 6);
  EXPECT_EQ(s.rules(), "");
  EXPECT_EQ(advised(), 1u);
}

TEST_F(A1Volatile, KernelBoundariesNeedNoFlag) {
  pass(t(0), t(2));
  end(4);
  launch(4);
  s.read(t(3), X, 6);
  EXPECT_EQ(advised(), 0u);
}

TEST_F(A1Volatile, ADependentKernelLearnsIt) { // S14: through the end of a kernel that saw the flag
  NodeId other = s.launch(s.stream(), 1, 1);
  Thread &o = s.thread(s.block(other), 0);
  s.write(t(0), X, 1);
  s.fence(t(0), SeqCst, Scope::System, 2);
  s.volatileStore(t(0), F, 3);
  s.volatileLoad(o, F, 4);
  s.fence(o, SeqCst, Scope::System, 5);
  s.D.threadExit(o);
  NodeId next = s.launch(s.stream(), 1, 1, {other});
  s.read(s.thread(s.block(next), 0), X, 6);
  EXPECT_EQ(s.rules(), "");
  EXPECT_EQ(advised(), 1u);
}

TEST_F(A1Volatile, ARaceStaysARace) {
  pass(t(0), t(2));
  s.write(t(0), X, 7);
  s.read(t(2), X, 6);
  EXPECT_EQ(s.rules(), "D1");
  EXPECT_EQ(advised(), 0u);
}

TEST_F(A1Volatile, NarrowScopesStayBlamed) {
  s.write(t(0), X, 1);
  s.fence(t(0), SeqCst, Scope::Block, 2);
  s.volatileStore(t(0), F, 3);
  s.volatileLoad(t(2), F, 4);
  s.fence(t(2), SeqCst, Scope::Device, 5);
  s.read(t(2), X, 6);
  EXPECT_EQ(s.rules(), "D3");
  EXPECT_EQ(s.Sink.races()[0].blamed[0].site, site(2));
}

TEST_F(A1Volatile, NotInHeadersOfTheToolkit) {
  pass(t(0), t(2), Op::ToolkitBit);
  s.read(t(2), X, 6);
  EXPECT_EQ(s.rules(), "");
  EXPECT_EQ(advised(), 0u);
}

TEST_F(A1Volatile, ItsOwnAccessesNeedNoOrder) {
  pass(t(0), t(2));
  s.volatileStore(t(2), F, 7);
  EXPECT_EQ(advised(), 0u);
}

TEST_F(A1Volatile, PeersThatAreKnownThroughItAreAlive) { // D8
  s.D.sharedMemory(b[0], 0x8000, 64);
  s.D.sharedMemory(b[1], 0x9000, 64);
  pass(t(1), t(0));
  s.write(t(0), 0x9000, 6);
  s.fence(t(0), SeqCst, Scope::Device, 7);
  s.volatileStore(t(0), G, 8);
  s.volatileLoad(t(1), G, 9);
  s.fence(t(1), SeqCst, Scope::Device, 10);
  end(4);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(A1VolatileCxx, NotInCxxMode) {
  pass(t(0), t(2));
  s.read(t(2), X, 6);
  EXPECT_EQ(advised(), 0u);
}

// ---------------------------------------------------------------- observation-only

TEST_F(A1Observation, OnlyAnObservedValueOrders) {
  observe();
  EXPECT_EQ(s.rules(), "");
  std::vector<Finding> all = s.Sink.advice(Rule::ObservationOnly);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].first.site, site(1));
  EXPECT_EQ(all[0].second.site, site(3));
  EXPECT_EQ(hits(RuleCounters::A1ObservationOnly), 1u);
}

TEST_F(A1Observation, ReleaseAndAcquireOrderMore) {
  s.rmw(t(0), F, Release, Scope::Device, 1);
  s.load(t(2), F, Acquire, Scope::Device, 2);
  s.read(t(2), F, 3);
  EXPECT_EQ(s.rules(), "");
  EXPECT_EQ(count(Rule::ObservationOnly), 0u);
}

TEST_F(A1Observation, MorallyStrongPairsNeedNoOrder) {
  s.rmw(t(0), F, Relaxed, Scope::Device, 1);
  s.load(t(2), F, Relaxed, Scope::Device, 2);
  s.load(t(2), F, Relaxed, Scope::Device, 3);
  EXPECT_EQ(count(Rule::ObservationOnly), 0u);
}

TEST_F(A1ObservationCxx, InCxxModeItIsD1) {
  observe();
  EXPECT_EQ(s.rules(), "D1");
  EXPECT_EQ(count(Rule::ObservationOnly), 0u);
}
