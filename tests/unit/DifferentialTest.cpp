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

TEST(S16Chain, ManyLaterReadersDoNotMakeAnObservedWriteRace) {
  Simulation s;
  NodeId n = s.launch(s.stream(), 400, 32);
  Thread &a = s.thread(s.block(n, 0), 0), &b = s.thread(s.block(n, 1), 0),
         &c = s.thread(s.block(n, 2), 0), &stranger = s.thread(s.block(n, 3), 0);
  s.store(a, F, Relaxed, Scope::Device, 1);
  s.load(b, F, Relaxed, Scope::Device, 2);
  for (uint32_t i = 4; i < 400; ++i)
    s.load(s.thread(s.block(n, i), 0), F, Relaxed, Scope::Device, 3);
  s.store(b, G, Release, Scope::Device, 4);
  s.load(c, G, Acquire, Scope::Device, 5);
  s.read(c, F, 6); // b observed the store and happens before this
  EXPECT_EQ(s.rules(), "");
  s.load(stranger, G, Relaxed, Scope::Device, 7);
  s.store(a, F, Relaxed, Scope::Device, 8);
  s.read(stranger, F, 9); // the new value has no observer yet
  EXPECT_EQ(s.Sink.races().back().first.site, site(8));
}

TEST(S16Chain, AWaitingThreadKeepsOneObservation) {
  Simulation s;
  NodeId n = s.launch(s.stream(), 12, 32);
  Thread &a = s.thread(s.block(n, 0), 0), &b = s.thread(s.block(n, 1), 0),
         &c = s.thread(s.block(n, 2), 0);
  s.store(a, F, Relaxed, Scope::Device, 1);
  s.load(b, F, Relaxed, Scope::Device, 2);
  Block *waiting[12] = {};
  for (uint32_t round = 0; round < 1000; ++round) // all wait for the next value
    for (uint32_t i = 3; i < 12; ++i) {
      Block *block = round ? waiting[i] : (waiting[i] = s.block(n, i));
      s.load(s.thread(block, 0), F, Relaxed, Scope::Device, 3);
    }
  s.store(b, G, Release, Scope::Device, 4);
  s.load(c, G, Acquire, Scope::Device, 5);
  s.read(c, F, 6);
  EXPECT_EQ(s.rules(), "");
  EXPECT_TRUE(s.Sink.givenUp.empty());
}

// ---------------------------------------------------------------- launches (S14)

TEST(S14, WhatAKernelLearnedReachesAnEarlierEnqueuedSuccessor) {
  // K1 releases to K2, which runs beside it; K3 follows K2 through an event and was enqueued before
  // anything ran.
  Simulation s;
  TimelineId p = s.stream(), q = s.stream(), r = s.stream();
  NodeId k1 = s.launch(p, 1, 1), k2 = s.launch(q, 1, 1);
  NodeId e = s.D.marker(q, nullptr, 0);
  NodeId k3 = s.launch(r, 1, 1, {e});
  Thread &t1 = s.thread(s.block(k1), 0);
  Block *b2 = s.block(k2);
  s.write(t1, X);
  s.store(t1, F, Release, Scope::System);
  s.write(t1, Y);
  s.load(s.thread(b2, 0), F, Acquire, Scope::System);
  s.D.threadExit(s.thread(b2, 0));
  s.D.endBlock(b2);
  Thread &t3 = s.thread(s.block(k3), 0);
  s.read(t3, X);
  EXPECT_EQ(s.rules(), "");
  s.read(t3, Y);
  EXPECT_EQ(s.rules(), "D1");
}

TEST(S14, AProgrammaticWaitPassesOnToTheNextKernel) {
  Simulation s;
  TimelineId p = s.stream(), q = s.stream();
  NodeId k1 = s.launch(p, 1, 1), k2 = s.launch(q, 1, 1), k3 = s.launch(q, 1, 1);
  s.D.programmatic(k2, k1);
  Block *b1 = s.block(k1);
  s.write(s.thread(b1, 0), X);
  s.D.threadExit(s.thread(b1, 0));
  s.D.endBlock(b1);
  Block *b2 = s.block(k2);
  s.D.griddepWait(s.thread(b2, 0));
  s.D.threadExit(s.thread(b2, 0));
  s.D.endBlock(b2);
  s.read(s.thread(s.block(k3), 0), X);
  EXPECT_EQ(s.rules(), "");
}

TEST(S14, DeviceSideLaunch) {
  Simulation s;
  TimelineId p = s.stream();
  NodeId parent = s.launch(p, 1, 64), next = s.launch(p, 1, 1);
  Block *b = s.block(parent);
  LaunchFacts facts;
  s.write(s.thread(b, 0), X, 1);
  s.write(s.thread(b, 1), Y, 2);
  NodeId child = s.D.deviceLaunch(s.thread(b, 0), facts);
  s.write(s.thread(b, 0), G, 3);
  Block *c = s.block(child);
  s.read(s.thread(c, 0), X);
  EXPECT_EQ(s.rules(), "") << "the launching thread's past";
  s.read(s.thread(c, 0), Y);
  EXPECT_EQ(s.rules(), "D1") << "another thread's is not";
  s.read(s.thread(c, 0), G);
  EXPECT_EQ(s.rules(), "D1 D1") << "nor what follows the launch";
  s.write(s.thread(c, 0), F);
  s.D.threadExit(s.thread(c, 0));
  s.D.endBlock(c);
  s.read(s.thread(b, 0), F);
  EXPECT_EQ(s.rules(), "D1 D1 D1") << "the parent's code never learns of the child's end";
  for (Thread &t : b->threads)
    s.D.threadExit(t);
  s.D.endBlock(b);
  size_t before = s.Sink.races().size();
  s.write(s.thread(s.block(next), 0), F);
  EXPECT_EQ(s.Sink.races().size(), before) << "the parent's grid ends after it";
}

// ---------------------------------------------------------------- proxies (S13), elements (P1)

TEST(S14Proxies, LaunchOrderThroughAnEvent) {
  Simulation s;
  TimelineId a = s.stream(), b = s.stream(), c = s.stream();
  NodeId k0 = s.launch(a, 1, 1), k1 = s.launch(b, 1, 1);
  NodeId e = s.D.marker(b, nullptr, 0);
  NodeId k2 = s.launch(c, 1, 1, {e});
  s.block(k0); // unrelated, still running
  Block *b1 = s.block(k1);
  s.write(s.thread(b1, 0), X);
  s.D.threadExit(s.thread(b1, 0));
  s.D.endBlock(b1);
  s.D.asyncBegin(s.thread(s.block(k2), 0), Proxy::Async);
  s.D.asyncRead(X, 4, site(50));
  EXPECT_EQ(s.rules(), "");
}

namespace {
/// A surface write in block 0 of the first cluster, a barrier, a read in the same block.
struct Proxies : Clusters {
  void run(std::initializer_list<ProxyFence> before, std::initializer_list<ProxyFence> after,
           Proxy write, Proxy read, bool sameBlock = true) {
    Thread &w = t(0, 0), &r = sameBlock ? t(0, 0, 32) : t(0, 1);
    s.D.proxyWrite(w, X, 4, site(1), write);
    for (ProxyFence f : before)
      s.D.proxyFence(w, f);
    s.store(w, F, Release, Scope::Cluster);
    s.load(r, F, Acquire, Scope::Cluster);
    for (ProxyFence f : after)
      s.D.proxyFence(r, f);
    s.D.proxyRead(r, X, 4, site(2), read);
  }
};
using S13Paths = Proxies;
constexpr ProxyFence Sur = ProxyFence::Surface, Tex = ProxyFence::Texture, Ali = ProxyFence::Alias;
} // namespace

TEST_F(S13Paths, LeavingAndEnteringInThisOrder) {
  run({Sur, Tex}, {}, Proxy::Surface, Proxy::Texture);
  EXPECT_EQ(s.rules(), "");
}
TEST_F(S13Paths, TheOtherOrderIsMissingOne) {
  run({Tex, Sur}, {}, Proxy::Surface, Proxy::Texture);
  EXPECT_EQ(s.rules(), "D9");
}
TEST_F(S13Paths, EachInItsOwnBlock) {
  run({Sur}, {Tex}, Proxy::Surface, Proxy::Texture, false);
  EXPECT_EQ(s.rules(), "");
}
TEST_F(S13Paths, EnteringInTheWritersBlockOnly) {
  run({Sur, Tex}, {}, Proxy::Surface, Proxy::Texture, false);
  EXPECT_EQ(s.rules(), "D9");
}
TEST_F(S13Paths, OneProxyInOneBlockNeedsNothing) {
  run({}, {}, Proxy::Surface, Proxy::Surface);
  EXPECT_EQ(s.rules(), "");
}
TEST_F(S13Paths, OneProxyInTwoBlocksNeedsBothFences) {
  run({Sur}, {Sur}, Proxy::Surface, Proxy::Surface, false);
  EXPECT_EQ(s.rules(), "");
}
TEST_F(S13Paths, OneProxyInTwoBlocksWithOneFence) {
  run({Sur}, {}, Proxy::Surface, Proxy::Surface, false);
  EXPECT_EQ(s.rules(), "D9");
}
TEST_F(S13Paths, AliasComesBetween) {
  run({Sur, Ali}, {Tex}, Proxy::Surface, throughAlias(Proxy::Texture));
  EXPECT_EQ(s.rules(), "");
}
TEST_F(S13Paths, AliasBeforeLeavingDoesNotCount) {
  run({Ali, Sur}, {Tex}, Proxy::Surface, throughAlias(Proxy::Texture));
  EXPECT_EQ(s.rules(), "D9");
}
TEST_F(S13Paths, AliasAfterEnteringDoesNotCount) {
  run({Sur}, {Tex, Ali}, Proxy::Surface, throughAlias(Proxy::Texture));
  EXPECT_EQ(s.rules(), "D9");
}

TEST_F(FilterDifferential, APackedAtomicIsASetOfScalars) {
  s.D.atomicAfter(t(0, 0), X, 4, Op(AccessKind::Rmw, Relaxed, Scope::Device).withElementLog2(1),
                  site(1), true, 0);
  s.D.atomicAfter(t(1, 0), X + 2, 2, Op(AccessKind::Rmw, Relaxed, Scope::Device).withElementLog2(1),
                  site(2), true, 0);
  EXPECT_EQ(s.rules(), "");
  s.load(t(1, 0), X, Relaxed, Scope::Device, 3);
  EXPECT_EQ(s.rules(), "D5") << "a scalar of another size";
}

TEST_F(FilterDifferential, ACrossClusterPeerThatHasEndedIsNotAlive) {
  s.D.sharedMemory(b[1], 0x110000, 64);
  for (Thread &x : b[1]->threads)
    s.D.threadExit(x);
  s.D.endBlock(b[1]);
  s.write(t(0, 0), 0x110010);
  EXPECT_EQ(s.rules(), "D8");
}

TEST(P4, ABlockWithoutAClusterIsOneOfItsOwn) {
  Simulation s;
  Block *b = s.block(s.launch(s.stream(), 1, 3));
  s.D.threadExit(s.thread(b, 2));
  s.write(s.thread(b, 0), X);
  s.D.clusterArrive(s.thread(b, 0), false, site(1));
  s.D.clusterArrive(s.thread(b, 1), false, site(1));
  s.D.clusterWait(s.thread(b, 1), site(2));
  s.read(s.thread(b, 1), X);
  EXPECT_EQ(s.rules(), "");
  s.D.clusterWait(s.thread(b, 0), site(2));
  for (uint32_t i : {0, 1})
    s.D.threadExit(s.thread(b, i));
  s.D.endBlock(b);
}

TEST_F(S13Paths, AFenceBeforeAClusterBarrierCountsInItsBlock) {
  s.write(t(0, 0), X, 1);
  s.D.proxyFence(t(0, 0), ProxyFence::Async);
  for (uint32_t block : {0, 1})
    for (Thread &x : b[block]->threads)
      s.D.clusterArrive(x, false, site(3));
  s.D.clusterWait(t(0, 0, 1), site(4));
  s.D.clusterWait(t(0, 1, 1), site(4));
  s.D.asyncBegin(t(0, 0, 1), Proxy::Async);
  s.D.asyncRead(X, 4, site(5));
  EXPECT_EQ(s.rules(), "");
  s.D.asyncBegin(t(0, 1, 1), Proxy::Async);
  s.D.asyncRead(X, 4, site(6));
  EXPECT_EQ(s.rules(), "D9") << "executed in the other block";
}

TEST(S13Merged, ManyReleasersKeepTheirFences) {
  Simulation s;
  Block *b = s.block(s.launch(s.stream(), 1, 160));
  for (uint32_t i = 0; i < 128; ++i) {
    s.write(s.thread(b, i), X + 4 * i, 1);
    s.D.proxyFence(s.thread(b, i), ProxyFence::Async);
    s.rmw(s.thread(b, i), F, Release, Scope::Block);
  }
  Thread &last = s.thread(b, 159);
  s.load(last, F, Acquire, Scope::Block);
  s.D.asyncBegin(last, Proxy::Async);
  s.D.asyncRead(X, 4 * 128, site(5));
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S13Paths, AFenceCountsAlsoWhenTheWayBackLeadsThroughAnotherBlock) {
  s.write(t(0, 0), X, 1);
  s.D.proxyFence(t(0, 0), ProxyFence::Async);
  s.store(t(0, 0), F, Release, Scope::Cluster);
  s.load(t(0, 1), F, Acquire, Scope::Cluster);
  s.store(t(0, 1), G, Release, Scope::Cluster);
  s.load(t(0, 0, 1), G, Acquire, Scope::Cluster);
  s.D.asyncBegin(t(0, 0, 1), Proxy::Async);
  s.D.asyncRead(X, 4, site(5));
  EXPECT_EQ(s.rules(), "");
  s.D.asyncBegin(t(0, 1), Proxy::Async);
  s.D.asyncRead(X, 4, site(6));
  EXPECT_EQ(s.rules(), "D9");
}
