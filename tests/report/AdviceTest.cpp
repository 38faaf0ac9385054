// Advisories in the report (A1): scopes by place in the source, library code, words.
#include "Journal.h"
#include "Json.h"
#include "Support.h"
#include "Text.h"
#include "Words.h"

using namespace scopesan;
using namespace scopesan::report;

namespace {

std::string frame(const std::string &file, int line) {
  return R"({"file":")" + file + R"(","line":)" + std::to_string(line) +
         R"(,"column":3,"function":"f"})";
}
std::string frames(const std::string &inner, int line) {
  return "[" + (inner.empty() ? "" : frame(inner, 7) + ",") + frame("a.cu", line) + "]";
}
std::string operation(int line, const std::string &scope, const std::string &kind = "store",
                      const std::string &inner = "") {
  return R"({"kind":")" + kind + R"(","order":"release","scope":")" + scope +
         R"(","bytes":4,"kernel":"k","launch":1,"block":[0,0,0],"thread":[0,0,0],"frames":)" +
         frames(inner, line) + "}";
}
/// A journal line of the runtime.
std::string scope(const std::string &op, const std::string &needs, int executions = 4,
                  int blocks = 2) {
  std::string text = R"({"t":"scope","operation":)" + op + R"(,"needs":)";
  text += needs.empty() ? "null" : "\"" + needs + "\"";
  text += R"(,"observer":)" + (needs.empty() ? "null" : operation(90, "system", "load"));
  return text + R"(,"executions":)" + std::to_string(executions) + R"(,"edges":3,"blocks":)" +
         std::to_string(blocks) + R"(,"launches":1})" + "\n";
}
std::string advisory(const std::string &name, const std::string &inner) {
  return R"({"t":"finding","id":1,"rule":"A1","name":")" + name +
         R"(","advisory":true,"hazard":"WAW","distance":"same-grid","accesses":[)" +
         operation(5, "device", "store", inner) + "," + operation(6, "device", "store", inner) +
         R"(],"memory":{"kind":"variable","name":"x"},"blamed":[]})" + "\n";
}
const Finding &only(const Report &report) {
  EXPECT_EQ(report.advisories.size(), 1u);
  return report.advisories.at(0);
}
std::string text(const Report &report) {
  std::string result;
  llvm::raw_string_ostream out(result);
  TextOptions options;
  options.excerpts = false;
  writeText(out, report, options);
  return result;
}

TEST(Advice, AScopeThatIsTooWide) {
  Report report = mergeJournals({scope(operation(5, "system"), "device")});
  const Finding &f = only(report);
  EXPECT_EQ(f.name, "over-synchronized");
  ASSERT_EQ(f.blamed.size(), 1u);
  EXPECT_EQ(f.blamed[0].needs, "device");
  EXPECT_EQ(f.accesses[1].kind, "load");
  EXPECT_EQ(f.coverage->blocks, 2u);
  EXPECT_EQ(titleOf(f), "system-scope release store: wider than any observer in this run needed");
  EXPECT_NE(hintOf(f).find("device scope suffices"), std::string::npos);
  EXPECT_TRUE(report.findings.empty());
}

TEST(Advice, AScopeThatIsJustRight) {
  EXPECT_TRUE(mergeJournals({scope(operation(5, "system"), "system")}).advisories.empty());
}

TEST(Advice, OnePlaceIsOneOperation) { // unrolled, instantiated, executed by several processes
  std::string a = scope(operation(5, "system"), "block", 4, 2),
              b = scope(operation(5, "system"), "device", 6, 3);
  for (const Report &report : {mergeJournals({a + b}), mergeJournals({a, b})}) {
    const Finding &f = only(report);
    EXPECT_EQ(f.blamed[0].needs, "device");
    EXPECT_EQ(f.coverage->executions, 10u);
    EXPECT_EQ(f.coverage->blocks, 3u);
    EXPECT_EQ(f.coverage->edges, 6u);
  }
  EXPECT_TRUE(mergeJournals({a + b + scope(operation(5, "system"), "system")}).advisories.empty());
  EXPECT_EQ(mergeJournals({a + scope(operation(6, "system"), "block")}).advisories.size(), 2u);
}

TEST(Advice, AFenceThatNothingUsed) {
  Report report = mergeJournals({scope(operation(5, "device", "fence"), "")});
  EXPECT_TRUE(only(report).blamed.empty());
  EXPECT_EQ(titleOf(only(report)),
            "device-scope release fence: no synchronization in this run used it");
  EXPECT_TRUE(mergeJournals({scope(operation(5, "device", "fence"), "") +
                             scope(operation(5, "device", "fence"), "device")})
                  .advisories.empty());
}

TEST(Advice, AnAccessThatNobodyObserved) {
  EXPECT_TRUE(mergeJournals({scope(operation(5, "system"), "")}).advisories.empty());
}

TEST(Advice, AFenceOfASeqCstOperation) {
  Report report = mergeJournals({scope(
      operation(5, "system", "fence", "/usr/local/cuda/include/cccl/cuda/std/__atomic/x.h"), "")});
  EXPECT_NE(titleOf(only(report)).find("of a seq_cst operation"), std::string::npos);
}

TEST(Advice, NotAboutLibraries) {
  const std::string grid = "/usr/local/cuda/include/cooperative_groups/details/sync.h";
  EXPECT_TRUE(
      mergeJournals({scope(operation(5, "system", "store", grid), "block")}).advisories.empty());
  EXPECT_TRUE(mergeJournals({advisory("unordered-strong", grid)}).advisories.empty());
  EXPECT_TRUE(mergeJournals({advisory("volatile-sync", grid)}).advisories.empty());
  const std::string barrier = "/usr/local/cuda/include/cccl/cuda/std/__barrier/barrier.h";
  EXPECT_TRUE(mergeJournals({advisory("unordered-strong", barrier)}).advisories.empty());
  EXPECT_EQ(
      mergeJournals({scope(operation(5, "system", "rmw", barrier), "block")}).advisories.size(),
      1u); // its scope is the user's
  const std::string atomic = "/usr/local/cuda/include/cccl/cuda/std/__atomic/order.h";
  EXPECT_EQ(mergeJournals({advisory("unordered-strong", atomic)}).advisories.size(), 1u);
  EXPECT_EQ(mergeJournals({advisory("progress-not-promised", grid)}).advisories.size(), 1u);
}

TEST(Advice, HasASectionOfItsOwn) {
  Report report =
      mergeJournals({advisory("unordered-strong", "") + scope(operation(9, "system"), "device")});
  std::string printed = text(report);
  size_t section = printed.find("ScopeSan: advice (no failures)"),
         first = printed.find("advisory A1 unordered-strong"),
         second = printed.find("advisory A1 over-synchronized");
  EXPECT_LT(section, first);
  EXPECT_LT(first, second);
  EXPECT_NE(printed.find("  used:    4-byte release store at system scope\n"), std::string::npos);
  EXPECT_NE(printed.find("  farthest observer: 4-byte release load at system scope\n"),
            std::string::npos);
  EXPECT_NE(printed.find("  run:     4 executions by 2 blocks in 1 launch; 3 synchronizes-with "
                         "edges\n"),
            std::string::npos);
  EXPECT_EQ(printed.find("memory that no known allocation covers"), std::string::npos);
  EXPECT_EQ(text(mergeJournals({""})).find("advice (no failures)"), std::string::npos);
}

TEST(Advice, ChangesNeitherVerdictNorExitCode) {
  Report report = mergeJournals({R"({"t":"launch","index":1,"kernel":"k"})"
                                 "\n" +
                                 scope(operation(5, "system"), "device") +
                                 R"({"t":"end","status":"exit"})"
                                 "\n"});
  ASSERT_EQ(report.advisories.size(), 1u);
  EXPECT_EQ(report.verdict(), Verdict::Clean);
  EXPECT_EQ(exitCode(report, {}), 0);
}

} // namespace
