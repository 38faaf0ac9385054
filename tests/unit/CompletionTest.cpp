// What a backend that executes copies later than it issues them relies on: arrivals of cp.async,
// simulated transactions, signals to an mbarrier, fences limited to a space; D7 and D8 of copies.
#include "OneCluster.h"

using namespace scopesan::core;
using namespace scopesan::core::test;

namespace {
using S9 = OneCluster;
using S10 = OneCluster;
using S12 = OneCluster;
using S13 = OneCluster;
using D7 = OneCluster;
using D8 = OneCluster;
} // namespace

TEST_F(S12, CopyArrivalHappensWhenItIsTold) {
  initMbarrier(M, 1);
  cpAsync(t(0), S, X);
  SnapshotRef copies = s.D.cpAsyncMbarrierIssue(t(0), M, true, site(43));
  cpAsync(t(0), T2, X); // later than the arrival: not its business
  EXPECT_FALSE(s.D.mbarrierParityDone(M, 0));
  s.D.cpAsyncMbarrierDone(t(0), M, copies, site(43));
  EXPECT_TRUE(s.D.mbarrierParityDone(M, 0));
  waited(t(0, 1), M);
  s.read(t(0, 1), S);
  EXPECT_EQ(s.rules(), "");
  s.read(t(0, 1), T2);
  EXPECT_EQ(s.rules(), "D10");
}

TEST_F(S12, CopyArrivalWithoutNoincDelaysThePhase) {
  initMbarrier(M, 1);
  cpAsync(t(0), S, X);
  SnapshotRef copies = s.D.cpAsyncMbarrierIssue(t(0), M, false, site(43));
  arriveAt(t(0), M);
  EXPECT_FALSE(s.D.mbarrierParityDone(M, 0)) << "the copies' arrival is counted in addition";
  s.D.cpAsyncMbarrierDone(t(0), M, copies, site(43));
  EXPECT_TRUE(s.D.mbarrierParityDone(M, 0));
  waited(t(0, 1), M);
  s.read(t(0, 1), S);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S10, SimulatedTransactionsCompleteAPhaseAndPublishNothing) {
  initMbarrier(M, 1);
  s.D.mbarrierArrive(t(0), M, 1, 16, false, arrive(), site(41));
  s.write(t(0, 2), X);
  s.D.mbarrierSimulateTx(t(0, 2), M, 16, arrive(Relaxed, Scope::Cluster), site(44));
  EXPECT_TRUE(s.D.mbarrierParityDone(M, 0));
  waited(t(0, 1), M);
  s.read(t(0, 1), X);
  EXPECT_EQ(s.rules(), "D1");
}

// Threads that execute the same arrival are kept as one: each is still a source, each may wait.
TEST_F(S10, ManyArrivalsOfOneSite) {
  initMbarrier(M, 64);
  for (int phase = 0; phase < 3; ++phase) {
    for (uint32_t i = 0; i < 64; ++i) {
      s.write(t(0, i), X + 4 * i);
      arriveAt(t(0, i), M);
    }
    for (uint32_t i = 0; i < 64; ++i) {
      waited(t(0, i), M);
      s.read(t(0, i), X + 4 * ((i + 7) % 64));
    }
    s.barrier(b[0]);
  }
  EXPECT_EQ(s.rules(), "");
  s.write(t(0, 5), Y);
  s.read(t(0, 6), Y);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S10, ArrivalsOfTwoBlocksAreJudgedApart) {
  initMbarrier(M, 2);
  clusterBarrier();
  s.write(t(0, 1), X);
  s.write(t(1, 1), Y);
  arriveAt(t(0, 1), M);
  arriveAt(t(1, 1), M); // block scope does not reach the mbarrier's block
  waited(t(0), M);
  size_t before = s.Sink.races().size();
  s.read(t(0), X);
  EXPECT_EQ(s.Sink.races().size(), before);
  s.read(t(0), Y);
  ASSERT_EQ(s.Sink.races().size(), before + 1);
  EXPECT_EQ(s.Sink.races().back().rule, Rule::InsufficientScope);
}

TEST_F(S12, SignalNeedsTheInitToBeOrdered) {
  s.D.mbarrierInit(t(0), M, 1, site(40));
  bulkIn(t(0, 1), S, X);
  s.D.asyncSignal(t(0, 1), t(0), M, site(50));
  EXPECT_EQ(s.rules(), "D1") << "the mbarrier is neither source nor destination (D10)";
}

TEST_F(S12, ASignalIsReportedAsTheCopysIssuer) {
  tellShared();
  uint64_t m = sharedOf(1) + 64;
  clusterBarrier();
  s.D.mbarrierInit(t(1), m, 1, site(40));
  bulkIn(t(0, 7), sharedOf(1) + 16, X);
  s.D.asyncSignal(t(0, 7), t(1), m, site(50));
  ASSERT_EQ(s.rules(), "D1");
  Finding f = s.Sink.races()[0];
  EXPECT_EQ(f.distance, Distance::SameCluster);
  EXPECT_EQ(f.second.block, b[0]->id);
  EXPECT_EQ(f.second.thread, ThreadIndex{7});
}

TEST_F(S12, InvalidatingWhileACopyIsUnderWay) {
  initMbarrier(M, 1);
  bulkIn(t(0), S, X);
  s.D.asyncSignal(t(0), t(0), M, site(50));
  s.D.mbarrierInval(t(0), M, site(45));
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S12, InvalidatingAfterTheWait) {
  initMbarrier(M, 1);
  s.D.mbarrierArrive(t(0), M, 1, 16, false, arrive(), site(41));
  BlockId a = bulkIn(t(0), S, X);
  BlockId signal = s.D.asyncSignal(t(0), t(0), M, site(50));
  s.D.mbarrierCompleteTx(t(0), M, 16, a, site(50), signal);
  waited(t(0, 1), M);
  s.D.mbarrierInval(t(0, 1), M, site(45));
  EXPECT_EQ(s.rules(), "");
}

TEST_F(D7, CopyToAnMbarrierThatWasNeverInitialised) {
  bulkIn(t(0), S, X);
  s.D.asyncSignal(t(0), t(0), M, site(50));
  EXPECT_EQ(s.rules(), "D7");
}

TEST_F(D7, ClusterArrivalsAndWaitsAlternate) {
  clusterBarrier();
  EXPECT_EQ(s.rules(), "");
  s.D.clusterArrive(t(0), false, site(30));
  s.D.clusterArrive(t(0), false, site(30));
  EXPECT_EQ(s.rules(), "D7");
  s.D.clusterWait(t(0, 1), site(31)); // has not arrived
  EXPECT_EQ(s.rules(), "D7 D7");
}

TEST_F(D8, CopyToAPeerThatMayHaveExited) {
  tellShared();
  clusterBarrier();
  bulkIn(t(0), sharedOf(1) + 16, X);
  finish(1);
  EXPECT_EQ(s.rules(), "D8");
}

TEST_F(D8, CopyToAPeerThatWaitsForIt) {
  tellShared();
  uint64_t m = sharedOf(1) + 64;
  s.D.mbarrierInit(t(1), m, 1, site(40));
  clusterBarrier();
  s.D.mbarrierArrive(t(1), m, 1, 16, false, arrive(), site(41));
  BlockId a = bulkIn(t(0), sharedOf(1) + 16, X);
  BlockId signal = s.D.asyncSignal(t(0), t(1), m, site(50));
  s.D.mbarrierCompleteTx(t(1), m, 16, a, site(50), signal);
  waited(t(1), m);
  s.read(t(1), sharedOf(1) + 16);
  finish(1);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(D8, CopyToAPeerThatHasNotStarted) {
  tellShared();
  bulkIn(t(0), sharedOf(1) + 16, X);
  EXPECT_EQ(s.rules(), "D8");
}

TEST_F(D8, TheBlockEndsWhileItsCopyMayStillReadItsSharedMemory) {
  tellShared();
  bulkOut(t(0, 3), X, sharedOf(0) + 32);
  finish(0);
  EXPECT_EQ(s.rules(), "D8");
  const Finding f = s.Sink.races().back();
  EXPECT_EQ(f.first.op.kind(), AccessKind::Exit);
  EXPECT_EQ(f.second.thread.value, 3u);
  EXPECT_EQ(f.second.address, sharedOf(0) + 32);
  EXPECT_EQ(f.second.bytes, 32u) << "all pieces";
}

TEST_F(D8, WaitGroupReadEndsTheNeedForTheSource) {
  tellShared();
  for (bool read : {true, false}) {
    bulkOut(t(read), X + 64 * read, sharedOf(read) + 32);
    s.D.bulkCommit(t(read));
    s.D.bulkWaitGroup(t(read), 0, read);
    finish(read);
  }
  EXPECT_EQ(s.rules(), "");
}

TEST_F(D8, AnotherThreadsWaitIsNone) {
  tellShared();
  bulkOut(t(0, 3), X, sharedOf(0) + 32);
  s.D.bulkCommit(t(0, 3));
  s.D.bulkWaitGroup(t(0, 4), 0, true);
  finish(0);
  EXPECT_EQ(s.rules(), "D8");
}

TEST_F(D8, SourcesOfABlockWithoutCluster) {
  Simulation one;
  NodeId n = one.launch(one.stream(), 2, 32);
  for (bool waits : {true, false}) {
    Block *block = one.block(n, waits);
    one.D.sharedMemory(block, 0x100000, 0x1000);
    Thread &issuer = one.thread(block, 0);
    BlockId a = one.D.asyncBegin(issuer, Proxy::Async);
    one.D.asyncRead(0x100000, 16, site(50));
    one.D.asyncWrite(X + 64 * waits, 16, site(50));
    one.D.bulkTrack(issuer, a);
    one.D.bulkCommit(issuer);
    if (waits)
      one.D.bulkWaitGroup(issuer, 0, true);
    for (Thread &x : block->threads)
      one.D.threadExit(x);
    one.D.endBlock(block);
    EXPECT_EQ(one.rules(), waits ? "" : "D8");
  }
}

TEST_F(D8, ABlockThatWasGivenUpHasNoEnd) {
  tellShared();
  bulkOut(t(0), X, sharedOf(0) + 32);
  for (Thread &x : b[0]->threads)
    s.D.threadExit(x);
  s.D.endBlock(b[0], /*ran=*/false);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(D8, ManyCopiesToAPeerAreForgottenOnceKnown) {
  tellShared();
  uint64_t m = sharedOf(1) + 64;
  s.D.mbarrierInit(t(1), m, 1, site(40));
  clusterBarrier();
  for (int i = 0; i < 1000; ++i) {
    s.D.mbarrierArrive(t(1), m, 1, 16, false, arrive(), site(41));
    BlockId a = bulkIn(t(0), sharedOf(1) + 256 + 2 * uint64_t(i % 64), X, 2);
    BlockId signal = s.D.asyncSignal(t(0), t(1), m, site(50));
    s.D.mbarrierCompleteTx(t(1), m, 16, a, site(50), signal);
    waited(t(1), m);
    clusterBarrier();
  }
  EXPECT_LT(b[1]->peerAccesses.size(), 200u);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S13, FenceLimitedToASpace) {
  tellShared();
  for (uint64_t target : {sharedOf(0) + 32, X}) {
    FenceSpace right = target == X ? FenceSpace::Global : FenceSpace::Shared;
    FenceSpace wrong = target == X ? FenceSpace::Shared : FenceSpace::Global;
    s.write(t(0), target);
    s.D.proxyFence(t(0), ProxyFence::Async, right);
    bulkIn(t(0), target == X ? Y : Y + 16, target, 4);
    EXPECT_EQ(s.rules(), target == X ? "D9" : "");
    s.write(t(0, 1), target + 4);
    s.D.proxyFence(t(0, 1), ProxyFence::Async, wrong);
    bulkIn(t(0, 1), target == X ? Y + 32 : Y + 48, target + 4, 4);
  }
  EXPECT_EQ(s.rules(), "D9 D9");
}

TEST_F(S13, TensormapFenceAcquires) {
  s.write(t(0), X, 2, 4);
  s.D.tensormapFence(t(0), Op(AccessKind::Fence, Release, Scope::Device), site(63), 0, 0);
  s.store(t(0), Y, Relaxed, Scope::Device);
  s.load(t(2), Y, Relaxed, Scope::Device);
  s.D.tensormapFence(t(2), Op(AccessKind::Fence, Acquire, Scope::Device), site(64), X, 128);
  s.D.proxyRead(t(2), X, 4, site(61), Proxy::TensorMap);
  EXPECT_EQ(s.rules(), "");
  s.load(t(3), Y, Acquire, Scope::Device);
  s.D.proxyRead(t(3), X, 4, site(61), Proxy::TensorMap);
  EXPECT_EQ(s.rules(), "D9") << "an ordinary acquire is not enough";
}
