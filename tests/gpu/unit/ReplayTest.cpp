// What a log means: blocks, shared memory, barriers, exits, prefixes.
#include "Log.h"

using namespace scopesan;
using namespace scopesan::gpu;
using namespace scopesan::gpu::test;
using core::Rule;

TEST(Replay, RaceBetweenBlocks) {
  Launch l;
  l.write({0, 0}, X).read({1, 0}, X).end();
  ASSERT_EQ(l.S.count(Rule::DataRace), 1u);
  EXPECT_EQ(l.S.findings[0].first.site.value, 1u);
  EXPECT_EQ(l.S.findings[0].second.site.value, 2u);
}

TEST(Replay, NeighbourBytesDoNotRace) {
  Launch l;
  l.write({0, 0}, X, 1).write({1, 0}, X + 1, 1).end();
  EXPECT_TRUE(l.S.findings.empty());
}

TEST(Replay, SharedMemoryIsPerBlock) {
  Launch l;
  l.write({0, 0}, SharedBit | 1024).write({1, 0}, SharedBit | 1024).end();
  EXPECT_TRUE(l.S.findings.empty());
  Launch m;
  m.write({0, 0}, SharedBit | 1024).read({0, 1}, SharedBit | 1024).end();
  EXPECT_EQ(m.S.count(Rule::DataRace), 1u);
}

TEST(Replay, SharedMemoryIsNewForEachBlock) {
  Launch l(3, 1);
  l.write({0, 0}, SharedBit | 1024).exit({0, 0}).write({1, 0}, SharedBit | 1024).exit({1, 0}).end();
  EXPECT_TRUE(l.S.findings.empty());
}

TEST(Replay, BarrierOrders) {
  Launch l(1, 2);
  l.write({0, 0}, X).barrier({0, 1}).barrier({0, 0}).read({0, 1}, X).end();
  EXPECT_TRUE(l.S.findings.empty());
}

TEST(Replay, ExitedThreadsLeaveTheBarrier) {
  Launch l(1, 3);
  l.write({0, 0}, X).barrier({0, 0}).exit({0, 2}).barrier({0, 1}).read({0, 1}, X).end();
  EXPECT_TRUE(l.S.findings.empty());
  Launch m(1, 3); // the exit comes last
  m.write({0, 0}, X).barrier({0, 0}).barrier({0, 1}).exit({0, 2}).read({0, 1}, X).end();
  EXPECT_TRUE(m.S.findings.empty());
}

TEST(Replay, PrefixStopsAtAGap) {
  Launch l;
  l.write({0, 0}, X).gap().read({1, 0}, X);
  l.scan(/*final=*/false);
  EXPECT_EQ(l.R.judged(), 1u);
  EXPECT_TRUE(l.S.findings.empty());
  l.Records[1] = l.Records[0]; // written late
  l.scan(false);
  EXPECT_EQ(l.R.judged(), 3u);
  EXPECT_EQ(l.S.count(Rule::DataRace), 1u);
}

TEST(Replay, PrefixWaitsForTheSecondTicket) {
  Launch l;
  l.write({0, 0}, X).before({1, 0}, Flag, LoadAcquire).read({2, 0}, Y);
  l.scan(false);
  EXPECT_EQ(l.R.judged(), 1u);
  l.got({1, 0}, 0);
  l.scan(false);
  EXPECT_EQ(l.R.judged(), 4u);
}

TEST(Replay, StaleRecordsAreNotOfThisLaunch) {
  Launch l;
  l.write({0, 0}, X).read({1, 0}, X);
  l.Records[1].stamp = Launch::Stamp - 1;
  l.end();
  EXPECT_TRUE(l.S.findings.empty());
}

TEST(Replay, NamesSharedVariables) {
  Launch l;
  l.R.setSiteText([](core::SiteId) { return std::string("tile"); });
  l.add({0, 0}, EventKind::SharedVariable, SharedBit | 1024, 64);
  l.write({0, 0}, SharedBit | 1028);
  l.scan();
  constexpr uint64_t Base = uint64_t(1) << 60;
  host::SharedPlace p = l.R.resolveShared(Base + 1028);
  EXPECT_TRUE(p.found);
  EXPECT_EQ(p.variable, "tile");
  EXPECT_EQ(p.offset, 4u);
  EXPECT_EQ(l.R.resolveShared(Base + 2048).variable, "dynamic shared memory");
  EXPECT_FALSE(l.R.resolveShared(X).found);
  l.R.end();
}

TEST(Replay, RangesAndSizes) {
  Launch l;
  l.add({0, 0}, EventKind::WriteRange, X, 64).read({1, 0}, X + 60).end();
  EXPECT_EQ(l.S.count(Rule::DataRace), 1u);
}
