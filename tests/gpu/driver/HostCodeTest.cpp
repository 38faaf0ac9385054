// Instrumented host code beside kernels, by the hooks that it calls. Last: from the first of these
// tests on the process has instrumented host code.
#include "Program.h"

#include "scopesan/host_abi.h"

#include <thread>

namespace {

using scopesan::abi::AccessKind;
using scopesan::abi::MemoryOrder;
using scopesan::abi::Scope;

const scopesan::abi::HostHooks *Hooks;
constexpr uint32_t HostSites = 64;

/// Each access has a site of its own: equal findings are only counted.
uint32_t hostSite() {
  static uint32_t base = 0, next = 0;
  static scopesan::abi::Site sites[HostSites] = {};
  static scopesan::abi::Module m{};
  if (!m.siteBase) {
    m.sites = sites;
    m.siteCount = HostSites;
    m.strings = "";
    m.siteBase = &base;
    Hooks->module(&m);
  }
  return base + next++ % HostSites;
}

class HostCollector : public Collector {
protected:
  void SetUp() override {
    void *library = dlopen(SCOPESAN_GPU_LIBRARY, RTLD_NOW);
    auto get = reinterpret_cast<const scopesan::abi::HostHooks *(*)()>(
        dlsym(library, scopesan::abi::HostHooksSymbol));
    ASSERT_TRUE(get);
    Hooks = get();
    ASSERT_EQ(Hooks->version, scopesan::abi::HostVersion);
    hostSite();
    Collector::SetUp();
  }
  void TearDown() override { fakeDriver().busy = false; }
};

uint64_t allocateManaged() {
  static uint64_t next = 0x690000000000;
  CUdeviceptr p = next += 1 << 22;
  fakeDriver().noMemory = true; // for shadow
  call("cuMemAllocManaged", cuMemAllocManaged_params{&p, 4096, CU_MEM_ATTACH_GLOBAL});
  fakeDriver().noMemory = false;
  return p;
}
/// Managed memory of a program whose kernels have shadow memory.
uint64_t allocateManagedBesideShadow(uint64_t at = 0x680000000000) {
  CUdeviceptr p = at;
  call("cuMemAllocManaged", cuMemAllocManaged_params{&p, 4096, CU_MEM_ATTACH_GLOBAL});
  return p;
}
/// The kernel goes on when it has been launched.
void launchLong(CUstream s, std::function<void()> effect) {
  launch("logged", s, [&] {
    effect();
    fakeDriver().busy = true;
  });
}
void ends() { fakeDriver().busy = false; }

void hostRead(uint64_t p) { Hooks->read(reinterpret_cast<void *>(p), 4, hostSite()); }
void hostWrite(uint64_t p) { Hooks->write(reinterpret_cast<void *>(p), 4, hostSite()); }
/// `meanwhile` happens between the operation and its report.
void hostAtomic(
    uint64_t p, AccessKind kind, MemoryOrder order,
    const std::function<void()> &meanwhile = [] {}) {
  auto *at = reinterpret_cast<void *>(p);
  scopesan::abi::Op op(kind, order, Scope::System);
  Hooks->atomicBefore(at);
  meanwhile();
  Hooks->atomicAfter(at, 4, op.raw(), hostSite(), kind != AccessKind::Load);
}
Record &lastRecord() { return records()[state().cursor - 1]; }
void deviceAtomic(uint32_t block, uint64_t p, AccessKind kind, MemoryOrder order) {
  record(block, EventKind::AtomicBefore, p);
  lastRecord().extra = scopesan::abi::Op(kind, order, Scope::System).raw();
}
/// The kernel's block stores to an atomic object.
void deviceStore(uint32_t block, uint64_t p, uint32_t value, MemoryOrder order) {
  deviceAtomic(block, p, AccessKind::Store, order);
  record(block, EventKind::AtomicAfter, 0);
  lastRecord().low = value;
  lastRecord().high = 0;
  lastRecord().extra = Wrote | WrittenKnown;
}
void deviceAcquire(uint32_t block, uint64_t p, uint32_t value) {
  deviceAtomic(block, p, AccessKind::Load, MemoryOrder::Acquire);
  record(block, EventKind::AtomicAfter, value);
  lastRecord().extra = ValueKnown;
}

} // namespace

TEST_F(HostCollector, WriteAfterLaunch) {
  uint64_t p = allocateManaged();
  CUstream s = stream();
  hostWrite(p);
  launchLong(s, [&] { record(0, EventKind::Read, p); });
  EXPECT_EQ(found(), 0u);
  hostWrite(p);
  ends();
  synchronize();
  EXPECT_EQ(found(), 1u);
  hostWrite(p);
  EXPECT_EQ(found(), 1u);
}

TEST_F(HostCollector, ReadBeforeWait) {
  uint64_t p = allocateManaged();
  CUstream s = stream(), other = stream();
  launch("logged", s, [&] { record(0, EventKind::Write, p); });
  call("cuStreamSynchronize", cuStreamSynchronize_params{other});
  EXPECT_EQ(found(), 0u);
  hostRead(p);
  EXPECT_EQ(found(), 1u);
  call("cuStreamSynchronize", cuStreamSynchronize_params{s});
  hostRead(p);
  EXPECT_EQ(found(), 1u);
}

TEST_F(HostCollector, FastKernelsLogWhatTheHostReaches) {
  loadModule(/*fast=*/true);
  uint64_t p = allocateManagedBesideShadow();
  CUstream s = stream();
  launch("fast", s, [&] {
    ASSERT_TRUE(state().table);
    EXPECT_EQ(cellAt(p), nullptr);
    record(0, EventKind::Write, p);
  });
  hostRead(p);
  call("cuStreamSynchronize", cuStreamSynchronize_params{s});
  EXPECT_EQ(found(), 1u);
  launch("fast", s, [&] { record(0, EventKind::Read, p); });
  hostWrite(p);
  synchronize();
  EXPECT_EQ(found(), 2u);
  launch("fast", s, [&] { record(0, EventKind::Read, p); });
  synchronize();
  hostWrite(p);
  EXPECT_EQ(found(), 2u);
  EXPECT_EQ(lines("accesses of host code are not compared"), 0u);
}

TEST_F(HostCollector, WhatTheHostReachesIsTrackedInSharedChunks) {
  loadModule(/*fast=*/true);
  launch("fast", stream(), [] {});
  uint64_t p = allocateManagedBesideShadow(0x680010000000);
  CUdeviceptr beside = p + 4096;
  call("cuMemAlloc_v2", cuMemAlloc_v2_params{&beside, 4096});
  launch("fast", stream(), [&] {
    ASSERT_TRUE(cellAt(p) && cellAt(beside));
    EXPECT_EQ(cellAt(p)->w, mark::Tracked);
    EXPECT_EQ(cellAt(beside)->w, 0u);
  });
  uint64_t q = allocateManagedBesideShadow(p + 8192);
  launch("fast", stream(), [&] {
    EXPECT_EQ(cellAt(q)->w, mark::Tracked);
    EXPECT_EQ(cellAt(beside)->w, 0u);
  });
  hostWrite(p);
  synchronize();
  EXPECT_EQ(lines("accesses of host code are not compared"), 0u);
}

TEST_F(HostCollector, FlagFromTheKernel) {
  for (bool released : {true, false}) {
    uint64_t data = allocateManaged(), flag = allocateManaged();
    unsigned before = found();
    launchLong(stream(), [&] {
      record(0, EventKind::Write, data);
      deviceStore(0, flag, 1, released ? MemoryOrder::Release : MemoryOrder::Relaxed);
    });
    hostAtomic(flag, AccessKind::Load, MemoryOrder::Acquire);
    hostRead(data);
    ends();
    synchronize();
    EXPECT_EQ(found(), before + !released);
  }
}

TEST_F(HostCollector, FlagToTheKernel) {
  uint64_t data = allocateManaged(), flag = allocateManaged();
  launchLong(stream(), [] {});
  hostWrite(data);
  hostAtomic(flag, AccessKind::Store, MemoryOrder::Release);
  deviceAcquire(0, flag, 1);
  record(0, EventKind::Read, data);
  record(1, EventKind::Read, data); // did not look at the flag
  ends();
  synchronize();
  EXPECT_EQ(found(), 1u);
  EXPECT_EQ(lines("more order was assumed"), 1u);
}

TEST_F(HostCollector, OverwrittenFlagFromTheKernel) {
  uint64_t data = allocateManaged(), flag = allocateManaged();
  launchLong(stream(), [&] {
    record(0, EventKind::Write, data);
    deviceStore(0, flag, 1, MemoryOrder::Release);
  });
  hostAtomic(flag, AccessKind::Load, MemoryOrder::Acquire,
             [&] { deviceStore(1, flag, 2, MemoryOrder::Relaxed); });
  hostRead(data);
  ends();
  synchronize();
  EXPECT_EQ(found(), 0u);
  EXPECT_EQ(lines("fits several moments of a running kernel"), 1u);
}

TEST_F(HostCollector, OverwrittenFlagOfAKernelThatEnds) {
  uint64_t data = allocateManaged(), flag = allocateManaged();
  launchLong(stream(), [&] {
    record(0, EventKind::Write, data);
    deviceStore(0, flag, 1, MemoryOrder::Release);
  });
  hostAtomic(flag, AccessKind::Load, MemoryOrder::Acquire, [&] {
    deviceStore(1, flag, 2, MemoryOrder::Relaxed);
    ends();
  });
  hostRead(data);
  synchronize();
  EXPECT_EQ(found(), 0u);
}

TEST_F(HostCollector, KernelThatEndsBeforeTheStoreIsTold) {
  uint64_t data = allocateManaged(), flag = allocateManaged();
  launchLong(stream(), [] {});
  hostWrite(data);
  hostAtomic(flag, AccessKind::Store, MemoryOrder::Release, [&] {
    deviceAcquire(0, flag, 1);
    record(0, EventKind::Read, data);
    ends();
  });
  synchronize();
  EXPECT_EQ(found(), 0u);
}

TEST_F(HostCollector, FlagToTheKernelAfterAnUnjudgedStore) {
  uint64_t data = allocateManaged(), mine = allocateManaged(), flag = allocateManaged();
  launchLong(stream(), [&] {
    record(0, EventKind::Write, mine);
    deviceStore(0, flag, 1, MemoryOrder::Release);
    record(0, EventKind::Read, mine); // it goes on: the store has acted
  });
  hostWrite(data);
  hostAtomic(flag, AccessKind::Store, MemoryOrder::Release);
  deviceAcquire(1, flag, 7); // from the host, or whoever wrote it: both are kept
  record(1, EventKind::Read, data);
  record(1, EventKind::Read, mine);
  ends();
  synchronize();
  EXPECT_EQ(found(), 0u);
}

TEST_F(HostCollector, RecordsThatAreMissing) {
  uint64_t data = allocateManaged(), flag = allocateManaged();
  launchLong(stream(), [&] {
    record(0, EventKind::Write, data);
    ++state().cursor; // a ticket whose record never comes
  });
  hostAtomic(flag, AccessKind::Load, MemoryOrder::Acquire);
  hostRead(data);
  ends();
  synchronize();
  EXPECT_EQ(found(), 0u);
  EXPECT_EQ(lines("while records of a running kernel were missing"), 1u);
}

/// Accesses beside a kernel neither ask the driver nor begin a step each.
TEST_F(HostCollector, ManyAccessesBesideAKernel) {
  uint64_t p = allocateManaged();
  launchLong(stream(), [] {});
  hostRead(p);
  unsigned asked = fakeDriver().queries;
  uint32_t site = hostSite();
  for (int i = 0; i < 1'000'000; ++i)
    Hooks->read(reinterpret_cast<void *>(p + i % 1024 * 4), 4, site);
  EXPECT_EQ(fakeDriver().queries, asked);
  ends();
  synchronize();
}

TEST_F(HostCollector, CopyThatTheHostWaitedFor) {
  uint64_t p = allocateManaged(), q = allocateManaged();
  CUstream kernel = stream(), copies = stream();
  launchLong(kernel, [] {});
  copy(p, q, 4, copies);
  call("cuStreamSynchronize", cuStreamSynchronize_params{copies});
  hostRead(p);
  hostWrite(q);
  ends();
  synchronize();
  EXPECT_EQ(found(), 0u);
}

TEST_F(HostCollector, Threads) {
  uint64_t p = allocateManaged();
  auto other = [&](bool joined) {
    uint32_t number = Hooks->create();
    std::thread t([&] {
      Hooks->begin(number);
      hostWrite(p);
      Hooks->end(number);
    });
    t.join(); // in real time; whether the tool knows is the question
    if (joined)
      Hooks->join(number);
    launch("logged", stream(), [&] { record(0, EventKind::Read, p); });
    synchronize();
  };
  other(true);
  EXPECT_EQ(found(), 0u);
  other(false);
  EXPECT_EQ(found(), 1u);
}

TEST_F(HostCollector, UnknownThreadsAreIncomplete) {
  uint64_t p = allocateManaged();
  std::thread([&] { hostRead(p); }).join();
  EXPECT_EQ(lines("host code that CUDA calls"), 1u);
  EXPECT_EQ(found(), 0u);
}
