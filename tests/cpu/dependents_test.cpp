// Programmatic dependent launch (S14).
#include "harness.h"

#include <gtest/gtest.h>

using namespace scopesan;
using namespace scopesan::cpu;
using namespace scopesan::cpu::test;

namespace {

/// A primary of two blocks that trigger, then write; the dependent launch starts when it may.
struct Pair {
  explicit Pair(uint64_t Seed) : M(settings(Seed)) {}
  static EngineSettings settings(uint64_t Seed) {
    EngineSettings S;
    S.Seed = Seed;
    return S;
  }
  void run(bool Waits) {
    Launch *Primary = M.start({2}, {32}, [&] {
      __scopesan_griddep_launch(1);
      __scopesan_cpu_griddep_launch();
      for (int I = 0; I < 20; ++I)
        __scopesan_cpu_yield();
      __scopesan_write(&Data[bid() * 32 + tid()], 4, 2);
      Data[bid() * 32 + tid()] = 1;
    });
    while (!Primary->triggered())
      ASSERT_NE(TheEngine.run(100), RunStatus::Deadlocked);
    Overlapped = !Primary->Ended;
    LaunchSpec Extra;
    Extra.Prerequisites = {Primary};
    M.PrimaryNode = Primary->Spec.Node;
    M.start(
        {1}, {64},
        [&, Waits] {
          if (Waits) {
            __scopesan_cpu_griddep_wait();
            __scopesan_griddep_wait(3);
          }
          __scopesan_read(&Data[tid()], 4, 4);
          Sum += Data[tid()];
        },
        Extra);
    ASSERT_EQ(M.finish(), RunStatus::LaunchEnded);
  }
  Machine M;
  int Data[64] = {}, Sum = 0;
  bool Overlapped = false;
};

} // namespace

TEST(DependentLaunch, StartsWhenAllBlocksHaveTriggeredAndWaitsForTheirEnd) {
  for (uint64_t Seed = 1; Seed <= 10; ++Seed) {
    Pair P(Seed);
    P.run(true);
    EXPECT_TRUE(P.Overlapped);
    EXPECT_EQ(P.Sum, 64);
    EXPECT_TRUE(P.M.Sink.Findings.empty());
  }
}

TEST(DependentLaunch, WithoutItsWaitItRaces) {
  for (uint64_t Seed = 1; Seed <= 10; ++Seed) {
    Pair P(Seed);
    P.run(false);
    EXPECT_LT(P.Sum, 64) << "the launches never overlapped";
    ASSERT_FALSE(P.M.Sink.Findings.empty());
    EXPECT_EQ(P.M.Sink.Findings[0].rule, core::Rule::DataRace);
  }
}

TEST(DependentLaunch, BlocksThatEndHaveTriggered) {
  Machine M;
  Launch *L = M.start({3}, {1}, [&] {
    if (bid() == 1)
      __scopesan_cpu_griddep_launch();
  });
  EXPECT_FALSE(L->triggered());
  EXPECT_EQ(M.finish(), RunStatus::LaunchEnded);
  EXPECT_TRUE(L->triggered());
}

TEST(DependentLaunch, WaitWithoutPrerequisitesReturns) {
  Machine M;
  EXPECT_EQ(M.run({1}, {1}, [&] { __scopesan_cpu_griddep_wait(); }), RunStatus::LaunchEnded);
}
