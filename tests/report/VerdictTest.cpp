// Verdicts, exit codes and their precedence, progress modes.
#include "Model.h"

#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>

using namespace scopesan::report;

namespace {

Report clean() {
  Report report;
  report.kernels = {{"k", 1}};
  return report;
}

TEST(Verdict, Clean) {
  EXPECT_EQ(clean().verdict(), Verdict::Clean);
  EXPECT_EQ(exitCode(clean(), {}), 0);
}

TEST(Verdict, PrecedenceOfExitCodes) {
  ExitCodes strict;
  strict.strict = true;
  Report report; // nothing ran
  EXPECT_EQ(exitCode(report, {}), 68);
  report.incomplete.push_back({"x", {}, "", 1});
  EXPECT_EQ(exitCode(report, {}), 68);
  EXPECT_EQ(exitCode(report, strict), 69);
  report.end.code = 5;
  EXPECT_EQ(exitCode(report, strict), 5);
  report.findings.emplace_back();
  EXPECT_EQ(exitCode(report, strict), 66);
  report.failures.push_back("broken");
  EXPECT_EQ(exitCode(report, strict), 67);
  report.end.signal = SIGSEGV;
  EXPECT_EQ(exitCode(report, strict), 128 + SIGSEGV);
}

TEST(Verdict, IncompleteAloneIsNoFailure) {
  Report report = clean();
  report.incomplete.push_back({"x", {}, "", 1});
  EXPECT_EQ(report.verdict(), Verdict::Incomplete);
  EXPECT_EQ(exitCode(report, {}), 0);
}

TEST(Verdict, AStandstillExplainsTheTimeLimit) {
  Report report;
  report.standstill = {"ping(int*)", 3, 4};
  addDerivedLimits(report);
  auto hints = [&] {
    return std::count_if(
        report.incomplete.begin(), report.incomplete.end(), [](const Incomplete &entry) {
          return entry.what.find("launch 3 of kernel 'ping(int*)' waited") != std::string::npos &&
                 entry.text.find("cudaStreamQuery") != std::string::npos;
        });
  };
  EXPECT_EQ(hints(), 0) << "the program ended by itself";
  report.end.timedOut = true;
  addDerivedLimits(report);
  EXPECT_EQ(hints(), 1);
}

TEST(Verdict, TimeLimitCountsAsSignal) {
  Report report = clean();
  report.end.timedOut = true; // the program caught SIGTERM and exited with 0
  EXPECT_EQ(exitCode(report, {}), 128 + SIGTERM);
}

TEST(Verdict, ExitCodesCanBeChanged) {
  ExitCodes codes{1, 2, 3, 4, true};
  Report report;
  EXPECT_EQ(exitCode(report, {1, 2, 3, 4, false}), 3);
  report.incomplete.push_back({"x", {}, "", 1});
  EXPECT_EQ(exitCode(report, codes), 4);
  report.findings.emplace_back();
  EXPECT_EQ(exitCode(report, codes), 1);
}

Report withAdvisories() {
  Report report = clean();
  Finding progress, other;
  progress.name = "progress-not-promised";
  progress.isAdvisory = true;
  other.name = "volatile-sync";
  other.isAdvisory = true;
  report.advisories = {progress, other};
  return report;
}

TEST(Progress, AdvisoryIsNoFinding) {
  Report report = withAdvisories();
  applyProgressMode(report, ProgressMode::Advise);
  EXPECT_EQ(report.verdict(), Verdict::Clean);
  EXPECT_EQ(report.advisories.size(), 2u);
}

TEST(Progress, StrictMakesItAFinding) {
  Report report = withAdvisories();
  applyProgressMode(report, ProgressMode::Strict);
  EXPECT_EQ(report.verdict(), Verdict::Findings);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_FALSE(report.findings[0].isAdvisory);
  EXPECT_EQ(report.advisories.size(), 1u);
}

TEST(Progress, OffHidesIt) {
  Report report = withAdvisories();
  applyProgressMode(report, ProgressMode::Off);
  EXPECT_EQ(report.verdict(), Verdict::Clean);
  EXPECT_EQ(report.advisories.size(), 1u);
}

} // namespace
