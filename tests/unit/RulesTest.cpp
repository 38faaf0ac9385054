// One test at least for each rule that no other file is about, and that every rule counts.
// docs/rules.md names the tests of all.
#include "OneCluster.h"

using namespace scopesan::core;
using namespace scopesan::core::test;

namespace {
using O1 = OneCluster;
using O6 = OneCluster;
using D3 = OneCluster;
using D9 = OneCluster;
using D10 = OneCluster;
using S11 = OneCluster;

uint64_t hits(const Simulation &s, RuleCounters::Counter c) { return s.D.counters().values[c]; }
} // namespace

// ---------------------------------------------------------------- identities and places

TEST(P2, ABlockThatTakesAnothersPlaceIsAnotherOne) {
  Simulation s;
  NodeId a = s.launch(s.stream(), 1, 32), b = s.launch(s.stream(), 1, 32);
  Block *first = s.block(a);
  s.write(s.thread(first, 0), X);
  s.D.threadExit(s.thread(first, 0));
  s.D.endBlock(first);
  Block *second = s.block(b); // in the same storage
  ASSERT_EQ(first, second);
  s.write(s.thread(second, 0), X);
  EXPECT_EQ(s.rules(), "D1");
  EXPECT_EQ(hits(s, RuleCounters::P2Identity), 2u);
}

TEST(P2, AHostThreadIsOneInAllItsSteps) {
  Simulation s;
  HostId h = s.D.hosts().create({}, HostCode::Instrumented);
  s.write(s.D.hosts().thread(h), X);
  s.D.hosts().past(h);
  s.write(s.D.hosts().thread(h), X);
  EXPECT_EQ(s.rules(), "");
}

TEST(P6, DomainsOfOneDeviceNeedSystemScope) {
  for (uint8_t domain : {0, 1}) {
    Simulation s;
    LaunchFacts f;
    f.domain = {domain};
    NodeId a = s.launch(s.stream(), 1, 1), b = s.launch(s.stream(), 1, 1, {}, f);
    s.rmw(s.thread(s.block(a), 0), X, Relaxed, Scope::Device);
    s.rmw(s.thread(s.block(b), 0), X, Relaxed, Scope::Device);
    EXPECT_EQ(s.rules(), domain ? "D4" : "");
    EXPECT_EQ(hits(s, RuleCounters::P6Domain), domain);
    s.rmw(s.thread(s.block(b), 0), Y, Relaxed, Scope::System);
    s.rmw(s.thread(s.block(a), 0), Y, Relaxed, Scope::System);
    EXPECT_EQ(s.rules(), domain ? "D4" : "") << "system scope is wide enough";
  }
}

// ---------------------------------------------------------------- operations

TEST_F(O1, StrongOperationsDoNotRaceAndWeakOnesDo) {
  s.store(t(0), X, Relaxed, Scope::Device);
  s.rmw(t(1), X, Relaxed, Scope::Device);
  EXPECT_EQ(s.rules(), "");
  EXPECT_EQ(hits(s, RuleCounters::O1Strong), 2u);
  s.write(t(2), X);
  EXPECT_EQ(s.rules(), "D1 D1") << "with both";
  EXPECT_EQ(hits(s, RuleCounters::O1Strong), 2u);
}

TEST_F(O6, NoOrderWithinTheKernelHelps) {
  s.write(t(0), X);
  s.barrier(b[0]);
  s.read(t(0, 1), X);
  EXPECT_EQ(s.rules(), "") << "a coherent read";
  s.D.proxyRead(t(0, 1), X, 4, site(62), Proxy::NonCoherent);
  EXPECT_EQ(s.rules(), "D11");
  EXPECT_EQ(hits(s, RuleCounters::O6NonCoherent), 1u);
}

TEST_F(O6, ItsOwnWriteIsOneTooMany) {
  s.write(t(0), X);
  s.D.proxyRead(t(0), X, 4, site(62), Proxy::NonCoherent);
  EXPECT_EQ(s.rules(), "D11");
}

TEST_F(O6, ALaterWriteIsNoBetter) {
  s.D.proxyRead(t(0), X, 4, site(62), Proxy::NonCoherent);
  s.D.proxyRead(t(0), Y, 4, site(63), Proxy::NonCoherent);
  s.barrier(b[0]);
  s.write(t(0, 1), X);
  EXPECT_EQ(s.rules(), "D11");
  s.store(t(0, 1), Y, Relaxed, Scope::Device);
  EXPECT_EQ(s.rules(), "D11 D11");
}

/// Constant variables: as for any copy and kernel (D1), but what orders them within the kernel does
/// not help (D11).
TEST_F(O6, ConstantMemoryIsWrittenBetweenKernels) {
  TimelineId copies = s.stream(), kernels = s.stream();
  NodeId copy = s.D.copyNode(copies, nullptr, 0), later = s.D.copyNode(copies, nullptr, 0);
  NodeId kernel = s.launch(kernels, 1, 32);
  s.D.nodeWrite(copy, X, 4, site(60));
  s.D.proxyRead(s.thread(s.block(kernel), 0), X, 4, site(62), Proxy::ConstantBank);
  EXPECT_EQ(s.rules(), "D1") << "the kernel after the copy";
  s.D.proxyRead(s.thread(s.block(kernel), 0), Y, 4, site(62), Proxy::ConstantBank);
  s.D.nodeWrite(later, Y, 4, site(61));
  EXPECT_EQ(s.rules(), "D1 D1") << "the copy after the kernel";
  EXPECT_EQ(hits(s, RuleCounters::D11), 0u);
}

TEST_F(O6, ConstantMemoryMayBeWrittenBeforeAndAfterItsKernels) {
  TimelineId stream = s.stream();
  NodeId copy = s.D.copyNode(stream, nullptr, 0);
  NodeId kernel = s.launch(stream, 1, 32);
  NodeId later = s.D.copyNode(stream, nullptr, 0);
  s.D.nodeWrite(copy, X, 4, site(60));
  s.D.proxyRead(s.thread(s.block(kernel), 0), X, 4, site(62), Proxy::ConstantBank);
  s.D.nodeWrite(later, X, 4, site(61));
  EXPECT_EQ(s.rules(), "");
}

TEST_F(O6, ConstantMemoryIsNotReadCoherentlyInTheKernelThatWritesIt) {
  s.write(t(0), X);
  s.barrier(b[0]);
  s.D.proxyRead(t(0, 1), X, 4, site(62), Proxy::ConstantBank);
  EXPECT_EQ(s.rules(), "D11");
}

// ---------------------------------------------------------------- no special case (S11)

namespace {
/// What cooperative groups do at a grid's barrier: a block barrier, a fence, one arrival for each
/// block, a wait for the last one, a fence, a block barrier.
void gridBarrier(Simulation &s, Block *const *b, uint32_t blocks, Scope scope) {
  for (uint32_t i = 0; i < blocks; ++i) {
    s.barrier(b[i]);
    s.fence(b[i]->threads[0], SeqCst, scope, 70);
    s.rmw(b[i]->threads[0], F, Relaxed, scope, 71);
  }
  for (uint32_t i = 0; i < blocks; ++i) {
    s.load(b[i]->threads[0], F, Relaxed, scope, 72);
    s.fence(b[i]->threads[0], SeqCst, scope, 73);
    s.barrier(b[i]);
  }
}
} // namespace

TEST_F(S11, AGridBarrierFollowsFromItsAtomics) {
  s.write(t(0, 5), X, 1);
  s.write(t(3, 7), Y, 2);
  gridBarrier(s, b, 4, Scope::Device);
  s.read(t(3, 9), X, 3);
  s.read(t(0, 11), Y, 4);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S11, AGridBarrierOfBlockScopeDoesNotHold) {
  s.write(t(0, 5), X, 1);
  gridBarrier(s, b, 4, Scope::Block);
  s.read(t(3, 9), X, 3);
  EXPECT_NE(s.rules().find("D3"), std::string::npos) << s.rules();
}

TEST_F(S11, ALatchFollowsFromItsAtomics) {
  for (uint32_t i = 0; i < 3; ++i) {
    s.write(t(i), X + 4 * i, 1);
    s.rmw(t(i), F, Release, Scope::Device, 2); // count_down
  }
  s.load(t(3), F, Acquire, Scope::Device, 3); // wait
  for (uint32_t i = 0; i < 3; ++i)
    s.read(t(3), X + 4 * i, 4);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S11, ALatchOfBlockScopeIsTooNarrow) {
  s.write(t(0), X, 1);
  s.rmw(t(0), F, Release, Scope::Block, 2);
  s.load(t(3), F, Acquire, Scope::Block, 3);
  s.read(t(3), X, 4);
  EXPECT_EQ(s.rules(), "D2 D3");
}

TEST_F(S11, ASemaphoreOrdersItsHolders) {
  s.rmw(t(0), F, Acquire, Scope::Device, 1); // acquire
  s.write(t(0), X, 2);
  s.rmw(t(0), F, Release, Scope::Device, 3); // release
  s.cas(t(2), F, Acquire, Scope::Device, true, 1);
  s.write(t(2), X, 2);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S11, AConstructorIsAPlainWrite) {
  s.write(t(0), F, 1);                      // the object's constructor
  s.rmw(t(1), F, AcqRel, Scope::Device, 2); // another block uses it at once
  EXPECT_EQ(s.rules(), "D1");
  s.write(t(0), G, 1);
  s.barrier(b[0]);
  s.rmw(t(0, 1), G, AcqRel, Scope::Device, 2); // ordered: its own block, after a barrier
  EXPECT_EQ(s.rules(), "D1");
}

// ---------------------------------------------------------------- findings

TEST_F(D3, TheSmallestSetIsBlamed) {
  s.write(t(0), X, 1);
  s.store(t(0), F, Release, Scope::Device, 2);
  s.load(t(2), F, Acquire, Scope::Block, 3); // the only narrow one
  s.read(t(2), X, 4);
  ASSERT_EQ(s.rules(), "D2 D3");
  const Finding f = s.Sink.races()[1];
  ASSERT_EQ(f.blamedCount, 1u);
  EXPECT_EQ(f.blamed[0].site, site(3));
  EXPECT_EQ(f.blamed[0].needs, Scope::Device);
  EXPECT_EQ(hits(s, RuleCounters::D3), 1u);
}

TEST_F(D3, OfTwoPathsTheOneThatNeedsLessIsBlamed) {
  for (bool shorterFirst : {false, true}) {
    uint32_t at = shorterFirst ? 20 : 10;
    s.write(t(0), X, at);
    s.store(t(0), F, Release, Scope::Block, at + 1);
    s.store(t(0), G, Release, Scope::Device, at + 2);
    for (bool shorter : {shorterFirst, !shorterFirst})
      s.load(t(2), shorter ? G : F, Acquire, Scope::Block, at + (shorter ? 3 : 4));
    s.read(t(2), X, at + 5);
    const Finding f = s.Sink.races().back();
    ASSERT_EQ(f.rule, Rule::InsufficientScope) << shorterFirst;
    ASSERT_EQ(f.blamedCount, 1u) << shorterFirst;
    EXPECT_EQ(f.blamed[0].site, site(at + 3)) << shorterFirst;
  }
}

TEST_F(D3, WithoutAnObservedPathItIsD1) {
  s.write(t(0), X, 1);
  s.store(t(0), F, Release, Scope::Block, 2);
  s.read(t(2), X, 4); // never looked at the flag
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(D9, OnlyTheProxyFenceIsMissing) {
  for (bool fence : {false, true}) {
    uint64_t data = fence ? X : Y;
    s.write(t(0), data);
    if (fence)
      s.D.proxyFence(t(0), ProxyFence::Async);
    bulkIn(t(0), fence ? S : T2, data);
  }
  EXPECT_EQ(s.rules(), "D9");
  EXPECT_EQ(hits(s, RuleCounters::D9), 1u);
}

TEST_F(D10, ADestinationIsReadBeforeTheWait) {
  cpAsync(t(0), S, X);
  s.read(t(0), S);
  EXPECT_EQ(s.rules(), "D10");
  EXPECT_EQ(hits(s, RuleCounters::D10), 1u);
  s.D.cpAsyncWaitAll(t(0));
  s.read(t(0), S + 64);
  cpAsync(t(0), S + 64, X);
  s.D.cpAsyncWaitAll(t(0));
  s.read(t(0), S + 64);
  EXPECT_EQ(s.rules(), "D10");
  EXPECT_EQ(hits(s, RuleCounters::D1), 0u);
}

TEST_F(D10, ASourceIsWrittenBeforeTheWait) {
  bulkIn(t(0), S, X);
  s.write(t(0), X);
  EXPECT_EQ(s.rules(), "D10");
}

TEST(D12, AStreamThatWaitsForNothing) {
  Simulation s;
  NodeId wait = s.D.copyNode(s.stream(), nullptr, 0);
  s.D.stuckNode(wait);
  ASSERT_EQ(s.Sink.findings.size(), 1u);
  EXPECT_EQ(s.Sink.findings[0].rule, Rule::ForwardProgress);
  EXPECT_EQ(s.Sink.findings[0].first.node, wait);
  EXPECT_EQ(hits(s, RuleCounters::D12), 1u);
}

TEST(D12, WhatTheBackendSawCountsUnderItsRule) {
  Simulation s;
  Finding f;
  for (Rule r : {Rule::ForwardProgress, Rule::BarrierMisuse}) {
    f.rule = r;
    s.D.stuck(f);
  }
  EXPECT_EQ(hits(s, RuleCounters::D12), 1u);
  EXPECT_EQ(hits(s, RuleCounters::D7), 1u);
  EXPECT_EQ(s.rules(), "D12 D7");
}

TEST(D12, AHostLoopWithoutQueries) {
  Simulation s;
  HostThreads &h = s.D.hosts();
  HostId main = h.create({}, HostCode::Instrumented);
  Thread &k = s.thread(s.block(s.launch(s.stream(), 1, 1, {h.past(main)})), 0);
  for (int i = 0; i < 3; ++i)
    s.load(h.thread(main), F, Acquire, Scope::System, 1);
  s.store(k, F, Release, Scope::System, 2);
  s.load(h.thread(main), F, Acquire, Scope::System, 1);
  h.past(main);
  EXPECT_EQ(s.rules(), "D12");
  EXPECT_EQ(hits(s, RuleCounters::D12), 1u);
  EXPECT_EQ(hits(s, RuleCounters::A1Wait), 0u) << "a device thread's wait is only advice";
}

TEST(X1Limits, WhatIsGivenUpIsTold) {
  DetectorOptions o;
  o.readerBudgetBytes = 0;
  Simulation s(o);
  NodeId n = s.launch(s.stream(), 64, 32);
  std::vector<Block *> b;
  for (uint32_t i = 0; i < 64; ++i) {
    b.push_back(s.block(n, i));
    s.read(s.thread(b[i], 0), X);
    s.rmw(s.thread(b[i], 0), F, Release, Scope::Device);
  }
  EXPECT_EQ(hits(s, RuleCounters::X1GaveUp), 0u) << "nothing depends on it yet";
  s.rmw(s.thread(b[0], 1), F, Acquire, Scope::Device);
  s.write(s.thread(b[0], 1), X);
  EXPECT_EQ(s.rules(), "");
  EXPECT_EQ(hits(s, RuleCounters::X1GaveUp), s.Sink.givenUp.size());
  EXPECT_FALSE(s.Sink.givenUp.empty());
}

// ---------------------------------------------------------------- counters

namespace {
struct CounterFact {
  RuleCounters::Counter counter;
  std::string_view rule, name;
};
constexpr CounterFact Facts[] = {
#define SCOPESAN_COUNTER(rule, enumerator, what) {RuleCounters::enumerator, rule, #enumerator},
#include "scopesan/core/counters.def"
};
} // namespace

TEST(Counters, AreNamedByTheirRules) {
  for (const CounterFact &f : Facts) {
    EXPECT_TRUE(f.name.starts_with(f.rule)) << f.name;
    EXPECT_FALSE(f.name.size() > f.rule.size() && isdigit(f.name[f.rule.size()])) << f.name;
  }
}

TEST(Counters, CountNothingWithoutWork) {
  Simulation s;
  for (const CounterFact &f : Facts)
    EXPECT_EQ(hits(s, f.counter), 0u) << f.name;
}
