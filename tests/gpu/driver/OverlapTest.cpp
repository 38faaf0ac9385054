// The collector with --concurrent=overlap, in a process of its own.
#include "Program.h"

namespace {

Overlap &overlap() { return reinterpret_cast<State *>(&state())->overlap; }
uint32_t slotOf(const char *kernel) {
  for (uint32_t slot = 0; slot < Overlap::Slots; ++slot)
    if (overlap().kernels[slot] == kernelId(kernel, strlen(kernel)))
      return slot;
  return Overlap::Slots;
}
/// What a thread of block `b` of a running kernel logs.
void recordOf(const char *kernel, uint32_t b, EventKind kind, uint64_t address) {
  const Log &own = overlap().logs[slotOf(kernel)];
  reinterpret_cast<Record *>(own.records)[state().cursor++] = {
      address, b, own.stamp | uint32_t(kind) << 26, 4, newSite(), 0, own.stamp};
}

class OverlapCollector : public Collector {
protected:
  void SetUp() override {
    loadModule(/*fast=*/true);
    Collector::SetUp();
  }
  void TearDown() override {
    fakeDriver().busy = false;
    synchronize();
  }
};

TEST_F(OverlapCollector, EachLaunchHasASlot) {
  fakeDriver().busy = true;
  launch("logged", stream(), [] {});
  launch("fast", stream(), [] {});
  ASSERT_LT(slotOf("logged"), Overlap::Slots);
  ASSERT_LT(slotOf("fast"), Overlap::Slots);
  EXPECT_NE(slotOf("logged"), slotOf("fast"));
  const Log &a = overlap().logs[slotOf("logged")], &b = overlap().logs[slotOf("fast")];
  EXPECT_NE(a.stamp, b.stamp);
  EXPECT_EQ(a.records, b.records);
  EXPECT_TRUE(a.capacity && b.capacity);
  EXPECT_EQ(a.table | b.table, 0u) << "every access is logged in full";
  EXPECT_EQ(state().overlaps, 1u);
  EXPECT_EQ(state().capacity, 0u) << "who has no slot records nothing";
}

TEST_F(OverlapCollector, UnorderedLaunchesRace) {
  uint64_t p = allocate();
  fakeDriver().busy = true;
  launch("logged", stream(), [] {});
  launch("fast", stream(), [] {});
  recordOf("fast", 0, EventKind::Write, p);
  recordOf("logged", 0, EventKind::Write, p);
  fakeDriver().busy = false;
  synchronize();
  EXPECT_EQ(found(), 1u);
}

TEST_F(OverlapCollector, CopyBetweenLaunchesThatOverlapOthers) {
  uint64_t p = allocate(), q = allocate();
  CUstream s = stream();
  fakeDriver().busy = true;
  launch("logged", stream(), [] {});
  copy(q, p, 4, s);
  launch("fast", s, [] {});
  recordOf("fast", 0, EventKind::Read, q); // after the copy
  recordOf("logged", 0, EventKind::Write, p);
  fakeDriver().busy = false;
  synchronize();
  EXPECT_EQ(found(), 1u) << "the copy's source";
}

TEST_F(OverlapCollector, ALaunchOfTheSameKernelWaits) {
  uint64_t p = allocate();
  fakeDriver().busy = true;
  launch("logged", stream(), [] {});
  recordOf("logged", 0, EventKind::Write, p);
  fakeDriver().onQuery = [] { fakeDriver().busy = fakeDriver().queries < 20; };
  fakeDriver().queries = 0;
  launch("logged", stream(), [] {});
  EXPECT_GE(fakeDriver().queries, 20u);
  recordOf("logged", 0, EventKind::Write, p);
  fakeDriver().onQuery = {};
  fakeDriver().busy = false;
  synchronize();
  EXPECT_EQ(found(), 1u);
}

TEST_F(OverlapCollector, NoShadowMemory) {
  uint64_t p = allocate();
  launch("fast", nullptr, [&] {
    EXPECT_EQ(overlap().logs[slotOf("fast")].table, 0u);
    recordOf("fast", 0, EventKind::Write, p);
    recordOf("fast", 1, EventKind::Write, p);
  });
  synchronize();
  EXPECT_EQ(found(), 1u);
}

TEST_F(OverlapCollector, AFailedLaunchLeavesTheOthers) {
  uint64_t p = allocate();
  fakeDriver().busy = true;
  launch("logged", stream(), [] {});
  failedLaunch("fast", stream());
  EXPECT_EQ(slotOf("fast"), Overlap::Slots) << "no grid of it comes";
  recordOf("logged", 0, EventKind::Write, p);
  recordOf("logged", 1, EventKind::Write, p);
  fakeDriver().busy = false;
  synchronize();
  EXPECT_EQ(found(), 1u);
}

} // namespace
