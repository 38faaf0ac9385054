// Waits that never end: seen as such, or ended at the limit; work that takes long is neither.
#include "harness.h"

#include <gtest/gtest.h>

using namespace scopesan;
using namespace scopesan::cpu;
using namespace scopesan::cpu::test;

namespace {

uint32_t vote(bool Predicate) {
  return uint32_t(__scopesan_cpu_warp(uint32_t(WarpOp::VoteAny), ~0u, Predicate, 0, 31));
}

EngineSettings withLimit(uint64_t Turns) {
  EngineSettings S;
  S.WaitLimit = Turns;
  return S;
}

TEST(Livelock, IsDetectedAndDescribed) {
  Machine M;
  RunStatus R = M.run({2}, {4}, [&] {
    for (;;)
      __scopesan_cpu_yield();
  });
  EXPECT_EQ(R, RunStatus::Livelocked);
  std::string Text = TheEngine.describeStuck("title");
  EXPECT_EQ(Text.find("title\n"), 0u);
  EXPECT_NE(Text.find("4 of 4 live threads"), std::string::npos);
  TheEngine.reportStuck(*M.Detector);
  ASSERT_EQ(M.Sink.Findings.size(), 1u);
  EXPECT_EQ(M.Sink.Findings[0].rule, core::Rule::ForwardProgress);
}

TEST(Livelock, VotesAndBarriersAreNoProgress) {
  Machine M;
  EXPECT_EQ(M.run({2}, {64},
                  [&] {
                    do
                      __scopesan_cpu_yield();
                    while (!vote(false));
                  }),
            RunStatus::Livelocked);
  TheEngine.abandonAll();
  EXPECT_EQ(M.run({2}, {64},
                  [&] {
                    for (;;) {
                      if (tid() == 0) // looks for the others
                        __scopesan_cpu_yield();
                      __scopesan_cpu_bar_sync(0, 0, 0, 0);
                    }
                  }),
            RunStatus::Livelocked);
  TheEngine.reportStuck(*M.Detector);
  ASSERT_FALSE(M.Sink.Findings.empty());
  EXPECT_EQ(M.Sink.Findings.back().rule, core::Rule::ForwardProgress)
      << "nothing is wrong with a barrier that completes";
}

TEST(Livelock, ABarrierThatAThreadNeverReachesIsMisused) {
  Machine M;
  EXPECT_EQ(M.run({1}, {64},
                  [&] {
                    while (tid() < 32)
                      __scopesan_cpu_yield();
                    __scopesan_cpu_bar_sync(0, 0, 0, 0);
                  }),
            RunStatus::Livelocked);
  TheEngine.reportStuck(*M.Detector);
  ASSERT_EQ(M.Sink.Findings.size(), 1u);
  EXPECT_EQ(M.Sink.Findings[0].rule, core::Rule::BarrierMisuse);
}

TEST(Livelock, ABlockThatComputesInRegistersIsAwaited) {
  Machine M;
  bool Ready = false;
  EXPECT_EQ(M.run({2}, {32},
                  [&] {
                    if (bid() == 0) {
                      for (int I = 0; I < 120'000; ++I)
                        vote(false);
                      Ready = true;
                      return;
                    }
                    while (!Ready)
                      __scopesan_cpu_yield();
                  }),
            RunStatus::LaunchEnded);
}

TEST(Livelock, AWaitForAWeakAccessEndsAtTheLimit) {
  static int Flag;
  auto Wait = [] {
    for (;;)
      __scopesan_read(&Flag, 4, 0);
  };
  Machine M(withLimit(100'000));
  EXPECT_EQ(M.run({1}, {32}, Wait), RunStatus::TooLong);
}

TEST(Livelock, AWaitThatWritesEndsAtTenTimesTheLimit) {
  static int Polls[32];
  Machine M(withLimit(10'000));
  uint64_t Before = TheEngine.Sched.Slices;
  EXPECT_EQ(M.run({1}, {32},
                  [] {
                    for (;;) {
                      __scopesan_write(&Polls[tid()], 4, 0);
                      __scopesan_cpu_yield();
                      TheEngine.Sched.noteProgress();
                    }
                  }),
            RunStatus::TooLong);
  EXPECT_GT(TheEngine.Sched.Slices - Before, 100'000u);
}

TEST(Livelock, LongWorkIsNotEnded) {
  static int Data[64], Done[4][32];
  Machine M(withLimit(200'000));
  EXPECT_EQ(M.run({4}, {32},
                  [] {
                    for (int Round = 0; Round < 20; ++Round) {
                      for (int I = 0; I < 10'000; ++I)
                        __scopesan_read(&Data[I % 64], 4, 0);
                      __scopesan_write(&Done[bid()][tid()], 4, 0);
                    }
                  }),
            RunStatus::LaunchEnded);
}

} // namespace
