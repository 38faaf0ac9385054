// The shadow protocol under every interleaving of a few threads: no race is lost, none invented.
#include "Interleavings.h"

using namespace scopesan::gpu;
using namespace scopesan::gpu::test;

TEST(Protocol, PairsOfTwoBlocks) {
  for (Access x : {W, R, A, N})
    for (Access y : {W, R, A, N}) {
      explore({.threads = {thread(0, 0, {x}), thread(1, 0, {y})}}, true);
      explore({.threads = {thread(0, 0, {x}), thread(0, 1, {y})}}, true);
    }
}

TEST(Protocol, TwoAccessesOfOneThread) {
  for (Access x : {W, R, A, N})
    for (Access y : {W, R, A, N})
      for (Access z : {W, R, A, N})
        explore({.threads = {thread(0, 0, {x, y}), thread(1, 0, {z})}});
}

TEST(Protocol, ThreeThreads) {
  for (Access x : {W, R, A})
    for (Access y : {W, R, A})
      for (Access z : {W, R, A}) {
        explore({.threads = {thread(0, 0, {x}), thread(0, 1, {y}), thread(1, 0, {z})}});
        explore(
            {.shared = true, .threads = {thread(0, 0, {x}), thread(0, 1, {y}), thread(0, 2, {z})}});
      }
}

TEST(Protocol, BlockBarriersOrder) {
  for (bool shared : {false, true})
    for (Access x : {W, R, A})
      for (Access y : {W, R, A}) {
        explore(
            {.shared = shared, .threads = {thread(0, 0, {x, in(y, 1)}), thread(0, 1, {in(y, 1)})}});
        explore(
            {.shared = shared, .threads = {thread(0, 0, {x}), thread(0, 1, {in(y, 1), in(x, 2)})}});
      }
}

TEST(Protocol, CellsInTheBlock) {
  for (Access x : {W, R, A})
    for (Access y : {W, R, A})
      for (Access z : {W, R, A}) {
        explore(inBlock({thread(0, 0, {x}), thread(0, 1, {y})}), true);
        explore(inBlock({thread(0, 0, {x, y}), thread(0, 1, {z})}));
        explore(inBlock({thread(0, 0, {x}), thread(0, 1, {y}), thread(0, 2, {z})}));
        explore(inBlock({thread(0, 0, {x, in(y, 1)}), thread(0, 1, {in(z, 1)})}));
        explore(inBlock({thread(0, 0, {x}), thread(0, 1, {y, in(z, 1)})}));
        explore(inBlock({thread(0, 0, {x, in(x, 2)}), thread(0, 1, {in(y, 1), in(z, 2)})}));
      }
}

TEST(Protocol, CellsInTheBlockHoldTheMarksOfTheirPhase) {
  World w({.shared = true, .threads = {thread(0, 1023, {W, R, in(R, 3), in(W, 3)})}});
  Actor a = w.actor({0, 2});
  uint64_t write = w.markOf({0, 0}), later = w.markOf({0, 3}), read = w.markOf({0, 2});
  for (Cell c : {Cell{}, Cell{write, 0}, Cell{write, w.markOf({0, 1})}, Cell{later, read},
                 Cell{0, blockMark(a, read)}, Cell{later | mark::at(WriteLevel::Block), 0},
                 Cell{later | mark::at(WriteLevel::Strong), read}, Cell{trackedMark(a), 0}}) {
    Cell back = unpackCell(a, packCell(a, c));
    EXPECT_EQ(back.w, c.w);
    EXPECT_EQ(back.r, c.r);
  }
  Cell back = unpackCell(a, packCell(a, {write, read})); // of phases 0 and 3
  EXPECT_EQ(back.w, 0u);
  EXPECT_EQ(back.r, read);
}

TEST(Protocol, LanesThatReadAWordOfTheBlockTogether) {
  struct Word {
    uint64_t &cell;
    uint64_t load() const { return cell; }
    uint64_t compareExchange(uint64_t expected, uint64_t wanted) const {
      return cell == expected ? std::exchange(cell, wanted) : cell;
    }
  };
  World w({.shared = true, .threads = {thread(0, 3, {W, R, in(R, 1)}), thread(0, 9, {W, R})}});
  Actor a = w.actor({0, 0}), later = w.actor({0, 2});
  auto after = [&](const Actor &who, uint32_t phase, Cell before, bool done) {
    uint64_t bits = packCell(a, before);
    EXPECT_EQ(readBlockWordTogether(Word{bits}, (phase + 1) << 12 | 3, 5), done);
    return unpackCell(who, bits);
  };
  uint64_t several = blockMark(a, a.me | 5 << mark::SiteShift | mark::FullWord);
  EXPECT_EQ(after(a, 0, {}, true).r, several);
  EXPECT_EQ(after(a, 0, {0, w.markOf({1, 1})}, true).r, several); // another reader
  Cell c = after(later, 1, {w.markOf({1, 0}), 0}, true);          // a write before the barrier
  EXPECT_EQ(c.w, 0u);
  EXPECT_EQ(mark::level(c.r), uint32_t(ReadLevel::Block));
  // A write of this phase, also of one of the lanes, and a tracked word: each for itself.
  for (Cell before :
       {Cell{w.markOf({1, 0}), 0}, Cell{w.markOf({0, 0}), 0}, Cell{trackedMark(a), 0}}) {
    c = after(a, 0, before, false);
    EXPECT_EQ(c.w, before.w);
    EXPECT_EQ(c.r, before.r);
  }
}

TEST(Protocol, AnotherBlockRacesWithEveryPhase) {
  for (Access x : {W, R, A})
    for (Access y : {W, R, A})
      explore({.threads = {thread(0, 0, {x}), thread(0, 1, {in(y, 1)}), thread(1, 0, {A})}});
}

TEST(Protocol, NextLaunchIsOrdered) {
  for (Access x : {W, R, A, N})
    for (Access y : {W, R, A, N})
      explore({.oldestTag = 6, .threads = {thread(0, 0, {x}, 5), thread(1, 0, {y}, 6)}});
}

TEST(Protocol, UnorderedLaunchesRace) {
  for (Access x : {W, R, N})
    for (Access y : {W, R, N}) {
      explore({.threads = {thread(0, 0, {x}, 5), thread(1, 0, {y}, 6)}}, true);
      explore({.threads = {thread(0, 0, {x}, 5), thread(0, 1, {y}, 6), thread(2, 0, {W}, 7)}});
    }
}

TEST(Protocol, LaunchesThatLogEveryEvent) {
  for (Access x : {W, R, A, N})
    for (Access y : {W, R, A, N})
      for (Access z : {W, R}) {
        ThreadPlan first{5, 0, 0, {x, z}, true}, second{6, 1, 0, {y}};
        explore({.threads = {first, second}});
        explore({.oldestTag = 6, .threads = {first, second}});
        ThreadPlan third{5, 0, 1, {z}, true};
        explore({.threads = {ThreadPlan{5, 0, 0, {x}, true}, third, second}});
      }
}

TEST(Protocol, PartsOfAWord) {
  for (uint32_t b : {1u, 2u, 3u, 15u})
    for (Access x : {W, R})
      for (Access y : {W, R})
        for (Access z : {W, R}) {
          explore(
              {.threads = {thread(0, 0, {in(x, 0, 1), in(z, 0, b)}), thread(0, 1, {in(y, 0, b)})}});
          explore(
              {.threads = {thread(0, 0, {in(x, 0, 1), in(z, 1, 2)}), thread(1, 1, {in(y, 0, b)})}});
        }
}

TEST(Protocol, PartsThroughTheNonCoherentProxy) {
  for (uint32_t b : {1u, 2u, 15u})
    explore({.threads = {thread(0, 0, {in(N, 0, 1)}), thread(1, 0, {in(N, 0, 2)}),
                         thread(1, 1, {in(W, 0, b)})}});
}

// Whatever orders two threads beside the block's barriers is the host's to know: it must hear of
// every pair, or of readers that it cannot tell apart.
TEST(Protocol, MixedKernels) {
  for (Access x : {W, R})
    for (Access y : {W, R})
      for (Access z : {W, R}) {
        explore(
            {.mixed = true, .threads = {thread(0, 0, {x}), thread(1, 0, {y}), thread(2, 0, {z})}});
        explore(
            {.mixed = true, .threads = {thread(0, 0, {x}), thread(0, 1, {y}), thread(1, 0, {z})}});
        explore({.mixed = true, .threads = {thread(0, 0, {x, tick(y, 1)}), thread(0, 1, {z})}});
        explore({.mixed = true,
                 .threads = {thread(0, 0, {x, tick(y, 1)}), thread(1, 1, {z, in(x, 1)})}});
        for (bool shared : {false, true})
          explore({.shared = shared,
                   .mixed = true,
                   .threads = {thread(0, 0, {x, tick(y, 3)}), thread(0, 1, {tick(z, 2)})}});
      }
}

// With room for them, no reader is lost, and every pair is found.
TEST(Protocol, ReadersOfMixedKernelsAreKeptApart) {
  for (Access x : {W, R})
    for (Access y : {W, R})
      for (Access z : {W, R})
        for (uint32_t block : {0u, 1u}) {
          test::Setup s{.mixed = true,
                        .threads = {thread(0, 0, {x}), thread(block, 1, {y}), thread(2, 2, {z})},
                        .keepsReaders = true};
          explore(s);
          Machine m(s, {});
          m.run();
          EXPECT_FALSE(m.Lost);
          s.threads = {thread(0, 0, {x, tick(y, 1)}), thread(block, 1, {z, R})};
          explore(s);
          s.shared = true;
          s.threads = {thread(0, 0, {x, tick(y, 3)}), thread(0, 1, {tick(z, 2)}),
                       thread(0, 2, {R})};
          explore(s);
        }
}

TEST(Protocol, BarriersOfTheWarpOrder) {
  for (bool shared : {false, true})
    for (Access x : {W, R})
      for (Access y : {W, R})
        for (Access z : {W, R}) {
          // Lanes meet before tick 2; thread 32 is of another warp.
          explore({.shared = shared,
                   .mixed = true,
                   .threads = {thread(0, 0, {x, met(y, 2)}), thread(0, 1, {met(z, 2)})}});
          explore({.shared = shared,
                   .mixed = true,
                   .threads = {thread(0, 0, {x, met(y, 2)}), thread(0, 32, {met(z, 2)})}});
        }
}

TEST(Protocol, BarriersOfTheGridOrder) {
  for (Access x : {W, R, N})
    for (Access y : {W, R, N})
      for (Access z : {W, R, N}) {
        explore(
            {.mixed = true, .threads = {thread(0, 0, {x, later(y)}), thread(1, 1, {later(z)})}});
        explore({.mixed = true,
                 .threads = {thread(0, 0, {x}), thread(1, 1, {y}), thread(2, 2, {later(z)})}});
        explore(
            {.mixed = true, .threads = {thread(0, 0, {x, later(y)}), thread(0, 1, {later(z)})}});
      }
}

TEST(Protocol, MarksRiseWithWhatTheyStandFor) {
  World w({.threads = {thread(3, 7, {R}), thread(3, 1023, {in(R, 1)})}});
  Actor a = w.actor({0, 0});
  uint64_t me = w.markOf({0, 0}), other = w.markOf({1, 0});
  EXPECT_LT(me, blockMark(a, me));
  EXPECT_LT(blockMark(a, me), other); // a later phase
  EXPECT_LT(blockMark(w.actor({1, 0}), other), gridMark(a, me));
  EXPECT_LT(gridMark(w.actor({1, 0}), other), nonCoherentMark(a, me));
  EXPECT_LT(nonCoherentMark(a, me), uint64_t(6) << mark::TagShift);
  EXPECT_EQ((gridMark(a, me) >> mark::TimeShift) & 7, 3u); // the block
}
