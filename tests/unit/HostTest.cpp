// S15: host threads as actors, each racy case beside its fixed twin.
#include "Simulation.h"

#include <gtest/gtest.h>

using namespace scopesan::core;
using namespace scopesan::core::test;

namespace {
struct S15 : testing::Test {
  Simulation s;
  HostThreads &h = s.D.hosts();
  HostId main = h.create({}, HostCode::Instrumented);
  static constexpr uint64_t Mutex = 0x9000;

  Thread &host(HostId x) { return h.thread(x); }
  /// The only thread of a kernel launched by `by` into a stream of its own.
  Thread &kernel(HostId by) {
    Node = s.launch(s.stream(), 1, 1, {h.past(by)});
    return s.thread(s.block(Node), 0);
  }
  void finish(Thread &t) {
    s.D.threadExit(t);
    s.D.endBlock(t.block);
  }
  HostId child(HostCode c = HostCode::Instrumented) { return h.create(main, c); }
  uint64_t edges() const { return s.D.counters().values[RuleCounters::S15Edge]; }
  const Finding &race(uint32_t i = 0) { return Kept = s.Sink.races().at(i); }
  NodeId Node; ///< of the latest kernel
  Finding Kept;
};
} // namespace

// ---------------------------------------------------------------- launches and waits

TEST_F(S15, AKernelComesAfterWhatItsLauncherDidBefore) {
  s.write(host(main), X, 1);
  s.read(kernel(main), X, 2);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S15, WhatTheLauncherDoesLaterRaces) {
  Thread &k = kernel(main);
  s.write(host(main), X, 1);
  s.read(k, X, 2);
  ASSERT_EQ(s.rules(), "D1");
  EXPECT_EQ(race().distance, Distance::HostDevice);
  EXPECT_EQ(race().first.host, main);
  EXPECT_EQ(race().second.host, HostId{});
}

TEST_F(S15, AnAccessRightAfterTheLaunchIsInALaterStep) {
  s.write(host(main), Y, 3); // opens the step that the launch closes
  Thread &k = kernel(main);
  s.write(host(main), X, 1);
  s.read(k, X, 2);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S15, AWaitOrdersTheHostAfterTheKernel) {
  Thread &k = kernel(main);
  s.write(k, X, 1);
  finish(k);
  h.step(main, &Node, 1);
  s.read(host(main), X, 2);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S15, WithoutTheWaitItRaces) {
  Thread &k = kernel(main);
  s.write(k, X, 1);
  finish(k);
  h.step(main, nullptr, 0);
  s.read(host(main), X, 2);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S15, OnlyTheThreadThatWaitedIsOrdered) {
  HostId other = child();
  Thread &k = kernel(main);
  s.write(k, X, 1);
  finish(k);
  h.step(main, &Node, 1);
  s.read(host(other), X, 2);
  EXPECT_EQ(s.rules(), "D1");
}

// ---------------------------------------------------------------- creation and join

TEST_F(S15, AChildStartsAfterItsCreatorsPast) {
  s.write(host(main), X, 1);
  s.write(host(child()), X, 2);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S15, AChildRacesWithWhatItsCreatorDoesLater) {
  HostId c = child();
  s.write(host(main), X, 1);
  s.write(host(c), X, 2);
  ASSERT_EQ(s.rules(), "D1");
  EXPECT_EQ(race().distance, Distance::HostThreads);
  EXPECT_EQ(race().first.host, main);
  EXPECT_EQ(race().second.host, c);
}

TEST_F(S15, JoinOrders) {
  HostId c = child();
  s.write(host(c), X, 1);
  h.end(c);
  h.join(main, c);
  s.write(host(main), X, 2);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S15, TheEndAloneDoesNot) {
  HostId c = child();
  s.write(host(c), X, 1);
  h.end(c);
  s.write(host(main), X, 2);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S15, AKernelComesAfterTheThreadsThatItsLauncherJoined) {
  HostId c = child();
  s.write(host(c), X, 1);
  h.end(c);
  h.join(main, c);
  s.read(kernel(main), X, 2);
  EXPECT_EQ(s.rules(), "");
}

// ---------------------------------------------------------------- mutexes and their like

TEST_F(S15, AMutexOrders) {
  HostId c = child();
  for (HostId x : {main, c, main}) {
    h.acquire(x, Mutex);
    s.write(host(x), X, x.value);
    h.release(x, Mutex);
  }
  EXPECT_EQ(s.rules(), "");
  EXPECT_EQ(edges(), 3u); // the creation, the second and the third lock
}

TEST_F(S15, TwoMutexesDoNot) {
  HostId c = child();
  for (HostId x : {main, c}) {
    h.acquire(x, Mutex + x.value);
    s.write(host(x), X, x.value);
    h.release(x, Mutex + x.value);
  }
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S15, AForgottenObjectCarriesNothing) {
  HostId c = child();
  s.write(host(main), X, 1);
  h.release(main, Mutex);
  h.forget(Mutex);
  h.acquire(c, Mutex);
  s.write(host(c), X, 2);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S15, EveryPostOfASemaphoreCounts) {
  HostId a = child(), b = child();
  s.write(host(a), X, 1);
  h.release(a, Mutex);
  s.write(host(b), Y, 2);
  h.release(b, Mutex);
  h.acquire(main, Mutex);
  s.read(host(main), X, 3);
  s.read(host(main), Y, 4);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S15, WhatFollowsTheReleaseIsNotCovered) {
  HostId c = child();
  h.release(main, Mutex);
  s.write(host(main), X, 1);
  h.acquire(c, Mutex);
  s.write(host(c), X, 2);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S15, ReadersOfAReadWriteLockAreNotOrderedAmongEachOther) {
  HostId c = child();
  for (HostId x : {main, c}) {
    h.acquire(x, Mutex, HostAccess::Shared);
    s.write(host(x), X, x.value);
    h.release(x, Mutex, HostAccess::Shared);
  }
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S15, WritersOfAReadWriteLockComeAfterReadersAndBeforeThem) {
  HostId c = child();
  h.acquire(main, Mutex, HostAccess::Shared);
  s.read(host(main), X, 1);
  h.release(main, Mutex, HostAccess::Shared);
  h.acquire(c, Mutex);
  s.write(host(c), X, 2);
  h.release(c, Mutex);
  h.acquire(main, Mutex, HostAccess::Shared);
  s.read(host(main), X, 3);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S15, AMutexCarriesWhatWasWaitedFor) {
  HostId c = child();
  Thread &k = kernel(main);
  s.write(k, X, 1);
  finish(k);
  h.step(main, &Node, 1);
  h.release(main, Mutex);
  h.acquire(c, Mutex);
  s.read(host(c), X, 2);
  EXPECT_EQ(s.rules(), "");
}

// ---------------------------------------------------------------- atomics (S1-S4 at P4's scopes)

TEST_F(S15, AHostFlagOrdersARunningKernel) {
  Thread &k = kernel(main);
  s.write(host(main), X, 1);
  s.store(host(main), F, Release, Scope::System, 2);
  s.load(k, F, Acquire, Scope::System, 3);
  s.read(k, X, 4);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S15, BelowSystemScopeAHostThreadIncludesOnlyItself) {
  Thread &k = kernel(main);
  s.write(host(main), X, 1);
  s.store(host(main), F, Release, Scope::Device, 2);
  s.load(k, F, Acquire, Scope::System, 3);
  s.read(k, X, 4);
  ASSERT_EQ(s.rules(), "D2 D3");
  const Finding &d3 = race(1);
  ASSERT_EQ(d3.blamedCount, 1u);
  EXPECT_EQ(d3.blamed[0].site, site(2));
  EXPECT_EQ(d3.blamed[0].needs, Scope::System);
}

TEST_F(S15, DeviceScopeExcludesTheHost) {
  Thread &k = kernel(main);
  s.write(k, X, 1);
  s.store(k, F, Release, Scope::Device, 2);
  s.load(host(main), F, Acquire, Scope::System, 3);
  s.read(host(main), X, 4);
  ASSERT_EQ(s.rules(), "D2 D3");
  EXPECT_EQ(race(1).blamed[0].site, site(2));
}

TEST_F(S15, ScopedAtomicsOfTwoHostThreadsRaceToo) {
  HostId c = child();
  s.store(host(main), F, Relaxed, Scope::Block, 1);
  s.store(host(c), F, Relaxed, Scope::System, 2);
  EXPECT_EQ(s.rules(), "D2");
}

TEST_F(S15, AHostThreadsOwnOperationsNeedNoScope) { // in different steps: one thread all the same
  s.store(host(main), F, Relaxed, Scope::Block, 1);
  h.step(main, nullptr, 0);
  s.rmw(host(main), F, Relaxed, Scope::Thread, 2);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S15, FencesOutliveASteps) {
  Thread &k = kernel(main);
  s.write(host(main), X, 1);
  s.fence(host(main), Release, Scope::System, 2);
  h.step(main, nullptr, 0);
  s.store(host(main), F, Relaxed, Scope::System, 3);
  s.load(k, F, Acquire, Scope::System, 4);
  s.read(k, X, 5);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S15, PendingReadsOutliveASteps) {
  Thread &k = kernel(main);
  s.write(k, X, 1);
  s.store(k, F, Release, Scope::System, 2);
  s.load(host(main), F, Relaxed, Scope::System, 3);
  h.step(main, nullptr, 0);
  s.fence(host(main), Acquire, Scope::System, 4);
  s.read(host(main), X, 5);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S15, ALaterStoreInALaterStepRepublishes) { // S4
  Thread &k = kernel(main);
  s.write(host(main), X, 1);
  s.store(host(main), F, Release, Scope::System, 2);
  h.step(main, nullptr, 0);
  s.store(host(main), F, Relaxed, Scope::System, 3);
  s.load(k, F, Acquire, Scope::System, 4);
  s.read(k, X, 5);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S15, AnotherThreadsStoreDoesNot) { // S4
  HostId c = child();
  Thread &k = kernel(main);
  s.write(host(main), X, 1);
  s.store(host(main), F, Release, Scope::System, 2);
  s.store(host(c), F, Relaxed, Scope::System, 3);
  s.load(k, F, Acquire, Scope::System, 4);
  s.read(k, X, 5);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S15, TheNewestReleaseCountsAcrossSteps) {
  Thread &k = kernel(main);
  s.rmw(host(main), F, Release, Scope::System, 1);
  h.step(main, nullptr, 0);
  s.write(host(main), X, 2);
  s.rmw(host(main), F, Release, Scope::System, 3);
  s.load(k, F, Acquire, Scope::System, 4);
  s.read(k, X, 5);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S15, AHostRmwIsALinkOfAChain) {
  Thread &k = kernel(main), &l = kernel(main);
  s.write(k, X, 1);
  s.store(k, F, Release, Scope::System, 2);
  s.rmw(host(main), F, Relaxed, Scope::System, 3);
  s.load(l, F, Acquire, Scope::System, 4);
  s.read(l, X, 5);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S15, ANarrowHostRmwBreaksTheChain) {
  Thread &k = kernel(main), &l = kernel(main);
  s.write(k, X, 1);
  s.store(k, F, Release, Scope::System, 2);
  s.rmw(host(main), F, Relaxed, Scope::Device, 3);
  s.load(l, F, Acquire, Scope::System, 4);
  s.read(l, X, 5);
  ASSERT_EQ(s.rules(), "D2 D2 D3");
  EXPECT_EQ(race(2).blamed[0].site, site(3));
}

TEST_F(S15, AKernelComesAfterWhatItsLauncherAcquired) {
  Thread &k = kernel(main);
  s.write(k, X, 1);
  s.store(k, F, Release, Scope::System, 2);
  s.load(host(main), F, Acquire, Scope::System, 3);
  s.read(kernel(main), X, 4);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S15, HostThreadsSynchronizeByAtomics) {
  HostId c = child();
  s.write(host(main), X, 1);
  s.store(host(main), F, Release, Scope::System, 2);
  s.load(host(c), F, Acquire, Scope::System, 3);
  s.write(host(c), X, 4);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S15, RelaxedAtomicsDoNot) {
  HostId c = child();
  s.write(host(main), X, 1);
  s.store(host(main), F, Relaxed, Scope::System, 2);
  s.load(host(c), F, Acquire, Scope::System, 3);
  s.write(host(c), X, 4);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S15, NeighbouringBytesDoNotRace) { // P1
  Thread &k = kernel(main);
  s.write(host(main), X, 1, 1);
  s.write(k, X + 1, 2, 1);
  EXPECT_EQ(s.rules(), "");
}

// ---------------------------------------------------------------- opaque threads

TEST_F(S15, OpaqueThreadsAreTotallyOrdered) {
  HostId a = child(HostCode::Opaque), b = child(HostCode::Opaque);
  for (HostId x : {a, b, a, b}) {
    s.write(host(x), X, x.value);
    s.write(host(x), Y, x.value);
  }
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S15, TheirLaunchesAreOrderedWithTheOthersWork) {
  HostId a = child(HostCode::Opaque), b = child(HostCode::Opaque);
  s.write(host(a), X, 1);
  s.write(kernel(b), X, 2);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S15, NothingOrdersThemAfterARunningKernel) {
  HostId a = child(HostCode::Opaque), b = child(HostCode::Opaque);
  s.write(kernel(a), X, 1);
  s.write(host(b), X, 2);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S15, AnOpaqueThreadIsOrderedWithInstrumentedOnes) {
  HostId a = child(), b = child(HostCode::Opaque), c = child();
  s.write(host(a), X, 1);
  s.write(host(b), X, 2);
  s.write(host(c), X, 3);
  s.write(host(b), X, 4);
  s.write(host(a), X, 5);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S15, InstrumentedOnesAreNotOrderedByIt) {
  HostId a = child(), b = child(HostCode::Opaque), c = child();
  s.write(host(b), Y, 1);
  s.write(host(a), X, 2);
  s.write(host(c), X, 3);
  EXPECT_EQ(s.rules(), "D1");
}

// ---------------------------------------------------------------- with other rules

TEST_F(S15, ANonCoherentReadComesAfterWhatPrecedesTheLaunch) { // O6
  s.write(host(main), X, 1);
  Thread &k = kernel(main);
  s.D.proxyRead(k, X, 4, site(2), Proxy::NonCoherent);
  finish(k);
  h.step(main, &Node, 1);
  s.write(host(main), X, 3);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S15, AHostWriteDuringTheGridIsD11) { // whatever the flags say
  Thread &k = kernel(main);
  s.write(host(main), X, 1);
  s.store(host(main), F, Release, Scope::System, 2);
  s.load(k, F, Acquire, Scope::System, 3);
  s.D.proxyRead(k, X, 4, site(4), Proxy::NonCoherent);
  EXPECT_EQ(s.rules(), "D11");
}

TEST_F(S15, AHostWaitWithoutQueriesIsNotPromised) { // D12c
  Thread &k = kernel(main);
  for (int i = 0; i < 3; ++i)
    s.load(host(main), F, Acquire, Scope::System, 1);
  s.store(k, F, Release, Scope::System, 2);
  s.load(host(main), F, Acquire, Scope::System, 1);
  h.past(main);
  ASSERT_EQ(s.Sink.findings.size(), 1u);
  EXPECT_EQ(s.Sink.findings[0].rule, Rule::ForwardProgress);
  EXPECT_EQ(s.Sink.findings[0].distance, Distance::HostDevice);
  EXPECT_EQ(s.Sink.findings[0].second.host, main);
}

TEST_F(S15, AQueryInEveryIterationPromises) {
  Thread &k = kernel(main);
  for (int i = 0; i < 3; ++i) {
    h.step(main, nullptr, 0);
    s.load(host(main), F, Acquire, Scope::System, 1);
  }
  s.store(k, F, Release, Scope::System, 2);
  h.step(main, nullptr, 0);
  s.load(host(main), F, Acquire, Scope::System, 1);
  h.past(main);
  EXPECT_EQ(s.Sink.findings.size(), 0u);
}

TEST_F(S15, HostThreadsPromiseEachOther) {
  HostId c = child();
  for (int i = 0; i < 3; ++i)
    s.load(host(main), F, Acquire, Scope::System, 1);
  s.store(host(c), F, Release, Scope::System, 2);
  s.load(host(main), F, Acquire, Scope::System, 1);
  h.past(main);
  EXPECT_EQ(s.Sink.findings.size(), 0u);
}

// ---------------------------------------------------------------- memory of the host alone

TEST_F(S15, AtomicsOfOrdinaryMemoryOrder) {
  HostId c = child();
  s.write(host(main), X, 1);
  s.D.synchronize(host(main), F, 4, Op(AccessKind::Store, Release, Scope::System), site(2), true);
  s.D.synchronize(host(c), F, 4, Op(AccessKind::Load, Acquire, Scope::System), site(3), false);
  s.write(host(c), X, 4);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S15, RelaxedOnesDoNot) {
  HostId c = child();
  s.write(host(main), X, 1);
  s.D.synchronize(host(main), F, 4, Op(AccessKind::Store, Relaxed, Scope::System), site(2), true);
  s.D.synchronize(host(c), F, 4, Op(AccessKind::Load, Acquire, Scope::System), site(3), false);
  s.write(host(c), X, 4);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S15, OrdinaryMemoryIsNeverPartOfAFinding) { // freed and used again, nobody knows
  HostId c = child();
  s.D.synchronize(host(main), F, 8, Op(AccessKind::Store, Relaxed, Scope::System), site(1), true);
  s.D.synchronize(host(c), F, 4, Op(AccessKind::Rmw, AcqRel, Scope::System), site(2), true);
  s.D.synchronize(host(main), F + 2, 2, Op(AccessKind::Cas, AcqRel, Scope::System), site(3), false);
  EXPECT_EQ(s.Sink.findings.size(), 0u);
}

// ---------------------------------------------------------------- host functions

TEST_F(S15, WhatFollowsAHostFunctionFollowsWhatItDid) {
  TimelineId stream = s.stream();
  NodeId past = h.past(main);
  NodeId function = s.D.marker(stream, &past, 1);
  NodeId after = s.launch(stream, 1, 1); // enqueued before the function has run
  HostId f = child();
  s.D.begin(function);
  h.step(f, &function, 1);
  s.write(host(f), X, 1);
  s.D.during(function, h.past(f));
  s.read(s.thread(s.block(after), 0), X, 2);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S15, OtherStreamsDoNot) {
  NodeId past = h.past(main);
  NodeId function = s.D.marker(s.stream(), &past, 1);
  NodeId other = s.launch(s.stream(), 1, 1, {past});
  HostId f = child();
  s.D.begin(function);
  h.step(f, &function, 1);
  s.write(host(f), X, 1);
  s.D.during(function, h.past(f));
  s.read(s.thread(s.block(other), 0), X, 2);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S15, ManyStepsStayCheap) {
  for (int i = 0; i < 2000; ++i) {
    h.acquire(main, Mutex);
    s.rmw(host(main), F, AcqRel, Scope::System);
    h.release(main, Mutex);
    s.rmw(kernel(main), F, AcqRel, Scope::System);
  }
  EXPECT_EQ(s.rules(), "");
}
