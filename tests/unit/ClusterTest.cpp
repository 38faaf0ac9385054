// S9 cluster barriers, S10 mbarriers and their misuse (D7), shared memory of peers (D8).
#include "OneCluster.h"

using namespace scopesan::core;
using namespace scopesan::core::test;

namespace {
using S9 = OneCluster;
using S10 = OneCluster;
using D7 = OneCluster;
using D8 = OneCluster;
} // namespace

TEST_F(S9, ClusterBarrierOrdersItsBlocks) {
  s.write(t(0), X);
  clusterBarrier();
  s.read(t(1, 5), X);
  EXPECT_EQ(s.rules(), "");
  s.read(t(2), X);
  EXPECT_EQ(s.rules(), "D1") << "another cluster";
}

TEST_F(S9, RelaxedArriveNeedsAFence) {
  s.write(t(0), X);
  s.fence(t(0), Release, Scope::Cluster);
  s.write(t(0), Y);
  clusterBarrier(true);
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "");
  s.read(t(1), Y);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S9, AnyFenceThatReachesTheClusterServesARelaxedArrive) {
  for (Scope scope : {Scope::Cluster, Scope::Device, Scope::System}) {
    uint64_t data = X + 4 * uint64_t(scope);
    s.write(t(0), data);
    s.fence(t(0), Release, scope);
    clusterBarrier(true);
    s.read(t(1), data);
    EXPECT_EQ(s.rules(), "") << int(scope);
  }
}

TEST_F(S9, ANarrowFenceBeforeARelaxedArriveIsBlamed) {
  s.write(t(0), X, 1);
  s.fence(t(0), SeqCst, Scope::Block, 2);
  s.write(t(0), Y, 3);
  clusterBarrier(true);
  s.read(t(1), X, 4);
  ASSERT_EQ(s.rules(), "D3");
  const Finding f = s.Sink.races()[0];
  ASSERT_EQ(f.blamedCount, 1u);
  EXPECT_EQ(f.blamed[0].site, site(2));
  EXPECT_EQ(f.blamed[0].needs, Scope::Cluster);
  s.read(t(1), Y, 5);
  EXPECT_EQ(s.rules(), "D3 D1") << "written after the fence";
}

TEST_F(S9, ANarrowFenceOfAnEarlierPhaseIsNotBlamedForALaterWrite) {
  s.fence(t(0), SeqCst, Scope::Block, 2);
  clusterBarrier(true);
  s.write(t(0), X, 3);
  clusterBarrier(true);
  s.read(t(1), X, 4);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S9, WriteAfterArriveIsNotPublished) {
  for (int k = 0; k < 2; ++k)
    for (Thread &x : b[k]->threads)
      s.D.clusterArrive(x, false, site(30));
  s.write(t(0), X);
  s.D.clusterWait(t(1), site(31));
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S9, AThreadThatExitsAfterItsArrivalDoesNotCompleteThePhaseForAnother) {
  s.write(t(0), X);
  for (Thread &x : b[0]->threads) {
    s.D.clusterArrive(x, false, site(30));
    s.D.threadExit(x);
  }
  for (Thread &x : b[1]->threads)
    s.D.clusterArrive(x, false, site(30));
  s.D.clusterWait(t(1), site(31));
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "") << "the last arrival completes the phase, with what the first published";
}

TEST_F(S9, AnExitAfterTheWaitCountsForTheNextPhase) {
  clusterBarrier();
  for (Thread &x : b[0]->threads)
    s.D.threadExit(x);
  s.write(t(1), X);
  for (uint32_t i = 1; i < 64; ++i)
    s.D.clusterArrive(t(1, i), false, site(30));
  s.D.clusterWait(t(1, 1), site(31));
  s.D.clusterArrive(t(1), false, site(30));
  s.read(t(1, 1), X);
  EXPECT_EQ(s.rules(), "D1") << "waited before the writer arrived";
}

TEST_F(S10, ArriveThenWait) {
  initMbarrier(M, 1);
  s.write(t(0, 1), X);
  arriveAt(t(0, 1), M);
  waited(t(0, 2), M);
  s.read(t(0, 2), X);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S10, WhatFollowsTheArrivalIsNotPublished) {
  initMbarrier(M, 1);
  arriveAt(t(0, 1), M);
  s.write(t(0, 1), X);
  waited(t(0, 2), M);
  s.read(t(0, 2), X);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S10, OnlyCompletedPhasesAreAcquired) {
  initMbarrier(M, 1);
  arriveAt(t(0, 3), M); // completes phase 0
  s.write(t(0, 1), X);
  s.D.mbarrierArrive(t(0, 1), M, 1, 16, false, arrive(), site(41)); // phase 1 waits for bytes
  EXPECT_TRUE(s.D.mbarrierParityDone(M, 0));
  EXPECT_FALSE(s.D.mbarrierParityDone(M, 1));
  waited(t(0, 2), M);
  s.read(t(0, 2), X);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S10, RemoteArrivalNeedsClusterScope) {
  initMbarrier(M, 2);
  clusterBarrier();
  s.write(t(1), X);
  arriveAt(t(1), M, arrive(Release, Scope::Cluster));
  s.write(t(1, 1), Y);
  arriveAt(t(1, 1), M, arrive(Release, Scope::Block));
  waited(t(0), M, wait(Acquire, Scope::Cluster));
  s.read(t(0), X);
  size_t before = s.Sink.races().size();
  s.read(t(0), Y);
  EXPECT_EQ(s.Sink.races().size(), before + 1);
  EXPECT_EQ(s.Sink.races().back().rule, Rule::InsufficientScope);
  EXPECT_EQ(s.Sink.races().back().blamed[0].needs, Scope::Cluster);
}

TEST_F(S10, RelaxedFormsNeedFences) {
  initMbarrier(M, 1);
  s.write(t(0, 1), X);
  s.fence(t(0, 1), Release, Scope::Block);
  arriveAt(t(0, 1), M, arrive(Relaxed));
  waited(t(0, 2), M, wait(Relaxed));
  s.fence(t(0, 2), Acquire, Scope::Block);
  s.read(t(0, 2), X);
  EXPECT_EQ(s.rules(), "");
  s.D.mbarrierInit(t(0, 0), M2, 1, site(40));
  s.barrier(b[0]);
  s.write(t(0, 1), Y);
  arriveAt(t(0, 1), M2, arrive(Relaxed)); // the old fence does not cover y
  waited(t(0, 2), M2);
  s.read(t(0, 2), Y);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S10, InitMustBeOrderedBeforeUse) {
  s.D.mbarrierInit(t(0), M, 1, site(40));
  arriveAt(t(0, 1), M);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S9, TheFenceOfInitialisationsPublishesThem) {
  tellShared();
  uint64_t m = sharedOf(0) + 0x40;
  s.D.mbarrierInit(t(0), m, 1, site(40));
  initFence(t(0));
  clusterBarrier(/*relaxed=*/true);
  arriveAt(t(1), m, arrive(Release, Scope::Cluster)); // neither D1 nor D8
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S9, TheFenceOfInitialisationsPublishesNothingElse) {
  s.write(t(0), X);
  s.D.mbarrierInit(t(0), M, 1, site(40));
  s.write(t(0), Y);
  initFence(t(0));
  clusterBarrier(/*relaxed=*/true);
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "D1");
  s.read(t(1), Y);
  EXPECT_EQ(s.rules(), "D1 D1");
}

TEST_F(S9, TheFenceOfInitialisationsIsItsOwnThreads) {
  s.D.mbarrierInit(t(0), M, 1, site(40));
  initFence(t(0, 1));
  clusterBarrier(/*relaxed=*/true);
  arriveAt(t(1), M, arrive(Release, Scope::Cluster));
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S9, TheFenceOfInitialisationsNeitherHidesNorReplacesAnother) {
  s.write(t(0), X);
  s.fence(t(0), Release, Scope::Cluster);
  s.D.mbarrierInit(t(0), M, 1, site(40));
  s.write(t(0), Y);
  initFence(t(0));
  s.store(t(0), F, Relaxed, Scope::Cluster);
  s.load(t(1), F, Acquire, Scope::Cluster);
  s.read(t(1), X);
  arriveAt(t(1), M, arrive(Release, Scope::Cluster));
  EXPECT_EQ(s.rules(), "");
  s.read(t(1), Y);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(D8, PeerMustHaveStartedAndMustNotHaveExited) {
  s.D.sharedMemory(b[0], 0x100000, 4096);
  s.D.sharedMemory(b[1], 0x110000, 4096);
  s.write(t(0), 0x110010); // block 1 is not known to have started
  EXPECT_EQ(s.rules(), "D8");
}

TEST_F(D8, FixedProgramIsClean) {
  s.D.sharedMemory(b[0], 0x100000, 4096);
  s.D.sharedMemory(b[1], 0x110000, 4096);
  clusterBarrier();
  s.write(t(0), 0x110010);
  s.write(t(0), 0x100010);
  clusterBarrier();
  for (int k = 0; k < 2; ++k) {
    for (Thread &x : b[k]->threads)
      s.D.threadExit(x);
    s.D.endBlock(b[k]);
  }
  EXPECT_EQ(s.rules(), "");
}

TEST_F(D8, PeerMayHaveExitedBeforeTheAccess) {
  s.D.sharedMemory(b[0], 0x100000, 4096);
  s.D.sharedMemory(b[1], 0x110000, 4096);
  clusterBarrier();
  s.read(t(0), 0x110010); // no barrier before block 1's return
  for (Thread &x : b[1]->threads)
    s.D.threadExit(x);
  s.D.endBlock(b[1]);
  EXPECT_EQ(s.rules(), "D8");
}

TEST_F(D7, ReinitialisingInUse) {
  initMbarrier(M, 2);
  arriveAt(t(0, 0), M);
  s.D.mbarrierInit(t(0, 0), M, 2, site(40));
  EXPECT_EQ(s.rules(), "D7");
}

TEST_F(D7, MoreArrivalsThanExpected) {
  initMbarrier(M, 1);
  s.D.mbarrierArrive(t(0), M, 2, 0, false, arrive(), site(41));
  EXPECT_EQ(s.rules(), "D7");
}

TEST_F(D7, AnMbarrierCannotHaveSuchACount) {
  s.D.mbarrierInit(t(0), M, (1u << 20) - 1, site(40));
  s.D.mbarrierInit(t(0), M, 1, site(40));
  EXPECT_EQ(s.rules(), "");
  s.D.mbarrierInit(t(0), M, 0, site(40));
  s.D.mbarrierInit(t(0), M2, 1u << 20, site(40));
  EXPECT_EQ(s.rules(), "D7 D7");
}

TEST_F(D7, ALaneOutsideOfItsOwnMask) {
  s.D.warpBarrierArrive(t(0, 1), 0x2, site(10));
  EXPECT_EQ(s.rules(), "");
  s.D.warpBarrierArrive(t(0, 8), 0xff, site(10));
  EXPECT_EQ(s.rules(), "D7");
  EXPECT_EQ(s.Sink.races()[0].second.site, site(10));
}

TEST_F(D7, AnArrivalThatMustNotCompleteThePhase) {
  initMbarrier(M, 2);
  arriveAt(t(0), M, arrive().with(Op::NoCompleteBit));
  EXPECT_EQ(s.rules(), "");
  arriveAt(t(0), M);
  arriveAt(t(0), M);
  EXPECT_EQ(s.rules(), "");
  arriveAt(t(0), M, arrive().with(Op::NoCompleteBit));
  EXPECT_EQ(s.rules(), "D7");
}

TEST_F(D7, ItDoesNotWhileBytesAreOutstanding) {
  initMbarrier(M, 1);
  s.D.mbarrierExpectTx(t(0), M, 16, arrive(), site(40));
  arriveAt(t(0), M, arrive().with(Op::NoCompleteBit));
  EXPECT_EQ(s.rules(), "");
  s.D.mbarrierSimulateTx(t(0), M, 16, arrive(), site(40)); // completes it
  EXPECT_EQ(s.rules(), "");
}

TEST_F(D7, UseBeforeInit) {
  arriveAt(t(0), M);
  EXPECT_EQ(s.rules(), "D7");
}
