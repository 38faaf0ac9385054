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
  d.proxyWar = o.proxy_war;
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

/// The errors that code on the device causes.
static std::string describeError(CUresult r) {
  switch (r) {
  case CUDA_ERROR_ILLEGAL_ADDRESS:
    return "illegal address";
  case CUDA_ERROR_LAUNCH_TIMEOUT:
    return "timeout";
  case CUDA_ERROR_ASSERT:
    return "failed assertion";
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
    return "stack overflow";
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    return "illegal instruction";
  case CUDA_ERROR_MISALIGNED_ADDRESS:
    return "misaligned address";
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    return "address in a wrong address space";
  case CUDA_ERROR_LAUNCH_FAILED:
    return "launch failure (trap or invalid operation)";
  default:
    return "CUDA error " + std::to_string(int(r));
  }
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
  Replay.locations().deviceOnly([this](uint64_t address) {
    const Memory *m = find(address);
    return m && !m->hostReaches;
  });
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
  Replay.onStart([this](core::NodeId launch) { tellBefore(launch); });
}

/// Have all active launches ended (or will they never)?
bool Collector::complete() {
  bool all = true;
  for (Active &a : Now.launches) {
    if (a.ended)
      continue;
    CUresult r = a.issued ? cuEventQuery(a.done) : CUDA_ERROR_NOT_READY;
    a.ended = r != CUDA_ERROR_NOT_READY;
    all &= a.ended;
    // Whoever has waited for the kernel counts on its being judged: what it left is about to come.
    while (a.ended && !overlaps() && cuEventQuery(Now.log->known) == CUDA_ERROR_NOT_READY)
      std::this_thread::yield();
    if (a.ended && r != CUDA_SUCCESS && !Now.log->lost) {
      Now.log->lost = true;
      host::kernelFailed(describeError(r) + " in kernel " + a.name + " (launch " +
                         std::to_string(a.number) + ")");
    }
  }
  return all;
}

void Collector::settle(bool wait) {
  InsideScope inside;
  if (Overrun && complete()) {
    Overrun = false;
    Now.launches.clear();
  }
  if (Overrun || !Now.running())
    return applyQueue();
  if (awaitEnd(wait ? LaunchPatienceMs : 0, [] { return false; }) || !wait)
    return;
  host::incomplete("kernel '" + runningNames() +
                   (overlaps() ? "' did not end before a launch that had to wait for it on the GPU"
                               : "' did not end before the next launch: launches are serialised on "
                                 "the GPU (--concurrent=overlap lets them overlap)") +
                   "; kernels that wait for each other like this are not checked");
  Log.switchOff();
  conclude(/*ended=*/false);
}

/// Waits for a while until all active launches have ended and were judged, or there is `enough`.
bool Collector::awaitEnd(uint64_t patienceMs, const std::function<bool()> &enough) {
  uint64_t begun = milliseconds(), peeked = begun;
  for (unsigned turn = 0; Now.running() && !Overrun; ++turn) {
    if (complete()) {
      conclude(/*ended=*/true);
      return true;
    }
    if (enough())
      return true;
    uint64_t now = milliseconds();
    if (now - begun >= patienceMs)
      return false;
    if (now - peeked >= PeekIntervalMs) {
      peek();
      peeked = milliseconds();
    }
    if (turn > 200)
      pause(turn);
  }
  return true;
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
  if (isRunning()) {
    Replay.scan(Log.records(), Log.capacity(), /*final=*/false);
    publish();
  }
}

/// Replays the rest of the active launch. A kernel that has not ended, or died with its context,
/// may have left records half-written: only the prefix without a gap counts.
void Collector::conclude(bool ended) {
  DeviceLog::Outcome shared;
  bool isWhole = false;
  if (ended && !Now.log->lost && (!overlaps() || Log.read(*Now.log, shared))) {
    const DeviceLog::Outcome &outcome = overlaps() ? shared : *Now.log->last;
    uint64_t count = std::min<uint64_t>(outcome.log.cursor, Log.capacity());
    Dropped += outcome.log.cursor - count;
    isWhole = outcome.log.cursor == count;
    Replay.scan(Log.records(), count, /*final=*/true);
    addCounters(outcome);
    if (host::options().verbosity >= 2) {
      gpu::Statistics statistics;
      for (uint64_t i = 0; i < count; ++i)
        statistics.add(Log.records()[i]);
      statistics.print(runningNames().c_str());
    }
  } else if (Now.issued()) {
    Replay.scan(Log.records(), Log.capacity(), /*final=*/false);
  }
  Replay.end();
  if (!isWhole)
    Replay.locations().values().clear();
  Overrun = !ended;
  if (ended)
    Now.launches.clear();
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
  if (Now.running() && !Overrun)
    Queue.push_back({node, std::move(action), !node.value, Queued++}), ++Knowledge;
  else
    action();
}

/// Takes what it names out of the queue, in order. What an action adds comes after the rest.
void Collector::applyWhere(const std::function<bool(const Pending &)> &which) {
  std::vector<Pending> queue, left;
  queue.swap(Queue);
  for (Pending &p : queue)
    if (which(p))
      p.action();
    else
      left.push_back(std::move(p));
  Queue.insert(Queue.begin(), std::make_move_iterator(left.begin()),
               std::make_move_iterator(left.end()));
}

void Collector::applyQueue() {
  applyWhere([](const Pending &) { return true; });
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
  if (Now.running() && !Overrun) {
    InsideScope inside;
    uint64_t begun = milliseconds();
    bool ended = false;
    while (Now.issued() && !(ended = complete()) && milliseconds() - begun < ExitPatienceMs)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    conclude(ended);
  }
  applyQueue();
  Detector.finish();
  setCounters();
  host::finish();
}

} // namespace scopesan::cupti
