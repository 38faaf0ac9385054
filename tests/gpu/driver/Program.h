// A made-up program: calls of the driver's API with their callbacks, kernels that "run" by writing
// records and marks, and what comes of it in the journal.
#pragma once

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

inline std::string Journal;

template <typename T> T handle(uint64_t n) { return reinterpret_cast<T>(n); }

inline uint32_t idOf(const std::string &name) {
  static std::vector<std::string> ids;
  auto known = std::find(ids.begin(), ids.end(), name);
  if (known == ids.end())
    known = ids.insert(known, name);
  return uint32_t(known - ids.begin()) + 1;
}

/// The program calls a function of the driver.
template <typename P>
void call(const char *name, P parameters, std::function<void()> effect = {},
          CUresult result = CUDA_SUCCESS) {
  uint32_t id = idOf(name);
  CUpti_CallbackData d{};
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

inline Log &state() { return *reinterpret_cast<Log *>(fakeDriver().state[fakeDriver().current]); }
inline Record *records() { return reinterpret_cast<Record *>(state().records); }

constexpr uint32_t Sites = 64;
/// Each access that may be in a finding has a site of its own: equal findings are only counted.
inline uint32_t newSite() {
  static uint32_t next = 0;
  return uint32_t(fakeDriver().siteBase) + next++ % Sites;
}
/// What block `b` of the running kernel logs.
inline void record(uint32_t b, EventKind kind, uint64_t address) {
  Log &log = state();
  records()[log.cursor++] = {address, b,        log.stamp | uint32_t(kind) << 26, 4, newSite(),
                             0,       log.stamp};
}
/// The two tickets of an atomic operation of block `b`. `outcome`: bits like Wrote.
inline void begins(uint32_t b, uint64_t address, scopesan::abi::Op op) {
  Log &log = state();
  records()[log.cursor++] = {
      address,  b,        log.stamp | uint32_t(EventKind::AtomicBefore) << 26, 4, newSite(),
      op.raw(), log.stamp};
}
inline void ends(uint32_t b, uint32_t read, uint32_t written,
                 uint32_t outcome = Wrote | WrittenKnown | ValueKnown) {
  Log &log = state();
  records()[log.cursor++] = {
      read, b, log.stamp | uint32_t(EventKind::AtomicAfter) << 26, written, 0, outcome, log.stamp};
}
/// The cell of the word, null if it has none.
inline Cell *cellAt(uint64_t address) {
  uint64_t entry =
      reinterpret_cast<uint64_t *>(state().table)[chunkIndex(address, state().tableMask)];
  return reinterpret_cast<Cell *>(cellOf(entry, address));
}
/// Block `b` of the running kernel has written the word.
inline uint64_t markOf(uint32_t b) { return state().tag | uint64_t(b) << state().blockShift | 15; }
inline void marked(uint32_t b, uint64_t address) { *cellAt(address) = {markOf(b), 0}; }

inline CUstream stream(bool blocking = false) {
  static uint64_t next = 0x5000;
  CUstream s = handle<CUstream>(next += 16);
  call("cuStreamCreate",
       cuStreamCreate_params{&s, blocking ? 0u : unsigned(CU_STREAM_NON_BLOCKING)});
  return s;
}
inline uint64_t allocate(uint64_t bytes = 4096) {
  static uint64_t next = 0x700000000000;
  CUdeviceptr p = next += std::max<uint64_t>(64 << 20, bytes);
  call("cuMemAlloc_v2", cuMemAlloc_v2_params{&p, bytes});
  return p;
}
/// Memory that no shadow memory on the device is left for: the host judges all of it.
inline uint64_t allocateWithoutShadow(uint64_t bytes = 4096) {
  fakeDriver().noMemory = true;
  uint64_t p = allocate(bytes);
  fakeDriver().noMemory = false;
  return p;
}
inline void release(uint64_t p) { call("cuMemFree_v2", cuMemFree_v2_params{p}); }
inline void launch(const char *kernel, CUstream s, std::function<void()> effect,
                   CUlaunchAttribute *attribute = nullptr, CUresult result = CUDA_SUCCESS) {
  CUlaunchConfig config{2, 1, 1, 1, 1, 1, 0, s, attribute, attribute ? 1u : 0u};
  call("cuLaunchKernelEx",
       cuLaunchKernelEx_params{&config, reinterpret_cast<CUfunction>(const_cast<char *>(kernel)),
                               nullptr, nullptr},
       effect, result);
}
inline void failedLaunch(const char *kernel, CUstream s) {
  launch(kernel, s, {}, nullptr, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
}
inline void copy(uint64_t to, uint64_t from, uint64_t bytes, CUstream s) {
  call("cuMemcpyDtoDAsync_v2", cuMemcpyDtoDAsync_v2_params{to, from, bytes, s});
}
inline void fill(uint64_t to, uint64_t words, CUstream s) {
  call("cuMemsetD32Async", cuMemsetD32Async_params{to, 0, words, s});
}
inline void synchronize() { call("cuCtxSynchronize", 0); }

/// Lines of the journal that contain `text`.
inline unsigned lines(const std::string &text) {
  unsigned n = 0;
  for (auto &file : std::filesystem::directory_iterator(Journal)) {
    std::ifstream in(file.path());
    for (std::string line; std::getline(in, line);)
      n += line.find(text) != std::string::npos;
  }
  return n;
}
/// Records of that kind in the log, from the last launch, copy or fill.
inline unsigned logged(EventKind kind) {
  unsigned n = 0;
  for (uint64_t i = 0; i < state().cursor; ++i)
    n += records()[i].kind() == kind && records()[i].complete(state().stamp);
  return n;
}
inline unsigned findings() { return lines("\"t\":\"finding\""); }

inline void imageLoaded(const std::string &image) {
  CUpti_ModuleResourceData module{};
  module.pCubin = image.data();
  module.cubinSize = image.size();
  CUpti_ResourceData r{};
  r.resourceDescriptor = &module;
  fakeDriver().callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED, &r);
}

/// A module with one logged and perhaps one fast kernel is loaded.
inline void loadModule(bool fast, uint32_t flags = 0) {
  std::string strings("\0logged\0fast\0", 13);
  SiteBlob head{};
  memcpy(head.magic, (std::string(SiteMagicHead) + SiteMagicTail).data(), sizeof head.magic);
  scopesan::abi::Site sites[Sites] = {};
  Kernel kernels[] = {{1, uint32_t(KernelMode::Logged), 0, AnyConstant},
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
  imageLoaded(image + strings);
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
