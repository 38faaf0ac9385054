// Words about launches, streams, graphs and host functions.
#include "WorkWords.h"
#include "Journal.h"
#include "Json.h"

#include <gtest/gtest.h>

using namespace scopesan::report;

namespace {

Operation launch(unsigned number, const std::string &kernel, unsigned stream) {
  Operation op;
  op.kind = "store";
  op.order = "weak";
  op.kernel = kernel;
  op.launch = number;
  op.stream = stream;
  return op;
}

Finding race(const Operation &first, const Operation &second) {
  Finding f;
  f.rule = "D1";
  f.name = "data-race";
  f.hazard = "WAW";
  f.distance = "between-kernels";
  f.accesses = {first, second};
  return f;
}

Operation node(Operation op, unsigned number) {
  op.graph = 1;
  op.graphLaunch = 1;
  op.graphNode = number;
  return op;
}

Operation hostFunction() {
  Operation op;
  op.kind = "load";
  op.order = "weak";
  op.api = "cudaLaunchHostFunc";
  op.stream = 1;
  op.hostThread = 2;
  op.isHostFunction = true;
  return op;
}

TEST(Work, StreamsLackAnEvent) {
  Finding f = race(launch(1, "a", 1), launch(2, "b", 2));
  EXPECT_EQ(missingEdgeOf(f).kind, "stream-order");
  EXPECT_EQ(missingEdgeOf(f).text,
            "no event or stream order between launch 1 on stream 1 and launch 2 on stream 2");
  EXPECT_NE(hintOf(f).find("an event"), std::string::npos);
}

TEST(Work, ProgrammaticLaunchesLackTheirWait) {
  Finding f = race(launch(1, "a", 1), launch(2, "b", 1));
  f.programmatic = 1;
  EXPECT_EQ(missingEdgeOf(f).kind, "griddepcontrol.wait");
  EXPECT_EQ(missingEdgeOf(f).text, "launch 2 on stream 1 not waiting (griddepcontrol.wait) for the "
                                   "end of launch 1 on stream 1");
  EXPECT_NE(hintOf(f).find("cudaGridDependencySynchronize"), std::string::npos);
  EXPECT_EQ(hintOf(f).find("use one stream"), std::string::npos);
  // The dependent launch may have been seen first.
  f = race(launch(2, "b", 1), launch(1, "a", 1));
  f.programmatic = 0;
  EXPECT_EQ(missingEdgeOf(f).text.find("launch 2"), 0u);
}

TEST(Work, GraphsLackAnEdgeOrAWait) {
  Finding f = race(node(launch(1, "a", 1), 0), node(launch(2, "b", 1), 1));
  EXPECT_EQ(missingEdgeOf(f).kind, "graph-edge");
  EXPECT_EQ(missingEdgeOf(f).text, "no path in graph 1 that orders node 0 and node 1");
  EXPECT_NE(hintOf(f).find("add an edge"), std::string::npos);
  f.programmatic = 1; // the edge is there
  EXPECT_EQ(missingEdgeOf(f).kind, "griddepcontrol.wait");
  EXPECT_EQ(titleOf(f).find("no path"), std::string::npos);
}

TEST(Work, HostFunctionsHaveAStream) {
  Finding f = race(hostFunction(), launch(2, "b", 2));
  f.distance = "host-device";
  EXPECT_EQ(
      titleOf(f),
      "read by the host function that cudaLaunchHostFunc put into stream 1 and write by kernel "
      "b with no event or stream order between the host function that cudaLaunchHostFunc put "
      "into stream 1 and launch 2 on stream 2");
  EXPECT_EQ(describeActor(f.accesses[0]),
            "the host function that cudaLaunchHostFunc put into stream 1");
}

TEST(Work, DomainsAndDevicesAreNamed) {
  Operation a = launch(1, "a", 1), b = launch(2, "b", 2);
  a.domain = 0;
  b.domain = 1;
  Finding f = race(a, b);
  f.name = "domain-violation";
  f.distance = "between-domains";
  EXPECT_EQ(titleOf(f), "write by kernel a (domain 0) and write by kernel b (domain 1) in another "
                        "memory-synchronization domain, ordered below system scope");
  EXPECT_NE(describeActor(b).find("memory-synchronization domain 1"), std::string::npos);
  a.device = 0;
  b.device = 1;
  f = race(a, b);
  f.name = "scope-race";
  EXPECT_NE(titleOf(f).find("kernel b on device 1"), std::string::npos) << titleOf(f);
  EXPECT_NE(titleOf(f).find("kernel a on device 0"), std::string::npos) << titleOf(f);
}

TEST(Work, StreamsSayTheirKind) {
  Operation op = launch(1, "a", 6);
  op.streamKind = "per-thread";
  EXPECT_EQ(streamName(op), "the per-thread default stream (stream 6)");
  op.streamKind = "non-blocking";
  EXPECT_NE(describeActor(op).find("on stream 6 (non-blocking)"), std::string::npos);
  op.stream = 0;
  op.streamKind = "legacy";
  EXPECT_EQ(streamName(op), "the legacy default stream");
}

TEST(Work, AStreamThatWaitsForeverIsNamed) {
  Finding f;
  f.rule = "D12";
  f.name = "forward-progress";
  f.distance = "between-kernels";
  f.accesses[0] = launch(0, "", 2);
  f.accesses[0].api = "cuStreamWaitValue32";
  EXPECT_EQ(titleOf(f), "nothing can make progress any more: cuStreamWaitValue32 on stream 2 waits "
                        "for a value in memory that nothing is left to write");
  EXPECT_NE(hintOf(f).find("write the value"), std::string::npos);
}

/// The journal's fields arrive, and the JSON report has the reason and the edge.
TEST(Work, JournalAndJson) {
  const char journal[] =
      R"({"t":"start","version":"0","backend":"cpu","seed":1,"command":["./a"],"options":{}}
{"t":"finding","id":1,"rule":"D1","name":"data-race","advisory":false,"hazard":"WAW","distance":"between-kernels","accesses":[{"kind":"store","order":"weak","scope":null,"bytes":4,"kernel":"a","stream":1,"stream_kind":"non-blocking","device":0,"launch":1,"domain":0},{"kind":"store","order":"weak","scope":null,"bytes":4,"kernel":"b","stream":1,"stream_kind":"non-blocking","device":0,"launch":2,"domain":1}],"programmatic":1,"memory":{"kind":"device","name":"cudaMalloc"},"blamed":[]}
)";
  Report report = mergeJournals({journal});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].programmatic, 1u);
  EXPECT_EQ(report.findings[0].accesses[1].domain, 1u);
  std::string text;
  llvm::raw_string_ostream out(text);
  writeJson(out, report);
  for (const char *part : {"\"stream_kind\": \"non-blocking\"", "\"domain\": 1",
                           "\"why\": ", "\"missing_edge\"", "\"kind\": \"griddepcontrol.wait\""})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

} // namespace
