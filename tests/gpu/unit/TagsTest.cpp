// Launch tags of the device's shadow: ordered masks, sweeps.
#include "Log.h"

#include "gpu/order.h"
#include "gpu/tags.h"

using namespace scopesan;
using namespace scopesan::gpu;
using namespace scopesan::gpu::test;

namespace {

struct World {
  Sink S;
  core::Detector D{S, {}};
  Order O{D};
  LaunchTags T{D};
  int handles[80];

  World() {
    for (int &h : handles)
      O.created(&h, /*blocking=*/false);
  }
  core::NodeId node(int stream) { return O.copy(O.stream(&handles[stream], false)); }
  LaunchTags::Assigned launch(int stream) {
    MarkSource l;
    l.node = node(stream);
    return T.assign(l);
  }
  void wait(int stream) { O.hostAfterStream(O.stream(&handles[stream], false)); }
};

constexpr uint64_t bit(unsigned t) { return uint64_t(1) << t; }

} // namespace

TEST(Tags, OneStreamIsOrdered) {
  World w;
  for (unsigned t = 1; t <= LaunchTags::Last; ++t) {
    ASSERT_FALSE(w.T.full());
    LaunchTags::Assigned a = w.launch(0);
    EXPECT_EQ(a.tag, t);
    EXPECT_EQ(a.ordered, bit(t) - 1);
    EXPECT_EQ(a.oldest, uint64_t(t) << mark::TagShift);
  }
  EXPECT_TRUE(w.T.full());
  EXPECT_EQ(w.T.find(63), nullptr);
  EXPECT_EQ(w.T.find(0), nullptr);
}

TEST(Tags, OtherStreamsAreNot) {
  World w;
  w.launch(0);
  w.launch(1);
  LaunchTags::Assigned a = w.launch(0);
  EXPECT_EQ(a.tag, 3u);
  EXPECT_EQ(a.ordered, bit(0) | bit(1));
  EXPECT_EQ(a.oldest, uint64_t(2) << mark::TagShift);
  a = w.launch(2);
  EXPECT_EQ(a.ordered, bit(0));
  EXPECT_EQ(a.oldest, uint64_t(1) << mark::TagShift);
}

TEST(Tags, HostWaitOrders) {
  World w;
  w.launch(0);
  w.wait(0);
  EXPECT_EQ(w.launch(1).ordered, bit(0) | bit(1));
}

TEST(Tags, SweepDropsWhatTheHostWaitedFor) {
  World w;
  for (unsigned t = 1; t <= LaunchTags::Last; ++t) {
    if (t == 60)
      w.wait(0);
    w.launch(t == 61 ? 1 : 0);
  }
  core::NodeId next = w.node(0), sixtyOne = w.T.find(61)->node;
  LaunchTags::Remap r = w.T.sweep(next, w.O.host());
  for (unsigned t = 1; t < 60; ++t)
    EXPECT_EQ(r[t], 0);
  EXPECT_EQ(r[60], 1);
  EXPECT_EQ(r[61], 2);
  EXPECT_EQ(r[62], 3);
  EXPECT_EQ(r[63], 63);
  EXPECT_EQ(w.T.find(2)->node, sixtyOne);
  EXPECT_FALSE(w.T.missing(w.node(5), w.O.host()));
  LaunchTags::Assigned a = w.launch(0);
  EXPECT_EQ(a.tag, 4u);
  EXPECT_EQ(a.ordered, bit(0) | bit(1) | bit(3));
  EXPECT_EQ(a.oldest, uint64_t(2) << mark::TagShift);
}

TEST(Tags, OneStreamWithoutWaits) {
  World w;
  while (!w.T.full())
    w.launch(0);
  core::NodeId next = w.node(0);
  LaunchTags::Remap r = w.T.sweep(next, w.O.host());
  for (unsigned t = 1; t <= LaunchTags::Last; ++t)
    EXPECT_EQ(r[t], 0);
  EXPECT_FALSE(w.T.missing(next, w.O.host()));
  EXPECT_FALSE(w.T.missing(w.node(0), w.O.host()));
  EXPECT_TRUE(w.T.missing(w.node(1), w.O.host())) << "it races with launches that were dropped";
  w.wait(0);
  EXPECT_FALSE(w.T.missing(w.node(1), w.O.host()));
}

TEST(Tags, NodesWithoutMarks) {
  World w;
  for (int i = 0; i < 3; ++i)
    w.T.forget(w.node(0));
  EXPECT_FALSE(w.T.missing(w.node(0), w.O.host()));
  EXPECT_TRUE(w.T.missing(w.node(1), w.O.host()));
  w.wait(0);
  EXPECT_FALSE(w.T.missing(w.node(1), w.O.host()));
}

TEST(Tags, ManyUnorderedLaunches) {
  World w;
  for (int i = 0; !w.T.full(); ++i)
    w.launch(i);
  core::NodeId next = w.node(70), last = w.T.find(LaunchTags::Last)->node;
  LaunchTags::Remap r = w.T.sweep(next, w.O.host());
  EXPECT_EQ(r[31], 0);
  EXPECT_EQ(r[32], 1);
  EXPECT_EQ(r[62], 31);
  EXPECT_EQ(w.T.find(31)->node, last);
  EXPECT_FALSE(w.T.full());
  EXPECT_TRUE(w.T.missing(next, w.O.host()));
}
