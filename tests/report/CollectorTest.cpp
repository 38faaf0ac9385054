// runtime/host from the outside: what a process that uses it leaves in its journal.
#include "host/collector.h"
#include "Journal.h"
#include "Support.h"
#include "Words.h"

#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace core = scopesan::core;
namespace host = scopesan::host;
namespace report = scopesan::report;
using scopesan::abi::AccessKind;
using scopesan::abi::MemoryOrder;
using scopesan::abi::Op;
using scopesan::abi::Scope;
using scopesan::report::Report;

namespace {

namespace abi = scopesan::abi; // <cxxabi.h> declares another one

const char Strings[] = "\0a.cu\0kern(int*)\0i32\0helper(int*)";
const abi::Frame Frames[] = {{1, 6, 10, 3, ~0u}, {1, 21, 12, 5, 0}};
const abi::Site Sites[] = {{0, 0, 4, 17}, {1, 0, 4, 17}, {1, 0, 4, 0}};

core::SiteId registerTestModule() {
  static uint32_t base = 0;
  static const abi::Module module{abi::Version, 3,      2,       sizeof Strings,
                                  Sites,        Frames, Strings, &base};
  core::SiteId first = host::registerModule(module, "a.cu");
  EXPECT_EQ(base, first.value);
  return first;
}

void launchTwoBlocks() {
  host::LaunchRecord launch;
  launch.node = {5};
  launch.firstBlock = {11};
  launch.kernel = "kern(int*)";
  launch.grid = {2, 3, 1};
  launch.block = {64, 2, 1};
  launch.index = 1;
  host::launchStarted(launch);
}

core::Finding makeFinding(core::SiteId first) {
  core::Finding finding;
  finding.rule = core::Rule::InsufficientScope;
  finding.hazard = core::Hazard::ReadAfterWrite;
  finding.distance = core::Distance::SameGrid;
  finding.first = {
      first, Op(AccessKind::Store, MemoryOrder::Weak, Scope::Thread), {5}, {11}, {3}, 0x1080, 4};
  finding.second = {{first.value + 1},
                    Op(AccessKind::Load, MemoryOrder::Weak, Scope::Thread),
                    {5},
                    {14},
                    {99},
                    0x1082,
                    4};
  finding.blamedCount = 1;
  finding.blamed[0] = {
      {first.value + 2}, Op(AccessKind::Store, MemoryOrder::Release, Scope::Block), {11}, {3}, {5},
      Scope::Device};
  return finding;
}

/// Runs `body` in a process of its own with a journal and returns what the reader makes of it.
template <class Body> Report runWithJournal(Body body, int expectedStatus = 0) {
  std::string folder = testing::TempDir() + "scopesan-collector-XXXXXX";
  EXPECT_TRUE(mkdtemp(folder.data()));
  pid_t child = fork();
  if (child == 0) {
    setenv("SCOPESAN_JOURNAL", folder.c_str(), 1);
    host::initialise("cpu");
    body();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, expectedStatus);
  llvm::Expected<Report> report = report::readJournalFolder(folder);
  EXPECT_EQ(system(("rm -rf '" + folder + "'").c_str()), 0);
  return report ? *report : (llvm::consumeError(report.takeError()), Report());
}

TEST(Collector, ResolvesAFinding) {
  Report report = runWithJournal([] {
    core::SiteId first = registerTestModule();
    host::memoryAllocated({0x1000, 4096, host::MemoryKind::Device, "cudaMalloc", 0});
    launchTwoBlocks();
    host::findingSink().report(makeFinding(first));
    host::setCheckedAccesses(17);
    host::finish();
  });
  ASSERT_EQ(report.findings.size(), 1u);
  const report::Finding &finding = report.findings[0];
  EXPECT_EQ(finding.rule, "D3");
  EXPECT_EQ(finding.hazard, "RAW");
  EXPECT_EQ(finding.distance, "same-grid");
  EXPECT_EQ(finding.memory.offset, 0x82u); // bytes 0x1082-0x1083 overlap
  EXPECT_EQ(finding.memory.bytes, 2u);
  EXPECT_EQ(finding.memory.index, 1u);
  const report::Operation &second = finding.accesses[1];
  EXPECT_EQ(second.block, (report::Coordinates{1, 1, 0}));
  EXPECT_EQ(second.thread, (report::Coordinates{35, 1, 0}));
  EXPECT_EQ(second.warp, 3u);
  EXPECT_EQ(second.lane, 3u);
  EXPECT_EQ(second.type, "i32");
  ASSERT_EQ(second.frames.size(), 2u);
  EXPECT_EQ(second.frames[0].function, "helper(int*)");
  EXPECT_EQ(second.frames[1].line, 10u);
  EXPECT_EQ(finding.blamed[0].needs, "device");
  EXPECT_EQ(finding.blamed[0].scope, "block");
  EXPECT_EQ(report.checkedAccesses, 17u);
  EXPECT_EQ(report.launches(), 1u);
  EXPECT_EQ(report.verdict(), report::Verdict::Findings);
  EXPECT_TRUE(report.incomplete.empty());
}

TEST(Collector, TellsTheBytesOfAllOccurrences) {
  Report report = runWithJournal([] {
    core::SiteId first = registerTestModule();
    host::memoryAllocated({0x1000, 4096, host::MemoryKind::Device, "cudaMalloc", 0});
    host::memoryAllocated({0x4000, 4096, host::MemoryKind::Device, "cudaMalloc", 0});
    launchTwoBlocks();
    for (uint64_t address : {0x1080, 0x1100, 0x1040, 0x4000}) { // the last one is elsewhere
      core::Finding finding = makeFinding(first);
      finding.first.address = finding.second.address = address;
      host::findingSink().report(finding);
    }
    host::finish();
  });
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].count, 4u);
  EXPECT_EQ(report.findings[0].memory.offset, 0x40u);
  EXPECT_EQ(report.findings[0].memory.bytes, 0xc4u);
}

TEST(Collector, TellsWhatIsWrongAtABarrier) { // D7
  Report report = runWithJournal([] {
    core::SiteId first = registerTestModule();
    launchTwoBlocks();
    core::Finding finding = makeFinding(first);
    finding.rule = core::Rule::BarrierMisuse;
    finding.hazard = core::Hazard::None;
    finding.distance = core::Distance::SameBlock;
    finding.barrier = {core::Misuse::Missing, core::BarrierKind::Block, 3, 64, 40, 0, 40, 24};
    host::findingSink().report(finding);
    host::finish();
  });
  ASSERT_EQ(report.findings.size(), 1u);
  const report::Finding &finding = report.findings[0];
  EXPECT_EQ(finding.hazard, "") << "nothing is written";
  ASSERT_TRUE(finding.barrier);
  EXPECT_EQ(finding.barrier->misuse, "missing");
  EXPECT_EQ(finding.barrier->number, 3u);
  EXPECT_EQ(finding.barrier->expected, 64u);
  EXPECT_EQ(finding.barrier->arrived, 40u);
  EXPECT_EQ(finding.barrier->elsewhere, 24u);
}

TEST(Collector, NamesHostThreads) { // S15
  Report report = runWithJournal([] {
    core::SiteId first = registerTestModule();
    core::Finding finding = makeFinding(first);
    finding.distance = core::Distance::HostThreads;
    finding.first.node = finding.second.node = {};
    finding.first.host = {1};
    finding.second.host = {3};
    host::findingSink().report(finding);
    host::finish();
  });
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].distance, "host-threads");
  EXPECT_EQ(report.findings[0].accesses[1].hostThread, 3u);
  EXPECT_EQ(report::describeActor(report.findings[0].accesses[1]), "host thread 3");
  EXPECT_NE(report::titleOf(report.findings[0]).find("by host thread 1"), std::string::npos);
}

TEST(Collector, NamesHostFunctionsAndStreams) { // S15
  Report report = runWithJournal([] {
    core::SiteId first = registerTestModule();
    host::streamMade({7, host::StreamKind::NonBlocking, {}});
    host::Origin origin;
    origin.stream = 7;
    host::hostFunction({3}, "cudaLaunchHostFunc", origin);
    launchTwoBlocks();
    core::Finding finding = makeFinding(first);
    finding.second.node = {};
    finding.second.host = {3};
    finding.first.node = {5};
    host::findingSink().report(finding);
    host::finish();
  });
  ASSERT_EQ(report.findings.size(), 1u);
  const report::Operation &second = report.findings[0].accesses[1];
  EXPECT_TRUE(second.isHostFunction);
  EXPECT_EQ(second.api, "cudaLaunchHostFunc");
  EXPECT_EQ(second.stream, 7u);
  EXPECT_EQ(second.streamKind, "non-blocking");
  EXPECT_EQ(second.hostThread, 3u);
  EXPECT_EQ(report.findings[0].accesses[0].domain, 0u);
  EXPECT_FALSE(report.findings[0].programmatic);
}

TEST(Collector, KnowsProgrammaticLaunches) { // S14
  Report report = runWithJournal([] {
    core::SiteId first = registerTestModule();
    launchTwoBlocks();
    host::LaunchRecord launch;
    launch.node = {6};
    launch.firstBlock = {40};
    launch.kernel = "later(int*)";
    launch.grid = launch.block = {1, 1, 1};
    launch.index = 2;
    launch.domain = 1;
    launch.origin.primaries = {{4}, {5}};
    host::launchStarted(launch);
    core::Finding finding = makeFinding(first);
    finding.second.node = {6};
    finding.second.block = {40};
    finding.second.thread = {0};
    host::findingSink().report(finding);
    host::finish();
  });
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].programmatic, 1u);
  EXPECT_EQ(report.findings[0].accesses[1].domain, 1u);
}

TEST(Collector, NamesUnitsWithoutInstrumentedHostCode) {
  Report report = runWithJournal([] {
    host::plainUnits(std::string_view("a.cpp\0\0b.cu", 12));
    host::finish();
  });
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_EQ(report.notes[0],
            "host code without -fscopesan-host: a.cpp, b.cu: its accesses and locks "
            "are not seen");
  report = runWithJournal([] {
    host::plainUnits(std::string_view("1\0002\0003\0004\0005\0006\0007\0", 14));
    host::finish();
  });
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_NE(report.notes[0].find("1, 2, 3, 4, 5 and 2 more"), std::string::npos) << report.notes[0];
}

TEST(Collector, WritesScopeUses) { // A1
  Report report = runWithJournal([] {
    core::SiteId first = registerTestModule();
    launchTwoBlocks();
    core::ScopeUse use;
    use.example = makeFinding(first).first;
    use.example.op = Op(AccessKind::Store, MemoryOrder::Release, Scope::System);
    use.observer = use.example;
    use.observer.op = Op(AccessKind::Load, MemoryOrder::Acquire, Scope::System);
    use.isNeeded = true;
    use.needed = Scope::Device;
    use.executions = 9;
    use.edges = 5;
    use.blocks = 3;
    use.launches = 2;
    host::findingSink().scopeUse(use);
    use.needed = Scope::System;
    use.example.site = {first.value + 1};
    host::findingSink().scopeUse(use);
    host::finish();
  });
  ASSERT_EQ(report.advisories.size(), 1u);
  const report::Finding &advice = report.advisories[0];
  EXPECT_EQ(advice.accesses[0].scope, "system");
  EXPECT_EQ(advice.accesses[1].order, "acquire");
  EXPECT_EQ(advice.blamed[0].needs, "device");
  EXPECT_EQ(advice.coverage->executions, 9u);
  EXPECT_EQ(advice.coverage->launches, 2u);
}

TEST(Collector, CountsOccurrences) {
  Report report = runWithJournal([] {
    core::Finding finding = makeFinding(registerTestModule());
    host::findingSink().report(finding);
    finding.occurrences = 6;
    host::findingSink().report(finding);
    host::finish();
  });
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].count, 7u);
}

TEST(Collector, KnowsWhatTheHostMaySee) {
  runWithJournal([] {
    host::memoryAllocated({0x1000, 256, host::MemoryKind::Device, "cudaMalloc", 0});
    host::memoryAllocated({0x2000, 256, host::MemoryKind::Managed, "cudaMallocManaged", 0});
    host::memoryAllocated({0x3000, 256, host::MemoryKind::MappedHost, "cudaHostAlloc", 0});
    host::setSharedResolver([](uint64_t address) {
      host::SharedPlace place;
      place.found = address >= 0x8000;
      return place;
    });
    EXPECT_FALSE(host::hostMaySee(0x1010));
    EXPECT_TRUE(host::hostMaySee(0x2010));
    EXPECT_TRUE(host::hostMaySee(0x3010));
    EXPECT_TRUE(host::hostMaySee(0x4000)); // nobody knows what it is
    EXPECT_FALSE(host::hostMaySee(0x8000));
  });
}

TEST(Collector, CountsRepeatedFindings) {
  Report report = runWithJournal([] {
    core::SiteId first = registerTestModule();
    launchTwoBlocks();
    core::Finding finding = makeFinding(first), swapped = finding, other = finding;
    std::swap(swapped.first, swapped.second);
    other.blamed[0].site = first;
    for (int i = 0; i < 5; ++i)
      host::findingSink().report(finding);
    host::findingSink().report(swapped);
    host::findingSink().report(other);
    host::finish();
  });
  ASSERT_EQ(report.findings.size(), 2u); // blamed sites belong to the identity
  EXPECT_EQ(report.findings[0].count, 6u);
  EXPECT_EQ(report.findings[1].count, 1u);
}

TEST(Collector, WaitsAtUnknownPlacesAreToldApartByKernel) {
  Report report = runWithJournal([] {
    launchTwoBlocks();
    host::LaunchRecord other;
    other.node = {6};
    other.firstBlock = {20};
    other.kernel = "other(int*)";
    other.grid = other.block = {1, 1, 1};
    other.index = 2;
    host::launchStarted(other);
    core::Finding finding;
    finding.rule = core::Rule::ForwardProgress;
    finding.distance = core::Distance::SameBlock;
    finding.first.node = finding.second.node = {5};
    finding.first.block = finding.second.block = {11};
    core::Finding elsewhere = finding;
    elsewhere.first.node = elsewhere.second.node = {6};
    elsewhere.first.block = elsewhere.second.block = {20};
    for (const core::Finding &f : {finding, elsewhere, finding})
      host::findingSink().report(f);
    host::finish();
  });
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[0].count, 2u);
}

TEST(Collector, NamesCopiesAndSharedMemory) {
  Report report = runWithJournal([] {
    core::SiteId first = registerTestModule();
    launchTwoBlocks();
    host::nodeNamed({6}, "cudaMemcpyAsync", {.stream = 2});
    host::setSharedResolver(
        [](uint64_t address) { return host::SharedPlace{true, "tile", address - 0x1000, 1024}; });
    core::Finding finding = makeFinding(first);
    finding.first.node = {6};
    finding.first.site = {};
    host::findingSink().report(finding);
    host::finish();
  });
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].accesses[0].api, "cudaMemcpyAsync");
  EXPECT_EQ(report.findings[0].accesses[0].stream, 2u);
  EXPECT_EQ(report.findings[0].memory.kind, "shared");
  EXPECT_EQ(report.findings[0].memory.name, "tile");
}

TEST(Collector, FreedMemoryKeepsItsName) {
  Report report = runWithJournal([] {
    core::SiteId first = registerTestModule();
    launchTwoBlocks();
    host::memoryAllocated({0x0, 64, host::MemoryKind::Managed, "cudaMallocManaged", 0});
    host::memoryAllocated({0x1000, 4096, host::MemoryKind::Device, "cudaMalloc", 0});
    host::memoryFreed(0x1000);
    host::findingSink().report(makeFinding(first));
    host::finish();
  });
  EXPECT_TRUE(report.findings.at(0).memory.freed);
  EXPECT_EQ(report.findings.at(0).memory.index, 2u);
}

TEST(Collector, IncompleteIsCountedBySite) {
  Report report = runWithJournal([] {
    core::SiteId first = registerTestModule();
    launchTwoBlocks();
    for (int i = 0; i < 3; ++i)
      host::incomplete("unknown inline PTX", first);
    host::findingSink().gaveUp("reader sets widened", 2);
    host::findingSink().gaveUp("reader sets widened", 7);
    host::uninstrumentedModule("lib.so", {"plain()"});
    host::finish();
  });
  ASSERT_EQ(report.incomplete.size(), 3u);
  EXPECT_NE(report.incomplete[0].what.find("lib.so"), std::string::npos);
  EXPECT_EQ(report.incomplete[1].count, 3u);
  EXPECT_EQ(report.incomplete[1].frames.at(0).line, 10u);
  EXPECT_EQ(report.incomplete[2].count, 7u);
  EXPECT_EQ(report.verdict(), report::Verdict::Incomplete);
}

TEST(Collector, CrashKeepsWhatWasFound) {
  Report report = runWithJournal([] {
    core::SiteId first = registerTestModule();
    launchTwoBlocks();
    host::findingSink().report(makeFinding(first)); // then _exit without finish()
  });
  EXPECT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.incomplete.size(), 1u);
}

TEST(Collector, ClosedDescriptorsDoNotMatter) {
  Report report = runWithJournal([] {
    core::SiteId first = registerTestModule();
    launchTwoBlocks();
    for (int fd = 3; fd < 1024; ++fd)
      close(fd);
    host::findingSink().report(makeFinding(first));
    host::finish();
  });
  EXPECT_EQ(report.findings.size(), 1u);
  EXPECT_TRUE(report.incomplete.empty());
}

TEST(Collector, ForkedChildHasItsOwnFile) {
  Report report = runWithJournal([] {
    core::SiteId first = registerTestModule();
    launchTwoBlocks();
    pid_t child = fork();
    host::findingSink().report(makeFinding(first));
    host::finish();
    if (child == 0)
      _exit(0);
    waitpid(child, nullptr, 0);
  });
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].count, 2u); // one of each process
  EXPECT_TRUE(report.incomplete.empty());
}

TEST(Collector, SilentProcessLeavesNoFile) {
  Report report = runWithJournal([] { host::finish(); });
  EXPECT_TRUE(report.backend.empty());
  EXPECT_TRUE(report.incomplete.empty());
}

TEST(Collector, ThreadsMayReportTogether) {
  Report report = runWithJournal([] {
    core::SiteId first = registerTestModule();
    launchTwoBlocks();
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([first] {
        for (int i = 0; i < 250; ++i)
          host::findingSink().report(makeFinding(first));
      });
    for (std::thread &thread : threads)
      thread.join();
    host::finish();
  });
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].count, 1000u);
}

TEST(Collector, HaltOnFinding) {
  setenv("SCOPESAN_OPTIONS", "halt_on_finding=1", 1);
  runWithJournal([] {
    core::SiteId first = registerTestModule();
    launchTwoBlocks();
    EXPECT_FALSE(host::shouldHalt());
    host::findingSink().report(makeFinding(first));
    EXPECT_TRUE(host::shouldHalt());
    host::finish();
  });
  unsetenv("SCOPESAN_OPTIONS");
}

TEST(Collector, BadOptionsStopTheProcess) {
  setenv("SCOPESAN_OPTIONS", "sed=1", 1);
  runWithJournal([] {}, 67);
  unsetenv("SCOPESAN_OPTIONS");
}

TEST(Collector, ToolFailureIsJournalled) {
  Report report = runWithJournal([] {
    host::toolFailure("code generation failed");
    host::finish();
  });
  ASSERT_EQ(report.failures.size(), 1u);
  EXPECT_EQ(report::exitCode(report, {}), 67);
}

} // namespace
