#include "harness.h"

#include <gtest/gtest.h>

using namespace scopesan;
using namespace scopesan::cpu;
using namespace scopesan::cpu::test;

TEST(BlockBarrier, NobodyPassesEarly) {
  for (uint64_t Seed = 1; Seed <= 10; ++Seed) {
    EngineSettings S;
    S.Seed = Seed;
    Machine M(S);
    uint32_t Count[3] = {}, Wrong = 0;
    EXPECT_EQ(M.run({3}, {100},
                    [&] {
                      for (uint32_t Phase = 1; Phase <= 20; ++Phase) {
                        ++Count[bid()];
                        __scopesan_cpu_bar_sync(0, 0, 0, 0);
                        Wrong += Count[bid()] < Phase * 100;
                        __scopesan_cpu_bar_sync(0, 0, 0, 0);
                      }
                    }),
              RunStatus::LaunchEnded);
    EXPECT_EQ(Wrong, 0u);
  }
}

TEST(BlockBarrier, Reductions) {
  Machine M;
  M.run({1}, {70}, [&] {
    EXPECT_EQ(__scopesan_cpu_bar_sync(0, 0, 1, tid() < 33), 33u);
    EXPECT_EQ(__scopesan_cpu_bar_sync(0, 0, 2, tid() < 70), 1u);
    EXPECT_EQ(__scopesan_cpu_bar_sync(0, 0, 2, tid() != 69), 0u);
    EXPECT_EQ(__scopesan_cpu_bar_sync(0, 0, 3, tid() == 69), 1u);
    EXPECT_EQ(__scopesan_cpu_bar_sync(0, 0, 3, 0), 0u);
  });
}

TEST(BlockBarrier, ExitedThreadsDoNotCount) {
  Machine M;
  uint32_t Passed = 0;
  EXPECT_EQ(M.run({1}, {64},
                  [&] {
                    if (tid() % 3 == 0)
                      return;
                    __scopesan_cpu_bar_sync(0, 0, 0, 0);
                    ++Passed;
                  }),
            RunStatus::LaunchEnded);
  EXPECT_EQ(Passed, 42u);
}

TEST(BlockBarrier, ProducersArriveConsumersWait) {
  Machine M;
  int Produced = 0, Wrong = 0;
  EXPECT_EQ(M.run({1}, {64},
                  [&] {
                    if (tid() < 32) {
                      ++Produced;
                      __scopesan_cpu_bar_arrive(1, 64);
                    } else {
                      __scopesan_cpu_bar_sync(1, 64, 0, 0);
                      Wrong += Produced != 32;
                    }
                  }),
            RunStatus::LaunchEnded);
  EXPECT_EQ(Wrong, 0);
}

TEST(BlockBarrier, AnExplicitCountCountsWholeWarps) {
  Machine M; // 48 threads: the second warp has 16 lanes and counts 32
  EXPECT_EQ(M.run({1}, {48}, [&] { __scopesan_cpu_bar_sync(2, 64, 0, 0); }),
            RunStatus::LaunchEnded);
  EXPECT_EQ(M.run({1}, {64},
                  [&] { // lanes that exit before or after count too
                    if (tid() % 5 == 1)
                      return;
                    __scopesan_cpu_bar_sync(2, 64, 0, 0);
                  }),
            RunStatus::LaunchEnded);
}

TEST(BlockBarrier, DeadlockNamesTheBarrier) {
  Machine M;
  RunStatus R = M.run({1}, {8}, [&] { __scopesan_cpu_bar_sync(tid() < 3 ? 1 : 2, 0, 0, 0); });
  EXPECT_EQ(R, RunStatus::Deadlocked);
  std::string Text = TheEngine.describeStuck("stuck");
  EXPECT_NE(
      Text.find("3 of 8 live threads (first: thread [0,0,0]) wait at barrier 1: 3 of 8 arrived"),
      std::string::npos)
      << Text;
  EXPECT_NE(
      Text.find("5 of 8 live threads (first: thread [3,0,0]) wait at barrier 2: 5 of 8 arrived"),
      std::string::npos)
      << Text;
  TheEngine.reportStuck(*M.Detector);
  ASSERT_EQ(M.Sink.Findings.size(), 1u);
  EXPECT_EQ(M.Sink.Findings[0].rule, core::Rule::BarrierMisuse);
}

TEST(BlockBarrier, BadIdFailsTheKernel) {
  Machine M;
  EXPECT_EQ(M.run({1}, {1}, [&] { __scopesan_cpu_bar_sync(16, 0, 0, 0); }), RunStatus::Failed);
}

TEST(ClusterBarrier, OrdersTheBlocksOfACluster) {
  Machine M;
  LaunchSpec Extra;
  Extra.ClusterDim = {2, 2, 1};
  uint32_t Count[2] = {}, Wrong = 0;
  EXPECT_EQ(M.run(
                {4, 2}, {32},
                [&] {
                  const Thread &T = *Engine::current();
                  uint32_t C = T.ctaid[0] / 2;
                  EXPECT_EQ(T.Owner->Rank, T.ctaid[0] % 2 + 2 * T.ctaid[1]);
                  for (uint32_t Phase = 1; Phase <= 10; ++Phase) {
                    ++Count[C];
                    __scopesan_cpu_cluster_arrive();
                    __scopesan_cpu_cluster_wait();
                    Wrong += Count[C] < Phase * 128;
                    __scopesan_cpu_cluster_arrive();
                    __scopesan_cpu_cluster_wait();
                  }
                },
                Extra),
            RunStatus::LaunchEnded);
  EXPECT_EQ(Wrong, 0u);
}

TEST(ClusterBarrier, ThreadsThatExitAfterTheirArrivalDoNotCompleteItForTheOthers) {
  for (uint64_t Seed = 1; Seed <= 20; ++Seed) {
    EngineSettings Settings;
    Settings.Seed = Seed;
    Machine M(Settings);
    LaunchSpec Extra;
    Extra.ClusterDim = {2, 1, 1};
    uint32_t Arrived = 0, Early = 0;
    EXPECT_EQ(M.run(
                  {2}, {64},
                  [&] {
                    ++Arrived;
                    __scopesan_cpu_cluster_arrive();
                    if (Engine::current()->tid[0] % 2)
                      return;
                    __scopesan_cpu_cluster_wait();
                    Early += Arrived < 128;
                  },
                  Extra),
              RunStatus::LaunchEnded);
    EXPECT_EQ(Early, 0u);
  }
}

TEST(ClusterMemory, MapaReachesThePeer) {
  Machine M;
  LaunchSpec Extra;
  Extra.ClusterDim = {4, 1, 1};
  M.run(
      {4}, {1},
      [&] {
        Thread &T = *Engine::current();
        auto Mine = reinterpret_cast<uint64_t>(T.shared) + ReservedShared;
        *reinterpret_cast<uint32_t *>(Mine) = T.Owner->Rank + 100;
        __scopesan_cpu_cluster_arrive();
        __scopesan_cpu_cluster_wait();
        uint32_t Peer = (T.Owner->Rank + 1) % 4;
        uint64_t Theirs = __scopesan_cpu_mapa(Mine, Peer);
        EXPECT_EQ(*reinterpret_cast<uint32_t *>(Theirs), Peer + 100);
        EXPECT_EQ(__scopesan_cpu_getctarank(Theirs), Peer);
        auto *P = reinterpret_cast<void *>(Theirs);
        EXPECT_FALSE(__scopesan_cpu_isspacep(P, uint32_t(scopesan::abi::Space::Shared)));
        EXPECT_TRUE(__scopesan_cpu_isspacep(P, uint32_t(scopesan::abi::Space::SharedCluster)));
        EXPECT_TRUE(__scopesan_cpu_isspacep(&Peer, uint32_t(scopesan::abi::Space::Local)));
        EXPECT_LT(Theirs, uint64_t(1) << 32);
      },
      Extra);
}

TEST(SharedMemory, StartsWithTheSeedsPattern) {
  auto First = [](uint64_t Seed) {
    EngineSettings S;
    S.Seed = Seed;
    Machine M(S);
    uint64_t Word = 0;
    M.run({1}, {1}, [&] { memcpy(&Word, Engine::current()->shared + ReservedShared, 8); });
    return Word;
  };
  EXPECT_EQ(First(3), First(3));
  EXPECT_NE(First(3), First(4));
}

// Two blocks that use the same slot one after the other never race.
TEST(SharedMemory, ReuseIsANewLocation) {
  Machine M;
  M.run({64}, {32}, [&] {
    char *P = Engine::current()->shared + ReservedShared + tid() * 4;
    __scopesan_write(P, 4, 0);
    __scopesan_read(P, 4, 0);
  });
  EXPECT_TRUE(M.Sink.Findings.empty());
}

TEST(Detector, HooksFindARaceAndNoFalseOne) {
  Machine M;
  static int Data[64];
  M.run({1}, {64}, [&] {
    __scopesan_write(&Data[tid()], 4, 0);
    __scopesan_block_barrier_before(0, 0, 0, 0);
    __scopesan_cpu_bar_sync(0, 0, 0, 0);
    __scopesan_block_barrier_after(0, 0, 0, 0);
    __scopesan_read(&Data[(tid() + 1) % 64], 4, 0);
  });
  EXPECT_TRUE(M.Sink.Findings.empty());
  M.run({1}, {64}, [&] {
    __scopesan_write(&Data[tid()], 4, 0);
    __scopesan_read(&Data[(tid() + 1) % 64], 4, 0);
  });
  EXPECT_FALSE(M.Sink.Findings.empty());
  EXPECT_EQ(M.Sink.Findings[0].rule, core::Rule::DataRace);
}
