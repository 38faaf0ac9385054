// The collector against a made-up driver: a program's calls, kernels that "run" by writing records
// and marks, and what comes of it in the log, the shadow and the journal.
#include "fake_driver.h"

#include "scopesan/gpu_abi.h"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sstream>
#include <stdlib.h>
#include <string.h>

using namespace scopesan;
using namespace scopesan::gpu;

namespace {

std::string Journal;

template <typename T> T handle(uint64_t n) { return reinterpret_cast<T>(n); }

uint32_t idOf(const std::string &name) {
  static std::vector<std::string> ids;
  auto known = std::find(ids.begin(), ids.end(), name);
  if (known == ids.end())
    known = ids.insert(known, name);
  return uint32_t(known - ids.begin()) + 1;
}

/// The program calls a function of the driver.
template <typename P> void call(const char *name, P parameters, std::function<void()> effect = {}) {
  uint32_t id = idOf(name);
  CUpti_CallbackData d{};
  CUresult result = CUDA_SUCCESS;
  uint64_t kept = 0;
  d.functionName = name;
  d.functionParams = &parameters;
  d.functionReturnValue = &result;
  d.context = fakeDriver().current;
  d.correlationData = &kept;
  d.callbackSite = CUPTI_API_ENTER;
  fakeDriver().callback(nullptr, CUPTI_CB_DOMAIN_DRIVER_API, id, &d);
  if (effect)
    effect();
  d.callbackSite = CUPTI_API_EXIT;
  fakeDriver().callback(nullptr, CUPTI_CB_DOMAIN_DRIVER_API, id, &d);
}

Log &state() { return *reinterpret_cast<Log *>(fakeDriver().state[fakeDriver().current]); }
Record *records() { return reinterpret_cast<Record *>(state().records); }

constexpr uint32_t Sites = 64;
/// Each access that may be in a finding has a site of its own: equal findings are only counted.
uint32_t newSite() {
  static uint32_t next = 0;
  return uint32_t(fakeDriver().siteBase) + next++ % Sites;
}
/// What block `b` of the running kernel logs.
void record(uint32_t b, EventKind kind, uint64_t address) {
  Log &log = state();
  records()[log.cursor++] = {address, b,        log.stamp | uint32_t(kind) << 26, 4, newSite(),
                             0,       log.stamp};
}
struct Cell {
  uint64_t w, r;
};
Cell *cellOf(uint64_t address) {
  uint64_t entry = reinterpret_cast<uint64_t *>(state().table)[chunkIndex(address)];
  if ((entry & 15) != (ChunkValid | (address >> 44 & 7)))
    return nullptr;
  return reinterpret_cast<Cell *>((entry & ~uint64_t(15)) + (address % ChunkSize / 4) * 16);
}
/// Block `b` of the running kernel has written the word.
uint64_t markOf(uint32_t b) { return state().tag | uint64_t(b) << state().blockShift | 15; }
void marked(uint32_t b, uint64_t address) { *cellOf(address) = {markOf(b), 0}; }

CUstream stream(bool blocking = false) {
  static uint64_t next = 0x5000;
  CUstream s = handle<CUstream>(next += 16);
  call("cuStreamCreate",
       cuStreamCreate_params{&s, blocking ? 0u : unsigned(CU_STREAM_NON_BLOCKING)});
  return s;
}
uint64_t allocate(uint64_t bytes = 4096) {
  static uint64_t next = 0x700000000000;
  CUdeviceptr p = next += std::max<uint64_t>(64 << 20, bytes);
  call("cuMemAlloc_v2", cuMemAlloc_v2_params{&p, bytes});
  return p;
}
void release(uint64_t p) { call("cuMemFree_v2", cuMemFree_v2_params{p}); }
void launch(const char *kernel, CUstream s, std::function<void()> effect,
            CUlaunchAttribute *attribute = nullptr) {
  CUlaunchConfig config{2, 1, 1, 1, 1, 1, 0, s, attribute, attribute ? 1u : 0u};
  call("cuLaunchKernelEx",
       cuLaunchKernelEx_params{&config, reinterpret_cast<CUfunction>(const_cast<char *>(kernel)),
                               nullptr, nullptr},
       effect);
}
void copy(uint64_t to, uint64_t from, uint64_t bytes, CUstream s) {
  call("cuMemcpyDtoDAsync_v2", cuMemcpyDtoDAsync_v2_params{to, from, bytes, s});
}
void fill(uint64_t to, uint64_t words, CUstream s) {
  call("cuMemsetD32Async", cuMemsetD32Async_params{to, 0, words, s});
}
void synchronize() { call("cuCtxSynchronize", 0); }

/// Lines of the journal that contain `text`.
unsigned lines(const std::string &text) {
  unsigned n = 0;
  for (auto &file : std::filesystem::directory_iterator(Journal)) {
    std::ifstream in(file.path());
    for (std::string line; std::getline(in, line);)
      n += line.find(text) != std::string::npos;
  }
  return n;
}
/// Records of that kind in the log, from the last launch, copy or fill.
unsigned logged(EventKind kind) {
  unsigned n = 0;
  for (uint64_t i = 0; i < state().cursor; ++i)
    n += records()[i].kind() == kind && records()[i].complete(state().stamp);
  return n;
}
unsigned findings() { return lines("\"t\":\"finding\""); }

/// A module with one logged and perhaps one fast kernel is loaded.
void loadModule(bool fast, uint32_t flags = 0) {
  std::string strings("\0logged\0fast\0", 13);
  SiteBlob head{};
  memcpy(head.magic, (std::string(SiteMagicHead) + SiteMagicTail).data(), sizeof head.magic);
  scopesan::abi::Site sites[Sites] = {};
  Kernel kernels[] = {{1, uint32_t(KernelMode::Logged), 0, 0},
                      {8, uint32_t(KernelMode::Syncless), 0, UsesShared}};
  head.version = scopesan::abi::Version;
  head.siteCount = Sites;
  uint32_t count = fast ? 2 : 1;
  head.kernelCount = count;
  head.stringBytes = uint32_t(strings.size());
  head.size = sizeof sites + count * sizeof(Kernel) + strings.size();
  head.hash = count + flags * 16;
  head.flags = flags;
  std::string image(reinterpret_cast<char *>(&head), sizeof head);
  image.append(reinterpret_cast<char *>(sites), sizeof sites);
  image.append(reinterpret_cast<char *>(kernels), count * sizeof(Kernel));
  image += strings;
  CUpti_ModuleResourceData module{};
  module.pCubin = image.data();
  module.cubinSize = image.size();
  CUpti_ResourceData r{};
  r.resourceDescriptor = &module;
  fakeDriver().callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED, &r);
}

class Collector : public testing::Test {
protected:
  static void SetUpTestSuite() {
    void *library = dlopen(SCOPESAN_GPU_LIBRARY, RTLD_NOW);
    ASSERT_TRUE(library) << dlerror();
    fakeDriver().current = fakeDriver().primary = handle<CUcontext>(0x50);
    reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"))();
    // CUPTI tells of many things without data.
    fakeDriver().callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CU_INIT_FINISHED,
                          nullptr);
    loadModule(/*fast=*/false);
  }
  void SetUp() override {
    synchronize();
    before = findings();
  }
  unsigned found() { return findings() - before; }
  unsigned before = 0;
};

class FastCollector : public Collector {
protected:
  void SetUp() override {
    loadModule(/*fast=*/true); // from now on there is shadow memory
    launch("fast", nullptr, [] {});
    Collector::SetUp();
  }
};

} // namespace

// ---------------------------------------------------------------- logged kernels

TEST_F(Collector, LoggedKernelRaces) {
  uint64_t p = allocate();
  launch("logged", nullptr, [&] {
    EXPECT_EQ(state().table, 0u);
    record(0, EventKind::Write, p);
    record(1, EventKind::Write, p);
  });
  synchronize();
  EXPECT_EQ(found(), 1u);
}

TEST_F(Collector, CopyOnAnotherStream) {
  uint64_t p = allocate(), q = allocate();
  synchronize();
  launch("logged", stream(), [&] { record(0, EventKind::Write, p); });
  copy(q, p, 4, stream());
  synchronize();
  EXPECT_EQ(found(), 1u);
}

TEST_F(Collector, LargeFills) {
  constexpr uint64_t bytes = 1ull << 33; // too many words for the host
  uint64_t p = allocate(bytes), q = allocate(bytes);
  CUstream s = stream();
  fill(p, bytes / 4, s);
  copy(q, p, bytes, s);
  launch("logged", s, [&] { record(0, EventKind::Write, p); });
  EXPECT_EQ(lines("large copy"), 0u);
  launch("logged", stream(), [&] { record(0, EventKind::Write, p + 64); });
  EXPECT_EQ(lines("large copy"), 1u);
  synchronize();
  EXPECT_EQ(found(), 0u);
  release(p);
  release(q);
}

TEST_F(Collector, ProgrammaticLaunchDoesNotFollow) {
  uint64_t p = allocate();
  CUstream s = stream();
  CUlaunchAttribute a{};
  a.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  a.value.programmaticStreamSerializationAllowed = 1;
  launch("logged", s, [&] { record(0, EventKind::Write, p); });
  launch(
      "logged", s,
      [&] {
        record(0, EventKind::GriddepWait, 0);
        record(0, EventKind::Read, p);
      },
      &a);
  synchronize();
  EXPECT_EQ(found(), 0u);
  launch("logged", s, [&] { record(0, EventKind::Write, p); });
  launch("logged", s, [&] { record(0, EventKind::Read, p); }, &a);
  synchronize();
  EXPECT_EQ(found(), 1u);
}

TEST_F(Collector, UseAfterFree) {
  uint64_t p = allocate();
  launch("logged", nullptr, [&] { record(0, EventKind::Write, p); });
  release(p);
  launch("logged", nullptr, [&] { record(0, EventKind::Write, p); });
  synchronize();
  EXPECT_EQ(lines("\"rule\":\"D8\""), 1u);
}

TEST_F(Collector, FreeInAnotherStream) {
  uint64_t d8 = lines("\"rule\":\"D8\"");
  CUdeviceptr p = 0x7e0000000000;
  CUstream a = stream(), b = stream();
  call("cuMemAllocAsync", cuMemAllocAsync_params{&p, 4096, a});
  launch("logged", a, [&] { record(0, EventKind::Write, p); });
  call("cuMemFreeAsync", cuMemFreeAsync_params{p, b});
  synchronize();
  EXPECT_EQ(lines("\"rule\":\"D8\""), d8 + 1);
}

// ---------------------------------------------------------------- fast kernels

TEST_F(Collector, InstrumentedHostCodeIsIncomplete) {
  loadModule(/*fast=*/false, HostCode);
  launch("logged", nullptr, [] {});
  synchronize();
  EXPECT_EQ(lines("-fscopesan-host"), 1u);
}

TEST_F(Collector, ShadowComesWithTheFirstFastKernel) {
  uint64_t p = allocate();
  loadModule(/*fast=*/true);
  fill(p, 16, stream());
  // A module's state is bound when a kernel of it is launched.
  launch("fast", nullptr, [&] {
    ASSERT_TRUE(state().table);
    ASSERT_TRUE(cellOf(p));
    uint64_t w = cellOf(p)->w, tag = w >> mark::TagShift;
    EXPECT_EQ(w, tag << mark::TagShift | 15);
    EXPECT_GE(tag, 1u);
    EXPECT_LT(tag, state().tag >> mark::TagShift);
  });
}

TEST_F(FastCollector, FastKernelGetsShadow) {
  uint64_t p = allocate(3 << 20);
  launch("fast", nullptr, [&] {
    Log &log = state();
    ASSERT_TRUE(log.table);
    EXPECT_GE(log.tag, uint64_t(1) << mark::TagShift);
    EXPECT_EQ(log.oldest, log.tag) << "all that came before was waited for";
    EXPECT_TRUE(log.dedup && log.counters && log.slotTaken);
    EXPECT_EQ(log.slotCount, 2u);
    ASSERT_TRUE(cellOf(p));
    ASSERT_TRUE(cellOf(p + (3 << 20) - 4));
    EXPECT_EQ(cellOf(p + (16 << 20)), nullptr);
    EXPECT_EQ(cellOf(p)->w, 0u);
    marked(1, p);
    reinterpret_cast<uint64_t *>(log.counters)[uint32_t(Counter::CheckedGlobal)] = 1000;
  });
  synchronize();
  EXPECT_EQ(found(), 0u);
}

TEST_F(FastCollector, TagsFollowStreams) {
  CUstream a = stream(), b = stream();
  uint64_t first = 0;
  launch("fast", a, [&] { first = state().tag; });
  launch("fast", a, [&] {
    EXPECT_GT(state().tag, first);
    EXPECT_EQ(state().oldest, state().tag);
  });
  launch("fast", b, [&] { EXPECT_EQ(state().oldest, first); });
}

TEST_F(FastCollector, CopyMeetsMarks) {
  uint64_t p = allocate(), q = allocate();
  CUstream a = stream();
  launch("fast", a, [&] { marked(0, p); });
  copy(q, p, 4, a);
  EXPECT_EQ(logged(EventKind::Candidate), 0u);
  EXPECT_EQ(cellOf(p)->r, state().tag | 15);
  EXPECT_EQ(cellOf(q)->w, state().tag | 15);
  launch("fast", a, [&] { marked(0, p + 4); });
  fill(p + 4, 4, stream());
  ASSERT_EQ(logged(EventKind::Candidate), 1u);
  EXPECT_EQ(records()[1].value, p + 4);
  EXPECT_EQ(records()[1].low, 4u | 15u << candidate::MaskShift);
  EXPECT_EQ(cellOf(p + 16)->w, state().tag | 15);
}

TEST_F(FastCollector, PartsOfWordsAreTracked) {
  uint64_t p = allocate(), q = allocate();
  CUstream a = stream();
  fill(p, 16, a);
  copy(p + 1, q, 6, a);
  EXPECT_EQ(cellOf(p)->w, mark::Tracked);
  EXPECT_EQ(cellOf(p + 4)->w, mark::Tracked);
  EXPECT_NE(cellOf(p + 8)->w, mark::Tracked);
  EXPECT_EQ(logged(EventKind::Known), 2u);
  EXPECT_EQ(logged(EventKind::Write), 2u);
  fill(p, 1, a);
  EXPECT_EQ(cellOf(p)->w, mark::Tracked);
  EXPECT_EQ(logged(EventKind::Write), 1u) << "the host goes on with the word";
}

TEST_F(FastCollector, ManyCandidatesOfOnePlace) {
  uint64_t p = allocate(1 << 20);
  CUstream a = stream();
  launch("fast", a, [&] {
    for (uint64_t i = 0; i < 1 << 18; ++i)
      marked(0, p + i * 4);
  });
  fill(p, 1 << 18, stream());
  EXPECT_EQ(logged(EventKind::Candidate), DedupKept);
}

TEST_F(FastCollector, FreedMemoryIsSpecial) {
  uint64_t p = allocate();
  launch("fast", nullptr, [&] { marked(0, p); });
  release(p);
  EXPECT_EQ(cellOf(p)->w, mark::Freed);
  EXPECT_EQ(cellOf(p + 4092)->w, mark::Freed);
  EXPECT_EQ(cellOf(p + 4096)->w, 0u);
  CUdeviceptr again = p;
  call("cuMemAlloc_v2", cuMemAlloc_v2_params{&again, 4096});
  EXPECT_EQ(cellOf(p)->w, 0u);
}

TEST_F(FastCollector, SweepRenumbers) {
  uint64_t p = allocate(), q = allocate();
  CUstream a = stream(), b = stream();
  launch("fast", a, [&] { marked(1, p); });
  synchronize();
  uint64_t kept = 0;
  launch("fast", b, [&] {
    marked(0, q);
    kept = markOf(0);
  });
  uint64_t last = 0;
  bool swept = false;
  for (int i = 0; i < 70 && !swept; ++i)
    launch("fast", a, [&] {
      swept = state().tag < last;
      last = state().tag;
    });
  ASSERT_TRUE(swept);
  EXPECT_EQ(cellOf(p)->w, 0u);
  uint64_t now = cellOf(q)->w;
  EXPECT_EQ(now << 6, kept << 6);
  EXPECT_LT(now, last);
  EXPECT_GE(now, uint64_t(1) << mark::TagShift);
}

TEST_F(FastCollector, CopyOfRows) {
  uint64_t p = allocate(), q = allocate();
  CUDA_MEMCPY2D m{};
  m.srcMemoryType = m.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  m.srcDevice = q;
  m.dstDevice = p;
  m.srcPitch = 8;
  m.dstPitch = 64;
  m.WidthInBytes = 8;
  m.Height = 3;
  call("cuMemcpy2DAsync_v2", cuMemcpy2DAsync_v2_params{&m, stream()});
  for (uint64_t y = 0; y < 3; ++y) {
    EXPECT_EQ(cellOf(p + y * 64)->w, state().tag | 15);
    EXPECT_EQ(cellOf(p + y * 64 + 4)->w, state().tag | 15);
    EXPECT_EQ(cellOf(p + y * 64 + 8)->w, 0u);
    EXPECT_EQ(cellOf(q + y * 8)->r, state().tag | 15);
  }
  EXPECT_EQ(cellOf(q + 24)->r, 0u);
}

TEST_F(FastCollector, SecondContextSharesTheShadow) {
  uint64_t table = state().table, p = allocate();
  CUcontext first = fakeDriver().current, second = handle<CUcontext>(0x90);
  launch("fast", nullptr, [&] { marked(0, p); });
  fakeDriver().current = second;
  launch("fast", nullptr, [&] {
    EXPECT_EQ(state().table, table);
    EXPECT_LT(state().oldest, state().tag) << "contexts do not wait for each other";
  });
  CUpti_ResourceData r{};
  r.context = second;
  call("cuCtxDestroy_v2", cuCtxDestroy_v2_params{second}, [&] {
    fakeDriver().callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE,
                          CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, &r);
  });
  fakeDriver().current = first;
  synchronize();
  launch("fast", nullptr, [&] { EXPECT_EQ(state().oldest, state().tag); });
  synchronize();
  EXPECT_EQ(found(), 0u);
}

TEST_F(FastCollector, ResetForgetsEverything) {
  uint64_t p = allocate();
  launch("fast", nullptr, [&] { marked(0, p); });
  Log *before = &state();
  fakeDriver().state.clear();
  call("cuDevicePrimaryCtxReset_v2", cuDevicePrimaryCtxReset_v2_params{0});
  CUdeviceptr q = p;
  call("cuMemAlloc_v2", cuMemAlloc_v2_params{&q, 4096});
  launch("fast", nullptr, [&] {
    ASSERT_TRUE(fakeDriver().state.begin()->second) << "the module was found again";
    EXPECT_NE(&state(), before);
    EXPECT_EQ(state().oldest, state().tag);
    ASSERT_TRUE(cellOf(q));
    EXPECT_EQ(cellOf(q)->w, 0u);
  });
  synchronize();
  EXPECT_EQ(found(), 0u);
}

TEST_F(FastCollector, ShortOfMemory) {
  fakeDriver().noMemory = true;
  uint64_t p = allocate(), q = allocate();
  launch("fast", nullptr, [&] {
    EXPECT_EQ(cellOf(p), nullptr);
    record(0, EventKind::Write, p);
  });
  copy(q, p, 16, stream());
  synchronize();
  EXPECT_EQ(found(), 1u) << "the host's own shadow has it";
  fakeDriver().noMemory = false;
}

int main(int argc, char **argv) {
  char folder[] = "scopesan-collector-XXXXXX";
  Journal = std::filesystem::temp_directory_path() / folder;
  if (!mkdtemp(Journal.data()))
    return 2;
  setenv("SCOPESAN_JOURNAL", Journal.c_str(), 1);
  setenv("SCOPESAN_CUPTI", SCOPESAN_FAKE_DRIVER, 1);
  setenv("SCOPESAN_OPTIONS", "gpu_log_mb=64", 1);
  testing::InitGoogleTest(&argc, argv);
  int result = RUN_ALL_TESTS();
  fflush(nullptr);
  std::filesystem::remove_all(Journal);
  _exit(result); // the journal is gone
}
