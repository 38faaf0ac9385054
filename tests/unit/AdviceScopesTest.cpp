// A1 over-synchronized: scopes and fences wider than any observer needed.
#include "Advised.h"

using namespace scopesan::core;
using namespace scopesan::core::test;

namespace {
struct A1Scopes : Advised {
  void message(Thread &from, Thread &to, Scope release, Scope acquire, uint64_t flag = F) {
    s.store(from, flag, Release, release, 11);
    s.load(to, flag, Acquire, acquire, 12);
  }
  const ScopeUse &use(uint32_t at) {
    s.Sink.uses.clear();
    s.D.finish();
    for (const ScopeUse &u : s.Sink.uses)
      if (u.example.site == site(at))
        return Kept = u;
    ADD_FAILURE() << "no operation at site " << at;
    return Kept = ScopeUse();
  }
  ScopeUse Kept;
};
} // namespace

TEST_F(A1Scopes, SystemScopeBetweenBlocks) {
  message(t(0), t(2), Scope::System, Scope::System);
  const ScopeUse &u = use(11);
  EXPECT_TRUE(u.isTooWide());
  EXPECT_EQ(u.needed, Scope::Device);
  EXPECT_EQ(u.observer.site, site(12));
  EXPECT_EQ(u.observer.block, b[2]->id);
  EXPECT_EQ(u.executions, 1u);
  EXPECT_EQ(u.edges, 1u);
  EXPECT_EQ(u.blocks, 1u);
  EXPECT_EQ(u.launches, 1u);
  EXPECT_EQ(hits(RuleCounters::A1ScopeUse), 2u);
}

TEST_F(A1Scopes, DeviceScopeBetweenBlocks) {
  message(t(0), t(2), Scope::Device, Scope::Device);
  EXPECT_FALSE(use(11).isTooWide());
  EXPECT_FALSE(use(12).isTooWide());
}

TEST_F(A1Scopes, DeviceScopeWithinABlock) {
  message(t(0, 0), t(0, 40), Scope::Device, Scope::Block);
  EXPECT_EQ(use(11).needed, Scope::Block);
  EXPECT_TRUE(use(11).isTooWide());
  EXPECT_FALSE(use(12).isTooWide());
}

TEST_F(A1Scopes, DeviceScopeWithinACluster) {
  message(t(0), t(1), Scope::Device, Scope::Device);
  EXPECT_EQ(use(11).needed, Scope::Cluster);
}

TEST_F(A1Scopes, OneFarObserverIsEnough) {
  message(t(0, 0), t(0, 40), Scope::Device, Scope::Device);
  s.load(t(3), F, Acquire, Scope::Device, 13);
  EXPECT_FALSE(use(11).isTooWide());
  EXPECT_EQ(use(11).observer.site, site(13));
  EXPECT_FALSE(use(13).isTooWide());
}

TEST_F(A1Scopes, AScopeThatIsTooNarrowIsNotTooWide) {
  message(t(0), t(2), Scope::Block, Scope::Device);
  EXPECT_FALSE(use(11).isTooWide());
  EXPECT_FALSE(use(12).isTooWide());
}

TEST_F(A1Scopes, UnorderedAccessesNeedTheirScopeToo) { // a counter: no edge, but conflicts
  s.red(t(0), F, Relaxed, Scope::System, 1);
  s.red(t(2), F, Relaxed, Scope::System, 1);
  EXPECT_EQ(use(1).needed, Scope::Device);
  EXPECT_EQ(use(1).executions, 2u);
  EXPECT_EQ(use(1).blocks, 2u);
}

TEST_F(A1Scopes, WhatNobodyElseTouchesTellsNothing) {
  s.rmw(t(0), F, Relaxed, Scope::System, 1);
  s.rmw(t(0), F, Relaxed, Scope::System, 1);
  EXPECT_FALSE(use(1).isNeeded);
  EXPECT_FALSE(use(1).isTooWide());
}

TEST_F(A1Scopes, AFenceThatNothingUses) {
  s.write(t(0), X, 1);
  s.fence(t(0), AcqRel, Scope::Device, 2);
  s.store(t(0), F, Relaxed, Scope::Device, 3);
  EXPECT_FALSE(use(2).isNeeded);
  EXPECT_TRUE(use(2).isTooWide());
}

TEST_F(A1Scopes, AFenceThatAnEdgeUses) {
  s.fence(t(0), AcqRel, Scope::System, 2);
  s.store(t(0), F, Relaxed, Scope::Device, 3);
  s.load(t(2), F, Relaxed, Scope::Device, 4);
  s.fence(t(2), AcqRel, Scope::Device, 5);
  EXPECT_TRUE(use(2).isNeeded);
  EXPECT_EQ(use(2).needed, Scope::Device);
  EXPECT_EQ(use(2).edges, 1u);
  EXPECT_FALSE(use(5).isTooWide());
}

TEST_F(A1Scopes, AFenceBesideAnAcquireIsSuperfluous) {
  message(t(0), t(2), Scope::Device, Scope::Device);
  s.fence(t(2), AcqRel, Scope::Device, 5);
  EXPECT_FALSE(use(5).isNeeded);
}

TEST_F(A1Scopes,
       TheOrderOfFenceScIsNotSeen) { // store buffering: S5 makes no edge, C++ relies on it
  s.store(t(0), F, Relaxed, Scope::Device, 1);
  s.fence(t(0), SeqCst, Scope::Device, 2);
  s.load(t(0), G, Relaxed, Scope::Device, 3);
  EXPECT_FALSE(use(2).isTooWide());
}

TEST_F(A1Scopes, AFenceScThatOnlyReleases) {
  s.write(t(0), X, 1);
  s.fence(t(0), SeqCst, Scope::Device, 2);
  s.store(t(0), F, Relaxed, Scope::Device, 3);
  EXPECT_FALSE(use(2).isNeeded);
}

TEST_F(A1Scopes, TheHostMayLookOn) {
  s.fence(t(0), AcqRel, Scope::System, 2);
  s.store(t(0), HostSees, Relaxed, Scope::System, 3);
  s.load(t(2), HostSees + 4, Acquire, Scope::System, 4);
  s.load(t(2), HostSees + 8, Relaxed, Scope::System, 5);
  s.fence(t(2), AcqRel, Scope::System, 6);
  for (uint32_t at : {2, 3, 4, 5, 6})
    EXPECT_FALSE(use(at).isTooWide()) << at;
}

TEST_F(A1Scopes, HostThreadsThatAreSeenCount) { // S15
  HostId h = s.D.hosts().create({}, HostCode::Instrumented);
  s.store(t(0), F, Release, Scope::System, 11);
  s.load(s.D.hosts().thread(h), F, Acquire, Scope::System, 12);
  EXPECT_FALSE(use(11).isTooWide());
  EXPECT_EQ(use(11).observer.host, h);
}

TEST_F(A1Scopes, LaunchOrderBeginsANewStretch) {
  message(t(0, 0), t(0, 40), Scope::Device, Scope::Device);
  end(4);
  launch(4);
  message(t(2, 0), t(2, 40), Scope::Device, Scope::Device);
  EXPECT_EQ(use(11).needed, Scope::Block);
  EXPECT_EQ(use(11).launches, 2u);
}

TEST_F(A1Scopes, ALaunchThatBeginsLateMayBeConcurrentWithAnOldStretch) {
  NodeId late = s.launch(s.stream(), 1, 32); // beside the first one
  message(t(0, 0), t(0, 40), Scope::Device, Scope::Device);
  end(4);
  launch(4); // after the first one
  s.store(t(0), F, Relaxed, Scope::Device, 13);
  s.load(s.thread(s.block(late), 0), F, Relaxed, Scope::Device, 14);
  EXPECT_FALSE(use(11).isTooWide());
  EXPECT_FALSE(use(12).isTooWide());
  EXPECT_FALSE(use(14).isTooWide());
}
TEST_F(A1Scopes, NothingIsAdvisedBesideUnmodelledOperations) { // X1
  message(t(0, 0), t(0, 40), Scope::Device, Scope::Device);
  s.D.unmodelled(t(1));
  s.D.finish();
  EXPECT_TRUE(s.Sink.uses.empty());
}
TEST_F(A1Scopes, NothingIsAdvisedBesideOperationsThatAreNotTold) {
  message(t(0, 0), t(0, 40), Scope::Device, Scope::Device);
  s.D.settledElsewhere();
  s.D.finish();
  EXPECT_TRUE(s.Sink.uses.empty());
}
TEST_F(A1Scopes, FencesThatServeOtherProxiesAreNotUnused) { // S13, S9
  s.D.tensormapFence(t(0), Op(AccessKind::Fence, AcqRel, Scope::System), site(2), 0, 0);
  s.fence(t(0), Release, Scope::Cluster, 3); // may be fence.mbarrier_init
  EXPECT_FALSE(use(2).isTooWide());
  EXPECT_FALSE(use(3).isTooWide());
}
TEST_F(A1Scopes, ANewLocationBeginsOneToo) { // P5
  message(t(0, 0), t(0, 40), Scope::Device, Scope::Device);
  s.D.forget(F, 4);
  message(t(2, 0), t(2, 40), Scope::Device, Scope::Device);
  EXPECT_EQ(use(11).needed, Scope::Block);
}

TEST_F(A1Scopes, VolatileAccessesHaveNoScopeToChoose) {
  s.volatileStore(t(0), F, 1);
  s.volatileLoad(t(0, 40), F, 2);
  s.D.finish();
  EXPECT_TRUE(s.Sink.uses.empty());
}

TEST_F(A1Scopes, ButTheyObserve) {
  s.volatileStore(t(0), F, 1);
  s.load(t(2), F, Relaxed, Scope::Device, 2);
  EXPECT_FALSE(use(2).isTooWide());
}

TEST_F(A1Scopes, AFailedCompareExchangeIsTheSameOperation) {
  s.cas(t(0), F, Relaxed, Scope::Device, false, 1);
  s.cas(t(2), F, Relaxed, Scope::Device, true, 1);
  EXPECT_EQ(use(1).executions, 2u);
  EXPECT_EQ(s.Sink.uses.size(), 1u);
  EXPECT_EQ(use(1).example.op.kind(), AccessKind::Cas);
}

TEST_F(A1Scopes, AFenceServesARelaxedClusterArrival) { // S9
  s.write(t(0), X, 1);
  s.fence(t(0), AcqRel, Scope::Device, 2);
  s.D.clusterArrive(t(0), true, site(3));
  EXPECT_EQ(use(2).needed, Scope::Cluster);
  EXPECT_TRUE(use(2).isNeeded);
}

TEST_F(A1Scopes, SummarizedReleasersKeepTheirScope) {
  launch(8);
  for (uint32_t i = 0; i < 64; ++i) // more heads than are kept apart
    s.rmw(t(0, i), F, Release, Scope::Device, 1);
  EXPECT_FALSE(use(1).isTooWide());
}

TEST_F(A1Scopes, MbarrierOperations) {
  Op arrive(AccessKind::Rmw, Release, Scope::Cluster),
      wait(AccessKind::Load, Acquire, Scope::Block);
  s.D.mbarrierInit(t(0), G, 1, site(1));
  s.barrier(b[0]);
  s.D.mbarrierArrive(t(0, 0), G, 1, 0, false, arrive, site(2));
  s.D.mbarrierWait(t(0, 40), G, wait, site(3), true);
  EXPECT_EQ(use(2).needed, Scope::Block);
  EXPECT_TRUE(use(2).isTooWide());
  EXPECT_FALSE(use(3).isTooWide());
}
