// The parsers: every form of operation, placement and guard, and what is unknown.
#include "ProgramFile.h"
#include "RowParser.h"

#include <gtest/gtest.h>

using namespace scopesan::litmus;

namespace {

Program parse(const std::string &ops, const std::string &placement = "any",
              const std::string &guard = "-", const std::string &notes = "") {
  Row r;
  r.id = "TEST/row";
  r.ops = ops;
  r.placement = placement;
  r.guard = guard;
  r.notes = notes;
  return parseRow(r);
}
const Instr &only(const Program &p) {
  EXPECT_EQ(p.notRunnable, "");
  return p.threads.at(0).code.at(0);
}

TEST(Notation, Accesses) {
  Instr i = only(parse("T0: Wrel@gpu x=5"));
  EXPECT_EQ(i.verb, Verb::Store);
  EXPECT_EQ(i.order, MemoryOrder::Release);
  EXPECT_EQ(i.scope, Scope::Device);
  EXPECT_EQ(i.value.a.value, 5);
  i = only(parse("T0: Rw x->r0"));
  EXPECT_EQ(i.verb, Verb::Load);
  EXPECT_FALSE(i.isStrong());
  EXPECT_EQ(i.dst, 0u);
  i = only(parse("T0: Rvol x->r0"));
  EXPECT_TRUE(i.isVolatile);
  EXPECT_EQ(i.scope, Scope::System);
  i = only(parse("T0: Ratomic@block x"));
  EXPECT_EQ(i.order, MemoryOrder::Relaxed);
  EXPECT_EQ(i.scope, Scope::Block);
  i = only(parse("T0: Rw[vis@dv]+sc1 x->r0"));
  EXPECT_FALSE(i.isStrong());
  EXPECT_EQ(i.storageClass, 1u);
}

TEST(Notation, ReadModifyWrites) {
  Instr i = only(parse("T0: U[cas]acq@cta l(0;1)->r0"));
  EXPECT_EQ(i.rmw, RmwKind::CompareExchange);
  EXPECT_EQ(i.compare.a.value, 0);
  EXPECT_EQ(i.value.a.value, 1);
  EXPECT_TRUE(i.returns);
  i = only(parse("T0: U0[add]sys flag"));
  EXPECT_FALSE(i.returns);
  EXPECT_EQ(i.scope, Scope::System);
  EXPECT_EQ(i.order, MemoryOrder::Relaxed);
  i = only(parse("T0: U[exch]acq@gpu f -> 1"));
  EXPECT_EQ(i.expect.reads, 1);
  i = only(parse("T0: U[cas]rel f fails"));
  EXPECT_EQ(i.expect.succeeds, false);
  EXPECT_EQ(i.scope, Scope::Device) << "O3";
}

TEST(Notation, PackedAndVectorAccesses) {
  Instr i = only(parse("T0: U[add].f16x2@gpu x"));
  EXPECT_EQ(i.bytes, 4u);
  EXPECT_EQ(i.elementBytes, 2u);
  i = only(parse("T0: Wrlx.v2.b64@gpu x"));
  EXPECT_EQ(i.bytes, 16u);
  EXPECT_EQ(i.elementBytes, 8u);
  i = only(parse("T0: Rrlx.b128@gpu x"));
  EXPECT_EQ(i.bytes, 16u);
  EXPECT_EQ(i.elementBytes, 0u);
}

TEST(Notation, SequentiallyConsistentOperationsAreAFenceAndAnAccess) {
  Program p = parse("T0: Wsc@sys x=1");
  ASSERT_EQ(p.threads[0].code.size(), 2u);
  EXPECT_EQ(p.threads[0].code[0].verb, Verb::Fence);
  EXPECT_EQ(p.threads[0].code[1].order, MemoryOrder::Release);
}

TEST(Notation, FencesAndBarriers) {
  EXPECT_EQ(only(parse("T0: Far@cta")).order, MemoryOrder::AcqRel);
  EXPECT_TRUE(only(parse("T0: PF.alias")).aliasFence);
  EXPECT_EQ(only(parse("T0: PF.surface")).proxy, Proxy::Surface);
  Instr i = only(parse("T0: B.sync(1;2;3)"));
  EXPECT_EQ(i.barrier.a.value, 1);
  EXPECT_EQ(i.logicalBarrier.a.value, 2);
  EXPECT_EQ(i.count->a.value, 3);
  EXPECT_TRUE(only(parse("T0: B.arrive(1)")).arriveOnly);
  EXPECT_EQ(only(parse("T0: bar.sync 1,64")).count->a.value, 2) << "litmus threads are warps";
  EXPECT_TRUE(only(parse("T0: bar 0")).allThreads);
  EXPECT_EQ(only(parse("T0: BAR", "different warp")).verb, Verb::WarpBarrier);
}

TEST(Notation, ControlFlow) {
  Program p = parse("T0: L a; Rrlx@gpu x->r0; if(r0==0)goto a; r1:=r0+1; Ww y=r1");
  EXPECT_EQ(p.notRunnable, "");
  EXPECT_EQ(p.threads[0].code[1].target, 0u);
  p = parse("T0: spin Rrlx@gpu l==0 then U[exch]acq@gpu l(1)==0; Ww x=1");
  EXPECT_EQ(p.notRunnable, "");
  ASSERT_EQ(p.threads[0].code.size(), 5u);
  EXPECT_EQ(p.threads[0].code[3].target, 0u);
  EXPECT_NE(parse("T0: goto nowhere").notRunnable, "");
}

TEST(Notation, Placements) {
  Program p =
      parse("T0: Ww x=1 ## T1: Ww x=2 ## T2: Ww x=3", "T0=g0.c0.b0 T1=g0.c0.b1 T2=g1.c0.b0.dom1");
  EXPECT_EQ(p.notRunnable, "");
  EXPECT_FALSE(p.sameBlock(0, 1));
  EXPECT_EQ(p.threads[0].at.cluster, p.threads[1].at.cluster);
  EXPECT_NE(p.threads[0].at.launch, p.threads[2].at.launch);
  p = parse("T0: Ww x=1 ## T1: Ww x=2", "T0=b0 g0 T1=b0 g0 (threads 0 and 32: different warps)");
  EXPECT_TRUE(p.sameBlock(0, 1));
  EXPECT_NE(p.threads[0].at.warp, p.threads[1].at.warp);
  EXPECT_NE(parse("T0: Ww x=1", "on the moon").notRunnable, "");
}

TEST(Notation, Guards) {
  Program p = parse("T0: Wrel@gpu y=1 ## T1: Racq@gpu y->r0", "any", "filter (P1:r0 == 1)");
  EXPECT_EQ(p.notRunnable, "");
  p = parse("T0: Wrel@gpu y=1 ## T1: Racq@gpu y->r0", "any", "spins succeed at first try");
  EXPECT_EQ(p.maxLoop, 0u);
  EXPECT_NE(parse("T0: Ww x=1", "any", "when the stars are right").notRunnable, "");
  EXPECT_NE(parse("T0: Ww x=1", "any", "filter (P7:r0 == 1)").notRunnable, "");
}

TEST(Notation, Launches) {
  Program p = parse("K1: Ww g ## K2: Rw g", "K1@s1; record e; s2 waits e; K2");
  ASSERT_EQ(p.launches.size(), 2u);
  EXPECT_EQ(p.launches[1].after, std::vector<uint32_t>{0});
  p = parse("K1: Ww g ## K2: Rw g", "record e; K1@s1; s2 waits e; K2");
  EXPECT_TRUE(p.launches[1].after.empty());
  p = parse("host: Ww m; launch ## K: Rw m", "host; K");
  EXPECT_TRUE(p.threads[0].at.host);
  EXPECT_EQ(p.threads[0].code[1].verb, Verb::Launch);
  EXPECT_EQ(p.threads[0].code[1].target, 1u);
}

TEST(Notation, UnknownFormsAreNamed) {
  EXPECT_EQ(parse("T0: Ww x=1; frobnicate x").notRunnable, "unknown operation 'frobnicate x'");
  EXPECT_EQ(parse("T0: Wfoo@gpu x=1").notRunnable, "unknown operation 'Wfoo@gpu x=1'");
}

TEST(Notation, WhatPtxDoesNotHaveIsUnknown) {
  for (const char *ops :
       {"T0: Rrel@gpu x", "T0: Rar@gpu x", "T0: Wacq@gpu x=1", "T0: bar.sync 1,0",
        "T0: bar.sync 1,33", "T0: bar.sync 1,2048", "T0: bar.sync 16,64", "T0: L a; L a; goto a",
        "T0: PF.tensormap.acq@gpu []", "T0: PF.tensormap.acq@gpu [g",
        "T0: PF.tensormap.rel@gpu [g]", "T0: fence.proxy.tensormap::generic.acquire.gpu [g], 64",
        "T0: fence.proxy.tensormap::generic.release.gpu [g], 128",
        "T0: fence.proxy.tensormap::generic.acq_rel.gpu"})
    EXPECT_NE(parse(ops).notRunnable, "") << ops;
  for (const char *place : {"T0=g256.b0", "T0=g0.b0.dom256", "T0=g0.b65536", "T0=g0.b0.w32"})
    EXPECT_NE(parse("T0: Ww x=1", place).notRunnable, "") << place;
}

TEST(Notation, AFenceNamesTheMapThatItAcquires) {
  Instr i = only(parse("T0: fence.proxy.tensormap::generic.acquire.cluster [g], 128"));
  EXPECT_EQ(i.scope, Scope::Cluster);
  EXPECT_EQ(i.acquiredMap, 0u);
  EXPECT_EQ(only(parse("T0: PF.tensormap.acq@gpu")).acquiredMap, None) << "all maps";
}

TEST(Notation, ABlockHas32WarpsOf32Threads) {
  std::string own, shared, ops;
  for (int i = 0; i < 33; ++i) {
    std::string t = "T" + std::to_string(i);
    own += (i ? " " : "") + t + "=g0.b0";
    shared += (i ? " " : "") + t + "=g0.b0.w0";
    ops += (i ? " ## " : "") + t + ": Rw x";
  }
  EXPECT_NE(parse(ops, own).notRunnable, "");
  EXPECT_NE(parse(ops, shared).notRunnable, "");
}

TEST(Notation, GuardsNestSoDeep) {
  auto nested = [](size_t n) { return std::string(n, '(') + "x == 1" + std::string(n, ')'); };
  EXPECT_EQ(parse("T0: Wrlx@gpu x=1", "any", nested(100)).notRunnable, "");
  EXPECT_NE(parse("T0: Wrlx@gpu x=1", "any", nested(300000)).notRunnable, "");
  EXPECT_NE(parse("T0: Wrlx@gpu x=1", "any", std::string(300000, '~') + "x == 1").notRunnable, "");
}

TEST(Notation, AStreamWaitsForAnEvent) {
  EXPECT_NE(parse("K1: Ww g ## K2: Rw g", "K1@s1; s2 waits").notRunnable, "");
}

TEST(ProgramFile, AHostThreadHasNoPlaceOnADevice) {
  for (const char *place : {"host.b0", "g0.host"})
    EXPECT_NE(parseProgramText("T0 @ " + std::string(place) + ": Ww x=1\n", "f").error, "")
        << place;
}

TEST(ProgramFile, AnAliasIsOfAnotherLocation) {
  const char *threads = "T0: Ww x=1\nT1: Rw y\n";
  for (const char *aliases : {"alias: x = x\n", "alias: x = y\nalias: y = x\n"})
    EXPECT_NE(parseProgramText(std::string(aliases) + threads, "f").error, "") << aliases;
}

TEST(ProgramFile, OurFormat) {
  ProgramFile f = parseProgramText("name: mp  # a comment\n"
                                   "init: x=3\n"
                                   "T0 @ g0.b0: Ww x=1\n"
                                   "  Wrel@gpu f=1\n"
                                   "T1 @ g0.b1: spin Racq@gpu f==1; Rw x->r0\n"
                                   "guard: 1:r0 == 1\n"
                                   "expect: norace\n",
                                   "mp.txt");
  EXPECT_EQ(f.error, "");
  EXPECT_EQ(f.program.threads[0].code.size(), 2u);
  EXPECT_EQ(f.program.locations[0].initial, 3);
  EXPECT_EQ(f.expectedRace, false);
}

TEST(ProgramFile, ErrorsSayWhere) {
  EXPECT_EQ(parseProgramText("T0: Ww x=1\nexpect: maybe\n", "f").error,
            "f:2: expect: is 'race' or 'norace', not 'maybe'");
  EXPECT_EQ(parseProgramText("  Ww x=1\n", "f").error,
            "f:1: an indented line continues a thread, but there is none yet");
  EXPECT_NE(parseProgramText("", "f").error, "");
}

TEST(ProgramFile, Dat3M) {
  ProgramFile f =
      parseProgramText("PTX test\n\"words\"\n{\nx=0;\nP1:r2=4;\ny @ generic aliases x;\n}\n"
                       " P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n"
                       " st.weak x, 1 | LC00: ;\n"
                       " fence.sc.gpu | ld.acquire.gpu r0, f ;\n"
                       " atom.acq_rel.sys.cas r0, f, 0, 1 | bne r0, 1, LC00 ;\n"
                       " bar.cta.sync 1, 2 | fence.proxy.alias ;\n"
                       "filter (P1:r0 == 1)\nexists (P1:r1 == 0)\n",
                       "t.litmus");
  ASSERT_EQ(f.error, "");
  const Program &p = f.program;
  ASSERT_EQ(p.threads.size(), 2u);
  EXPECT_EQ(p.threads[0].code[2].order, MemoryOrder::AcqRel);
  EXPECT_EQ(p.threads[0].code[2].scope, Scope::System);
  EXPECT_EQ(p.threads[1].code[1].target, 0u);
  EXPECT_EQ(p.threads[1].code[2].aliasFence, true);
  EXPECT_FALSE(p.sameBlock(0, 1));
  EXPECT_NE(
      parseProgramText("PTX t\n{}\nP0@cta 0,gpu 0;\nwarp.speed x;\nexists (x==1)\n", "f").error,
      "");
}

} // namespace
