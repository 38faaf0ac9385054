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

/// At exit, for a kernel that nobody waited for.
constexpr uint64_t ExitPatienceMs = 5'000;
constexpr uint64_t PeekIntervalMs = 100;

core::DetectorOptions detectorOptions(const host::Options &o) {
  core::DetectorOptions d;
  d.cxxMode = o.memory_model == "c++";
  d.volatileIsRelaxed = o.volatile_ == "relaxed";
  d.readerBudgetBytes = o.reader_memory_mb << 20;
  d.advise = o.advise;
  d.hostSees = host::hostMaySee;
  return d;
}

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
      Graphs(Detector), Replay(Detector), Everything(Detector), Wide(Detector), Tags(Detector) {
  TheReplay = &Replay;
  host::setSharedResolver(resolveShared);
  Replay.setSiteText([](core::SiteId site) {
    Collector &c = get();
    for (auto &t : c.Tables)
      if (t->base && site.value - t->base < t->module.siteCount)
        return std::string(t->module.strings + t->module.sites[site.value - t->base].text);
    return std::string();
  });
  Replay.setSiteEntry([](core::SiteId site) -> const abi::Site * {
    for (auto &t : get().Tables)
      if (t->base && site.value - t->base < t->module.siteCount)
        return &t->module.sites[site.value - t->base];
    return nullptr;
  });
}

/// Has the active launch ended (or will it never)?
bool Collector::complete() {
  CUresult r = cuEventQuery(Now.log->known);
  if (r == CUDA_ERROR_NOT_READY)
    return false;
  if (r != CUDA_SUCCESS && !Now.log->lost) {
    Now.log->lost = true;
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
  for (unsigned turn = 0; Now.running && !complete(); ++turn) {
    uint64_t now = milliseconds();
    if (now - begun >= patience) {
      if (!wait)
        return;
      host::incomplete("kernel '" + Now.name +
                       "' did not end before the next launch: launches are serialised on the GPU, "
                       "and kernels that wait for each other are not checked");
      Overrun = true;
      Log.switchOff();
      return conclude(/*ended=*/false);
    }
    if (now - peeked >= PeekIntervalMs) {
      peek();
      peeked = milliseconds();
    }
    if (turn > 200)
      pause(turn);
  }
  if (Now.running)
    conclude(/*ended=*/true);
}

/// The kernel may wait for another thread of the host, which needs the lock to tell what it does.
void Collector::pause(unsigned turn) {
  bool others = Order.hasHostCode();
  if (others)
    Lock.unlock();
  std::this_thread::sleep_for(std::chrono::microseconds(turn > 2000 ? 500 : 20));
  if (others)
    Lock.lock();
}

void Collector::peek() {
  if (Now.running && Now.issued) {
    Replay.scan(Log.records(), Log.capacity(), /*final=*/false);
    publish();
  }
}

/// Replays the rest of the active launch. A kernel that has not ended, or died with its context,
/// may have left records half-written: only the prefix without a gap counts.
void Collector::conclude(bool ended) {
  if (ended && !Now.log->lost) {
    const DeviceLog::Outcome &outcome = *Now.log->last;
    uint64_t count = std::min<uint64_t>(outcome.log.cursor, Log.capacity());
    Dropped += outcome.log.cursor - count;
    Replay.scan(Log.records(), count, /*final=*/true);
    addCounters(outcome);
    if (host::options().verbosity >= 2) {
      gpu::Statistics statistics;
      for (uint64_t i = 0; i < count; ++i)
        statistics.add(Log.records()[i]);
      statistics.print(Now.name.c_str());
    }
  } else if (Now.issued) {
    Replay.scan(Log.records(), Log.capacity(), /*final=*/false);
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

void Collector::inOrder(core::NodeId node, std::function<void()> action) {
  if (Now.running)
    Queue.push_back({node, std::move(action), !node.value}), ++Knowledge;
  else
    action();
}

void Collector::applyQueue() {
  std::vector<Pending> queue;
  queue.swap(Queue);
  for (Pending &p : queue)
    p.action();
}

void Collector::setCounters() {
  host::DeviceCounters d;
  d.settled =
      Totals[uint32_t(gpu::Counter::CheckedGlobal)] + Totals[uint32_t(gpu::Counter::CheckedShared)];
  d.logged = Totals[uint32_t(gpu::Counter::LoggedFull)];
  d.candidates = Totals[uint32_t(gpu::Counter::Candidates)];
  d.suppressed = Totals[uint32_t(gpu::Counter::Suppressed)];
  d.shadowBytes = Shadow.bytes();
  d.elidedSites = ElidedSites;
  host::setDeviceCounters(d);
  host::setCheckedAccesses(Detector.checkedAccesses() + d.settled);
}

void Collector::publish() {
  setCounters();
  if (!host::shouldHalt())
    return;
  fflush(nullptr);
  Detector.finish();
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
  Detector.finish();
  setCounters();
  host::finish();
}

} // namespace scopesan::cupti
