// The journal reader: facts, repeated lines, damage, several processes.
#include "Journal.h"
#include "Support.h"

#include "llvm/ADT/Twine.h"

using namespace scopesan;
using namespace scopesan::report;
using test::dataPath;
using test::readFile;

namespace {

constexpr const char Start[] =
    R"({"t":"start","version":"0.1.0","backend":"cpu","seed":3,"command":["a"],"options":{}})"
    "\n";
constexpr const char End[] = R"({"t":"end","status":"exit"})"
                             "\n";
std::string launch(const std::string &kernel) {
  return R"({"t":"launch","index":1,"kernel":")" + kernel + "\"}\n";
}
std::string finding(int id, const std::string &file) {
  return R"({"t":"finding","id":)" + std::to_string(id) +
         R"(,"rule":"D1","name":"data-race","advisory":false,"accesses":[{"kind":"store","order":"weak","frames":[{"file":")" +
         file +
         R"(","line":1,"column":1,"function":"f"}]},{"kind":"load","order":"weak","frames":[]}],"memory":null,"blamed":[]})"
         "\n";
}

TEST(Journal, ReadsFacts) {
  Report report = mergeJournals({readFile(dataPath("message_passing.jsonl"))});
  EXPECT_EQ(report.backend, "cpu");
  EXPECT_EQ(report.seed, 7u);
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[1].rule, "D3");
  ASSERT_EQ(report.findings[1].blamed.size(), 1u);
  EXPECT_EQ(report.findings[1].blamed[0].needs, "device");
  ASSERT_EQ(report.advisories.size(), 1u);
  EXPECT_EQ(report.advisories[0].count, 2u);
  EXPECT_EQ(report.checkedAccesses, 9u);
  EXPECT_EQ(report.launches(), 1u);
  EXPECT_TRUE(report.incomplete.empty());
}

TEST(Journal, PlaceIsTheUsersOwnFrame) {
  Report report = mergeJournals({readFile(dataPath("message_passing.jsonl"))});
  const Frame *place = report.findings[0].accesses[0].place();
  ASSERT_TRUE(place);
  EXPECT_EQ(place->file, "mp.cu");
  EXPECT_EQ(place->line, 7u);
}

TEST(Journal, LastCountWins) {
  Report report = mergeJournals({readFile(dataPath("mixed.jsonl"))});
  EXPECT_EQ(report.findings[0].count, 64u);
  EXPECT_EQ(report.findings[1].count, 1u);
  EXPECT_EQ(report.checkedAccesses, 200u);
  ASSERT_EQ(report.incomplete.size(), 2u);
  EXPECT_EQ(report.incomplete[1].count, 5u);
  ASSERT_EQ(report.kernels.size(), 3u);
  EXPECT_EQ(report.kernels[0].launches, 2u);
}

TEST(Journal, KilledWhileWritingLosesOnlyThatLine) {
  std::string whole = Start + launch("k") + finding(1, "x.cu");
  Report report = mergeJournals({whole + R"({"t":"finding","id":2,"ru)"});
  EXPECT_EQ(report.findings.size(), 1u);
  ASSERT_EQ(report.incomplete.size(), 1u); // no end line; the torn line is no damage
  EXPECT_NE(report.incomplete[0].what.find("without reaching its exit"), std::string::npos);
}

TEST(Journal, DamageIsReported) {
  Report report = mergeJournals({Start + launch("k") + "{broken\n[1]\n" + End});
  ASSERT_EQ(report.incomplete.size(), 1u);
  EXPECT_EQ(report.incomplete[0].what, "damaged journal line");
  EXPECT_EQ(report.incomplete[0].count, 2u);
}

TEST(Journal, MergesProcessesWhateverTheirOrder) {
  std::string a = Start + launch("k") + finding(1, "x.cu") + End;
  std::string b = Start + launch("j") + launch("k") + finding(1, "y.cu") + finding(2, "x.cu") + End;
  Report ab = mergeJournals({a, b}), ba = mergeJournals({b, a});
  ASSERT_EQ(ab.findings.size(), 2u);
  ASSERT_EQ(ba.findings.size(), 2u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(ab.findings[i].accesses[0].frames, ba.findings[i].accesses[0].frames);
    EXPECT_EQ(ab.findings[i].count, ba.findings[i].count);
  }
  EXPECT_EQ(ab.launches(), 3u);
  EXPECT_EQ(ab.kernels[0].name, ba.kernels[0].name);
}

TEST(Journal, SwappedAccessesAreTheSameFinding) {
  std::string one = finding(1, "x.cu"), two = one;
  size_t begin = two.find("[{\"kind\":\"store\""), middle = two.find(",{\"kind\":\"load\"");
  size_t end = two.find("],\"memory\"");
  std::string store = two.substr(begin + 1, middle - begin - 1);
  std::string load = two.substr(middle + 1, end - middle - 1);
  two = two.substr(0, begin + 1) + load + "," + store + two.substr(end);
  two.replace(two.find("\"id\":1"), 6, "\"id\":2");
  Report report = mergeJournals({Start + one + two + End});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].count, 2u);
}

/// A copy and a kernel's line: `offset` of the overlap, `code` the place of the copy's call.
std::string copyFinding(int id, int offset, int code, int index = 1) {
  auto field = [](const char *name, int value) {
    return std::string(",\"") + name + "\":" + std::to_string(value);
  };
  return R"({"t":"finding")" + field("id", id) +
         R"(,"rule":"D1","name":"data-race","accesses":[{"kind":"store","order":"weak","frames":[],"api":"cudaMemcpy","staged":true,"host":[{"module":"a")" +
         field("offset", code) +
         R"(}]},{"kind":"load","order":"weak","kernel":"k","frames":[{"file":"x.cu","line":1,"column":1,"function":"f"}]}],"memory":{"kind":"device","name":"cudaMalloc")" +
         field("index", index) + field("size", 64) + field("offset", offset) +
         R"(,"bytes":4},"blamed":[]})"
         "\n";
}

TEST(Journal, OneCopyAndOneLineAreOneFinding) {
  Report report = mergeJournals(
      {Start + copyFinding(1, 8, 100) + copyFinding(2, 32, 100) + copyFinding(3, 16, 100) + End});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].count, 3u);
  EXPECT_EQ(report.findings[0].memory.offset, 8u);
  EXPECT_EQ(report.findings[0].memory.bytes, 28u) << "from the first byte to the last one";
  EXPECT_TRUE(report.findings[0].accesses[0].staged);
}

TEST(Journal, TwoCopiesAreTwoFindings) {
  Report report = mergeJournals({Start + copyFinding(1, 8, 100) + copyFinding(2, 8, 200) + End});
  EXPECT_EQ(report.findings.size(), 2u);
}

TEST(Journal, RangesOfSeveralObjectsAreNotJoined) {
  Report report =
      mergeJournals({Start + copyFinding(1, 8, 100, 1) + copyFinding(2, 32, 100, 2) + End});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].memory.bytes, 4u);
}

TEST(Journal, EmptyRunHasNoLaunches) {
  Report report = mergeJournals({});
  addDerivedLimits(report);
  EXPECT_EQ(report.verdict(), Verdict::Incomplete);
  EXPECT_EQ(report.incomplete[0].what, "no instrumented kernel ran");
}

TEST(Journal, MissingFolderIsAnError) {
  llvm::Expected<Report> report = readJournalFolder("/nonexistent/journal");
  ASSERT_FALSE(static_cast<bool>(report));
  EXPECT_NE(llvm::toString(report.takeError()).find("/nonexistent/journal"), std::string::npos);
}

} // namespace
