#include "Simulation.h"

#include <gtest/gtest.h>

using namespace scopesan::core;
using namespace scopesan::core::test;

namespace {
struct OneBlock : testing::Test {
  Simulation s;
  Block *b = nullptr;
  void start(uint32_t threads) { b = s.block(s.launch(s.stream(), 1, threads)); }
  Thread &t(uint32_t i) { return s.thread(b, i); }
};
using S7 = OneBlock;
using S8 = OneBlock;
} // namespace

TEST_F(S7, FullBarrierOrdersAllThreads) {
  start(64);
  for (uint32_t i = 0; i < 64; ++i)
    s.write(t(i), X + 4 * i);
  s.barrier(b);
  for (uint32_t i = 0; i < 64; ++i)
    s.read(t(i), X + 4 * ((i + 7) % 64));
  s.barrier(b);
  for (uint32_t i = 0; i < 64; ++i)
    s.write(t(i), X + 4 * ((i + 9) % 64));
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S7, MissingBarrierIsARace) {
  start(64);
  s.write(t(0), X);
  s.read(t(40), X);
  ASSERT_EQ(s.rules(), "D1");
  EXPECT_EQ(s.Sink.races()[0].distance, Distance::SameBlock);
  EXPECT_EQ(s.Sink.races()[0].hazard, Hazard::ReadAfterWrite);
}

TEST_F(S7, ReadersBeforeABarrierAreOrderedBeforeAWriterAfterIt) {
  start(64);
  for (uint32_t i = 0; i < 64; ++i)
    s.read(t(i), X);
  s.barrier(b);
  s.write(t(3), X);
  EXPECT_EQ(s.rules(), "");
  s.read(t(4), X);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S7, EveryReaderCounts) {
  start(64);
  for (uint32_t i = 0; i < 64; ++i)
    s.read(t(i), X);
  s.write(t(0), X); // races with each of 63 readers: at least one finding per reading warp
  EXPECT_FALSE(s.Sink.races().empty());
  EXPECT_EQ(s.Sink.races()[0].hazard, Hazard::WriteAfterRead);
}

TEST_F(S7, CountedBarrierOrdersOnlyParticipants) {
  start(96);
  s.write(t(0), X);
  s.write(t(32), Y);
  for (uint32_t i = 0; i < 64; ++i)
    s.D.blockBarrierArrive(t(i), scopesan::abi::BarrierKind::Sync, 1, 64, site(9));
  s.read(t(40), X);
  s.read(t(1), Y);
  EXPECT_EQ(s.rules(), "");
  s.read(t(70), X);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S7, CountsAreOfWholeWarps) {
  using scopesan::abi::BarrierKind;
  start(33); // the second warp has one lane
  for (uint32_t i = 1; i < 30; ++i)
    s.D.threadExit(t(i));
  s.write(t(0), X);
  s.D.blockBarrierArrive(t(32), BarrierKind::Sync, 1, 64, site(9));
  s.D.blockBarrierArrive(t(0), BarrierKind::Arrive, 1, 64, site(9));
  s.D.blockBarrierArrive(t(31), BarrierKind::Sync, 1, 64, site(9)); // lane 30 is still missing
  s.write(t(30), Y);
  s.D.threadExit(t(30)); // completes the barrier, but gives no edge
  s.read(t(32), X);
  EXPECT_EQ(s.rules(), "");
  s.read(t(31), Y);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S7, ArriveIsASourceOnly) {
  start(64);
  s.write(t(0), X);  // producer
  s.write(t(32), Y); // consumer
  for (uint32_t i = 0; i < 32; ++i)
    s.D.blockBarrierArrive(t(i), scopesan::abi::BarrierKind::Arrive, 1, 64, site(9));
  s.write(t(0), G); // after the arrival: not published
  for (uint32_t i = 32; i < 64; ++i)
    s.D.blockBarrierArrive(t(i), scopesan::abi::BarrierKind::Sync, 1, 64, site(9));
  s.read(t(33), X);
  EXPECT_EQ(s.rules(), "");
  s.read(t(1), Y);
  EXPECT_EQ(s.rules(), "D1") << "bar.arrive learns nothing";
  s.read(t(33), G);
  EXPECT_EQ(s.rules(), "D1 D1");
}

TEST_F(S7, GenerationsNotIdsAreMatched) {
  start(64);
  s.barrier(b);
  s.write(t(0), X);
  for (uint32_t i = 1; i < 64; ++i)
    s.D.blockBarrierArrive(t(i), scopesan::abi::BarrierKind::Sync, 0, 0, site(9));
  s.write(t(0), Y);
  s.D.blockBarrierArrive(t(0), scopesan::abi::BarrierKind::Sync, 0, 0, site(9));
  s.read(t(5), X);
  s.read(t(5), Y);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S7, ExitedThreadsNoLongerCountAndGiveNoEdge) {
  start(64);
  s.write(t(63), X);
  s.D.threadExit(t(63));
  s.write(t(0), Y);
  s.barrier(b);
  s.read(t(1), Y);
  EXPECT_EQ(s.rules(), "");
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S7, ExitCompletesABarrier) {
  start(64);
  s.write(t(0), X);
  for (uint32_t i = 0; i < 63; ++i)
    s.D.blockBarrierArrive(t(i), scopesan::abi::BarrierKind::Sync, 0, 0, site(9));
  s.D.threadExit(t(63));
  s.read(t(40), X);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S8, WarpBarrierOrdersItsLanesOnly) {
  start(64);
  s.write(t(0), X);
  s.warpBarrier(b, 0);
  s.read(t(31), X);
  EXPECT_EQ(s.rules(), "");
  s.read(t(32), X);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(S8, MaskSubset) {
  start(32);
  s.write(t(0), X);
  s.write(t(20), Y);
  s.warpBarrier(b, 0, 0xffff);
  s.read(t(15), X);
  EXPECT_EQ(s.rules(), "");
  s.read(t(15), Y);
  EXPECT_EQ(s.rules(), "D1");
  s.read(t(16), X);
  EXPECT_EQ(s.rules(), "D1 D1");
}

TEST_F(S8, LockstepOrdersNothing) {
  start(32);
  s.write(t(0), X);
  s.read(t(1), X);
  ASSERT_EQ(s.rules(), "D1");
  EXPECT_EQ(s.Sink.races()[0].distance, Distance::SameWarp);
}

TEST_F(S8, SubsetThenSuperset) {
  start(32);
  s.write(t(3), X);
  s.warpBarrier(b, 0, 0xf);
  s.write(t(0), X);
  s.warpBarrier(b, 0);
  s.write(t(31), X);
  s.barrier(b);
  s.read(t(9), X);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S7, MixedNamedAndFullBarriers) {
  start(128);
  for (int round = 0; round < 5; ++round) {
    for (uint32_t i = 0; i < 64; ++i)
      s.write(t(i), X + 4 * i);
    for (uint32_t i = 0; i < 64; ++i)
      s.D.blockBarrierArrive(t(i), scopesan::abi::BarrierKind::Sync, 2, 64, site(9));
    for (uint32_t i = 0; i < 64; ++i)
      s.read(t(i), X + 4 * (63 - i));
    s.barrier(b);
    for (uint32_t i = 64; i < 128; ++i)
      s.write(t(i), X + 4 * (i - 64));
    s.barrier(b);
  }
  EXPECT_EQ(s.rules(), "");
}

TEST_F(S8, UnmodelledOperationsMayHaveSynchronized) { // X1 never turns into a false finding
  start(64);
  s.write(t(0), X);
  s.D.unmodelled(t(0));
  s.D.unmodelled(t(40));
  s.read(t(40), X);
  EXPECT_EQ(s.rules(), "");
  s.read(t(41), X);
  EXPECT_EQ(s.rules(), "D1");
}
