// D6: operations of system scope on memory where they are not atomic.
#include "Simulation.h"

#include <gtest/gtest.h>

using namespace scopesan::core;
using namespace scopesan::core::test;

namespace {

struct D6 : testing::Test {
  Simulation s;
  /// One thread each of two launches in unordered streams.
  Thread &thread(uint32_t device = 0) {
    LaunchFacts facts;
    facts.device = {uint16_t(device)};
    return s.thread(s.block(s.launch(s.stream(), 1, 1, {}, facts)), 0);
  }
  void memory(Atomicity kind) { s.D.setAtomicity(X, 64, {kind}); }
  size_t advice() const {
    size_t n = 0;
    for (const Finding &f : s.Sink.findings)
      n += f.rule == Rule::NonAtomicAdvice;
    return n;
  }
};

} // namespace

TEST_F(D6, MemoryIsAtomicUnlessSaidOtherwise) {
  Thread &a = thread(), &b = thread(1);
  s.rmw(a, X, Relaxed, Scope::System);
  s.rmw(b, X, Relaxed, Scope::System);
  EXPECT_EQ(s.rules(), "");
  EXPECT_EQ(advice(), 0u);
}

TEST_F(D6, MappedMemoryWithoutNativeAtomicsTakesLoadsAndStores) {
  memory(Atomicity::LoadsAndStores);
  Thread &a = thread(), &b = thread();
  s.store(a, X, Relaxed, Scope::System);
  s.load(b, X, Acquire, Scope::System);
  s.store(b, X, Release, Scope::System);
  EXPECT_EQ(s.rules(), "");
  EXPECT_EQ(advice(), 0u);
  s.rmw(b, X + 4, Relaxed, Scope::System);
  EXPECT_EQ(s.rules(), "") << "nobody else";
  EXPECT_EQ(advice(), 1u);
  s.load(a, X + 4, Relaxed, Scope::System);
  ASSERT_EQ(s.rules(), "D6");
  EXPECT_EQ(s.Sink.races()[0].rule, Rule::NonAtomicMemory);
}

TEST_F(D6, DeviceScopeIsAlwaysAtomic) {
  memory(Atomicity::Never);
  Thread &a = thread(), &b = thread(), &c = thread();
  s.rmw(a, X, Relaxed, Scope::Device);
  s.rmw(b, X, Relaxed, Scope::Device);
  EXPECT_EQ(s.rules(), "");
  EXPECT_EQ(advice(), 0u);
  s.load(c, X, Relaxed, Scope::System); // the load is not atomic, whoever wrote
  EXPECT_EQ(s.rules(), "D6 D6");
}

TEST_F(D6, ManagedWithoutConcurrentAccess) {
  memory(Atomicity::Never);
  Thread &a = thread(), &b = thread();
  s.store(a, X, Relaxed, Scope::System);
  s.load(b, X, Relaxed, Scope::System);
  EXPECT_EQ(s.rules(), "D6");
}

TEST_F(D6, OrderedOperationsDoNotRace) {
  memory(Atomicity::Never);
  TimelineId p = s.stream();
  for (int i = 0; i < 2; ++i)
    s.rmw(s.thread(s.block(s.launch(p, 1, 1)), 0), X, Relaxed, Scope::System);
  EXPECT_EQ(s.rules(), "");
  EXPECT_EQ(advice(), 1u) << "once for each place";
}

TEST_F(D6, GpuMemoryOfOneDeviceAtATime) {
  memory(Atomicity::OneDevice);
  Thread &a = thread(0), &b = thread(0), &c = thread(1);
  s.rmw(a, X, Relaxed, Scope::System);
  s.rmw(b, X, Relaxed, Scope::System);
  EXPECT_EQ(s.rules(), "");
  s.rmw(c, X, Relaxed, Scope::System);
  EXPECT_EQ(s.rules(), "D6 D6");
  EXPECT_EQ(advice(), 0u);
}

TEST_F(D6, AnAtomicStoreDoesNotHideTheThreadsEarlierRmw) {
  memory(Atomicity::LoadsAndStores);
  Thread &a = thread(), &b = thread();
  s.rmw(a, X, Relaxed, Scope::System);
  s.store(a, X, Relaxed, Scope::System);
  s.store(b, X, Relaxed, Scope::System);
  EXPECT_EQ(s.rules(), "D6");
}

TEST_F(D6, WeakAccessesStayDataRaces) {
  memory(Atomicity::Never);
  Thread &a = thread(), &b = thread();
  s.rmw(a, X, Relaxed, Scope::System);
  s.write(b, X);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(D6, NarrowScopesAreAScopeRace) {
  memory(Atomicity::Never);
  Thread &a = thread(), &b = thread();
  s.rmw(a, X, Relaxed, Scope::Block);
  s.rmw(b, X, Relaxed, Scope::System);
  EXPECT_EQ(s.rules(), "D2");
}

TEST_F(D6, AttributesCanChange) {
  memory(Atomicity::Never);
  s.D.setAtomicity(X, 64, {Atomicity::Always});
  Thread &a = thread(), &b = thread();
  s.rmw(a, X, Relaxed, Scope::System);
  s.rmw(b, X, Relaxed, Scope::System);
  EXPECT_EQ(s.rules(), "");
}
