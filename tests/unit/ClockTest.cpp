// Clocks as mathematics: joins form a lattice, covers() is monotone, sharing changes nothing.
#include "scopesan/core/clock.h"
#include "scopesan/core/shadow.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace scopesan::core;

namespace {
/// The obvious model: (block, unit) -> time.
struct Model {
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> m; // unit 2000 = base
  void raise(uint32_t b, uint32_t u, uint32_t t) {
    auto &x = m[{b, u}];
    x = std::max(x, t);
  }
  uint32_t get(uint32_t b, uint32_t u) const {
    auto i = m.find({b, u});
    return i == m.end() ? 0 : i->second;
  }
  bool covers(const Epoch &e) const {
    return e.time.value < get(e.block.value, 2000) ||
           e.time.value < get(e.block.value, e.thread.value) ||
           e.time.value < get(e.block.value, 1024 + warpOf(e.thread));
  }
};

struct Pair {
  BlockClock clock;
  Model model;
};

struct Random {
  std::mt19937 g{42};
  uint32_t operator()(uint32_t n) { return g() % n; }
  uint32_t block() { return 1 + ((*this)(3) ? (*this)(70) : (*this)(100000)); }
  void step(Pair &p) {
    uint32_t b = block(), t = 1 + (*this)(20);
    switch ((*this)(3)) {
    case 0:
      p.clock.raiseBase({b}, {t});
      p.model.raise(b, 2000, t);
      break;
    case 1: {
      ThreadIndex th{(*this)(1024)};
      p.clock.raiseUnit({b}, KnownUnit::thread(th), {t});
      p.model.raise(b, th.value, t);
      break;
    }
    default: {
      uint32_t w = (*this)(32);
      p.clock.raiseUnit({b}, KnownUnit::warp(w), {t});
      p.model.raise(b, 1024 + w, t);
    }
    }
  }
  Epoch epoch() { return {{block()}, {(*this)(1024)}, {(*this)(20)}}; }
};

Pair join(const Pair &a, const Pair &b) {
  Pair r = a;
  r.clock.join(b.clock);
  for (auto &[k, v] : b.model.m)
    r.model.raise(k.first, k.second, v);
  return r;
}
} // namespace

TEST(Clock, AgreesWithModelUnderRaisesCopiesAndJoins) {
  Random rnd;
  std::vector<Pair> pool(8);
  for (int i = 0; i < 20000; ++i) {
    Pair &p = pool[rnd(8)];
    switch (rnd(6)) {
    case 0:
      p = pool[rnd(8)];
      break;
    case 1:
      p = join(p, pool[rnd(8)]);
      break;
    default:
      rnd.step(p);
    }
    Epoch e = rnd.epoch();
    ASSERT_EQ(p.clock.covers(e), p.model.covers(e));
  }
}

TEST(Clock, JoinIsALattice) {
  Random rnd;
  for (int i = 0; i < 300; ++i) {
    Pair a, b, c;
    for (int k = 0; k < 30; ++k) {
      rnd.step(a);
      rnd.step(b);
      rnd.step(c);
    }
    Pair ab = join(a, b), ba = join(b, a), abc1 = join(ab, c), abc2 = join(a, join(b, c));
    for (int k = 0; k < 50; ++k) {
      Epoch e = rnd.epoch();
      EXPECT_EQ(ab.clock.covers(e), ba.clock.covers(e));
      EXPECT_EQ(abc1.clock.covers(e), abc2.clock.covers(e));
      EXPECT_EQ(join(a, a).clock.covers(e), a.clock.covers(e));
      if (a.clock.covers(e)) {
        EXPECT_TRUE(ab.clock.covers(e)) << "a join never forgets";
      }
    }
    BlockClock again = ab.clock;
    again.join(a.clock);
    EXPECT_TRUE(again.sameAs(ab.clock)) << "joining what is known shares the tree";
  }
}

TEST(Clock, CoversIsMonotoneInTime) {
  BlockClock c;
  c.raiseBase({5}, {4});
  c.raiseUnit({5}, KnownUnit::thread({33}), {9});
  for (uint32_t t = 0; t < 12; ++t) {
    EXPECT_EQ(c.covers({{5}, {0}, {t}}), t < 4);
    EXPECT_EQ(c.covers({{5}, {33}, {t}}), t < 9);
  }
  EXPECT_FALSE(c.covers({{6}, {33}, {0}}));
}

TEST(Clock, ForgetRemovesOneBlock) {
  BlockClock c;
  for (uint32_t b = 1; b < 2000; ++b)
    c.raiseBase({b}, {3});
  BlockClock copy = c;
  for (uint32_t b = 1; b < 2000; b += 2)
    c.forget({b});
  for (uint32_t b = 1; b < 2000; ++b) {
    EXPECT_EQ(c.covers({{b}, {0}, {1}}), b % 2 == 0);
    EXPECT_TRUE(copy.covers({{b}, {0}, {1}}));
  }
}

TEST(Clock, LookBackChainSharesStructure) {
  // Each block learns everything from its predecessor and adds itself: 100,000 snapshots alive.
  constexpr uint32_t N = 100000;
  std::vector<BlockClock> chain(N);
  BlockClock c;
  for (uint32_t b = 0; b < N; ++b) {
    c.raiseUnit({b + 1}, KnownUnit::thread({0}), {2});
    chain[b] = c;
  }
  EXPECT_TRUE(chain[N - 1].covers({{1}, {0}, {1}}));
  EXPECT_FALSE(chain[10].covers({{12}, {0}, {1}}));
}

TEST(Shadow, RecordRoundTrips) {
  std::mt19937 g(7);
  for (int i = 0; i < 10000; ++i) {
    Epoch e{{uint32_t(g())}, {uint32_t(g() % 1024)}, {uint32_t(g())}};
    Op op(scopesan::abi::AccessKind(g() % 5), scopesan::abi::MemoryOrder(g() % 6), Scope(g() % 5));
    if (g() & 1)
      op = op.with(Op::VolatileBit);
    uint32_t mask = 1 + uint32_t(g() % 15), bytes = 1u << g() % 8, site = uint32_t(g());
    Record r = Record::make(e, {site}, op, mask, bytes);
    EXPECT_EQ(r.epoch(), e);
    EXPECT_EQ(r.op(), op);
    EXPECT_EQ(r.mask(), mask);
    EXPECT_EQ(r.bytes(), bytes);
    EXPECT_EQ(r.site, site);
    r.setMask(5);
    EXPECT_EQ(r.mask(), 5u);
    EXPECT_EQ(r.epoch(), e);
  }
  EXPECT_EQ(Record::make({{1}, {0}, {1}}, {1}, Op(), 1, 3).bytes(), 0u) << "not a power of two";
}
