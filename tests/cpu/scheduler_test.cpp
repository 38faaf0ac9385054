#include "harness.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

using namespace scopesan;
using namespace scopesan::cpu;
using namespace scopesan::cpu::test;

TEST(Scheduler, EveryThreadRunsOnce) {
  Machine M;
  std::vector<int> Ran(10 * 64);
  EXPECT_EQ(M.run({10}, {64}, [&] { ++Ran[bid() * 64 + tid()]; }), RunStatus::LaunchEnded);
  EXPECT_EQ(std::count(Ran.begin(), Ran.end(), 1), 640);
}

TEST(Scheduler, ThreadsSeeTheirCoordinates) {
  Machine M;
  std::set<std::vector<uint32_t>> Seen;
  M.run({2, 3, 2}, {4, 2, 2}, [&] {
    const Thread &T = *Engine::current();
    EXPECT_EQ(T.Index, T.tid[0] + 4 * (T.tid[1] + 2 * T.tid[2]));
    EXPECT_EQ(T.laneid, T.Index % 32);
    Seen.insert({T.ctaid[0], T.ctaid[1], T.ctaid[2], T.tid[0], T.tid[1], T.tid[2]});
  });
  EXPECT_EQ(Seen.size(), 12u * 16u);
}

static uint64_t scheduleHash(uint64_t Seed) {
  EngineSettings S;
  S.Seed = Seed;
  Machine M(S);
  static int Data[256];
  M.run({6}, {64}, [&] {
    for (int I = 0; I < 50; ++I)
      __scopesan_read(&Data[tid()], 4, 0);
    __scopesan_cpu_bar_sync(0, 0, 0, 0);
    for (int I = 0; I < 5; ++I)
      __scopesan_cpu_yield();
  });
  return TheEngine.Sched.Hash;
}

TEST(Scheduler, SameSeedSameSchedule) {
  std::vector<void *> Noise;
  uint64_t First = scheduleHash(7);
  for (int I = 0; I < 5; ++I) {
    Noise.push_back(malloc(4096 * size_t(I + 1))); // other addresses, same decisions
    EXPECT_EQ(scheduleHash(7), First);
  }
  for (void *P : Noise)
    free(P);
}

TEST(Scheduler, OtherSeedOtherSchedule) {
  std::set<uint64_t> Hashes;
  for (uint64_t Seed = 1; Seed <= 20; ++Seed)
    Hashes.insert(scheduleHash(Seed));
  EXPECT_EQ(Hashes.size(), 20u);
}

// Each round is a permutation: nobody gets a third turn before everybody had one.
TEST(Scheduler, IsFair) {
  Machine M;
  std::vector<uint32_t> Turns(64), AtLast(64);
  uint32_t Worst = 0;
  M.run({1}, {64}, [&] {
    for (int I = 0; I < 200; ++I) {
      std::fill(AtLast.begin(), AtLast.end(), 0);
      ++Turns[tid()];
      uint32_t Most = *std::max_element(Turns.begin(), Turns.end());
      uint32_t Least = *std::min_element(Turns.begin(), Turns.end());
      Worst = std::max(Worst, Most - Least);
      __scopesan_cpu_yield();
    }
  });
  EXPECT_LE(Worst, 2u);
}

TEST(Scheduler, WeakAccessesPreempt) {
  EngineSettings S;
  S.PreemptionInterval = 10;
  Machine M(S);
  static int X;
  bool Overlapped = false;
  int Inside = 0;
  M.run({1}, {2}, [&] {
    ++Inside;
    for (int I = 0; I < 1000; ++I) {
      __scopesan_read(&X, 4, 0);
      Overlapped |= Inside == 2;
    }
    --Inside;
  });
  EXPECT_TRUE(Overlapped);
}

TEST(Scheduler, NothingSwitchesWithinAnAtomic) {
  Machine M;
  static uint32_t Counter;
  Counter = 0;
  constexpr uint32_t Op =
      scopesan::abi::Op(scopesan::abi::AccessKind::Rmw, scopesan::abi::MemoryOrder::Relaxed,
                        scopesan::abi::Scope::Device)
          .raw();
  M.run({8}, {32}, [&] {
    for (int I = 0; I < 20; ++I) {
      __scopesan_atomic_before(&Counter, 4, Op, 0);
      uint32_t Old = Counter;
      Counter = Old + 1;
      __scopesan_atomic_after(&Counter, 4, Op, 0, 1, Old);
    }
  });
  EXPECT_EQ(Counter, 8u * 32 * 20);
  EXPECT_TRUE(M.Sink.Findings.empty());
}

TEST(Scheduler, SpinningOnALaterBlockEnds) {
  EngineSettings S;
  S.ResidentBlocks = 4;
  Machine M(S);
  static volatile uint32_t Flag;
  Flag = 0;
  constexpr uint32_t Load =
      scopesan::abi::Op(scopesan::abi::AccessKind::Load, scopesan::abi::MemoryOrder::Relaxed,
                        scopesan::abi::Scope::Device)
          .raw();
  constexpr uint32_t Store =
      scopesan::abi::Op(scopesan::abi::AccessKind::Store, scopesan::abi::MemoryOrder::Relaxed,
                        scopesan::abi::Scope::Device)
          .raw();
  RunStatus R = M.run({4}, {32}, [&] {
    if (bid() == 3) {
      __scopesan_atomic_before(const_cast<uint32_t *>(&Flag), 4, Store, 0);
      Flag = 1;
      __scopesan_atomic_after(const_cast<uint32_t *>(&Flag), 4, Store, 0, 1, 0);
      return;
    }
    for (uint32_t Seen = 0; !Seen;) {
      __scopesan_atomic_before(const_cast<uint32_t *>(&Flag), 4, Load, 0);
      Seen = Flag;
      __scopesan_atomic_after(const_cast<uint32_t *>(&Flag), 4, Load, 0, 0, Seen);
    }
  });
  EXPECT_EQ(R, RunStatus::LaunchEnded);
}

TEST(Scheduler, BlocksStartByIndexAndAtLeastFourAreResident) {
  EngineSettings S;
  S.ResidentBlocks = 1;
  Machine M(S);
  std::vector<uint32_t> Started;
  size_t Most = 0;
  M.run({12}, {1}, [&] {
    Started.push_back(bid());
    Most = std::max(Most, Engine::current()->Owner->Grid->Resident.size());
    __scopesan_cpu_yield();
  });
  EXPECT_EQ(Most, 4u);
  for (size_t I = 0; I < Started.size(); ++I)
    EXPECT_LT(Started[I], I + 4);
}

TEST(Scheduler, CooperativeGridsAreWhollyResident) {
  Machine M;
  LaunchSpec Extra;
  Extra.Cooperative = true;
  size_t Most = 0;
  M.run(
      {40}, {8}, [&] { Most = std::max(Most, Engine::current()->Owner->Grid->Resident.size()); },
      Extra);
  EXPECT_EQ(Most, 40u);
}

TEST(Scheduler, LaunchesInterleave) {
  Machine M;
  int Active = 0;
  bool Both = false;
  auto F = [&](int Bit) {
    return [&, Bit] {
      Active |= Bit;
      for (int I = 0; I < 20; ++I) {
        Both |= Active == 3;
        __scopesan_cpu_yield();
      }
      Active &= ~Bit;
    };
  };
  Launch *A = M.start({1}, {1}, F(1));
  Launch *B = M.start({1}, {1}, F(2));
  M.finish();
  EXPECT_TRUE(Both);
  EXPECT_TRUE(A->Ended && B->Ended);
}

/// A relaxed load of what nobody stores.
static uint32_t NeverSet;
static void poll(uint32_t Site) {
  constexpr uint32_t Load =
      scopesan::abi::Op(scopesan::abi::AccessKind::Load, scopesan::abi::MemoryOrder::Relaxed,
                        scopesan::abi::Scope::Device)
          .raw();
  __scopesan_atomic_before(&NeverSet, 4, Load, Site);
  __scopesan_atomic_after(&NeverSet, 4, Load, Site, 0, 0);
}

TEST(Scheduler, APollBehindABarrierIsToldAsThePoll) {
  Machine M;
  RunStatus R = M.run({2}, {4}, [&] {
    while (tid() == 0)
      poll(77);
    __scopesan_cpu_bar_sync(0, 0, 0, 78);
  });
  EXPECT_EQ(R, RunStatus::Livelocked);
  TheEngine.reportStuck(*M.Detector);
  ASSERT_EQ(M.Sink.Findings.size(), 1u);
  EXPECT_EQ(M.Sink.Findings[0].rule, core::Rule::ForwardProgress);
  EXPECT_EQ(M.Sink.Findings[0].first.site.value, 77u);
}

TEST(Scheduler, AWaitThatAlsoReadsWeaklyIsALivelock) {
  Machine M;
  static uint32_t Goal;
  RunStatus R = M.run({2}, {4}, [&] {
    for (;;) {
      poll(1);
      __scopesan_read(&Goal, 4, 2);
    }
  });
  EXPECT_EQ(R, RunStatus::Livelocked);
}

TEST(Scheduler, AThreadThatReadsOnKeepsOthersFromALivelock) {
  Machine M;
  static uint32_t Data;
  static bool Done;
  Done = false;
  RunStatus R = M.run({1}, {64}, [&] {
    if (tid() == 0) {
      for (int I = 0; I < 3'000'000; ++I)
        __scopesan_read(&Data, 4, 2);
      Done = true;
      TheEngine.Sched.noteProgress();
    }
    while (!Done) {
      poll(1);
      __scopesan_read(&Data, 4, 2);
    }
  });
  EXPECT_EQ(R, RunStatus::LaunchEnded);
}

TEST(Scheduler, ExitEndsAThreadEarly) {
  Machine M;
  int After = 0, Before = 0;
  M.run({4}, {32}, [&] {
    ++Before;
    if (tid() % 2)
      __scopesan_cpu_exit();
    ++After;
  });
  EXPECT_EQ(Before, 128);
  EXPECT_EQ(After, 64);
}

static volatile uintptr_t WildAddress = 16;

TEST(Faults, IllegalAddressEndsTheKernelOnly) {
  Machine M;
  RunStatus R = M.run({1}, {8}, [&] {
    if (tid() == 5)
      *reinterpret_cast<volatile int *>(WildAddress) = 1;
    __scopesan_cpu_bar_sync(0, 0, 0, 0);
  });
  EXPECT_EQ(R, RunStatus::Failed);
  EXPECT_EQ(TheEngine.failure().Code, FailureCode::IllegalAddress);
  EXPECT_NE(TheEngine.failure().Message.find(
                "illegal address 0x10 in kernel native (launch 1), block [0,0,0] thread [5,0,0]"),
            std::string::npos)
      << TheEngine.failure().Message;
  TheEngine.abandonAll();
  int Ran = 0;
  EXPECT_EQ(M.run({1}, {8}, [&] { ++Ran; }), RunStatus::LaunchEnded)
      << "the engine is usable again";
  EXPECT_EQ(Ran, 8);
}

static int overflow(volatile char *Outer) {
  volatile char Frame[512];
  Frame[0] = Outer ? Outer[0] : 0;
  return WildAddress ? overflow(Frame) + Frame[0] : 0;
}

TEST(Faults, StackOverflowIsNamed) {
  Machine M;
  EXPECT_EQ(M.run({1}, {1}, [&] { overflow(nullptr); }), RunStatus::Failed);
  EXPECT_NE(TheEngine.failure().Message.find("stack overflow"), std::string::npos)
      << TheEngine.failure().Message;
}

// On a GPU integer division never traps.
TEST(Faults, DivisionByZeroGivesTheHardwaresResult) {
  Machine M;
  volatile uint32_t Zero = 0, Seven = 7;
  volatile int64_t Zero64 = 0, Nine = 9;
  volatile int32_t Minimum = INT32_MIN, MinusOne = -1;
  EXPECT_EQ(M.run({1}, {1},
                  [&] {
                    EXPECT_EQ(Seven / Zero, ~0u);
                    EXPECT_EQ(Seven % Zero, 7u);
                    EXPECT_EQ(Nine / Zero64, -1);
                    EXPECT_EQ(Nine % Zero64, 9);
                    EXPECT_EQ(Minimum / MinusOne, INT32_MIN);
                    EXPECT_EQ(Minimum % MinusOne, 0);
                  }),
            RunStatus::LaunchEnded);
}
