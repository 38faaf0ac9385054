// mbarrier objects: execution, and its agreement with the detector's own object (S10, D7).
#include "harness.h"

#include "cpu/mbarrier_object.h"

#include <gtest/gtest.h>

using namespace scopesan;
using namespace scopesan::cpu;
using namespace scopesan::cpu::test;

namespace {

/// Each call tells the detector, then executes, as instrumented code does.
constexpr uint32_t Arrive =
    scopesan::abi::Op(scopesan::abi::AccessKind::Rmw, scopesan::abi::MemoryOrder::Release,
                      scopesan::abi::Scope::Block)
        .raw();
constexpr uint32_t RemoteArrive =
    scopesan::abi::Op(scopesan::abi::AccessKind::Rmw, scopesan::abi::MemoryOrder::Release,
                      scopesan::abi::Scope::Cluster)
        .raw();
constexpr uint32_t Test =
    scopesan::abi::Op(scopesan::abi::AccessKind::Load, scopesan::abi::MemoryOrder::Acquire,
                      scopesan::abi::Scope::Block)
        .raw();
constexpr uint32_t RemoteTest =
    scopesan::abi::Op(scopesan::abi::AccessKind::Load, scopesan::abi::MemoryOrder::Acquire,
                      scopesan::abi::Scope::Cluster)
        .raw();

char *shared(uint32_t Offset) { return Engine::current()->shared + ReservedShared + Offset; }

void init(void *B, uint32_t Count) {
  __scopesan_mbarrier_init(B, Count, 1);
  __scopesan_cpu_mbarrier_init(B, Count);
}
uint64_t arrive(void *B, uint32_t Count = 1, uint32_t Bytes = 0, bool Drop = false,
                uint32_t Op = Arrive) {
  __scopesan_mbarrier_arrive(B, Count, Bytes, Drop, Op, 2);
  return __scopesan_cpu_mbarrier_arrive(B, Count, Bytes, Drop);
}
bool tryWait(void *B, uint64_t State, uint32_t Op = Test) {
  uint32_t Done = __scopesan_cpu_mbarrier_wait(B, State);
  __scopesan_mbarrier_wait(B, Op, 3, Done);
  return Done;
}
void wait(void *B, uint64_t State, uint32_t Op = Test) {
  while (!tryWait(B, State, Op))
    ;
}
void barrier() {
  __scopesan_block_barrier_before(0, 0, 0, 0);
  __scopesan_cpu_bar_sync(0, 0, 0, 0);
  __scopesan_block_barrier_after(0, 0, 0, 0);
}
void clusterBarrier() {
  __scopesan_cluster_arrive(0, 4);
  __scopesan_cpu_cluster_arrive();
  __scopesan_cpu_cluster_wait();
  __scopesan_cluster_wait(5);
}

} // namespace

TEST(Mbarrier, HandsValuesOverPhaseByPhase) {
  for (uint64_t Seed = 1; Seed <= 10; ++Seed) {
    EngineSettings S;
    S.Seed = Seed;
    Machine M(S);
    static int Data, Wrong;
    Wrong = 0;
    EXPECT_EQ(M.run({1}, {64},
                    [&] {
                      void *Full = shared(0), *Empty = shared(8);
                      if (tid() == 0) {
                        init(Full, 1);
                        init(Empty, 32);
                      }
                      barrier();
                      for (int Round = 0; Round < 5; ++Round) {
                        if (tid() == 63) {
                          if (Round)
                            wait(Empty, (Round - 1) & 1);
                          __scopesan_write(&Data, 4, 9);
                          Data = Round;
                          arrive(Full);
                        } else if (tid() < 32) {
                          wait(Full, Round & 1);
                          __scopesan_read(&Data, 4, 10);
                          Wrong += Data != Round;
                          arrive(Empty);
                        }
                      }
                    }),
              RunStatus::LaunchEnded);
    EXPECT_EQ(Wrong, 0);
    EXPECT_TRUE(M.Sink.Findings.empty());
  }
}

TEST(Mbarrier, StateTokensAndDrops) {
  Machine M;
  M.run({1}, {1}, [&] {
    void *B = shared(0);
    init(B, 3);
    EXPECT_EQ(__scopesan_cpu_mbarrier_pending(arrive(B, 1, 0, true)), 3u);
    uint64_t State = arrive(B);
    EXPECT_EQ(__scopesan_cpu_mbarrier_pending(State), 2u);
    EXPECT_FALSE(tryWait(B, State));
    arrive(B);
    EXPECT_TRUE(tryWait(B, State));
    State = arrive(B); // two are expected from now on
    EXPECT_FALSE(tryWait(B, State));
    arrive(B);
    EXPECT_TRUE(tryWait(B, State));
  });
  EXPECT_TRUE(M.Sink.Findings.empty());
}

TEST(Mbarrier, RemoteArrivalsInACluster) {
  Machine M;
  LaunchSpec Extra;
  Extra.ClusterDim = {4, 1, 1};
  static int Data[4], Wrong;
  Wrong = 0;
  EXPECT_EQ(M.run(
                {4}, {1},
                [&] {
                  void *Mine = shared(0);
                  if (bid() == 0)
                    init(Mine, 4);
                  clusterBarrier();
                  __scopesan_write(&Data[bid()], 4, 9);
                  Data[bid()] = int(bid()) + 1;
                  auto First = reinterpret_cast<void *>(
                      __scopesan_cpu_mapa(reinterpret_cast<uint64_t>(Mine), 0));
                  arrive(First, 1, 0, false, RemoteArrive);
                  if (bid() == 0) {
                    wait(Mine, 0, RemoteTest);
                    for (int &D : Data) {
                      __scopesan_read(&D, 4, 10);
                      Wrong += D != int(&D - Data) + 1;
                    }
                  }
                  clusterBarrier();
                },
                Extra),
            RunStatus::LaunchEnded);
  EXPECT_EQ(Wrong, 0);
  EXPECT_TRUE(M.Sink.Findings.empty());
}

TEST(Mbarrier, PhaseThatCannotCompleteIsD7) {
  Machine M;
  RunStatus R = M.run({1}, {4}, [&] {
    void *B = shared(0);
    if (tid() == 0)
      init(B, 5);
    barrier();
    arrive(B, 1, tid() == 2 ? 16 : 0);
    wait(B, 0);
  });
  EXPECT_EQ(R, RunStatus::Livelocked);
  std::string Text = TheEngine.describeStuck("stuck");
  EXPECT_NE(Text.find("4 of 4 live threads (first: thread [0,0,0]) wait on an mbarrier: its phase "
                      "lacks 1 arrivals and 16 bytes"),
            std::string::npos)
      << Text;
  TheEngine.reportStuck(*M.Detector);
  ASSERT_EQ(M.Sink.Findings.size(), 1u);
  EXPECT_EQ(M.Sink.Findings[0].rule, core::Rule::BarrierMisuse);
}

TEST(Mbarrier, OutsideOfSharedMemoryFailsTheKernel) {
  Machine M;
  alignas(8) static char Global[8];
  EXPECT_EQ(M.run({1}, {1}, [&] { __scopesan_cpu_mbarrier_init(Global, 1); }), RunStatus::Failed);
  EXPECT_EQ(M.run({1}, {1}, [&] { __scopesan_cpu_mbarrier_init(shared(4), 1); }),
            RunStatus::Failed);
}

// Whatever a program does, object and detector go through the same phases.
TEST(Mbarrier, AgreesWithTheDetector) {
  for (uint64_t Seed = 1; Seed <= 50; ++Seed) {
    Machine M;
    M.run({1}, {1}, [&] {
      Random R(Seed);
      void *B = shared(0);
      init(B, 1 + R.below(6));
      for (int Step = 0; Step < 200; ++Step) {
        switch (R.below(6)) {
        case 0:
          init(B, 1 + R.below(6));
          break;
        case 1:
          __scopesan_mbarrier_expect_tx(B, 16, Arrive, 2);
          __scopesan_cpu_mbarrier_expect(B, 16);
          break;
        case 2:
          __scopesan_mbarrier_complete_tx(B, 16, Arrive, 2);
          __scopesan_cpu_mbarrier_complete(B, 16);
          break;
        case 3:
          arrive(B, 1 + R.below(2), 0, R.coin());
          break;
        default:
          arrive(B, 1, R.coin() ? 16 : 0);
        }
        for (uint32_t Parity : {0, 1})
          ASSERT_EQ(static_cast<MbarrierObject *>(B)->phaseOver(Parity),
                    TheDetector->mbarrierParityDone(reinterpret_cast<uint64_t>(B), Parity))
              << "seed " << Seed << " step " << Step;
      }
    });
  }
}
