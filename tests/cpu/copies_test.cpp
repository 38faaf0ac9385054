// Asynchronous copies: when they execute, what they do, what the detector learns (S12, D8, D10).
#include "harness.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

using namespace scopesan;
using namespace scopesan::cpu;
using namespace scopesan::cpu::test;

namespace {

char *shared(uint32_t Offset) { return Engine::current()->shared + ReservedShared + Offset; }
uint64_t raw(void *P) { return reinterpret_cast<uint64_t>(P); }

// Each pair tells the detector, then executes, as instrumented code does.

void cpAsync(void *To, const void *From, uint32_t Bytes, uint32_t Source) {
  __scopesan_cp_async(To, From, Bytes, Source, 11);
  __scopesan_cpu_cp_async(To, From, Bytes, Source);
}
void commit() {
  __scopesan_cp_async_commit(12);
  __scopesan_cpu_cp_async_commit();
}
void waitGroup(uint32_t Allowed) {
  __scopesan_cpu_cp_async_wait(Allowed);
  __scopesan_cp_async_wait(Allowed, 13);
}
constexpr uint32_t Plain =
    scopesan::abi::Op(scopesan::abi::AccessKind::AsyncCopy, scopesan::abi::MemoryOrder::Weak,
                      scopesan::abi::Scope::Thread)
        .raw();
constexpr uint32_t Red =
    scopesan::abi::Op(scopesan::abi::AccessKind::Red, scopesan::abi::MemoryOrder::Relaxed,
                      scopesan::abi::Scope::Device)
        .withElementLog2(2)
        .raw();
void bulk(void *To, const void *From, uint64_t Bytes, void *Barrier, uint32_t Masks = 0,
          Reduction R = Reduction(0)) {
  __scopesan_bulk_copy(To, From, Bytes, Barrier, R ? Red : Plain, Masks, 14);
  __scopesan_cpu_bulk_copy(To, From, Bytes, Barrier, R.raw(), Masks);
}
void bulkCommit() {
  __scopesan_bulk_commit(15);
  __scopesan_cpu_bulk_commit();
}
void bulkWait(uint32_t Allowed, bool Read) {
  __scopesan_cpu_bulk_wait(Allowed, Read);
  __scopesan_bulk_wait(Allowed, Read, 16);
}
constexpr uint32_t Arrive =
    scopesan::abi::Op(scopesan::abi::AccessKind::Rmw, scopesan::abi::MemoryOrder::Release,
                      scopesan::abi::Scope::Block)
        .raw();
constexpr uint32_t Test =
    scopesan::abi::Op(scopesan::abi::AccessKind::Load, scopesan::abi::MemoryOrder::Acquire,
                      scopesan::abi::Scope::Block)
        .raw();
void init(void *B, uint32_t Count) {
  __scopesan_mbarrier_init(B, Count, 17);
  __scopesan_cpu_mbarrier_init(B, Count);
}
void arrive(void *B, uint32_t Bytes) {
  __scopesan_mbarrier_arrive(B, 1, Bytes, 0, Arrive, 18);
  __scopesan_cpu_mbarrier_arrive(B, 1, Bytes, 0);
}
void wait(void *B, uint32_t Parity) {
  for (uint32_t Done = 0; !Done;) {
    Done = __scopesan_cpu_mbarrier_wait(B, Parity);
    __scopesan_mbarrier_wait(B, Test, 19, Done);
  }
}
void barrier() {
  __scopesan_block_barrier_before(0, 0, 0, 0);
  __scopesan_cpu_bar_sync(0, 0, 0, 0);
  __scopesan_block_barrier_after(0, 0, 0, 0);
}
void clusterBarrier() {
  __scopesan_cluster_arrive(0, 20);
  __scopesan_cpu_cluster_arrive();
  __scopesan_cpu_cluster_wait();
  __scopesan_cluster_wait(21);
}
void read(void *P, uint32_t Site = 30) { __scopesan_read(P, 4, Site); }
void write(void *P, uint32_t Site = 31) { __scopesan_write(P, 4, Site); }
void asyncFence() {
  __scopesan_proxy_fence(uint32_t(scopesan::abi::ProxyFence::Async),
                         uint32_t(scopesan::abi::Space::Generic), 22);
}

EngineSettings seeded(uint64_t Seed) {
  EngineSettings S;
  S.Seed = Seed;
  return S;
}

/// What the word at To holds after `Turns` turns of waiting for a copy that nobody waits for.
int valueAfter(uint64_t Seed, int Turns) {
  Machine M(seeded(Seed));
  static int From;
  From = 7;
  int Value = 0;
  M.run({1}, {2}, [&] {
    auto *To = reinterpret_cast<int *>(shared(0));
    if (tid() == 0) {
      *To = 1;
      __scopesan_cpu_cp_async(To, &From, 4, 4);
      for (int I = 0; I < Turns; ++I)
        __scopesan_cpu_yield();
      Value = *To;
      From = 8;
    }
    for (int I = 0; I < 20; ++I)
      __scopesan_cpu_yield();
  });
  return Value;
}

} // namespace

TEST(Copies, ExecuteAtAMomentThatTheSeedDraws) {
  std::set<int> Early, Late;
  for (uint64_t Seed = 1; Seed <= 40; ++Seed) {
    Early.insert(valueAfter(Seed, 1));
    Late.insert(valueAfter(Seed, 9000));
    EXPECT_EQ(valueAfter(Seed, 3), valueAfter(Seed, 3)) << "same seed, same moment";
  }
  EXPECT_EQ(Early, (std::set<int>{1, 7})) << "neither always at issue nor never";
  EXPECT_EQ(Late, (std::set<int>{7})) << "it executes without anybody's wait";
}

TEST(Copies, WaitGroupCompletesTheOldest) {
  for (uint64_t Seed = 1; Seed <= 20; ++Seed) {
    Machine M(seeded(Seed));
    static int From[3];
    std::iota(From, From + 3, 5);
    M.run({1}, {32}, [&] {
      auto *To = reinterpret_cast<int *>(shared(tid() * 16));
      for (int I = 0; I < 3; ++I) {
        cpAsync(To + I, From + I, 4, 4);
        commit();
      }
      waitGroup(1);
      read(To), read(To + 1);
      EXPECT_EQ(To[0] + To[1], 11);
      waitGroup(0);
      read(To + 2);
      EXPECT_EQ(To[2], 7);
    });
    EXPECT_TRUE(M.Sink.Findings.empty());
  }
}

TEST(Copies, WaitAllTakesWhatIsNotCommittedAndZeroFills) {
  Machine M;
  static int From[4] = {1, 2, 3, 4};
  M.run({1}, {1}, [&] {
    auto *To = reinterpret_cast<int *>(shared(0));
    cpAsync(To, From, 16, 8);
    waitGroup(scopesan::abi::WaitAll);
    for (int I = 0; I < 4; ++I) {
      read(To + I);
      EXPECT_EQ(To[I], I < 2 ? I + 1 : 0);
    }
  });
  EXPECT_TRUE(M.Sink.Findings.empty());
}

TEST(Copies, TouchingTheDestinationTooEarlyIsD10) {
  Machine M;
  static int From;
  M.run({1}, {1}, [&] {
    cpAsync(shared(0), &From, 4, 4);
    commit();
    read(shared(0));
    waitGroup(0);
  });
  ASSERT_EQ(M.Sink.Findings.size(), 1u);
  EXPECT_EQ(M.Sink.Findings[0].rule, core::Rule::AsyncInFlight);
  EXPECT_EQ(M.Sink.Findings[0].first.site, core::SiteId{11});
}

TEST(Copies, ArriveOnAnMbarrierWhenDone) {
  for (bool NoInc : {true, false})
    for (uint64_t Seed = 1; Seed <= 20; ++Seed) {
      Machine M(seeded(Seed));
      static int From[64];
      std::iota(From, From + 64, 0);
      int Wrong = 0;
      EXPECT_EQ(M.run({1}, {64},
                      [&] {
                        auto *To = reinterpret_cast<int *>(shared(64));
                        void *B = shared(0);
                        if (tid() == 0)
                          init(B, 64);
                        barrier();
                        cpAsync(To + tid(), From + tid(), 4, 4);
                        __scopesan_cp_async_mbarrier_arrive(B, NoInc, 23);
                        __scopesan_cpu_cp_async_mbarrier_arrive(B, NoInc);
                        if (!NoInc)
                          arrive(B, 0);
                        wait(B, 0);
                        int *Other = To + (tid() + 33) % 64;
                        read(Other);
                        Wrong += *Other != int((tid() + 33) % 64);
                      }),
                RunStatus::LaunchEnded);
      EXPECT_EQ(Wrong, 0);
      EXPECT_TRUE(M.Sink.Findings.empty());
    }
}

TEST(Bulk, CompletesOnItsMbarrier) {
  for (uint64_t Seed = 1; Seed <= 20; ++Seed) {
    Machine M(seeded(Seed));
    static int From[64];
    std::iota(From, From + 64, 100);
    int Wrong = 0;
    EXPECT_EQ(M.run({1}, {64},
                    [&] {
                      auto *To = reinterpret_cast<int *>(shared(64));
                      void *B = shared(0);
                      if (tid() == 0) {
                        init(B, 1);
                        asyncFence();
                      }
                      barrier();
                      if (tid() == 0) {
                        arrive(B, 256);
                        bulk(To, From, 128, B);
                        bulk(To + 32, From + 32, 128, B);
                      }
                      wait(B, 0);
                      read(To + tid());
                      Wrong += To[tid()] != int(tid()) + 100;
                    }),
              RunStatus::LaunchEnded);
    EXPECT_EQ(Wrong, 0);
    EXPECT_TRUE(M.Sink.Findings.empty());
  }
}

// .read frees the source: what is written there afterwards never reaches the destination.
TEST(Bulk, WaitReadFreesTheSourceOnly) {
  std::set<int> Seen;
  for (uint64_t Seed = 1; Seed <= 40; ++Seed) {
    Machine M(seeded(Seed));
    alignas(16) static int To[4];
    To[0] = 0;
    int AfterRead = 0;
    M.run({1}, {1}, [&] {
      auto *From = reinterpret_cast<int *>(shared(0));
      write(From);
      From[0] = 5;
      asyncFence();
      bulk(To, From, 16, nullptr);
      bulkCommit();
      for (int I = 0; I < 20; ++I)
        __scopesan_cpu_yield();
      bulkWait(0, true);
      write(From);
      From[0] = 6;
      AfterRead = To[0];
      bulkWait(0, false);
      read(To);
      EXPECT_EQ(To[0], 5);
    });
    Seen.insert(AfterRead);
    EXPECT_TRUE(M.Sink.Findings.empty());
  }
  EXPECT_EQ(Seen, (std::set<int>{0, 5})) << "the write must be possible before and after .read";
}

TEST(Bulk, ReusingTheSourceWithoutWaitIsD10) {
  Machine M;
  alignas(16) static int To[4];
  M.run({1}, {1}, [&] {
    bulk(To, shared(0), 16, nullptr);
    bulkCommit();
    write(shared(0));
    bulkWait(0, false);
  });
  ASSERT_EQ(M.Sink.Findings.size(), 1u);
  EXPECT_EQ(M.Sink.Findings[0].rule, core::Rule::AsyncInFlight);
}

TEST(Bulk, ReductionsAddUp) {
  for (uint64_t Seed = 1; Seed <= 5; ++Seed) {
    Machine M(seeded(Seed));
    alignas(16) static uint32_t Sum[4];
    std::fill(Sum, Sum + 4, 0);
    M.run({8}, {1}, [&] {
      auto *Mine = reinterpret_cast<uint32_t *>(shared(0));
      for (uint32_t I = 0; I < 4; ++I) {
        write(Mine + I);
        Mine[I] = bid() + I;
      }
      asyncFence();
      bulk(Sum, Mine, 16, nullptr, 0, Reduction(ReduceOp::Add, ReduceType::U32));
      bulkCommit();
      bulkWait(0, true);
    });
    for (uint32_t I = 0; I < 4; ++I)
      EXPECT_EQ(Sum[I], 28 + 8 * I);
    EXPECT_TRUE(M.Sink.Findings.empty());
  }
}

TEST(Bulk, ByteMasksLeaveBytesOut) {
  Machine M;
  alignas(16) static uint8_t To[32];
  std::fill(To, To + 32, 9);
  M.run({1}, {1}, [&] {
    auto *From = reinterpret_cast<uint8_t *>(shared(0));
    __scopesan_write_range(From, 32, 31);
    std::fill(From, From + 32, 1);
    asyncFence();
    bulk(To, From, 32, nullptr, 0x00f0u << 16);
    write(To + 4); // left out: no conflict
    bulkCommit();
    bulkWait(0, false);
  });
  for (int I = 0; I < 32; ++I)
    EXPECT_EQ(To[I], I % 16 / 4 == 1 ? 9 : 1);
  EXPECT_TRUE(M.Sink.Findings.empty());
}

TEST(Bulk, MulticastReachesEveryReceiver) {
  for (uint64_t Seed = 1; Seed <= 10; ++Seed) {
    Machine M(seeded(Seed));
    LaunchSpec Extra;
    Extra.ClusterDim = {4, 1, 1};
    static int From[8];
    std::iota(From, From + 8, 50);
    int Wrong = 0;
    EXPECT_EQ(M.run(
                  {4}, {1},
                  [&] {
                    auto *To = reinterpret_cast<int *>(shared(64));
                    void *B = shared(0);
                    init(B, 1);
                    asyncFence();
                    clusterBarrier();
                    if (bid() != 2)
                      arrive(B, 32);
                    if (bid() == 0)
                      bulk(To, From, 32, B, 0b1011);
                    if (bid() != 2) {
                      wait(B, 0);
                      for (int I = 0; I < 8; ++I) {
                        read(To + I);
                        Wrong += To[I] != 50 + I;
                      }
                    }
                    clusterBarrier();
                  },
                  Extra),
              RunStatus::LaunchEnded);
    EXPECT_EQ(Wrong, 0);
    EXPECT_TRUE(M.Sink.Findings.empty());
  }
}

TEST(Bulk, CopyToAPeerThatMayHaveEndedIsD8) {
  for (bool Waits : {false, true}) {
    Machine M;
    LaunchSpec Extra;
    Extra.ClusterDim = {2, 1, 1};
    static int From[4];
    M.run(
        {2}, {1},
        [&] {
          void *B = shared(0);
          init(B, 1);
          asyncFence();
          clusterBarrier();
          if (bid() == 1)
            arrive(B, 16);
          if (bid() == 0)
            bulk(reinterpret_cast<void *>(__scopesan_cpu_mapa(raw(shared(16)), 1)), From, 16,
                 reinterpret_cast<void *>(__scopesan_cpu_mapa(raw(B), 1)));
          if (bid() == 1 && Waits)
            wait(B, 0);
        },
        Extra);
    ASSERT_EQ(M.Sink.Findings.empty(), Waits);
    for (const core::Finding &F : M.Sink.Findings)
      EXPECT_EQ(F.rule, core::Rule::Lifetime);
  }
}

TEST(StoreAsync, CarriesValuesAndReductions) {
  for (uint64_t Seed = 1; Seed <= 10; ++Seed) {
    Machine M(seeded(Seed));
    LaunchSpec Extra;
    Extra.ClusterDim = {2, 1, 1};
    EXPECT_EQ(M.run(
                  {2}, {1},
                  [&] {
                    auto *To = reinterpret_cast<uint32_t *>(shared(16));
                    void *B = shared(0);
                    if (bid() == 1) {
                      init(B, 1);
                      write(To + 2);
                      To[2] = 40;
                    }
                    clusterBarrier();
                    if (bid() == 0) {
                      auto *There = reinterpret_cast<uint32_t *>(__scopesan_cpu_mapa(raw(To), 1));
                      auto *Signal = reinterpret_cast<void *>(__scopesan_cpu_mapa(raw(B), 1));
                      uint32_t Values[2] = {3, 4}, Two = 2;
                      uint32_t Store = scopesan::abi::Op(scopesan::abi::AccessKind::Store,
                                                         scopesan::abi::MemoryOrder::Weak,
                                                         scopesan::abi::Scope::Thread)
                                           .withElementLog2(2)
                                           .raw();
                      __scopesan_store_async(There, 8, Signal, Store, 24);
                      __scopesan_cpu_store_async(There, Values, 8, Signal, 0);
                      __scopesan_store_async(There + 2, 4, Signal, Red, 25);
                      __scopesan_cpu_store_async(There + 2, &Two, 4, Signal,
                                                 Reduction(ReduceOp::Add, ReduceType::U32).raw());
                      Values[0] = 0; // they were read at once
                    } else {
                      arrive(B, 12);
                      wait(B, 0);
                      for (int I = 0; I < 3; ++I)
                        read(To + I);
                      EXPECT_EQ(To[0], 3u);
                      EXPECT_EQ(To[1], 4u);
                      EXPECT_EQ(To[2], 42u);
                    }
                  },
                  Extra),
              RunStatus::LaunchEnded);
    EXPECT_TRUE(M.Sink.Findings.empty());
  }
}

TEST(Copies, FaultsBelongToTheIssuer) {
  Machine M;
  EXPECT_EQ(M.run({1}, {4},
                  [&] {
                    if (tid() == 3)
                      __scopesan_cpu_cp_async(shared(0), reinterpret_cast<void *>(64), 4, 4);
                  }),
            RunStatus::Failed);
  EXPECT_NE(TheEngine.failure().Message.find("thread [3,0,0]"), std::string::npos)
      << TheEngine.failure().Message;
}

// A copy that nobody waited for is done before its block's memory is used again.
TEST(Copies, AreDoneWhenTheirClusterEnds) {
  for (uint64_t Seed = 1; Seed <= 10; ++Seed) {
    Machine M(seeded(Seed));
    alignas(16) static int From[256], To[256];
    std::iota(From, From + 256, 1);
    std::fill(To, To + 256, 0);
    RunStatus R = M.run({64}, {1}, [&] {
      auto *Mine = reinterpret_cast<int *>(shared(0));
      for (int I = 0; I < 4; ++I) {
        write(Mine + I);
        Mine[I] = From[bid() * 4 + I];
      }
      asyncFence();
      bulk(To + bid() * 4, Mine, 16, nullptr);
      bulkCommit();
    });
    EXPECT_EQ(R, RunStatus::LaunchEnded) << TheEngine.failure().Message;
    EXPECT_TRUE(std::equal(From, From + 256, To));
  }
}
