#include "cupti/collector.h"

#include "gpu/statistics.h"

#include "host/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <thread>
#include <time.h>
#include <unistd.h>

namespace scopesan::cupti {

thread_local bool Inside = false;

namespace {

/// How long a launch waits for the kernel before it. Longer means that the program lets its kernels
/// wait for each other, which serialised launches cannot serve.
constexpr uint64_t LaunchPatienceMs = 10'000;
/// At exit, for a kernel that nobody waited for.
constexpr uint64_t ExitPatienceMs = 5'000;
constexpr uint64_t PeekIntervalMs = 100;

core::DetectorOptions detectorOptions(const host::Options &o) {
  core::DetectorOptions d;
  d.cxxMode = o.memory_model == "c++";
  d.volatileIsRelaxed = o.volatile_ == "relaxed";
  d.readerBudgetBytes = o.reader_memory_mb << 20;
  return d;
}

/// Another thread may be capturing: our own allocations and copies must not spoil that.
struct RelaxedCapture {
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  RelaxedCapture() { cuThreadExchangeStreamCaptureMode(&mode); }
  ~RelaxedCapture() { cuThreadExchangeStreamCaptureMode(&mode); }
};

const gpu::Replay *TheReplay;
host::SharedPlace resolveShared(uint64_t address) { return TheReplay->resolveShared(address); }

} // namespace

uint64_t milliseconds() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return uint64_t(t.tv_sec) * 1000 + uint64_t(t.tv_nsec) / 1'000'000;
}

Collector &Collector::get() {
  static auto *instance = new Collector; // never destroyed: the program may call until the end
  return *instance;
}

Collector::Collector()
    : Detector(host::findingSink(), detectorOptions(host::options())), Order(Detector),
      Replay(Detector) {
  TheReplay = &Replay;
  host::setSharedResolver(resolveShared);
  Replay.setSiteText([](core::SiteId site) {
    Collector &c = get();
    for (auto &t : c.Tables)
      if (t->base && site.value - t->base < t->module.siteCount)
        return std::string(t->module.strings + t->module.sites[site.value - t->base].text);
    return std::string();
  });
}

// ---------------------------------------------------------------- the log

bool Collector::writeLog(uint32_t capacity) {
  gpu::Log log{};
  log.records = RecordsOnDevice;
  log.capacity = capacity;
  log.stamp = Stamp;
  return cuMemcpyHtoDAsync(LogAddress, &log, sizeof log, Private) == CUDA_SUCCESS &&
         cuStreamSynchronize(Private) == CUDA_SUCCESS;
}

/// The records lie in mapped host memory: they survive a kernel that dies with its context. The
/// cursor lies on the device, where its atomics are fast.
bool Collector::prepareLog() {
  if (Records || LogFailed)
    return Records;
  LogFailed = true;
  cuCtxGetCurrent(&Context);
  uint64_t bytes = host::options().gpu_log_mb << 20;
  uint64_t capacity = std::min<uint64_t>(bytes / sizeof(gpu::Record), ~0u);
  void *records = nullptr;
  CUdeviceptr device = 0;
  if (cuMemHostAlloc(&records, capacity * sizeof(gpu::Record),
                     CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP) != CUDA_SUCCESS ||
      cuMemHostGetDevicePointer(&device, records, 0) != CUDA_SUCCESS ||
      cuMemAlloc(&LogAddress, sizeof(gpu::Log)) != CUDA_SUCCESS ||
      cuStreamCreate(&Private, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS ||
      cuEventCreate(&Done, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) {
    host::toolFailure("the log of " + std::to_string(bytes >> 20) +
                      " MiB for the GPU backend cannot be allocated; make it smaller with "
                      "--gpu-log-mb");
    return false;
  }
  CUdevice d = 0;
  int reserved = 0;
  if (cuCtxGetDevice(&d) == CUDA_SUCCESS)
    cuDeviceGetAttribute(&reserved, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, d);
  ReservedShared = uint32_t(reserved);
  Records = static_cast<gpu::Record *>(records);
  RecordsOnDevice = device;
  Capacity = uint32_t(capacity);
  LogFailed = false;
  return true;
}

// ---------------------------------------------------------------- launches

void Collector::launchBegins(const LaunchRequest &r) {
  InsideScope inside;
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  cuStreamIsCapturing(r.stream, &capture);
  if (capture != CU_STREAM_CAPTURE_STATUS_NONE)
    return host::incomplete("a kernel was captured into a graph: graphs are not checked on the GPU "
                            "yet");
  RelaxedCapture relaxed;
  settle(/*wait=*/true);
  const Function &f = functionOf(r);
  gpu::Stream &s = Order.stream(r.stream, r.perThread);
  auto skip = [&](const std::string &why) {
    host::incomplete("kernel '" + f.name + "' " + why);
    Order.marker(s);
    if (f.instrumented)
      beginUnchecked();
  };
  if (!f.instrumented)
    return skip(
        "is not instrumented: its accesses were not checked; build it with scopesan-clang++ "
        "or --config scopesan.cfg");
  if (r.grid.count() >= (uint64_t(1) << 32))
    return skip("has too many blocks to be checked");
  if (Overrun || DeviceLost || uncheckedRuns())
    return skip("was not checked: an earlier kernel has not ended");
  if (!prepareLog())
    return skip("was not checked: there is no log");
  CUcontext current = nullptr;
  cuCtxGetCurrent(&current);
  if (current != Context)
    return skip("was not checked: only the first device that the program uses is");
  Stamp = Stamp % 0xffff + 1;
  if (!writeLog(Capacity))
    return skip("was not checked: the device does not respond");

  core::LaunchFacts facts;
  facts.grid = r.grid;
  facts.block = r.block;
  facts.cluster = r.cluster.count() > 1 ? r.cluster : f.cluster;
  facts.cooperative = r.cooperative;
  facts.domain = r.domain;
  core::NodeId node = Order.launch(s, facts);
  host::LaunchRecord record;
  record.node = node;
  record.firstBlock = Detector.firstBlock(node);
  record.kernel = f.name;
  record.grid = r.grid;
  record.block = r.block;
  record.cluster = facts.cluster;
  record.dynamicShared = r.dynamicShared;
  record.origin.stream = s.ordinal;
  record.index = ++LaunchCount;
  record.cooperative = r.cooperative;
  record.domain = r.domain.value;
  host::launchStarted(record);

  gpu::ReplayLaunch launch;
  launch.node = node;
  launch.grid = facts.grid;
  launch.cluster = facts.cluster;
  launch.threadsPerBlock = r.block.count();
  launch.dynamicOffset = ReservedShared + f.staticShared;
  launch.dynamicBytes = r.dynamicShared;
  launch.sharedBytes = launch.dynamicOffset + r.dynamicShared;
  launch.stamp = Stamp;
  Replay.begin(launch);
  Now = {true, false, current, f.name, milliseconds()};
}

/// An instrumented kernel is about to run outside of an active launch: nobody records meanwhile.
void Collector::beginUnchecked() {
  if (Records)
    writeLog(0);
  UncheckedStarts = true;
}

/// Waits, for a while, until everything that ran unchecked has ended.
bool Collector::uncheckedRuns() {
  uint64_t begun = milliseconds();
  while (!Unchecked.empty()) {
    CUevent e = Unchecked.back();
    if (cuEventQuery(e) != CUDA_ERROR_NOT_READY) {
      cuEventDestroy(e);
      Unchecked.pop_back();
    } else if (milliseconds() - begun >= LaunchPatienceMs) {
      return true;
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  return false;
}

void Collector::launchIssued(bool succeeded, CUstream stream) {
  InsideScope inside;
  if (UncheckedStarts) {
    UncheckedStarts = false;
    CUevent e = nullptr;
    if (succeeded && cuEventCreate(&e, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS) {
      if (cuEventRecord(e, stream) == CUDA_SUCCESS)
        Unchecked.push_back(e);
      else
        cuEventDestroy(e);
    }
    return;
  }
  if (!Now.running || Now.issued)
    return;
  Now.issued = true;
  if (succeeded && cuEventRecord(Done, stream) == CUDA_SUCCESS)
    return;
  Now.running = false;
  Replay.end();
}

void Collector::uncheckedLaunch(const std::string &what, CUstream stream, bool perThread) {
  InsideScope inside;
  settle(/*wait=*/true);
  host::incomplete(what);
  beginUnchecked();
  Order.marker(Order.stream(stream, perThread));
}

/// Has the active launch ended (or will it never)?
bool Collector::complete() {
  CUresult r = cuEventQuery(Done);
  if (r == CUDA_ERROR_NOT_READY)
    return false;
  if (r != CUDA_SUCCESS && !DeviceLost) {
    DeviceLost = true;
    host::incomplete(host::KernelFailed);
  }
  return true;
}

void Collector::settle(bool wait) {
  InsideScope inside;
  if (Overrun && complete())
    Overrun = false;
  if (!Now.running)
    return applyQueue();
  uint64_t begun = milliseconds(), peeked = begun, patience = wait ? LaunchPatienceMs : 0;
  for (unsigned turn = 0; !complete(); ++turn) {
    uint64_t now = milliseconds();
    if (now - begun >= patience) {
      if (!wait)
        return;
      host::incomplete("kernel '" + Now.name +
                       "' did not end before the next launch: launches are serialised on the GPU, "
                       "and kernels that wait for each other are not checked");
      Overrun = true;
      writeLog(0);
      return conclude(/*ended=*/false);
    }
    if (now - peeked >= PeekIntervalMs) {
      peek();
      peeked = milliseconds();
    }
    if (turn > 200)
      std::this_thread::sleep_for(std::chrono::microseconds(turn > 2000 ? 500 : 20));
  }
  conclude(/*ended=*/true);
}

void Collector::peek() {
  if (Now.running && Now.issued && Records) {
    Replay.scan(Records, Capacity, /*final=*/false);
    publish();
  }
}

/// Replays the rest of the active launch. A kernel that has not ended, or died with its context,
/// may have left records half-written: only the prefix without a gap counts.
void Collector::conclude(bool ended) {
  gpu::Log log{};
  if (ended && !DeviceLost &&
      cuMemcpyDtoHAsync(&log, LogAddress, sizeof log, Private) == CUDA_SUCCESS &&
      cuStreamSynchronize(Private) == CUDA_SUCCESS) {
    uint64_t count = std::min<uint64_t>(log.cursor, Capacity);
    Dropped += log.cursor - count;
    Replay.scan(Records, count, /*final=*/true);
    if (host::options().verbosity >= 2) {
      gpu::Statistics statistics;
      for (uint64_t i = 0; i < count; ++i)
        statistics.add(Records[i]);
      statistics.print(Now.name.c_str());
    }
  } else if (Now.issued) {
    Replay.scan(Records, Capacity, /*final=*/false);
  }
  Replay.end();
  Now.running = false;
  reportLimits();
  applyQueue();
  publish();
}

void Collector::reportLimits() {
  if (Dropped)
    host::findingSink().gaveUp("the GPU's event log was full: later events of the launch were not "
                               "checked (raise --gpu-log-mb)",
                               Dropped);
  if (uint64_t n = Replay.locations().unplaced())
    host::findingSink().gaveUp("atomic operations whose values fit no order on the GPU: extra "
                               "edges were assumed",
                               n);
  if (uint64_t n = Replay.locations().ambiguous())
    host::findingSink().gaveUp("atomic reads that fit several moments on the GPU: all their edges "
                               "were kept",
                               n);
}

void Collector::inOrder(std::function<void()> action) {
  if (Now.running)
    Queue.push_back(std::move(action));
  else
    action();
}

void Collector::applyQueue() {
  std::vector<std::function<void()>> queue;
  queue.swap(Queue);
  for (auto &action : queue)
    action();
}

void Collector::publish() {
  host::setCheckedAccesses(Detector.checkedAccesses());
  if (!host::shouldHalt())
    return;
  fflush(nullptr);
  host::finish();
  _exit(int(host::options().findings_exit_code));
}

void Collector::finish() {
  if (Now.running) {
    InsideScope inside;
    uint64_t begun = milliseconds();
    bool ended = false;
    while (Now.issued && !(ended = complete()) && milliseconds() - begun < ExitPatienceMs)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    conclude(ended);
  }
  applyQueue();
  host::setCheckedAccesses(Detector.checkedAccesses());
  host::finish();
}

// ---------------------------------------------------------------- memory

const Collector::Memory *Collector::find(uint64_t address) {
  auto next = Allocations.upper_bound(address);
  if (next == Allocations.begin())
    return nullptr;
  auto &[begin, m] = *std::prev(next);
  return address - begin < m.bytes ? &m : nullptr;
}

void Collector::allocated(uint64_t address, uint64_t bytes, host::MemoryKind kind,
                          const std::string &api) {
  if (!address || !bytes)
    return;
  bool host = kind == host::MemoryKind::MappedHost || kind == host::MemoryKind::PinnedHost;
  Allocations[address] = {bytes, host, kind == host::MemoryKind::Managed};
  host::memoryAllocated({address, bytes, kind, api, 0});
  inOrder([this, address, bytes] { Detector.forget(address, bytes); });
}

void Collector::freed(uint64_t address) {
  auto a = Allocations.find(address);
  if (a == Allocations.end())
    return;
  uint64_t bytes = a->second.bytes;
  Allocations.erase(a);
  inOrder([this, address, bytes] {
    host::memoryFreed(address);
    Detector.forget(address, bytes);
  });
}

} // namespace scopesan::cupti
