// Launches that record into one log at the same time.
#include "Log.h"

#include <map>

using namespace scopesan;
using namespace scopesan::gpu;
using namespace scopesan::gpu::test;
using core::NodeId;
using core::Rule;

namespace {

/// Launches of one block each, and the log that they share.
class Overlapping : public testing::Test {
protected:
  Overlapping() : D(S, {}), R(D) {
    R.onStart([this](NodeId n) {
      if (auto f = AtStart.find(n.value); f != AtStart.end())
        f->second();
    });
  }
  /// A launch after others; its stamp.
  uint32_t launch(std::vector<NodeId> after = {}, NodeId primary = {}) {
    core::LaunchFacts facts;
    facts.grid = {1, 1, 1};
    facts.block = {2, 1, 1};
    ReplayLaunch l;
    l.node = D.launch(D.newTimeline(), after.data(), uint32_t(after.size()), facts);
    if (primary.value)
      D.programmatic(l.node, primary);
    l.grid = facts.grid;
    l.cluster = {1, 1, 1};
    l.threadsPerBlock = 2;
    l.sharedBytes = 4096;
    l.stamp = ++Stamp;
    Nodes[Stamp] = l.node;
    R.begin(l);
    return Stamp;
  }
  void add(uint32_t stamp, EventKind kind, uint64_t value, uint32_t low = 4, uint32_t extra = 0,
           uint32_t thread = 0) {
    Records.push_back(
        {value, 0, stamp | thread << 16 | uint32_t(kind) << 26, low, ++Site, extra, stamp});
  }
  void store(uint32_t stamp, uint64_t value, scopesan::abi::Op op = StoreRelease) {
    add(stamp, EventKind::AtomicBefore, Flag, 4, op.raw());
    Records.push_back({0, 0, stamp | uint32_t(EventKind::AtomicAfter) << 26, uint32_t(value), 0,
                       Wrote | WrittenKnown, stamp});
  }
  void load(uint32_t stamp, uint64_t value) {
    add(stamp, EventKind::AtomicBefore, Flag, 4, LoadAcquire.raw());
    Records.push_back(
        {value, 0, stamp | uint32_t(EventKind::AtomicAfter) << 26, 0, 0, ValueKnown, stamp});
  }
  void scan(bool final = true) { R.scan(Records.data(), Records.size(), final); }
  void end() {
    scan();
    R.end();
  }
  unsigned races() const { return S.count(Rule::DataRace); }

  Sink S;
  core::Detector D;
  Replay R;
  uint32_t Stamp = 10, Site = 0;
  std::map<uint32_t, NodeId> Nodes;
  std::map<uint32_t, std::function<void()>> AtStart;
  std::vector<Record> Records;
};

TEST_F(Overlapping, UnorderedLaunchesRace) {
  uint32_t a = launch(), b = launch();
  add(a, EventKind::Write, X);
  add(b, EventKind::Read, X);
  end();
  EXPECT_EQ(races(), 1u);
}

TEST_F(Overlapping, AWaitForAnotherKernelOrders) {
  uint32_t consumer = launch(), producer = launch();
  load(consumer, 0);
  add(producer, EventKind::Write, X);
  store(producer, 1);
  load(consumer, 1);
  add(consumer, EventKind::Read, X);
  end();
  EXPECT_TRUE(S.findings.empty());
  EXPECT_TRUE(S.gaveUps.empty());
}

TEST_F(Overlapping, RelaxedDoesNot) {
  uint32_t consumer = launch(), producer = launch();
  load(consumer, 0);
  add(producer, EventKind::Write, X);
  store(producer, 1, StoreRelaxed);
  load(consumer, 1);
  add(consumer, EventKind::Read, X);
  end();
  EXPECT_EQ(races(), 1u);
}

TEST_F(Overlapping, StreamOrderHoldsBesideAnotherLaunch) {
  uint32_t waiting = launch(), first = launch();
  uint32_t second = launch({Nodes[first]});
  load(waiting, 0);
  add(first, EventKind::Write, X);
  load(waiting, 0);
  add(second, EventKind::Write, X);
  store(second, 1);
  load(waiting, 1);
  add(waiting, EventKind::Write, X);
  end();
  EXPECT_TRUE(S.findings.empty());
}

/// What the first kernel learned from the waiting one is known to the second.
TEST_F(Overlapping, WhatALaunchLearnedPassesOn) {
  uint32_t other = launch(), first = launch();
  uint32_t second = launch({Nodes[first]});
  add(other, EventKind::Write, X);
  store(other, 1);
  load(first, 1);
  add(second, EventKind::Read, X);
  add(other, EventKind::Write, Y);
  end();
  EXPECT_TRUE(S.findings.empty());
}

TEST_F(Overlapping, OtherWorkIsToldBeforeWhatFollowsIt) {
  uint32_t waiting = launch(), first = launch();
  NodeId after[] = {Nodes[first]}, copy = D.copyNode(D.newTimeline(), after, 1);
  uint32_t second = launch({copy});
  AtStart[Nodes[second].value] = [&] { D.nodeWrite(copy, X, 4, {99}); };
  load(waiting, 0);
  add(first, EventKind::Write, X);
  add(second, EventKind::Read, X);
  store(second, 1);
  load(waiting, 1);
  add(waiting, EventKind::Read, X);
  end();
  EXPECT_TRUE(S.findings.empty());
}

TEST_F(Overlapping, ProgrammaticLaunchWaits) {
  uint32_t first = launch();
  uint32_t second = launch({}, Nodes[first]);
  add(second, EventKind::Read, Y);
  add(first, EventKind::Write, X);
  add(first, EventKind::Exit, 0, 0);
  add(second, EventKind::GriddepWait, 0);
  add(second, EventKind::Read, X);
  end();
  EXPECT_TRUE(S.findings.empty());
}

TEST_F(Overlapping, ProgrammaticLaunchDoesNotWait) {
  uint32_t first = launch();
  uint32_t second = launch({}, Nodes[first]);
  add(second, EventKind::Read, X);
  add(first, EventKind::Write, X);
  end();
  EXPECT_EQ(races(), 1u);
}

TEST_F(Overlapping, SharedMemoryIsEachLaunchsOwn) {
  uint32_t a = launch(), b = launch();
  add(a, EventKind::Write, SharedBit | 1024);
  add(b, EventKind::Write, SharedBit | 1024, 4, 0, 1);
  add(a, EventKind::Read, SharedBit | 1024);
  end();
  EXPECT_TRUE(S.findings.empty());
}

TEST_F(Overlapping, NamesTheSharedVariablesOfEach) {
  R.setSiteText([](core::SiteId s) { return std::string(s.value == 1 ? "left" : "right"); });
  uint32_t a = launch(), b = launch();
  add(a, EventKind::SharedVariable, SharedBit | 1024, 64);
  add(b, EventKind::SharedVariable, SharedBit | 1024, 64);
  add(a, EventKind::Write, SharedBit | 1024);
  add(b, EventKind::Write, SharedBit | 1024);
  scan();
  constexpr uint64_t Base = uint64_t(1) << 60, Slot = 256 * 1024;
  EXPECT_EQ(R.resolveShared(Base + 1028).variable, "left");
  EXPECT_EQ(R.resolveShared(Base + Slot + 1028).variable, "right");
  R.end();
}

TEST_F(Overlapping, RecordsOfNoLaunchStopAPrefixOnly) {
  uint32_t a = launch(), b = launch();
  add(a, EventKind::Write, X);
  add(b + 1, EventKind::Write, X); // an old one: nobody wrote here yet
  add(b, EventKind::Read, X);
  scan(/*final=*/false);
  EXPECT_EQ(R.judged(), 1u);
  end();
  EXPECT_EQ(races(), 1u);
}

/// It begins as the others end.
TEST_F(Overlapping, ALaunchWithoutRecords) {
  uint32_t a = launch();
  uint32_t b = launch({Nodes[a]});
  bool told = false;
  AtStart[Nodes[b].value] = [&] { told = true; };
  add(a, EventKind::Write, X);
  scan();
  EXPECT_FALSE(told);
  R.end();
  EXPECT_TRUE(told);
  EXPECT_FALSE(R.active());
}

} // namespace
