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
