// What runs of kernels show about a row: guards, races, what the model does not have.
#include "kernels/KernelVerdict.h"
#include "kernels/Order.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace scopesan::litmus;

namespace {

Observations read(const std::string &text) {
  // Tests run side by side.
  std::string path = testing::TempDir() + "observations." + std::to_string(getpid()) + ".txt";
  std::ofstream(path) << text;
  Observations o = readObservations(path);
  std::filesystem::remove(path);
  return o;
}

/// Message passing: T0 operations 0, 1; T1 operations 0, 1.
Row messagePassing(const char *scope, const char *verdict,
                   const char *guard = "filter (1:r0 == 1)") {
  Row r;
  r.id = "TEST/mp";
  r.placement = "T0=g0.b0 T1=g0.b1";
  r.ops =
      std::string("T0: Ww x=1; Wrel@") + scope + " f=1 ## T1: Racq@" + scope + " f->r0; Rw x->r1";
  r.guard = guard;
  r.ptxRace = r.hbRace = verdict;
  return r;
}
const char Seen[] = "run 0 1 ok\nt 0 ended 0:1:1 1:1:1\nt 1 ended 0:0:1 1:0:1\nm 1 1\n";
const char NotSeen[] = "run 0 2 ok\nt 0 ended 0:1:1 1:1:1\nt 1 ended 0:0:0 1:0:0\nm 1 1\n";

KernelResult judge(const Row &row, const std::string &text) {
  Observations o = read(text);
  EXPECT_EQ(o.error, "");
  return judgeKernels(row, &o.runs[0], "", {});
}

TEST(KernelVerdict, AgreesWhenRunsDoWhatTheTableSays) {
  KernelResult k = judge(messagePassing("gpu", "norace"), Seen);
  EXPECT_EQ(k.outcome, Outcome::Agree) << k.reason;
  k = judge(messagePassing("cta", "race"), Seen + std::string("f D3 0.0 1.1\nf D2 0.1 1.0\n"));
  EXPECT_EQ(k.outcome, Outcome::Agree) << k.reason;
  EXPECT_EQ(k.racy, 1u);
}

TEST(KernelVerdict, RunsThatTheGuardExcludesDoNotCount) {
  KernelResult k =
      judge(messagePassing("gpu", "norace"), NotSeen + std::string("f D1 0.0 1.1\n") + Seen);
  EXPECT_EQ(k.outcome, Outcome::Agree) << k.reason;
  EXPECT_EQ(k.runs, 2u);
  EXPECT_EQ(k.considered, 1u);
  k = judge(messagePassing("gpu", "norace"), NotSeen);
  EXPECT_EQ(k.outcome, Outcome::Differ);
  EXPECT_TRUE(k.needsMoreRuns);
}

TEST(KernelVerdict, MissedAndInventedRacesDiffer) {
  EXPECT_EQ(judge(messagePassing("cta", "race"), Seen).outcome, Outcome::Differ);
  KernelResult k = judge(messagePassing("gpu", "norace"), Seen + std::string("f D1 0.0 1.1\n"));
  EXPECT_EQ(k.outcome, Outcome::Differ);
  EXPECT_NE(k.reason.find("the model does not have"), std::string::npos) << k.reason;
  // A pair that the model does not have, in a row that races.
  k = judge(messagePassing("cta", "race"), Seen + std::string("f D3 0.0 1.1\nf D1 0.0 1.0\n"));
  EXPECT_EQ(k.outcome, Outcome::Differ);
}

TEST(KernelVerdict, EveryRunOfAnAlwaysRacyRowRaces) {
  std::string racy = Seen + std::string("f D3 0.0 1.1\n");
  EXPECT_EQ(judge(messagePassing("cta", "race"), racy + Seen).outcome, Outcome::Differ);
  EXPECT_EQ(judge(messagePassing("cta", "race"), racy + racy).outcome, Outcome::Agree);
}

TEST(KernelVerdict, IncompleteErrorsAndUnexpectedEndsDiffer) {
  Row row = messagePassing("gpu", "norace", "-");
  row.ptxRace = "race";
  for (const char *text : {"run 0 1 error cudaErrorNotSupported\nt 0 running\nt 1 running\n",
                           "run 0 1 stuck\nt 0 running 0:1:1\nt 1 ended 0:0:0 1:0:1\n"})
    EXPECT_EQ(judge(row, text).outcome, Outcome::Differ) << text;
  EXPECT_EQ(judge(row, NotSeen + std::string("f D1 0.0 1.1\nx not modelled\n")).outcome,
            Outcome::Differ);
  EXPECT_EQ(judge(row, NotSeen + std::string("f D1 0.0 1.1\n")).outcome, Outcome::Agree);
  EXPECT_EQ(judge(row, NotSeen + std::string("f D1 0.0 1.1\nf D7 0.0 1.1\n")).outcome,
            Outcome::Differ);
}

TEST(KernelVerdict, StuckAtABarrierAsTheModelSays) {
  Row row;
  row.id = "TEST/hang";
  row.placement = "same CTA";
  row.ops = "T0: B.sync(1;1;3) ## T1: B.sync(1;1;3)";
  row.ptxRace = row.hbRace = "norace";
  KernelResult k = judge(row, "run 0 1 stuck\nt 0 running\nt 1 running\nf D7 0.0 1.0\n");
  EXPECT_EQ(k.outcome, Outcome::Agree) << k.reason;
}

TEST(KernelVerdict, StuckAtAnMbarrierIsNoExecutionButMustBeSaid) {
  Row row;
  row.id = "TEST/parity";
  row.placement = "same CTA";
  row.ops = "T0: Ww s; arrive (phase 1) ## T1: try_wait.parity(0) True for phase 0; Rw s";
  row.ptxRace = row.hbRace = "race";
  std::string racy =
      "run 0 1 ok\nt 0 ended 0:1:1 1:0:0\nt 1 ended 0:0:0 1:0:1\nm 0\nf D1 0.0 1.1\n";
  std::string stuck = "run 0 2 stuck\nt 0 ended 0:1:1 1:0:0\nt 1 running\n";
  KernelResult k = judge(row, racy + stuck + "f D7 1.0 1.0\n");
  EXPECT_EQ(k.outcome, Outcome::Agree) << k.reason;
  EXPECT_EQ(k.considered, 1u);
  EXPECT_EQ(judge(row, racy + stuck).outcome, Outcome::Differ);
}

TEST(KernelVerdict, NotRunForLackOfDevices) {
  Row row = messagePassing("gpu", "race", "-");
  row.placement = "T0=g0.b0 T1=g1.b0";
  KernelResult k = judge(row, "run 0 1 error cudaErrorInvalidDevice\nt 0 running\nt 1 running\n");
  EXPECT_EQ(k.outcome, Outcome::NotRun) << k.reason;
}

TEST(KernelVerdict, RacesOfTheHostMustBeSeen) {
  Row row = messagePassing("gpu", "race", "-");
  row.placement = "host; K";
  row.ops = "host: launch K; Ww x=1 ## K: Rw x";
  std::string run = "run 0 1 ok\nt 0 ended 1:1:1\nt 1 ended 0:0:1\nm 1\n";
  EXPECT_EQ(judge(row, run).outcome, Outcome::Differ);
  EXPECT_EQ(judge(row, run + "f D1 0.1 1.0\n").outcome, Outcome::Agree);
}

TEST(KernelVerdict, WhatIsNotModelledMustBeNamed) {
  Row row;
  row.id = "TEST/multimem";
  row.placement = "different GPUs";
  row.ops = "T0: multimem.red mc ## T1: multimem.red mc";
  row.ptxRace = row.hbRace = "norace";
  std::string failed = "run 0 1 error cudaErrorLaunchFailure\nt 0 running\nt 1 running\n";
  KernelResult k = judge(row, failed + "x not modelled multimem.red.relaxed.sys\n");
  EXPECT_EQ(k.outcome, Outcome::Incomplete) << k.reason;
  EXPECT_EQ(judge(row, failed).outcome, Outcome::Differ);
  EXPECT_EQ(judge(row, failed + "x something else\n").outcome, Outcome::Differ);
  EXPECT_EQ(judge(row, failed + "x multimem.red\nf D1 0.0 1.0\n").outcome, Outcome::Differ);
}

TEST(KernelVerdict, ValuesThatNoOrderExplainsDiffer) {
  std::string text = "run 0 1 ok\nt 0 ended 0:1:1 1:1:1\nt 1 ended 0:0:1 1:0:7\nm 1 1\n";
  KernelResult k = judge(messagePassing("gpu", "norace"), text);
  EXPECT_EQ(k.outcome, Outcome::Differ);
  EXPECT_NE(k.reason.find("no order"), std::string::npos) << k.reason;
}

TEST(KernelVerdict, ReadOfAnotherThreadsValue) {
  Row row;
  row.id = "TEST/lock";
  row.placement = "any";
  row.ops = "T0: U[cas]acq l(0;1); Ww d; U[exch]rel l(0) ## "
            "T1: U[cas]acq l(0;1) reads 0 of unlock; Rw d; U[exch]rel l(0)";
  row.ptxRace = row.hbRace = "norace";
  std::string after =
      "run 0 1 ok\nt 0 ended 0:1:0 1:1:1 2:1:1\nt 1 ended 0:1:0 1:0:1 2:1:1\nm 0 1\n";
  std::string before =
      "run 0 1 ok\nt 0 ended 0:1:0 1:1:1 2:1:1\nt 1 ended 0:1:0 1:0:0 2:1:1\nm 0 1\n";
  Observations o = read(after + before);
  KernelResult k = judgeKernels(row, &o.runs[0], "", {});
  EXPECT_EQ(k.considered, 1u) << "in the second run T1 was first: it read the initial value";
}

TEST(Observations, ErrorsNameTheLine) {
  EXPECT_NE(read("run 0 1 ok\nnonsense\n").error.find(":2:"), std::string::npos);
  Observations o = read("skip 3 no CUDA form: because\n");
  EXPECT_EQ(o.skipped[3], "no CUDA form: because");
}

} // namespace
