// D8 for global memory: freed memory, and memory that is alive since a node of the launch order.
#include "Simulation.h"

#include <gtest/gtest.h>

using namespace scopesan::core;
using namespace scopesan::core::test;

namespace {

struct D8Memory : testing::Test {
  Simulation s;
  TimelineId p = s.stream(), q = s.stream();
  NodeId host() { return s.D.hostStep(s.Host, nullptr, 0); }
  void access(NodeId n, uint64_t a, bool write = true) {
    Block *b = s.block(n);
    write ? s.write(s.thread(b, 0), a) : s.read(s.thread(b, 0), a);
    s.D.threadExit(s.thread(b, 0));
    s.D.endBlock(b);
  }
  void freeNow(NodeId by, bool afterAll = false) { s.D.freed(X, 4096, by, afterAll); }
};

} // namespace

TEST_F(D8Memory, AccessAfterTheFreeWhateverTheOrder) {
  NodeId k = s.launch(p, 1, 1);
  access(k, X);
  NodeId end = s.D.freeNode(p, nullptr, 0);
  freeNow(end);
  EXPECT_EQ(s.rules(), "");
  access(s.launch(p, 1, 1), X + 8); // in order after the free
  access(s.launch(q, 1, 1), X, false);
  ASSERT_EQ(s.rules(), "D8 D8");
  EXPECT_EQ(s.Sink.races()[0].first.node, end);
  EXPECT_EQ(s.Sink.races()[0].first.op.kind(), AccessKind::Free);
  EXPECT_EQ(s.Sink.races()[0].second.address, X + 8);
}

TEST_F(D8Memory, FreeThatDoesNotFollowAnAccess) {
  NodeId k = s.launch(p, 1, 1), end = s.D.freeNode(q, nullptr, 0);
  access(k, X + 4, false);
  freeNow(end);
  ASSERT_EQ(s.rules(), "D8");
  EXPECT_EQ(s.Sink.races()[0].first.node, k);
  EXPECT_EQ(s.Sink.races()[0].second.op.kind(), AccessKind::Free);
}

TEST_F(D8Memory, FreeThatFollowsByAnEvent) {
  NodeId k = s.launch(p, 1, 1), event = s.D.marker(p, nullptr, 0);
  NodeId end = s.D.freeNode(q, &event, 1);
  access(k, X);
  freeNow(end);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(D8Memory, FreeThatWaitedForEverything) {
  access(s.launch(p, 1, 1), X);
  freeNow(s.D.freeNode(s.Host, nullptr, 0), /*afterAll=*/true);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(D8Memory, AtomicsDieToo) {
  NodeId k = s.launch(p, 1, 1);
  s.rmw(s.thread(s.block(k), 0), X, Relaxed, Scope::Device);
  freeNow(s.D.freeNode(q, nullptr, 0));
  EXPECT_EQ(s.rules(), "D8");
  NodeId later = s.launch(p, 1, 1);
  s.load(s.thread(s.block(later), 0), X, Acquire, Scope::System);
  EXPECT_EQ(s.rules(), "D8 D8");
  s.store(s.thread(s.block(later), 0), X, Release, Scope::System, 4, 8);
  EXPECT_EQ(s.rules(), "D8 D8 D8");
}

TEST_F(D8Memory, ReuseIsANewLocation) {
  NodeId k = s.launch(p, 1, 1);
  access(k, X);
  freeNow(s.D.freeNode(p, nullptr, 0));
  s.D.allocated(X, 1024);
  access(s.launch(q, 1, 1), X);
  EXPECT_EQ(s.rules(), "");
  access(s.launch(q, 1, 1), X + 1024); // the rest stays freed
  EXPECT_EQ(s.rules(), "D8");
  s.D.unwatch(X, 4096);
  access(s.launch(q, 1, 1), X + 2048);
  EXPECT_EQ(s.rules(), "D8");
}

TEST_F(D8Memory, UseBeforeTheAllocationInStreamOrder) {
  NodeId born = s.D.allocNode(p, nullptr, 0);
  s.D.allocated(X, 64, born);
  access(s.launch(p, 1, 1), X + 4, false);
  EXPECT_EQ(s.rules(), "");
  access(s.launch(q, 1, 1), X + 8, false);
  ASSERT_EQ(s.rules(), "D8");
  EXPECT_EQ(s.Sink.races()[0].first.op.kind(), AccessKind::Alloc);
  // A word that somebody has read in order is no excuse for the next one.
  access(s.launch(q, 1, 1), X + 4, false);
  EXPECT_EQ(s.rules(), "D8 D8");
}

TEST_F(D8Memory, UseThatFollowsTheAllocationByAnEvent) {
  NodeId born = s.D.allocNode(p, nullptr, 0), event = s.D.marker(p, nullptr, 0);
  s.D.allocated(X, 64, born);
  access(s.launch(q, 1, 1, {event}), X);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(D8Memory, AFreeNeedsTheAllocationBeforeIt) {
  NodeId born = s.D.allocNode(p, nullptr, 0);
  s.D.allocated(X, 4096, born);
  access(s.launch(p, 1, 1), X);
  freeNow(s.D.freeNode(q, nullptr, 0));
  EXPECT_EQ(s.rules(), "D8"); // the access is not before the free
}

TEST(LifetimesTest, RegionsAreCutAndFound) {
  Lifetimes l;
  EXPECT_FALSE(l.any());
  l.set(100, 200, {{1}, false});
  l.set(150, 160, {{2}, true});
  EXPECT_EQ(l.find(99), nullptr);
  EXPECT_EQ(l.find(149)->node.value, 1u);
  EXPECT_EQ(l.find(150)->node.value, 2u);
  EXPECT_EQ(l.find(160)->node.value, 1u);
  EXPECT_EQ(l.find(200), nullptr);
  l.clear(0, 155);
  EXPECT_EQ(l.find(120), nullptr);
  EXPECT_EQ(l.find(155)->node.value, 2u);
  l.clear(0, 1000);
  EXPECT_FALSE(l.any());
}

TEST(LifetimesTest, LargeRegionsSpanChunks) {
  Lifetimes l;
  uint64_t begin = (1ull << 40) + 12345, end = begin + (100ull << 20);
  l.set(begin, end, {{7}, false});
  for (uint64_t a : {begin, begin + (uint64_t(50) << 20), end - 1})
    ASSERT_NE(l.find(a), nullptr);
  EXPECT_EQ(l.find(end), nullptr);
  l.clear(begin + 1, end - 1);
  EXPECT_NE(l.find(begin), nullptr);
  EXPECT_NE(l.find(end - 1), nullptr);
  EXPECT_EQ(l.find(begin + (50ull << 20)), nullptr);
}
