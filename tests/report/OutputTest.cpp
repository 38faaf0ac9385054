// Text and JSON of hand-written journals, compared with golden files; titles; toolkit frames.
#include "Journal.h"
#include "Json.h"
#include "Support.h"
#include "Text.h"
#include "Words.h"

#include "llvm/Support/JSON.h"

using namespace scopesan;
using namespace scopesan::report;
using test::dataPath;
using test::expectGolden;
using test::readFile;

namespace {

Report load(const std::string &name) {
  Report report = mergeJournals({readFile(dataPath(name))});
  addDerivedLimits(report);
  return report;
}

std::string text(const Report &report, TextOptions options = {}) {
  std::string result;
  llvm::raw_string_ostream out(result);
  writeText(out, report, options);
  return result;
}

std::string json(const Report &report) {
  std::string result;
  llvm::raw_string_ostream out(result);
  writeJson(out, report);
  return result;
}

TEST(Text, MessagePassing) {
  expectGolden(text(load("message_passing.jsonl")), "message_passing.txt");
}
TEST(Text, Mixed) { expectGolden(text(load("mixed.jsonl")), "mixed.txt"); }
TEST(Json, MessagePassing) {
  expectGolden(json(load("message_passing.jsonl")), "message_passing.json");
}
TEST(Json, Mixed) { expectGolden(json(load("mixed.jsonl")), "mixed.json"); }

TEST(Json, IsValidAndHasTheRequiredFields) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(json(load("mixed.jsonl")));
  ASSERT_TRUE(static_cast<bool>(value)) << llvm::toString(value.takeError());
  const llvm::json::Object &object = *value->getAsObject();
  for (const char *name : {"schema", "verdict", "backend", "seed", "kernels", "checked_accesses",
                           "findings", "advisories", "incomplete", "version", "command", "exit"})
    EXPECT_TRUE(object.get(name)) << name;
}

TEST(Text, PrintLimitCountsTheRest) {
  TextOptions options;
  options.printLimit = 1;
  std::string printed = text(load("mixed.jsonl"), options);
  EXPECT_NE(printed.find("ScopeSan: 3 more not printed (print_limit=1)"), std::string::npos);
  EXPECT_EQ(printed.find("D1 data-race", printed.find("D1 data-race") + 1), std::string::npos);
}

TEST(Text, ColourOnlyWhenAsked) {
  EXPECT_EQ(text(load("mixed.jsonl")).find('\033'), std::string::npos);
  TextOptions options;
  options.colour = true;
  EXPECT_NE(text(load("mixed.jsonl"), options).find("\033[1;31mScopeSan"), std::string::npos);
}

TEST(Text, QuotesTheSourceLine) {
  Report report = load("message_passing.jsonl");
  std::string path = testing::TempDir() + "/scopesan_excerpt.cu";
  std::ofstream(path) << "one\n  x = 42;\nthree\n";
  report.findings.resize(1);
  report.findings[0].accesses[0].frames = {{path, 2, 5, "f()"}};
  EXPECT_NE(text(report).find("        2 |   x = 42;\n          |     ^\n"), std::string::npos);
}

TEST(Words, ToolkitHeadersAreNotTheUsersCode) {
  EXPECT_TRUE(isToolkitFile("/usr/local/cuda-13.0/include/cooperative_groups.h"));
  EXPECT_TRUE(isToolkitFile("/opt/x/include/cccl/cuda/atomic"));
  EXPECT_TRUE(isToolkitFile("/usr/lib/llvm-22/lib/clang/22/include/__clang_cuda_intrinsics.h"));
  EXPECT_FALSE(isToolkitFile("/home/me/cuda-project/src/a.cu"));
  EXPECT_FALSE(isToolkitFile("a.cu"));
}

TEST(Names, LongOnesLoseTheirTemplateArgumentsAndVersions) {
  EXPECT_EQ(shortFunctionName("void cub::CUB_300001_SM_900::detail::scan::DeviceScanKernel<cub::"
                              "CUB_300001_SM_900::detail::scan::policy_hub<int, int, int, unsigned "
                              "int, cuda::std::__4::plus<void> >::Policy1000, int*>(int*, int)"),
            "cub::detail::scan::DeviceScanKernel<...>");
  EXPECT_EQ(shortFunctionName("cuda::std::__4::plus<void>::operator()(int)"),
            "cuda::std::plus<void>::operator()");
}

TEST(Names, NoneStaysMangled) {
  EXPECT_EQ(readable("_ZN1a1bIiEEvT_"), "void a::b<int>(int)");
  EXPECT_EQ(readable("kernel '_Z1kPi' of 'app'"), "kernel 'k(int*)' of 'app'");
  // A constrained template, which older demanglers do not know.
  EXPECT_EQ(readable("_Z3addITk8IntegraliEvPT_").substr(0, 2) == "_Z", false);
  EXPECT_EQ(readable("_ZN3lib4workXYZ!"), "lib::work!");
}

TEST(Words, FunctionNames) {
  EXPECT_EQ(shortFunctionName("f(int*)"), "f");
  EXPECT_EQ(shortFunctionName("void f<int (*)(int)>(int)"), "f<int (*)(int)>");
  EXPECT_EQ(shortFunctionName("void (anonymous namespace)::f<int>(int)"),
            "(anonymous namespace)::f<int>");
  EXPECT_EQ(shortFunctionName("decltype(auto) S::operator()<int>(int) const"),
            "S::operator()<int>");
  EXPECT_EQ(shortFunctionName("bool operator< <int>(S<int>, S<int>)"), "operator< <int>");
  EXPECT_EQ(shortFunctionName("f"), "f");
}

TEST(Words, UnknownRuleStillGetsATitle) {
  Finding finding;
  finding.name = "from-a-later-version";
  EXPECT_FALSE(titleOf(finding).empty());
}

TEST(Words, ACopyThatItsOwnThreadTouches) {
  Report report = load("mixed.jsonl");
  for (Finding &finding : report.findings) {
    if (finding.distance != "same-warp")
      continue;
    finding.rule = "D10";
    finding.name = "async-in-flight";
    finding.distance = "same-thread";
    EXPECT_EQ(titleOf(finding), "read by the same thread touches a copy in flight from thread 4");
    return;
  }
  FAIL() << "no finding to change";
}

TEST(Words, AHostLoopIsNotSaidToBeStuck) {
  Finding finding;
  finding.rule = "D12";
  finding.name = "forward-progress";
  finding.distance = "host-device";
  finding.accesses[0].kind = "store";
  finding.accesses[0].kernel = "produce";
  finding.accesses[1].kind = "load";
  finding.accesses[1].hostThread = 1;
  finding.accesses[1].isHost = true;
  EXPECT_NE(titleOf(finding).find("host thread 1 waits in a loop for kernel produce"),
            std::string::npos)
      << titleOf(finding);
  EXPECT_NE(hintOf(finding).find("cudaStreamQuery"), std::string::npos);
  EXPECT_FALSE(finding.isStuck());
  finding.distance = "same-block";
  EXPECT_NE(titleOf(finding).find("nothing can make progress any more"), std::string::npos);
  EXPECT_TRUE(finding.isStuck());
}

TEST(Words, NoPlaceholderIsLeft) {
  Report report = load("mixed.jsonl");
  Finding finding = report.findings[0];
#define SCOPESAN_RULE(id, enumerator, ruleName, isAdvisory, summary)                               \
  finding.rule = id;                                                                               \
  finding.name = ruleName;                                                                         \
  EXPECT_EQ(titleOf(finding).find('{'), std::string::npos) << titleOf(finding);                    \
  EXPECT_EQ(hintOf(finding).find('{'), std::string::npos) << hintOf(finding);
#include "scopesan/core/rules.def"
}

} // namespace
