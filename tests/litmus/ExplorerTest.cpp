// The search, and properties of the detector over all executions of random programs.
#include "RandomProgram.h"
#include "RowParser.h"
#include "Verdict.h"

#include <gtest/gtest.h>

#include <set>

using namespace scopesan::litmus;

namespace {

Program parse(const std::string &ops, const std::string &placement = "any") {
  Row r;
  r.id = "TEST/row";
  r.ops = ops;
  r.placement = placement;
  r.guard = "-";
  return parseRow(r);
}
uint64_t executions(const Program &p, bool every = false) {
  Machine m(p);
  ExploreLimits limits;
  limits.everyInterleaving = every;
  return explore(m, limits, [](const State &, bool) { return true; }).executions;
}
Verdict verdict(const Program &p, bool every = false) {
  Machine m(p);
  VerdictOptions o;
  o.limits.everyInterleaving = every;
  return decide(m, o);
}

TEST(Explorer, OneExecutionPerTrace) {
  Program p = parse("T0: Ww x=1; Ww y=1 ## T1: Rw z->r0; Rw z->r1");
  EXPECT_EQ(executions(p), 1u);
  EXPECT_EQ(executions(p, true), 6u);
  p = parse("T0: Ww x=1 ## T1: Rw x->r0 ## T2: Rw x->r0");
  EXPECT_EQ(executions(p), 4u);
}

TEST(Explorer, SpinsDoNotRunForEver) {
  Program p = parse("T0: Wrel@gpu f=1 ## T1: spin Racq@gpu f==1; Rw x");
  EXPECT_EQ(executions(p), 2u) << "at once, or after one failure";
  p = parse("T0: spin Racq@gpu f==1");
  EXPECT_EQ(executions(p), 0u);
}

TEST(Explorer, BarriersThatNeverCompleteEndAnExecution) {
  Program p = parse("T0: B.sync(1;0;3); Ww x=1 ## T1: B.sync(1;0;3); Ww x=2", "same CTA");
  Verdict v = verdict(p);
  EXPECT_EQ(v.considered, 1u);
  EXPECT_FALSE(v.anyRace());
}

TEST(Explorer, AThreadThatWaitsForEverIsStillALaneOfItsWarp) { // S7: counts are of whole warps
  Program p = parse("T0: Rw z->r2; B.sync(1;0;2); barrier.cluster.wait ## T1: B.sync(2;0;2); "
                    "Ww z=2 ## T2: B.sync(1;0;2); B.sync(2;0;2)",
                    "T0=g0.c0.b0.w0 T1=g0.c0.b0.w0 T2=g0.c0.b0.w1");
  Verdict v = verdict(p);
  EXPECT_GT(v.considered, 0u);
  EXPECT_FALSE(v.anyRace());
}

TEST(Explorer, BeyondTheBoundItSamples) {
  Program p = parse("T0: Wrlx@gpu x=1; Wrlx@gpu x=2; Wrlx@gpu x=3 ## "
                    "T1: Wrlx@gpu x=4; Wrlx@gpu x=5; Wrlx@gpu x=6");
  Machine m(p);
  ExploreLimits limits;
  limits.executions = 5;
  limits.samples = 7;
  ExploreResult r = explore(m, limits, [](const State &, bool) { return true; });
  EXPECT_FALSE(r.exhaustive);
  EXPECT_EQ(r.executions, 12u);
}

// ---------------------------------------------------------------------------- properties

/// Which operations race does not depend on the order of independent steps.
TEST(Property, VerdictIsAPropertyOfTheTrace) {
  RandomLimits small;
  small.maxThreads = 3;
  small.maxMemoryOps = 6;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    Program p = parseRow(randomProgram(seed, small).row("seed"));
    Verdict reduced = verdict(p), every = verdict(p, true);
    ASSERT_TRUE(every.explored.exhaustive);
    EXPECT_EQ(reduced.anyRace(), every.anyRace()) << "seed " << seed;
    EXPECT_STREQ(reduced.frequency(), every.frequency()) << "seed " << seed;
    std::set<RacePair> a, b;
    for (auto &[pair, n] : reduced.pairs)
      a.insert(pair);
    for (auto &[pair, n] : every.pairs)
      b.insert(pair);
    EXPECT_EQ(a, b) << "seed " << seed;
  }
}

/// Wider scopes order more: a program that races with system scope everywhere races as written.
TEST(Property, WideningScopesAddsNoRace) {
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    Program p = parseRow(randomProgram(seed).row("seed")), wide = p;
    for (ThreadCode &t : wide.threads)
      for (Instr &i : t.code)
        if (i.isStrong())
          i.scope = Scope::System;
    EXPECT_LE(verdict(wide).anyRace(), verdict(p).anyRace()) << "seed " << seed;
  }
}

/// Fences order, they never unorder.
TEST(Property, AddingFencesAddsNoRace) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    ProgramText text = randomProgram(seed), fenced = text;
    for (std::vector<std::string> &ops : fenced.ops)
      for (size_t i = ops.size(); i-- > 0;)
        ops.insert(ops.begin() + i, "Far@sys");
    EXPECT_LE(verdict(parseRow(fenced.row("fenced"))).anyRace(),
              verdict(parseRow(text.row("seed"))).anyRace())
        << "seed " << seed;
  }
}

/// Names of threads mean nothing.
TEST(Property, ThreadOrderDoesNotMatter) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    ProgramText text = randomProgram(seed), turned = text;
    std::reverse(turned.ops.begin(), turned.ops.end());
    std::reverse(turned.positions.begin(), turned.positions.end());
    Verdict a = verdict(parseRow(text.row("seed"))), b = verdict(parseRow(turned.row("turned")));
    EXPECT_EQ(a.racy, b.racy) << "seed " << seed;
    EXPECT_EQ(a.considered, b.considered) << "seed " << seed;
  }
}

/// C++ mode finds whatever PTX mode finds.
TEST(Property, CxxModeIsStricter) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Program p = parseRow(randomProgram(seed).row("seed"));
    Machine m(p);
    VerdictOptions o;
    o.detector.cxxMode = true;
    EXPECT_GE(decide(m, o).racy, verdict(p).racy) << "seed " << seed;
  }
}

} // namespace
