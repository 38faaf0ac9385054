// The axiomatic model on programs whose verdicts the PTX ISA tells.
#include "RowParser.h"
#include "axiomatic/Enumerate.h"

#include <gtest/gtest.h>

using namespace scopesan::litmus;

namespace {

AxiomaticVerdict axioms(const std::string &ops, const std::string &placement = "any",
                        const std::string &guard = "-", const std::string &notes = "") {
  Row r;
  r.id = "TEST/row";
  r.ops = ops;
  r.placement = placement;
  r.guard = guard;
  r.notes = notes;
  Program p = parseRow(r);
  EXPECT_EQ(p.notRunnable, "");
  return axiomaticVerdict(p);
}

TEST(Model, MessagePassing) {
  AxiomaticVerdict v = axioms("T0: Ww x=1; Wrel@gpu y=1 ## T1: Racq@gpu y->r0; Rw x->r1");
  EXPECT_EQ(v.executions, 3u);
  EXPECT_EQ(v.racyPtx, 2u);
  v = axioms("T0: Ww x=1; Wrel@gpu y=1 ## T1: Racq@gpu y->r0; Rw x->r1", "any",
             "filter (1:r0 == 1)");
  EXPECT_EQ(v.considered, 1u);
  EXPECT_EQ(v.racyPtx, 0u);
}

TEST(Model, StoreBufferingWithFencesForbidsBothZero) {
  AxiomaticVerdict v = axioms("T0: Wrlx@gpu x=1; Fsc@gpu; Rrlx@gpu y->r0 ## "
                              "T1: Wrlx@gpu y=1; Fsc@gpu; Rrlx@gpu x->r0",
                              "any", "filter (0:r0 == 0 /\\ 1:r0 == 0)");
  EXPECT_GT(v.executions, 0u);
  EXPECT_EQ(v.considered, 0u);
}

TEST(Model, LoadBufferingFromThinAirIsForbidden) {
  AxiomaticVerdict v =
      axioms("T0: Rrlx@gpu x->r0; Wrlx@gpu y=r0 ## T1: Rrlx@gpu y->r0; Wrlx@gpu x=r0", "any",
             "filter (~(0:r0 == 0))");
  EXPECT_EQ(v.considered, 0u);
}

TEST(Model, ObservationOrdersInPtxOnly) {
  AxiomaticVerdict v =
      axioms("T0: Wrlx@gpu x=1 ## T1: Rrlx@gpu x->r0; Ww x=2", "any", "filter (1:r0 == 1)");
  EXPECT_EQ(v.racyPtx, 0u);
  EXPECT_EQ(v.racyCxx, v.considered);
}

TEST(Model, ProxyFencesInTheRightOrder) {
  std::string aliases = "aliases: t=texture view of x,s=surface view of x";
  EXPECT_EQ(axioms("T0: Wsurf s=1; PF.surface; PF.texture; Rtex t->r0", "one thread", "-", aliases)
                .racyPtx,
            0u);
  EXPECT_NE(axioms("T0: Wsurf s=1; PF.texture; PF.surface; Rtex t->r0", "one thread", "-", aliases)
                .racyPtx,
            0u);
}

TEST(Relation, Laws) {
  Relation r(4);
  r.add(0, 1);
  r.add(1, 2);
  r.add(2, 3);
  EXPECT_TRUE(r.acyclic());
  EXPECT_TRUE(r.transitive().has(0, 3));
  EXPECT_TRUE(r.then(r).has(0, 2));
  EXPECT_FALSE(r.then(r).has(0, 3));
  EXPECT_TRUE(r.inverse().has(1, 0));
  r.add(3, 0);
  EXPECT_FALSE(r.acyclic());
}

} // namespace
