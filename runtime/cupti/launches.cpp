// Launches of kernels: what the log and the detector must know before one starts.
#include "cupti/collector.h"

#include <stdio.h>
#include <thread>

namespace scopesan::cupti {
namespace {

gpu::MarkLayout layoutOf(const Function &f, uint64_t blocks) {
  return gpu::markLayout(blocks, f.mode == gpu::KernelMode::Mixed, f.gridBarriers);
}

} // namespace

std::string Collector::obstacle(const Function &f, const LaunchRequest &r) {
  if (!f.instrumented)
    return "is not instrumented: its accesses were not checked; build it with scopesan-clang++ "
           "or --config scopesan.cfg";
  if (r.grid.count() >= (uint64_t(1) << 32))
    return "has too many blocks to be checked";
  if (Overrun || uncheckedRuns())
    return "was not checked: an earlier kernel has not ended";
  ContextLog *log = Log.of(r.context);
  if (!log)
    return "was not checked: there is no log";
  if (log->lost)
    return "was not checked: an earlier kernel has failed";
  if (f.mode != gpu::KernelMode::Logged && r.grid.count() > gpu::MaxMarkBlocks)
    return "has too many blocks to be checked";
  return "";
}

void Collector::launchBegins(const LaunchRequest &r) {
  InsideScope inside;
  RelaxedCapture relaxed;
  if (!overlaps())
    settle(/*wait=*/true);
  const Function &f = functionOf(r);
  if (overlaps())
    makeWay(r, f);
  gpu::Stream &s = Order.stream(r.stream, false, r.context);
  // Its blocks have started: what they follow has ended, and nothing of them is promised.
  if (r.startedEvent)
    Order.recorded(r.startedEvent, s);
  if (r.triggeredEvent)
    host::incomplete("an event that a kernel triggers is taken as recorded at the kernel's end on "
                     "the GPU");
  std::string why = obstacle(f, r);
  if (!why.empty() && f.instrumented)
    settle(/*wait=*/true);
  if (why.empty()) {
    begin(r, f, s);
  } else {
    host::incomplete("kernel '" + f.name + "' " + why);
    if (r.place)
      r.place->node = Order.markerAt(r.place->at);
    else
      Order.marker(s);
    valuesUnknown(r.place ? r.place->node : core::NodeId{});
    if (f.instrumented)
      beginUnchecked();
  }
  if (r.triggeredEvent)
    Order.recorded(r.triggeredEvent, s);
}

/// The launch in the launch order, and its name in reports.
core::NodeId Collector::launchNode(const LaunchRequest &r, const Function &f, gpu::Stream &s,
                                   core::LaunchFacts &facts, CUdevice device) {
  facts.grid = r.grid;
  facts.block = r.block;
  facts.cluster = r.cluster.count() > 1 ? r.cluster : f.cluster;
  facts.cooperative = r.cooperative;
  facts.inGraph = r.place != nullptr;
  facts.device = {uint16_t(device)};
  facts.domain = r.domain;
  host::LaunchRecord record;
  if (r.place) {
    record.node = r.place->node = Order.launchAt(r.place->at, facts);
    record.origin = r.place->origin;
    record.origin.primaries = r.place->at.primaries;
  } else {
    record.node = Order.launch(s, facts, r.programmatic);
    record.origin.stack = host::captureStack();
  }
  record.origin.stream = s.ordinal;
  record.origin.device = uint32_t(device);
  record.firstBlock = Detector.firstBlock(record.node);
  record.kernel = f.name;
  record.grid = r.grid;
  record.block = r.block;
  record.cluster = facts.cluster;
  record.dynamicShared = r.dynamicShared;
  record.index = ++LaunchCount;
  record.cooperative = r.cooperative;
  record.domain = r.domain.value;
  host::launchStarted(record);
  return record.node;
}

void Collector::begin(const LaunchRequest &r, const Function &f, gpu::Stream &s) {
  ContextLog *log = Log.of(r.context);
  core::LaunchFacts facts;
  core::NodeId node = launchNode(r, f, s, facts, log->device);
  Active active;
  active.name = f.name;
  active.number = LaunchCount;
  active.node = node;
  active.kernel = f.id;
  active.queued = Queued;
  active.atStart = [this, node, constants = f.constants, name = f.name, host = Order.hostForAll()] {
    Constants.launched(Detector, node, constants, name, host);
  };
  gpu::ReplayLaunch launch;
  launch.mode = f.mode;
  launch.node = node;
  launch.grid = facts.grid;
  launch.cluster = facts.cluster;
  launch.threadsPerBlock = r.block.count();
  launch.dynamicOffset = log->reservedShared + f.staticShared;
  launch.dynamicBytes = r.dynamicShared;
  launch.sharedBytes = launch.dynamicOffset + r.dynamicShared;
  launch.stamp = Stamp = Stamp % 0xffff + 1;

  bool isFast = f.mode != gpu::KernelMode::Logged;
  gpu::Log state = Log.blank(*log, Stamp);
  if (isFast) {
    if (!overlaps())
      startShadow(*log);
    Detector.settledElsewhere();
  }
  bool good = true;
  if (shadowHere() == log) {
    gpu::MarkSource source;
    source.node = node;
    source.layout = layoutOf(f, r.grid.count());
    source.firstSite = f.firstSite;
    source.mode = f.mode;
    describeShadow(*log, state, source);
    launch.tag = uint32_t(state.tag >> gpu::mark::TagShift);
    if (isFast)
      good = Log.clearFast(*log, state, slotsFor(r, f, launch.sharedBytes));
  } else {
    Tags.forget(node);
    state.tag = state.oldest = uint64_t(1) << gpu::mark::TagShift; // fast kernels need one
    launch.layout = layoutOf(f, r.grid.count());
    state.blockShift = launch.layout.blockShift;
    state.phaseShift = launch.layout.phaseShift;
    state.epochShift = launch.layout.epochShift;
    if (Shadow.isOn())
      host::incomplete("a second device is used: races with the first one are not looked for");
  }
  active.slot = freeSlot();
  active.done = overlaps() ? Log.doneOf(*log, active.slot) : log->done;
  if (!good ||
      !(overlaps() ? writeBeside(*log, state, active) : Log.writeBefore(*log, state, r.stream)))
    return host::incomplete("kernel '" + f.name + "' was not checked: the device does not respond");
  followed(node);
  if (!Now.running())
    Now = {log, {}, 0};
  Now.launches.push_back(std::move(active));
  Replay.begin(launch);
}

/// An instrumented kernel is about to run outside of an active launch: nobody records meanwhile.
void Collector::beginUnchecked() {
  Log.switchOff();
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
  RelaxedCapture relaxed;
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
  if (!Now.running() || Overrun || Now.launches.back().issued)
    return;
  Active &a = Now.launches.back();
  a.issued = true;
  if (succeeded && (overlaps() ? cuEventRecord(a.done, stream) == CUDA_SUCCESS
                               : Log.readAfter(*Now.log, stream)))
    return;
  a.ended = true; // it never began
  if (Now.launches.size() > 1) {
    Log.writeKernels(*Now.log, kernelsInSlots());
    return;
  }
  Now.launches.clear();
  Replay.end();
}

bool Collector::waitFor(CUstream stream) {
  uint64_t begun = milliseconds();
  while (cuStreamQuery(stream) == CUDA_ERROR_NOT_READY) {
    if (milliseconds() - begun >= LaunchPatienceMs)
      return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

void Collector::uncheckedLaunch(const std::string &what, gpu::Stream &stream) {
  InsideScope inside;
  settle(/*wait=*/true);
  host::incomplete(what);
  beginUnchecked();
  valuesUnknown(Order.marker(stream));
}

} // namespace scopesan::cupti
