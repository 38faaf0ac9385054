// S14 as the driver's API gives it.
#include "Log.h"

#include "gpu/order.h"

using namespace scopesan;
using namespace scopesan::gpu;
using namespace scopesan::gpu::test;
using core::Rule;

namespace {

struct World {
  Sink S;
  core::Detector D{S, {}};
  Order O{D};
  int handles[4];

  void *handle(int i) { return &handles[i]; }
  core::NodeId write(void *stream) {
    core::NodeId n = O.copy(O.stream(stream, false));
    D.nodeWrite(n, X, 4, {});
    return n;
  }
  unsigned races() const { return S.count(Rule::DataRace); }
};

} // namespace

TEST(Order, OneStream) {
  World w;
  w.write(w.handle(0));
  w.write(w.handle(0));
  EXPECT_EQ(w.races(), 0u);
}

TEST(Order, TwoStreamsRace) {
  World w;
  w.write(w.handle(0));
  w.write(w.handle(1));
  EXPECT_EQ(w.races(), 1u);
}

TEST(Order, EventOrders) {
  World w;
  w.write(w.handle(0));
  w.O.recorded(w.handle(2), w.O.stream(w.handle(0), false));
  w.O.marker(w.O.stream(w.handle(1), false), w.O.recordOf(w.handle(2)));
  w.write(w.handle(1));
  EXPECT_EQ(w.races(), 0u);
}

TEST(Order, EventRecordedTooEarly) {
  World w;
  w.O.recorded(w.handle(2), w.O.stream(w.handle(0), false));
  w.write(w.handle(0));
  w.O.marker(w.O.stream(w.handle(1), false), w.O.recordOf(w.handle(2)));
  w.write(w.handle(1));
  EXPECT_EQ(w.races(), 1u);
}

TEST(Order, LegacyStreamJoinsBlockingOnes) {
  World w;
  w.write(w.handle(0));
  w.write(nullptr);
  w.write(w.handle(1));
  EXPECT_EQ(w.races(), 0u);
}

TEST(Order, LegacyStreamIgnoresNonBlockingOnes) {
  World w;
  w.O.created(w.handle(0), /*blocking=*/false);
  w.write(w.handle(0));
  w.write(nullptr);
  EXPECT_EQ(w.races(), 1u);
}

TEST(Order, HostWaits) {
  World w;
  w.write(w.handle(0));
  w.O.hostAfterStream(w.O.stream(w.handle(0), false));
  w.write(w.handle(1));
  EXPECT_EQ(w.races(), 0u);
  World v;
  v.write(v.handle(0));
  v.O.hostAfterAll();
  v.write(v.handle(1));
  EXPECT_EQ(v.races(), 0u);
}

TEST(Order, UnmodelledWaitComesAfterEverything) {
  World w;
  w.O.created(w.handle(0), /*blocking=*/false);
  w.write(w.handle(0));
  w.O.markerAfterAll(w.O.stream(w.handle(1), false));
  w.write(w.handle(1));
  EXPECT_EQ(w.races(), 0u);
}

TEST(Order, PerThreadDefaultStream) {
  World w;
  EXPECT_FALSE(w.O.isLegacy(w.O.stream(nullptr, true)));
  EXPECT_TRUE(w.O.isLegacy(w.O.stream(nullptr, false)));
}

// ---------------------------------------------------------------- programmatic launches

namespace {

struct Kernels : World {
  int memory = 0;
  core::NodeId launch(bool programmatic) {
    core::LaunchFacts facts;
    facts.grid = {1, 1, 1};
    facts.block = {1, 1, 1};
    return O.launch(O.stream(handle(0), false), facts, programmatic);
  }
  void run(core::NodeId n, bool waits) {
    core::Block *b = D.beginBlock(n, 0);
    core::Thread &t = *D.thread(b, core::ThreadIndex{0});
    if (waits)
      D.griddepWait(t);
    D.write(t, X, 4, {});
    D.threadExit(t);
    D.endBlock(b);
    D.endLaunch(n);
  }
};

} // namespace

TEST(Order, ProgrammaticLaunchWaits) {
  Kernels w;
  core::NodeId first = w.launch(false), second = w.launch(true);
  w.run(first, false);
  w.run(second, true);
  EXPECT_EQ(w.races(), 0u);
}

TEST(Order, ProgrammaticLaunchThatDoesNotWait) {
  Kernels w;
  core::NodeId first = w.launch(false), second = w.launch(true);
  w.run(first, false);
  w.run(second, false);
  EXPECT_EQ(w.races(), 1u);
}

TEST(Order, ProgrammaticLaunchFollowsWhatItsPrimaryFollows) {
  Kernels w;
  core::NodeId before = w.write(w.handle(0)), first = w.launch(false), second = w.launch(true);
  EXPECT_TRUE(w.D.precedes(before, second));
  EXPECT_FALSE(w.D.precedes(first, second));
}

TEST(Order, OperationAfterOverlappingKernelsFollowsAllOfThem) {
  Kernels w;
  core::NodeId first = w.launch(false), second = w.launch(true), third = w.launch(true);
  core::NodeId copy = w.write(w.handle(0));
  for (core::NodeId n : {first, second, third})
    EXPECT_TRUE(w.D.precedes(n, copy));
  core::NodeId alone = w.launch(true); // nothing to overlap: a copy is in front of it
  EXPECT_TRUE(w.D.precedes(copy, alone));
}

TEST(Order, WaitForAStreamIsForAllOfItsOverlappingKernels) {
  Kernels w;
  core::NodeId first = w.launch(false), second = w.launch(true);
  w.O.hostAfterStream(w.O.stream(w.handle(0), false));
  core::NodeId other = w.write(w.handle(1));
  EXPECT_TRUE(w.D.precedes(first, other));
  EXPECT_TRUE(w.D.precedes(second, other));
}

// ---------------------------------------------------------------- contexts, memory

TEST(Order, DefaultStreamsBelongToTheirContext) {
  World w;
  int a, b;
  core::NodeId n = w.O.copy(w.O.stream(nullptr, false, &a));
  core::NodeId m = w.O.copy(w.O.stream(nullptr, false, &b));
  EXPECT_FALSE(w.D.precedes(n, m));
  w.O.hostAfterAll(&b);
  EXPECT_FALSE(w.D.precedes(n, w.O.host()));
  EXPECT_TRUE(w.D.precedes(m, w.O.host()));
  w.O.contextDestroyed(&a);
  EXPECT_TRUE(w.D.precedes(n, w.O.host()));
}

TEST(Order, LegacyStreamOfAnotherContextDoesNotJoin) {
  World w;
  int a, b;
  w.O.created(w.handle(0), /*blocking=*/true, &a);
  core::NodeId n = w.O.copy(w.O.stream(w.handle(0), false, &a));
  EXPECT_TRUE(w.D.precedes(n, w.O.copy(w.O.stream(nullptr, false, &a))));
  EXPECT_FALSE(w.D.precedes(n, w.O.copy(w.O.stream(nullptr, false, &b))));
}

TEST(Order, StreamOrderedFree) {
  World w;
  w.O.created(w.handle(0), false);
  w.O.created(w.handle(1), false);
  core::NodeId use = w.O.copy(w.O.stream(w.handle(0), false));
  EXPECT_TRUE(w.D.precedes(use, w.O.release(w.O.stream(w.handle(0), false))));
  EXPECT_FALSE(w.D.precedes(use, w.O.release(w.O.stream(w.handle(1), false))));
}

TEST(Order, InstrumentedHostThreadsAreApart) {
  World w;
  w.O.hostCodeIsInstrumented();
  core::HostId me = w.O.self(), other = w.O.createThread();
  w.write(w.handle(0));
  w.O.hostAfterStream(w.O.stream(w.handle(0), false));
  w.write(w.handle(1));
  EXPECT_EQ(w.races(), 0u) << "the thread that waited goes on";
  Order::beginThread(other);
  w.write(w.handle(2));
  EXPECT_EQ(w.races(), 1u) << "the other one has waited for nothing";
  w.O.hostAfterAll();
  w.write(w.handle(3));
  EXPECT_EQ(w.races(), 1u);
  Order::beginThread(me);
  w.O.hostAfterAll();
  w.write(w.handle(0));
  EXPECT_EQ(w.races(), 1u) << "it may wait, too, for what the other one has waited for";
  Order::beginThread({});
}
