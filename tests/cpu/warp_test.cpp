#include "harness.h"

#include <gtest/gtest.h>

using namespace scopesan;
using namespace scopesan::cpu;
using namespace scopesan::cpu::test;

static constexpr uint32_t Full = ~0u;
static uint32_t warp(WarpOp Op, uint32_t Mask, uint64_t Value, uint32_t B = 0, uint32_t C = 31) {
  return uint32_t(__scopesan_cpu_warp(uint32_t(Op), Mask, Value, B, C));
}

TEST(Warp, Shuffles) {
  Machine M;
  M.run({1}, {64}, [&] {
    uint32_t L = tid() % 32;
    EXPECT_EQ(warp(WarpOp::ShflIdx, Full, L * 10, 5), 50u);
    EXPECT_EQ(warp(WarpOp::ShflBfly, Full, L, 1), L ^ 1);
    EXPECT_EQ(warp(WarpOp::ShflDown, Full, L, 3), L + 3 < 32 ? L + 3 : L);
    EXPECT_EQ(__scopesan_cpu_warp_predicate(), uint32_t(L + 3 < 32));
    EXPECT_EQ(warp(WarpOp::ShflUp, Full, L, 3, 0), L >= 3 ? L - 3 : L);
    // width 8: c = (32 - 8) << 8 | 31
    uint32_t Eight = 24 << 8 | 31;
    EXPECT_EQ(warp(WarpOp::ShflIdx, Full, L, 2, Eight), (L & ~7u) + 2);
    EXPECT_EQ(warp(WarpOp::ShflDown, Full, L, 4, Eight), L % 8 < 4 ? L + 4 : L);
  });
}

TEST(Warp, Votes) {
  Machine M;
  M.run({1}, {32}, [&] {
    EXPECT_EQ(warp(WarpOp::VoteBallot, Full, tid() % 2), 0xAAAAAAAAu);
    EXPECT_EQ(warp(WarpOp::VoteAny, Full, tid() == 31), 1u);
    EXPECT_EQ(warp(WarpOp::VoteAll, Full, tid() != 31), 0u);
    EXPECT_EQ(warp(WarpOp::VoteAll, Full, 1), 1u);
    EXPECT_EQ(warp(WarpOp::VoteUni, Full, 0), 1u);
    EXPECT_EQ(warp(WarpOp::VoteUni, Full, tid() == 0), 0u);
  });
}

TEST(Warp, MatchElectRedux) {
  Machine M;
  M.run({1}, {32}, [&] {
    EXPECT_EQ(warp(WarpOp::MatchAny, Full, tid() % 2), tid() % 2 ? 0xAAAAAAAAu : 0x55555555u);
    EXPECT_EQ(warp(WarpOp::MatchAll, Full, 7), Full);
    EXPECT_EQ(__scopesan_cpu_warp_predicate(), 1u);
    EXPECT_EQ(warp(WarpOp::MatchAll, Full, tid()), 0u);
    EXPECT_EQ(__scopesan_cpu_warp_predicate(), 0u);
    warp(WarpOp::Elect, Full, 0);
    EXPECT_EQ(__scopesan_cpu_warp_predicate(), uint32_t(tid() == 0));
    EXPECT_EQ(warp(WarpOp::ReduxAdd, Full, tid()), 496u);
    EXPECT_EQ(warp(WarpOp::ReduxMin, Full, uint32_t(int(tid()) - 5)), uint32_t(-5));
    EXPECT_EQ(warp(WarpOp::ReduxUmax, Full, tid()), 31u);
    EXPECT_EQ(warp(WarpOp::ReduxXor, Full, 1u << tid()), Full);
  });
}

TEST(Warp, DisjointMasksMeetIndependently) {
  Machine M;
  EXPECT_EQ(M.run({1}, {32},
                  [&] {
                    uint32_t Mask = tid() < 16 ? 0xFFFFu : 0xFFFF0000u;
                    for (uint32_t I = 0; I < (tid() < 16 ? 5u : 9u); ++I)
                      EXPECT_EQ(warp(WarpOp::VoteBallot, Mask, 1), Mask);
                  }),
            RunStatus::LaunchEnded);
}

TEST(Warp, ExitedLanesDoNotCount) {
  Machine M;
  EXPECT_EQ(M.run({1}, {32},
                  [&] {
                    if (tid() < 10)
                      return;
                    EXPECT_EQ(warp(WarpOp::VoteBallot, Full, 1), 0xFFFFFC00u);
                  }),
            RunStatus::LaunchEnded);
}

TEST(Warp, PartialWarp) {
  Machine M;
  M.run({1}, {40}, [&] {
    if (tid() >= 32)
      EXPECT_EQ(warp(WarpOp::VoteBallot, Full, 1), 0xFFu);
    else
      EXPECT_EQ(warp(WarpOp::VoteBallot, Full, 1), Full);
  });
}

TEST(Warp, CallerOutsideItsMaskFails) {
  Machine M;
  EXPECT_EQ(M.run({1}, {2}, [&] { warp(WarpOp::Sync, 1u << (1 - tid()), 0); }), RunStatus::Failed);
  EXPECT_NE(TheEngine.failure().Message.find("does not contain the calling lane"),
            std::string::npos);
}

TEST(Warp, DeadlockNamesTheMask) {
  Machine M;
  EXPECT_EQ(M.run({1}, {2},
                  [&] {
                    if (tid() == 0)
                      warp(WarpOp::Sync, 3, 0);
                    else
                      __scopesan_cpu_bar_sync(0, 0, 0, 0);
                  }),
            RunStatus::Deadlocked);
  EXPECT_NE(TheEngine.describeStuck("stuck").find("mask 0x00000003"), std::string::npos);
}

TEST(Warp, ActivemaskGathersTheLanesOfOneSite) {
  for (uint64_t Seed = 1; Seed <= 20; ++Seed) {
    EngineSettings S;
    S.Seed = Seed;
    Machine M(S);
    M.run({1}, {64}, [&] {
      uint32_t Mine = 1u << (tid() % 32);
      uint32_t Mask = __scopesan_cpu_activemask(tid() % 2);
      EXPECT_TRUE(Mask & Mine);
      EXPECT_EQ(Mask & ~(tid() % 2 ? 0xAAAAAAAAu : 0x55555555u), 0u);
      // Usable as the mask of a following operation.
      EXPECT_EQ(warp(WarpOp::VoteBallot, Mask, 1), Mask);
    });
  }
}
