// Text and JSON of hand-written journals, compared with golden files; titles; toolkit frames.
#include "Journal.h"
#include "Json.h"
#include "Names.h"
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

Finding barrierFinding(const std::string &misuse, const std::string &kind) {
  Finding f;
  f.rule = "D7";
  f.name = "barrier-misuse";
  f.distance = "same-block";
  for (Operation &op : f.accesses)
    op.kind = "load", op.order = "weak", op.kernel = "k(int*)";
  f.accesses[0].thread = {3, 0, 0};
  f.accesses[1].thread = {40, 0, 0};
  f.accesses[1].warp = 1;
  f.memory.kind = "shared";
  f.memory.name = "k(int*)::full";
  f.barrier = {misuse, kind, 2, 64, 40, 128, 40, 24};
  return f;
}

/// D7: both threads, the barrier, what it expects and what came.
TEST(Titles, Barriers) {
  EXPECT_EQ(titleOf(barrierFinding("missing", "block")),
            "block barrier 2 never completes: 40 of 64 threads arrived, 128 bytes of copies are "
            "missing; thread 3 (warp 0) and 39 more of its block wait there, thread 40 (warp 1) is "
            "elsewhere");
  EXPECT_EQ(titleOf(barrierFinding("two-counts", "block")),
            "thread 40 (warp 1) arrives at block barrier 2 with a count of 40, thread 3 (warp 0) "
            "with 64");
  EXPECT_EQ(titleOf(barrierFinding("divergent", "block")),
            "thread 40 (warp 1) reaches block barrier 2 in another place than thread 3 (warp 0) of "
            "the same warp, though the barrier is an aligned one");
  EXPECT_EQ(titleOf(barrierFinding("uninitialised", "mbarrier")),
            "thread 40 (warp 1) uses mbarrier `k(int*)::full` before it is initialised");
  EXPECT_NE(hintOf(barrierFinding("uninitialised", "mbarrier")).find("initialised too late"),
            std::string::npos);
  EXPECT_EQ(titleOf(barrierFinding("too-many", "mbarrier")),
            "thread 40 (warp 1) arrives at mbarrier `k(int*)::full` as number 40 of a phase that "
            "expects 64 arrivals");
  for (const char *misuse :
       {"missing", "part-of-warp", "two-counts", "divergent", "uninitialised", "in-use", "too-many",
        "unpaired", "count-range", "completes", "outside-mask"})
    EXPECT_NE(hintOf(barrierFinding(misuse, "block")), hintOf(barrierFinding("", "block")))
        << misuse;
}

/// D8: which block ended, and where.
TEST(Titles, EndOfABlock) {
  Finding f;
  f.rule = "D8";
  f.name = "lifetime";
  f.distance = "same-cluster";
  for (Operation &op : f.accesses)
    op.order = "weak", op.kernel = "k(int*)";
  f.accesses[0].kind = "exit";
  f.accesses[0].block = {4, 0, 0};
  f.accesses[0].frames = {{"a.cu", 22, 1, "k"}};
  f.accesses[1].kind = "load";
  f.accesses[1].block = {5, 0, 0};
  EXPECT_EQ(titleOf(f),
            "read by block 5 of the same cluster of shared memory of block 4, which may "
            "have ended");
  Report report;
  report.findings = {f};
  std::string printed = text(report);
  EXPECT_NE(printed.find("owner:   end of the block's last thread\n      at a.cu:22:1 in k"),
            std::string::npos)
      << printed;
  f.accesses[0].kind = "enter";
  f.accesses[0].frames.clear();
  report.findings = {f};
  printed = text(report);
  const char *nowhere = "at an unknown place";
  EXPECT_EQ(printed.find(nowhere), printed.rfind(nowhere)) << "only the access lacks a line";
}

/// O7: what the reader must know of a copy from pageable memory.
TEST(Titles, StagedCopy) {
  Report report = mergeJournals({readFile(dataPath("mixed.jsonl"))});
  Finding f = report.findings[0];
  f.name = "data-race";
  EXPECT_EQ(copyNoteOf(f), "");
  f.accesses[0].kernel.clear();
  f.accesses[0].api = "cudaMemcpy";
  f.accesses[0].staged = true;
  EXPECT_NE(titleOf(f).find("by cudaMemcpy from pageable memory"), std::string::npos) << titleOf(f);
  EXPECT_NE(copyNoteOf(f).find("returns when the source is staged"), std::string::npos);
  EXPECT_NE(hintOf(f).find("cudaStreamSynchronize"), std::string::npos);
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

TEST(Words, CuresOfProxiesAndNonCoherentReads) {
  Finding finding;
  finding.rule = "D9";
  finding.name = "proxy-violation";
  EXPECT_EQ(hintOf(finding), "put the matching fence.proxy between the accesses");
  finding.accesses[1].type = "cp.async.bulk.global.shared::cta.bulk_group";
  EXPECT_NE(hintOf(finding).find("put fence.proxy.async"), std::string::npos);
  EXPECT_EQ(hintOf(finding).find("tensormap"), std::string::npos);
  finding.accesses[1].type = "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group";
  EXPECT_NE(hintOf(finding).find("fence.proxy.tensormap"), std::string::npos);
  finding.rule = "D11";
  finding.name = "non-coherent-read";
  finding.distance = "same-grid";
  EXPECT_NE(hintOf(finding).find("plain load"), std::string::npos);
  finding.distance = "between-kernels";
  EXPECT_EQ(hintOf(finding).find("plain load"), std::string::npos);
}

TEST(Words, WhichSideIsTheCopyAndWhatOrdersIt) {
  Finding finding;
  finding.rule = "D10";
  finding.name = "async-in-flight";
  finding.distance = "same-block";
  for (Operation &op : finding.accesses) {
    op.kind = "load";
    op.order = "weak";
    op.kernel = "k";
  }
  Operation &first = finding.accesses[0], &second = finding.accesses[1];
  second.kind = "store";
  second.thread = {5, 0, 0};
  first.isAsynchronous = true;
  EXPECT_EQ(titleOf(finding),
            "write by thread 5 of the same block touches a copy in flight from thread 0");
  EXPECT_NE(hintOf(finding).find("put a barrier after"), std::string::npos) << hintOf(finding);
  finding.distance = "same-grid";
  EXPECT_NE(hintOf(finding).find("wait there"), std::string::npos) << hintOf(finding);
  std::swap(first.isAsynchronous, second.isAsynchronous);
  finding.distance = "same-block";
  EXPECT_EQ(titleOf(finding), "write of a copy by thread 5 of the same block is not ordered after "
                              "the read by thread 0");
  EXPECT_NE(hintOf(finding).find("__syncthreads() between them, before the copy is issued"),
            std::string::npos)
      << hintOf(finding);
  first.order = second.order = "relaxed";
  second.proxy = "async";
  EXPECT_NE(hintOf(finding).find("different proxies"), std::string::npos) << hintOf(finding);
}

TEST(Words, ABlockThatEndsBeforeItsCopy) {
  Finding finding;
  finding.rule = "D8";
  finding.name = "lifetime";
  finding.distance = "same-block";
  finding.accesses[0].kind = "exit";
  finding.accesses[0].kernel = finding.accesses[1].kernel = "k";
  finding.accesses[0].block = {3, 0, 0};
  finding.accesses[1].kind = "load";
  finding.accesses[1].isAsynchronous = true;
  finding.accesses[1].thread = {7, 0, 0};
  EXPECT_EQ(titleOf(finding), "block 3 may end before a copy that thread 7 issued has read its "
                              "shared memory");
  EXPECT_NE(hintOf(finding).find("wait_group.read"), std::string::npos) << hintOf(finding);
}

TEST(Words, AWaitThatEndedIsNotSaidToBeStuck) {
  Finding finding;
  finding.rule = "D12";
  finding.name = "forward-progress";
  finding.hazard = "RAW";
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
  finding.distance = "same-grid";
  finding.accesses[1].isHost = false;
  EXPECT_NE(titleOf(finding).find("which starts later"), std::string::npos) << titleOf(finding);
  EXPECT_NE(hintOf(finding).find("launch cooperatively"), std::string::npos);
  EXPECT_FALSE(finding.isStuck());
  finding.distance = "between-kernels";
  EXPECT_NE(hintOf(finding).find("launch the kernel that is waited for first"), std::string::npos);
  finding.hazard.clear();
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
