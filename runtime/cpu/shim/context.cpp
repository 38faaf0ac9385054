#include "cpu/shim/context.h"

#include "cpu/device_io.h"
#include "cpu/reach.h"
#include "cpu/shim/shared_places.h"
#include "cpu/shim/standstill.h"

#include <atomic>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

/// The detector's findings are made on a fiber; rendering one needs more stack than a fiber has.
class RoomySink final : public core::FindingSink {
public:
  void report(const core::Finding &F) override {
    onLargeStack([](core::FindingSink &Sink,
                    const void *P) { Sink.report(*static_cast<const core::Finding *>(P)); },
                 &F);
  }
  void scopeUse(const core::ScopeUse &U) override {
    onLargeStack([](core::FindingSink &Sink,
                    const void *P) { Sink.scopeUse(*static_cast<const core::ScopeUse *>(P)); },
                 &U);
  }
  void gaveUp(const char *What, uint64_t Count) override {
    struct Arguments {
      const char *What;
      uint64_t Count;
    } A{What, Count};
    onLargeStack(
        [](core::FindingSink &Sink, const void *P) {
          auto *A = static_cast<const Arguments *>(P);
          Sink.gaveUp(A->What, A->Count);
        },
        &A);
  }

private:
  using Action = void (*)(core::FindingSink &, const void *);
  struct Request {
    Action Run;
    const void *Argument;
  };
  void onLargeStack(Action Run, const void *Argument) {
    Request R{Run, Argument};
    if (!Engine::current() || Busy) { // already on a large stack
      Run(host::findingSink(), Argument);
      return;
    }
    if (!Stack)
      Stack = static_cast<char *>(aligned_alloc(4096, StackBytes));
    Busy = true;
    scopesanCallOnStack(
        Stack + StackBytes,
        [](void *P) {
          auto *R = static_cast<Request *>(P);
          R->Run(host::findingSink(), R->Argument);
        },
        &R);
    Busy = false;
  }

  static constexpr size_t StackBytes = 1 << 20;
  char *Stack = nullptr;
  bool Busy = false;
};

RoomySink TheSink;
Context *TheContext;
std::atomic<Context *> TheRunningContext;

core::DetectorOptions detectorOptions(const host::Options &O) {
  core::DetectorOptions D;
  D.cxxMode = O.memory_model == "c++";
  D.volatileIsRelaxed = O.volatile_ == "relaxed";
  D.proxyWar = O.proxy_war;
  D.readerBudgetBytes = O.reader_memory_mb << 20;
  D.advise = O.advise;
  D.hostSees = host::hostMaySee;
  return D;
}

EngineSettings engineSettings(const host::Options &O) {
  EngineSettings S;
  S.Seed = O.seed;
  S.ResidentBlocks = uint32_t(O.resident_blocks);
  S.PreemptionInterval = uint32_t(O.preemption_interval);
  S.WaitLimit = std::min<uint64_t>(O.wait_limit, 1'000'000'000) * 1'000'000;
  S.StackBytes = uint32_t(std::max<uint64_t>(16, O.fiber_stack_kb)) * 1024;
  S.SmCount = uint32_t(std::max<uint64_t>(1, O.sm_count));
  return S;
}

} // namespace

Context::Context() {
  host::initialise("cpu");
  const host::Options &O = host::options();
  Detector = std::make_unique<core::Detector>(TheSink, detectorOptions(O));
  TheEngine.configure(engineSettings(O), *Detector);
  host::setSharedResolver(resolveShared);
  DeviceCount = int(std::clamp<uint64_t>(O.devices, 1, 64));
  DomainCount = uint32_t(std::clamp<uint64_t>(O.domains, 1, 255));
  Devices.resize(size_t(DeviceCount));
  ReachQuery = reachOf;
  Limits[cudaLimitStackSize] = 1024;
  Limits[cudaLimitPrintfFifoSize] = 1 << 20;
  Limits[cudaLimitMallocHeapSize] = 8 << 20;
  Limits[cudaLimitMaxL2FetchGranularity] = 64;
}

Context &scopesan::cpu::context() {
  static Context *Instance = TheContext = new Context;
  static bool Started = (Instance->start(), true);
  (void)Started;
  return *Instance;
}

bool scopesan::cpu::contextExists() { return TheContext != nullptr; }
Context *scopesan::cpu::runningContext() {
  return TheRunningContext.load(std::memory_order_acquire);
}

void Context::start() {
  Work.start(*this);
  Hosts.start(*this);
  Streams.start(DeviceCount, [this](core::NodeId N) {
    return Hosts.speaksForAll() && Detector->precedes(N, Hosts.past());
  });
  TheRunningContext.store(this, std::memory_order_release);
}

Device &Context::current() { return Devices[size_t(currentDevice())]; }
void Context::reachChanged() { TheReachCache.clear(); }

int &scopesan::cpu::currentDevice() {
  static thread_local int Device = 0;
  return Device;
}

cudaError_t &scopesan::cpu::lastError() {
  static thread_local cudaError_t Error = cudaSuccess;
  return Error;
}

void Context::noteHostThread() {
  hostIsAlive();
  static thread_local bool Seen = false;
  if (!Seen) {
    Seen = true;
    ++HostThreads;
  }
}

void scopesan::cpu::complain(const std::string &Text) {
  fprintf(stderr, "scopesan: %s\n", Text.c_str());
}

void scopesan::cpu::afterWait(Context &C) {
  flushDeviceOutput();
  host::setCheckedAccesses(C.Detector->checkedAccesses());
  // Host code's accesses to it are not recorded: malloc gives it to others in ways that are not
  // seen.
  static bool Said = false;
  if (!Said && pageableMemoryWasUsed() && HostThreadTable::isInstrumented()) {
    Said = true;
    host::incomplete(
        "host code's accesses to memory that CUDA did not allocate are not compared with "
        "those of kernels (pageable_memory_access)");
  }
  if (!host::shouldHalt())
    return;
  fflush(nullptr);
  C.Detector->finish();
  host::finish();
  _exit(int(host::options().findings_exit_code));
}
