// Synchronization objects of several sizes over the same bytes (S4, P5, S16).
#include "Simulation.h"

#include <gtest/gtest.h>

using namespace scopesan::core;
using namespace scopesan::core::test;

namespace {
struct Objects : testing::Test {
  Simulation s;
  Block *b[3] = {};
  void SetUp() override {
    NodeId n = s.launch(s.stream(), 3, 32);
    for (int i = 0; i < 3; ++i)
      b[i] = s.block(n, i);
  }
  Thread &t(uint32_t block) { return s.thread(b[block], 0); }
  void release(uint32_t bytes) { s.store(t(0), F, Release, Scope::Device, 4, bytes); }
  /// Does an acquire of the object order the write of X?
  bool acquires(uint32_t bytes) {
    s.load(t(1), F, Acquire, Scope::Device, 3, bytes);
    s.read(t(1), X, 9);
    for (const Finding &f : s.Sink.races())
      if (f.second.site == site(9))
        return false;
    return true;
  }
};
using S4Objects = Objects;
using P5Objects = Objects;
using S16Objects = Objects;
} // namespace

TEST_F(S4Objects, TheWidestOfSeveralObjectsIsReplacedThroughALaterWord) {
  release(16);
  release(8);
  s.write(t(0), X);
  release(16);
  s.store(t(2), F + 4, Relaxed, Scope::Device, 5, 4);
  EXPECT_FALSE(acquires(16));
}
TEST_F(S4Objects, AWeakWriteReplacesItToo) {
  release(16);
  release(8);
  s.write(t(0), X);
  release(16);
  s.write(t(2), F + 12, 5);
  EXPECT_FALSE(acquires(16));
}
TEST_F(S4Objects, AWriteBesideTheObjectLeavesItsValue) {
  s.write(t(0), X);
  release(8);
  s.store(t(2), F + 8, Relaxed, Scope::Device, 5, 4);
  EXPECT_TRUE(acquires(8));
}

TEST_F(P5Objects, ALostFirstWordEndsTheObject) {
  s.write(t(0), X);
  release(8);
  s.D.forget(F, 4);
  s.write(t(0), F + 4, 5);
  EXPECT_FALSE(acquires(8));
}
TEST_F(P5Objects, ALostLaterWordEndsTheValue) {
  s.write(t(0), X);
  release(8);
  s.D.forget(F + 4, 4);
  EXPECT_FALSE(acquires(8));
}
TEST_F(P5Objects, AForgottenNeighbourChangesNothing) {
  s.write(t(0), X);
  release(8);
  s.D.forget(F + 8, 4);
  EXPECT_TRUE(acquires(8));
}

TEST_F(P5Objects, AFreedPageIsUsedAgain) {
  constexpr uint64_t Page = 0x7000000, Bytes = 4096; // a page of the shadow
  s.D.allocated(Page, Bytes);
  s.store(t(0), Page, Release, Scope::Device);
  s.store(t(0), Page + 8, Release, Scope::Device);
  s.D.freed(Page, Bytes, s.launch(s.stream(), 1, 32), true);
  s.D.allocated(Page, Bytes);
  s.write(t(0), X);
  s.load(t(1), Page, Acquire, Scope::Device); // the old value is gone
  s.store(t(0), Page + 8, Release, Scope::Device);
  s.load(t(2), Page + 8, Acquire, Scope::Device);
  s.read(t(2), X, 8);
  EXPECT_TRUE(s.Sink.races().empty());
  s.read(t(1), X, 9);
  EXPECT_EQ(s.Sink.races().size(), 1u);
}
TEST_F(P5Objects, AWordThatIsAtomicNoMoreAndAgain) {
  s.load(t(0), F, Relaxed, Scope::Device);
  s.write(t(0), F, 2); // all that was remembered precedes it
  s.write(t(0), X);
  s.store(t(0), F, Release, Scope::Device);
  EXPECT_TRUE(acquires(4));
  s.write(t(2), F, 8); // races with both sides
  EXPECT_GE(s.Sink.races().size(), 2u);
}

TEST_F(S16Objects, AnObservedWideWriteIsOrderedInEveryWord) {
  s.store(t(0), F, Relaxed, Scope::Device, 4, 4);
  s.store(t(0), F + 4, Relaxed, Scope::Device, 4, 4); // an object of the second word alone
  s.store(t(0), F, Relaxed, Scope::Device, 5, 8);
  s.load(t(1), F, Relaxed, Scope::Device, 6, 8);
  s.write(t(1), F + 4, 7);
  for (const Finding &f : s.Sink.races())
    EXPECT_FALSE(f.first.site == site(5) && f.second.site == site(7));
}

TEST(HandlePoolTest, HandlesFindTheirObjectsAndComeBack) {
  struct Thing {
    uint64_t value;
    uint64_t padding[7];
  };
  HandlePool<Thing> pool;
  EXPECT_EQ(pool.at(0), nullptr) << "0 is none";
  std::vector<uint32_t> handles(2000); // several regions
  for (uint32_t i = 0; i < handles.size(); ++i)
    pool.create(handles[i], Thing{i, {}});
  for (uint32_t i = 0; i < handles.size(); ++i) {
    ASSERT_NE(handles[i], 0u);
    ASSERT_EQ(pool.at(handles[i])->value, i);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(pool.at(handles[i])) % CacheLine, 0u);
  }
  pool.destroy(handles[7]);
  pool.destroy(handles[1500]);
  uint32_t again[2];
  for (uint32_t &h : again)
    pool.create(h, Thing{77, {}});
  EXPECT_EQ(again[0], handles[1500]) << "the last one given back";
  EXPECT_EQ(again[1], handles[7]);
  EXPECT_EQ(pool.at(handles[8])->value, 8u);
}
