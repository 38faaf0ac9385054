// P1, O1, D1, D2, D5: what is and is not a racy pair.
#include "Simulation.h"

#include <gtest/gtest.h>

using namespace scopesan::core;
using namespace scopesan::core::test;

namespace {
struct Races : testing::Test {
  Simulation s;
  Block *b = nullptr, *c = nullptr;
  void SetUp() override {
    NodeId n = s.launch(s.stream(), 2, 64);
    b = s.block(n, 0);
    c = s.block(n, 1);
  }
  Thread &t(uint32_t i) { return s.thread(b, i); }
  Thread &u(uint32_t i) { return s.thread(c, i); }
};
using P1 = Races;
using D1 = Races;
using D2 = Races;
using D5 = Races;
} // namespace

TEST_F(P1, NeighbouringBytesNeverRace) {
  for (uint32_t i = 0; i < 8; ++i)
    s.write(t(i), X + i, 2, 1);
  s.write(u(0), X + 8, 2, 2);
  s.write(u(1), X + 10, 2, 2);
  EXPECT_EQ(s.rules(), "");
  s.write(u(2), X + 9, 2, 1);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(P1, UnalignedAndWideAccessesAreByteExact) {
  s.write(t(0), X, 2, 16);
  s.read(u(0), X + 16, 1, 4);
  EXPECT_EQ(s.rules(), "");
  s.read(u(0), X + 15, 1, 4);
  EXPECT_EQ(s.rules(), "D1");
  EXPECT_EQ(s.Sink.races()[0].first.bytes, 16u);
}

TEST_F(P1, WideAccessIsOneFinding) {
  s.write(t(0), X, 2, 16);
  s.write(u(0), X, 3, 16);
  EXPECT_EQ(s.rules(), "D1");
  EXPECT_EQ(s.Sink.races()[0].hazard, Hazard::WriteAfterWrite);
}

TEST_F(P1, RangesOfAnySize) {
  s.D.writeRange(t(0), X + 3, 0, site(2));
  s.D.writeRange(t(0), X + 3, 1000, site(2));
  s.read(u(0), X + 2, 1, 1);
  s.read(u(0), X + 1003, 1, 1);
  EXPECT_EQ(s.rules(), "");
  s.read(u(0), X + 1002, 1, 1);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(P1, NewLocationAfterForget) {
  s.write(t(0), X);
  s.store(t(0), F, Release, Scope::Block);
  s.D.forget(X, 4);
  s.D.forget(F, 4);
  s.write(u(0), X);
  s.write(u(0), F);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(D1, ReadsNeverRace) {
  for (uint32_t i = 0; i < 64; ++i) {
    s.read(t(i), X);
    s.read(u(i), X);
  }
  EXPECT_EQ(s.rules(), "");
}

TEST_F(D1, WriteAfterManyReadersInManyBlocks) {
  for (uint32_t i = 0; i < 64; ++i)
    s.read(u(i), X, 1);
  s.write(t(0), X, 2);
  ASSERT_FALSE(s.Sink.races().empty());
  EXPECT_EQ(s.Sink.races()[0].first.site, site(1));
  EXPECT_EQ(s.Sink.races()[0].distance, Distance::SameGrid);
}

TEST_F(D1, WeakAgainstStrong) {
  s.write(t(0), X);
  s.rmw(u(0), X, Relaxed, Scope::System);
  EXPECT_EQ(s.rules(), "D1");
}

TEST_F(D1, StrongReadAgainstWeakReadIsNoRace) {
  s.load(t(0), X, Relaxed, Scope::Device);
  s.read(u(0), X);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(D1, WeakWriteHiddenBehindStrongWritesIsStillFound) {
  s.write(t(0), X, 70);                         // weak initialisation
  s.store(t(0), X, Relaxed, Scope::Device, 71); // then strong stores by the same thread
  s.load(u(0), X, Relaxed, Scope::Device, 72);  // races with the weak one only
  ASSERT_EQ(s.rules(), "D1");
  EXPECT_EQ(s.Sink.races()[0].first.site, site(70));
}

TEST_F(D1, SameThreadNeverRacesWithItself) {
  s.write(t(0), X);
  s.read(t(0), X);
  s.rmw(t(0), X, Relaxed, Scope::Block);
  s.write(t(0), X);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(D1, UnorderedWritersAreAllRemembered) {
  s.write(t(0), X, 81);
  s.write(t(40), X, 82);
  s.barrier(b); // both precede block 0's threads, neither precedes block 1's
  s.read(u(0), X, 83);
  int with81 = 0, with82 = 0;
  for (const Finding &f : s.Sink.races()) {
    with81 += f.first.site == site(81) && f.second.site == site(83);
    with82 += f.first.site == site(82) && f.second.site == site(83);
  }
  EXPECT_EQ(with81, 1);
  EXPECT_EQ(with82, 1);
}

TEST_F(D2, BlockScopeAtomicsOfTwoBlocks) {
  s.rmw(t(0), X, Relaxed, Scope::Block, 91);
  s.rmw(t(1), X, Relaxed, Scope::Block, 91);
  EXPECT_EQ(s.rules(), "");
  s.rmw(u(0), X, Relaxed, Scope::Block, 92);
  ASSERT_FALSE(s.Sink.races().empty());
  const Finding f = s.Sink.races()[0];
  EXPECT_EQ(f.rule, Rule::ScopeRace);
  EXPECT_EQ(f.blamedCount, 2u);
}

TEST_F(D2, DeviceScopeAtomicsAreClean) {
  for (uint32_t i = 0; i < 64; ++i) {
    s.rmw(t(i), X, Relaxed, Scope::Device);
    s.red(u(i), X, Relaxed, Scope::Device);
  }
  EXPECT_EQ(s.rules(), "");
}

TEST_F(D2, LoadBeforeTheNarrowStoreCountsToo) {
  s.load(u(0), X, Acquire, Scope::Device, 93);
  s.store(t(0), X, Release, Scope::Block, 94);
  ASSERT_EQ(s.rules(), "D2");
  EXPECT_EQ(s.Sink.races()[0].hazard, Hazard::WriteAfterRead);
  EXPECT_EQ(s.Sink.races()[0].blamed[0].site, site(94));
}

TEST_F(D5, PartialOverlapOfStrongAccesses) {
  s.store(t(0), X, Relaxed, Scope::Device, 4, 8);
  s.load(u(0), X, Relaxed, Scope::Device, 3, 4);
  EXPECT_EQ(s.rules(), "D5");
}

TEST(O2, VolatileIsRelaxedSystemOrPlain) {
  for (bool relaxed : {true, false}) {
    DetectorOptions o;
    o.volatileIsRelaxed = relaxed;
    Simulation s(o);
    NodeId n = s.launch(s.stream(), 2, 32);
    Thread &a = s.thread(s.block(n, 0), 0), &b = s.thread(s.block(n, 1), 0);
    Op st = Op(AccessKind::Store, Relaxed, Scope::System).with(Op::VolatileBit);
    Op ld = Op(AccessKind::Load, Relaxed, Scope::System).with(Op::VolatileBit);
    s.D.atomicAfter(a, X, 4, st, site(1), true, 0);
    s.D.atomicAfter(b, X, 4, ld, site(2), false, 0);
    EXPECT_EQ(s.rules(), relaxed ? "" : "D1");
  }
}

TEST(Readers, WidenedReadersAreNeverGuessedFrom) {
  DetectorOptions o;
  o.readerBudgetBytes = 0; // widen at once
  Simulation s(o);
  NodeId n = s.launch(s.stream(), 64, 32);
  std::vector<Block *> blocks;
  for (uint32_t i = 0; i < 64; ++i) {
    blocks.push_back(s.block(n, i));
    Thread &t = s.thread(blocks[i], 0);
    s.read(t, X);
    s.rmw(t, F, Release, Scope::Device);
  }
  Thread &w = s.thread(blocks[0], 1);
  s.rmw(w, F, Acquire, Scope::Device);
  s.write(w, X); // ordered after every reader, but the readers were given up
  EXPECT_EQ(s.rules(), "");
  EXPECT_FALSE(s.Sink.givenUp.empty()) << "X1 says so";
}

/// A property of random programs: with exact readers given up, a racing write is found or X1 says
/// that it may not have been; a write that does not race is never a finding.
TEST(Readers, WideningNeverForgets) {
  uint64_t random = 1;
  auto below = [&](uint32_t n) {
    random = random * 6364136223846793005ull + 1442695040888963407ull;
    return uint32_t((random >> 33) % n);
  };
  struct Launched {
    DetectorOptions options;
    Simulation s;
    std::vector<Block *> blocks;
    explicit Launched(uint64_t budget) : options{.readerBudgetBytes = budget}, s(options) {
      NodeId n = s.launch(s.stream(), 4, 64);
      for (uint32_t i = 0; i < 4; ++i)
        blocks.push_back(s.block(n, i));
    }
  };
  uint32_t found = 0, givenUp = 0, clean = 0;
  for (uint32_t program = 0; program < 300; ++program) {
    Launched exact(uint64_t(1) << 30), widened(0);
    uint32_t steps = 20 + below(60), kinds[80], who[80];
    for (uint32_t i = 0; i < steps; ++i) {
      kinds[i] = below(20);
      who[i] = below(16);
    }
    for (Launched *l : {&exact, &widened}) {
      for (uint32_t i = 0; i < steps; ++i) {
        Block *b = l->blocks[who[i] / 4];
        Thread &t = l->s.thread(b, who[i] % 4 * 8);
        if (kinds[i] == 0)
          l->s.barrier(b);
        else if (kinds[i] < 10)
          l->s.rmw(t, F, AcqRel, Scope::Device);
        else
          l->s.read(t, X);
      }
      for (uint32_t i = 0; i < 16 && program % 2; ++i)
        l->s.rmw(l->s.thread(l->blocks[i / 4], i % 4 * 8), F, AcqRel, Scope::Device);
      Thread &writer = l->s.thread(l->blocks[who[0] / 4], who[0] % 4 * 8);
      l->s.rmw(writer, F, AcqRel, Scope::Device);
      l->s.write(writer, X);
    }
    bool races = exact.s.rules() != "", told = widened.s.rules() != "";
    EXPECT_TRUE(exact.s.Sink.givenUp.empty());
    EXPECT_TRUE(races || !told) << "program " << program << ": invented";
    EXPECT_TRUE(!races || told || !widened.s.Sink.givenUp.empty())
        << "program " << program << ": forgotten";
    found += races && told;
    givenUp += !widened.s.Sink.givenUp.empty();
    clean += !races;
  }
  EXPECT_GT(found, 20u);
  EXPECT_GT(givenUp, 0u);
  EXPECT_GT(clean, 0u);
}
