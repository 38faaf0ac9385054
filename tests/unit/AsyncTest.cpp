// S12 asynchronous copies, S13 proxies, D9-D11, programmatic dependent launch.
#include "OneCluster.h"

using namespace scopesan::core;
using namespace scopesan::core::test;

namespace {
using S12 = OneCluster;
using S13 = OneCluster;
using D11 = OneCluster;
} // namespace

TEST_F(S12, CopyIsNotInProgramOrder) {
  cpAsync(t(0), S, X);
  s.read(t(0), S);
  EXPECT_EQ(s.rules(), "D10");
}

TEST_F(S12, TheDistanceOfACopyIsThatOfItsIssuer) {
  const struct {
    uint32_t block, thread;
    Distance distance;
  } Readers[] = {{0, 40, Distance::SameThread},
                 {0, 41, Distance::SameWarp},
                 {0, 0, Distance::SameBlock},
                 {1, 40, Distance::SameCluster},
                 {2, 40, Distance::SameGrid}};
  for (uint32_t i = 0; i < 5; ++i) {
    uint64_t at = S + i * 16;
    bulkIn(t(0, 40), at, X);
    s.read(t(Readers[i].block, Readers[i].thread), at);
    ASSERT_EQ(s.Sink.races().size(), i + 1);
    EXPECT_EQ(s.Sink.races()[i].rule, Rule::AsyncInFlight);
    EXPECT_EQ(s.Sink.races()[i].distance, Readers[i].distance) << i;
  }
}
TEST_F(S12, WaitAllCompletesForTheIssuerOnly) {
  cpAsync(t(0, 0), S, X);
  s.D.cpAsyncWaitAll(t(0, 0));
  s.read(t(0, 0), S);
  EXPECT_EQ(s.rules(), "");
  s.read(t(0, 1), S);
  EXPECT_EQ(s.rules(), "D10");
}

TEST_F(S12, WaitThenBarrier) {
  cpAsync(t(0, 0), S, X);
  s.D.cpAsyncWaitAll(t(0, 0));
  s.barrier(b[0]);
  s.read(t(0, 1), S);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S12, BarrierAloneCompletesNothing) {
  cpAsync(t(0, 0), S, X);
  s.barrier(b[0]);
  s.read(t(0, 1), S);
  EXPECT_EQ(s.rules(), "D10");
}

TEST_F(S12, WaitGroupCompletesOldest) {
  cpAsync(t(0), S, X);
  s.D.cpAsyncCommit(t(0));
  cpAsync(t(0), T2, Y);
  s.D.cpAsyncCommit(t(0));
  s.D.cpAsyncWaitGroup(t(0), 1);
  s.read(t(0), S);
  EXPECT_EQ(s.rules(), "");
  s.read(t(0), T2);
  EXPECT_EQ(s.rules(), "D10");
  s.D.cpAsyncWaitGroup(t(0), 0);
  s.read(t(0), T2);
  EXPECT_EQ(s.rules(), "D10");
}

TEST_F(S12, TwoCopiesToOneDestinationRace) {
  cpAsync(t(0), S, X);
  cpAsync(t(0), S, Y);
  EXPECT_EQ(s.rules(), "D10");
}

TEST_F(S12, StartsAfterTheIssuersEarlierOperations) {
  s.write(t(0), X);
  cpAsync(t(0), S, X);
  s.D.cpAsyncWaitAll(t(0));
  s.write(t(0), X);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S12, CopyArrivesOnAnMbarrier) {
  initMbarrier(M, 1);
  cpAsync(t(0), S, X);
  s.D.cpAsyncMbarrierArrive(t(0), M, true, site(43));
  waited(t(0, 1), M);
  s.read(t(0, 1), S);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S12, BulkCopyCompletesOnItsMbarrier) {
  initMbarrier(M, 1);
  s.write(t(0), Y);
  s.D.mbarrierArrive(t(0), M, 1, 16, false, arrive(), site(41));
  s.write(t(0), G);
  BlockId a = bulkIn(t(0), S, X);
  s.D.mbarrierCompleteTx(t(0), M, 16, a, site(50));
  waited(t(0, 1), M);
  s.read(t(0, 1), S);
  s.read(t(0, 1), Y); // carried by the arrival
  EXPECT_EQ(s.rules(), "");
  s.read(t(0, 1), G); // complete_tx does not carry the issuer's writes
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S12, WrongMbarrier) {
  initMbarrier(M, 1);
  s.D.mbarrierInit(t(0), M2, 1, site(40));
  s.barrier(b[0]);
  for (uint64_t m : {M, M2}) {
    s.D.mbarrierArrive(t(0), m, 1, 16, false, arrive(), site(41));
    BlockId a = bulkIn(t(0), m == M ? S : T2, X);
    s.D.mbarrierCompleteTx(t(0), m, 16, a, site(50));
  }
  waited(t(0, 1), M);
  s.read(t(0, 1), S);
  EXPECT_EQ(s.rules(), "");
  s.read(t(0, 1), T2);
  EXPECT_EQ(s.rules(), "D10");
}

TEST_F(S12, WaitGroupReadFreesTheSourceOnly) {
  s.write(t(0), S);
  s.D.proxyFence(t(0), ProxyFence::Async);
  BlockId a = bulkIn(t(0), X, S, 4);
  s.D.bulkTrack(t(0), a);
  s.D.bulkCommit(t(0));
  s.D.bulkWaitGroup(t(0), 0, true);
  s.write(t(0), S);
  EXPECT_EQ(s.rules(), "");
  s.read(t(0), X);
  EXPECT_EQ(s.rules(), "D10");
  s.D.bulkWaitGroup(t(0), 0, false);
  s.read(t(0), X);
  EXPECT_EQ(s.rules(), "D10");
}

TEST_F(S12, SourceReuseWithoutWait) {
  s.D.bulkTrack(t(0), bulkIn(t(0), X, S, 4));
  s.D.bulkCommit(t(0));
  s.write(t(0), S);
  EXPECT_EQ(s.rules(), "D10");
}

TEST_F(S12, WaitGroupOfAnotherThreadHasNoEffect) {
  s.D.bulkTrack(t(0, 0), bulkIn(t(0, 0), X, S, 4));
  s.D.bulkCommit(t(0, 0));
  s.D.bulkWaitGroup(t(0, 1), 0, false);
  s.barrier(b[0]);
  s.write(t(0, 1), S);
  EXPECT_EQ(s.rules(), "D10");
}

TEST_F(S12, ReducingCopiesAreMutuallyStrong) {
  Op red(AccessKind::Red, Relaxed, Scope::Device);
  for (int k : {0, 2}) {
    s.D.asyncBegin(t(k), Proxy::Async);
    s.D.asyncReduce(X, 4, red, site(52));
  }
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S12, AReducingCopyIsNotMorallyStrongWithOtherProxies) {
  s.rmw(t(0), X, Relaxed, Scope::Device);
  s.store(t(0), X + 4, Relaxed, Scope::Device);
  s.load(t(0), X + 8, Relaxed, Scope::Device);
  reduce(t(2), X, 3);
  EXPECT_EQ(s.rules(), "D10 D10 D10");
  reduce(t(0), Y, 3);
  s.rmw(t(2), Y, Relaxed, Scope::Device);
  s.store(t(2), Y + 4, Relaxed, Scope::Device);
  s.load(t(2), Y + 8, Relaxed, Scope::Device);
  EXPECT_EQ(s.rules(), "D10 D10 D10 D10 D10 D10");
}

TEST_F(S12, AReducingCopyEndsAReleaseSequence) { // S3
  s.write(t(0), Y);
  s.store(t(0), X, Release, Scope::Device);
  s.load(t(2), X, Acquire, Scope::Device);
  s.D.proxyFence(t(2), ProxyFence::Async);
  reduce(t(2), X, 1);
  EXPECT_EQ(s.rules(), "");
  s.load(t(3), X, Acquire, Scope::Device);
  s.read(t(3), Y);
  EXPECT_EQ(s.rules(), "D10 D1");
}

TEST_F(S13, AStrongWriteBeforeAReducingCopyNeedsAFence) {
  for (bool fence : {false, true}) {
    uint64_t data = fence ? X : Y;
    s.rmw(t(0), data, Relaxed, Scope::Device);
    if (fence)
      s.D.proxyFence(t(0), ProxyFence::Async);
    reduce(t(0), data, 1);
    EXPECT_EQ(s.rules(), "D9") << fence;
  }
}

TEST_F(S12, AnAsynchronousReleasePublishesWhatPrecedesIt) {
  auto release = [&](uint64_t at, Scope scope) {
    s.D.asyncRelease(t(0), at, 4, Op(AccessKind::Store, Release, scope), site(70));
  };
  s.write(t(0), X);
  release(F, Scope::Device);
  s.write(t(0), Y);
  s.load(t(2), F, Acquire, Scope::Device);
  s.read(t(2), X);
  EXPECT_EQ(s.rules(), "");
  s.read(t(2), Y); // the issuer's later operations are not released
  EXPECT_EQ(s.rules(), "D1");
  s.write(t(2), F); // who acquired it comes after the store
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S12, AnAsynchronousReleaseIsNotBeforeItsIssuersLaterOperations) {
  s.D.asyncRelease(t(0), F, 4, Op(AccessKind::Red, Release, Scope::System), site(70));
  s.read(t(0), F);
  EXPECT_EQ(s.rules(), "D10");
}

TEST_F(S12, KernelEndCompletesCopies) {
  TimelineId st = s.stream();
  NodeId k1 = s.launch(st, 1, 32), k2 = s.launch(st, 1, 32);
  bulkIn(s.thread(s.block(k1), 0), X, S, 4);
  s.read(s.thread(s.block(k2), 0), X);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S13, GenericWriteToAsyncReadNeedsAFence) {
  s.write(t(0), S);
  bulkIn(t(0), X, S, 4);
  ASSERT_EQ(s.rules(), "D9");
  s.write(t(0), T2);
  s.D.proxyFence(t(0), ProxyFence::Async);
  bulkIn(t(0), Y, T2, 4);
  EXPECT_EQ(s.rules(), "D9");
}

TEST_F(S13, FenceBeforeOrAfterTheBarrier) {
  s.write(t(0, 1), S);
  s.D.proxyFence(t(0, 1), ProxyFence::Async);
  s.write(t(0, 2), T2);
  s.barrier(b[0]);
  bulkIn(t(0, 0), X, S, 4);
  EXPECT_EQ(s.rules(), "");
  s.D.proxyFence(t(0, 0), ProxyFence::Async);
  bulkIn(t(0, 0), Y, T2, 4);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S13, FenceInAnotherBlockDoesNotCount) {
  s.write(t(0), S);
  s.D.proxyFence(t(0), ProxyFence::Async);
  clusterBarrier();
  bulkIn(t(1), X, S, 4);
  EXPECT_EQ(s.rules(), "D9");
}

TEST_F(S13, AliasNeedsItsFenceEvenWithinAThread) {
  s.write(t(0), X);
  s.D.proxyRead(t(0), X, 4, site(60), Proxy::Alias);
  ASSERT_EQ(s.rules(), "D9");
  s.write(t(0), Y);
  s.D.proxyFence(t(0), ProxyFence::Alias);
  s.D.proxyRead(t(0), Y, 4, site(60), Proxy::Alias);
  EXPECT_EQ(s.rules(), "D9");
}

TEST_F(S13, TensorMapNeedsItsAcquire) {
  s.write(t(0), X, 2, 4);
  s.D.proxyRead(t(0), X, 4, site(61), Proxy::TensorMap);
  ASSERT_EQ(s.rules(), "D9");
  mapFence(t(0), Release, Scope::Block);
  s.D.proxyRead(t(0), X, 4, site(62), Proxy::TensorMap);
  ASSERT_EQ(s.rules(), "D9 D9");
  mapFence(t(0), Acquire, Scope::Block);
  s.D.proxyRead(t(0), X, 4, site(63), Proxy::TensorMap);
  EXPECT_EQ(s.rules(), "D9 D9");
}

TEST_F(S13, ATensorMapNeedsBothHalvesOfItsFenceAtWideScopes) {
  struct {
    Scope release, acquire;
    const char *rules;
  } cases[] = {{Scope::Device, Scope::System, ""},
               {Scope::Cluster, Scope::Device, " D9"},
               {Scope::Device, Scope::Cluster, " D9"},
               {Scope::Thread, Scope::Device, " D9"}};
  std::string expected;
  uint64_t data = X, flag = Y;
  for (auto &c : cases) { // Thread: none
    s.write(t(0), data += 4);
    if (c.release != Scope::Thread)
      mapFence(t(0), Release, c.release);
    s.store(t(0), flag += 4, Release, Scope::Device);
    s.load(t(2), flag, Acquire, Scope::Device);
    mapFence(t(2), Acquire, c.acquire);
    s.D.proxyRead(t(2), data, 4, site(61), Proxy::TensorMap);
    expected += expected.empty() && *c.rules ? c.rules + 1 : c.rules;
    EXPECT_EQ(s.rules(), expected) << int(c.release) << int(c.acquire);
  }
}

TEST_F(S13, AnAcquireConcernsTheMapAtItsAddressOnly) {
  constexpr uint64_t Maps = 0x40000;
  for (uint64_t at : {Maps, Maps + 124, Maps + 128, Maps + 256})
    s.write(t(0), at);
  mapFence(t(0), Release, Scope::Device);
  s.store(t(0), Y, Release, Scope::Device);
  s.load(t(2), Y, Acquire, Scope::Device);
  mapFence(t(2), Acquire, Scope::Device, Maps, 128);
  s.D.proxyRead(t(2), Maps, 4, site(61), Proxy::TensorMap);
  s.D.proxyRead(t(2), Maps + 124, 4, site(62), Proxy::TensorMap);
  EXPECT_EQ(s.rules(), "");
  s.D.proxyRead(t(2), Maps + 128, 4, site(63), Proxy::TensorMap);
  EXPECT_EQ(s.rules(), "D9");
  mapFence(t(2), Acquire, Scope::Device, Maps + 256, 128);
  s.D.proxyRead(t(2), Maps + 256, 4, site(64), Proxy::TensorMap);
  s.D.proxyRead(t(2), Maps, 4, site(65), Proxy::TensorMap);
  EXPECT_EQ(s.rules(), "D9") << "pieces of one block do not replace each other";
}

TEST(S13Option, ProxyWarAsksForAFenceAfterAGenericRead) {
  for (bool asks : {false, true})
    for (bool fences : {false, true}) {
      DetectorOptions options;
      options.proxyWar = asks;
      Simulation s(options);
      Block *b = s.block(s.launch(s.stream(), 1, 64), 0);
      s.read(s.thread(b, 1), X);
      if (fences)
        s.D.proxyFence(s.thread(b, 1), ProxyFence::Async);
      s.barrier(b);
      s.D.asyncBegin(s.thread(b, 0), Proxy::Async);
      s.D.asyncWrite(X, 4, site(52));
      EXPECT_EQ(s.rules(), asks && !fences ? "D9" : "");
    }
}

TEST_F(S13, ACopyReadsItsMapUntilItIsDone) {
  constexpr uint64_t Map = 0x40000;
  auto copy = [&](uint64_t map) {
    s.write(t(0), map);
    mapFence(t(0), Release, Scope::Device);
    mapFence(t(0), Acquire, Scope::Device, map, 128);
    BlockId a = s.D.asyncBegin(t(0), Proxy::Async);
    s.D.asyncReadMap(map, 4, site(66));
    s.D.bulkTrack(t(0), a);
    s.D.bulkCommit(t(0));
  };
  copy(Map);
  EXPECT_EQ(s.rules(), "");
  s.write(t(0), Map, 67);
  EXPECT_EQ(s.rules(), "D10");
  copy(Map + 128);
  s.D.bulkWaitGroup(t(0), 0, false);
  s.write(t(0), Map + 128, 68);
  EXPECT_EQ(s.rules(), "D10") << "the copy has read its map";
}

TEST_F(S13, AMapIsAcquiredForItsBlock) {
  constexpr uint64_t Map = 0x40000;
  s.write(t(0), Map);
  mapFence(t(0), Release, Scope::Device);
  s.store(t(0), Y, Release, Scope::Device);
  s.load(t(2), Y, Acquire, Scope::Device);
  mapFence(t(2), Acquire, Scope::Device, Map, 128);
  s.barrier(b[2]);
  s.D.proxyRead(t(2, 7), Map, 4, site(61), Proxy::TensorMap);
  EXPECT_EQ(s.rules(), "");
  s.store(t(2), X, Release, Scope::Device);
  s.load(t(3), X, Acquire, Scope::Device);
  s.D.proxyRead(t(3), Map, 4, site(62), Proxy::TensorMap);
  EXPECT_EQ(s.rules(), "D9") << "another block";
}

TEST_F(S13, WhatFollowsTheReleaseOfATensorMapIsNotReleased) {
  mapFence(t(0), Release, Scope::Device);
  s.write(t(0), X);
  mapFence(t(0), Acquire, Scope::Device);
  s.D.proxyRead(t(0), X, 4, site(61), Proxy::TensorMap);
  EXPECT_EQ(s.rules(), "D9");
}

TEST_F(D11, NonCoherentReadOfDataWrittenInTheKernel) {
  s.write(t(0), X);
  s.barrier(b[0]);
  s.D.proxyRead(t(0, 1), X, 4, site(62), Proxy::NonCoherent);
  EXPECT_EQ(s.rules(), "D11");
  s.D.proxyRead(t(0, 1), Y, 4, site(62), Proxy::NonCoherent);
  s.barrier(b[0]);
  s.write(t(0, 0), Y);
  EXPECT_EQ(s.rules(), "D11 D11");
}

TEST_F(D11, EarlierKernelIsFine) {
  TimelineId st = s.stream();
  NodeId k1 = s.launch(st, 1, 32), k2 = s.launch(st, 1, 32);
  s.write(s.thread(s.block(k1), 0), X);
  s.D.proxyRead(s.thread(s.block(k2), 0), X, 4, site(62), Proxy::NonCoherent);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(D11, SurfaceReadOfWhatTheKernelWrote) {
  s.D.proxyWrite(t(0), X, 4, site(60), Proxy::Surface);
  s.D.surfaceRead(t(0), X, 4, site(61)); // not even its own thread's write
  EXPECT_EQ(s.rules(), "D11");
  s.write(t(0), Y);
  s.barrier(b[0]);
  s.D.surfaceRead(t(0, 1), Y, 4, site(61)); // D11 stands for the proxy, too
  EXPECT_EQ(s.rules(), "D11 D11");
}

TEST_F(D11, SurfaceWriteAfterTheRead) {
  s.D.surfaceRead(t(0), X, 4, site(61));
  s.D.proxyWrite(t(0), X, 4, site(60), Proxy::Surface);
  EXPECT_EQ(s.rules(), "");
  s.D.surfaceRead(t(0), Y, 4, site(61));
  s.barrier(b[0]);
  s.D.proxyWrite(t(0, 1), Y, 4, site(60), Proxy::Surface); // one proxy in one block
  EXPECT_EQ(s.rules(), "");
  s.barrier(b[0]);
  s.write(t(0), Y);
  EXPECT_EQ(s.rules(), "D9");
}

TEST_F(D11, UnorderedSurfaceAccessesAreRaces) {
  s.D.proxyWrite(t(0), X, 4, site(60), Proxy::Surface);
  s.D.surfaceRead(t(0, 1), X, 4, site(61));
  EXPECT_EQ(s.rules(), "D1");
  s.D.surfaceRead(t(0), Y, 4, site(61));
  s.D.proxyWrite(t(0, 1), Y, 4, site(60), Proxy::Surface);
  EXPECT_EQ(s.rules(), "D1 D1");
}

TEST_F(D11, SurfaceReadOfAnEarlierKernelsWrite) {
  TimelineId st = s.stream();
  NodeId k1 = s.launch(st, 1, 32), k2 = s.launch(st, 1, 32);
  s.D.proxyWrite(s.thread(s.block(k1), 0), X, 4, site(60), Proxy::Surface);
  s.D.surfaceRead(s.thread(s.block(k2), 0), X, 4, site(62));
  s.store(s.thread(s.block(k2), 0), Y, Relaxed, Scope::Device);
  EXPECT_EQ(s.rules(), "");
  s.D.surfaceRead(s.thread(s.block(k2), 0), Y, 4, site(62)); // an atomic write, too
  EXPECT_EQ(s.rules(), "D11");
}

TEST(S14, ProgrammaticLaunchIsOrderedByItsWaitOnly) {
  Simulation s;
  TimelineId p = s.stream(), q = s.stream();
  NodeId k1 = s.launch(p, 1, 32), k2 = s.launch(q, 1, 64);
  s.D.programmatic(k2, k1);
  s.write(s.thread(s.block(k1), 0), X);
  Block *b = s.block(k2);
  s.read(s.thread(b, 0), X);
  EXPECT_EQ(s.rules(), "D1");
  s.D.griddepWait(s.thread(b, 1));
  s.read(s.thread(b, 1), X);
  EXPECT_EQ(s.rules(), "D1");
  s.read(s.thread(b, 2), X);
  EXPECT_EQ(s.rules(), "D1 D1") << "peers need a barrier";
  s.barrier(b);
  s.read(s.thread(b, 3), X);
  EXPECT_EQ(s.rules(), "D1 D1");
}
