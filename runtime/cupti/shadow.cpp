// The collector's use of shadow memory on the device: tags, launches, copies, memory.
#include "cupti/collector.h"

#include <algorithm>

namespace scopesan::cupti {

using gpu::Counter;

/// The host's own shadow takes some nanoseconds for each word.
static constexpr uint64_t WideBytes = uint64_t(64) << 20;

/// From now on every part of global memory gets shadow. What ran before left no marks.
void Collector::startShadow(ContextLog &c) {
  ContextScope current(c.context);
  if (Shadow.isOn() || !Log.prepareFast(c) || !Shadow.start(c))
    return;
  for (auto &[address, m] : Allocations) {
    m.onHostOnly = m.hostReaches && Order.hasHostCode();
    if (m.kind == host::MemoryKind::ConstantVariable || m.onHostOnly)
      continue;
    Shadow.map(c, address, m.bytes, /*idle=*/!Now.running());
    Shadow.fill(c, address, m.bytes, 0);
  }
  for (auto &[address, m] : Allocations)
    if (m.onHostOnly)
      Shadow.fill(c, address, m.bytes, gpu::mark::Tracked);
}

/// Memory that instrumented host code reaches is judged where host code is: kernels log what they
/// do to it. It has no cells, but for those of chunks that it shares with other memory.
void Collector::hideFromShadow(ContextLog &c, uint64_t address, uint64_t bytes) {
  uint64_t first = address & ~(gpu::ChunkSize - 1),
           end = (address + bytes + gpu::ChunkSize - 1) & ~(gpu::ChunkSize - 1);
  auto a = Allocations.upper_bound(first);
  if (a != Allocations.begin())
    --a;
  for (; a != Allocations.end() && a->first < end; ++a)
    if (a->second.onHostOnly)
      Shadow.fill(c, a->first, a->second.bytes, gpu::mark::Tracked);
}

/// Before the first launch, so that large fills need not be judged on the host.
void Collector::startShadowEarly() {
  CUcontext current = nullptr;
  if (overlaps() || Shadow.isOn() || ShadowFailed || ContextsEnd ||
      cuCtxGetCurrent(&current) != CUDA_SUCCESS || !current)
    return;
  takeImages();
  if (!HasFastKernels)
    return;
  if (ContextLog *c = Log.of(current))
    startShadow(*c);
  ShadowFailed = !Shadow.isOn();
}

ContextLog *Collector::shadowHere() {
  if (!Shadow.isOn())
    startShadowEarly();
  if (!Shadow.isOn())
    return nullptr;
  CUcontext current = nullptr;
  cuCtxGetCurrent(&current);
  ContextLog *c = ContextsEnd ? nullptr : Log.of(current);
  if (!c || c->lost || c->device != Shadow.device())
    c = Log.anyOn(Shadow.device());
  if (!c)
    return nullptr;
  ContextScope scope(c->context);
  return Log.prepareFast(*c) ? c : nullptr;
}

gpu::LaunchTags::Assigned Collector::tagFor(ContextLog &c, const gpu::MarkSource &source) {
  if (Tags.full()) {
    Shadow.sweep(c, Tags.sweep(source.node, Order.hostForAll()));
    for (unsigned t = gpu::LaunchTags::First; t <= gpu::LaunchTags::Last; ++t)
      Replay.setTag(t, Tags.find(t) ? *Tags.find(t) : gpu::MarkSource());
  }
  if (Tags.missing(source.node, Order.hostForAll()))
    host::incomplete("more launches than the GPU's shadow memory can tell apart were not waited "
                     "for: races with the first of them may be missed");
  gpu::LaunchTags::Assigned a = Tags.assign(source);
  Replay.setTag(a.tag, source);
  return a;
}

void Collector::describeShadow(ContextLog &c, gpu::Log &log, const gpu::MarkSource &source) {
  gpu::LaunchTags::Assigned a = tagFor(c, source);
  log.table = Shadow.table();
  log.tableMask = Shadow.tableMask();
  log.tag = uint64_t(a.tag) << gpu::mark::TagShift;
  log.oldest = a.oldest;
  log.orderedTags = a.ordered;
  log.blockShift = source.layout.blockShift;
  log.phaseShift = source.layout.phaseShift;
  log.epochShift = source.layout.epochShift;
}

/// As many slots as blocks can be resident.
SlotDemand Collector::slotsFor(const LaunchRequest &r, const Function &f, uint32_t sharedBytes) {
  SlotDemand slots;
  int perMultiprocessor = 0, multiprocessors = 0;
  CUdevice device = 0;
  if (!f.usesShared || cuCtxGetDevice(&device) != CUDA_SUCCESS ||
      cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device) !=
          CUDA_SUCCESS ||
      cuOccupancyMaxActiveBlocksPerMultiprocessor(
          &perMultiprocessor, f.handle, int(r.block.count()), r.dynamicShared) != CUDA_SUCCESS)
    return slots;
  slots.blocks = r.grid.count();
  uint64_t resident = uint64_t(perMultiprocessor) * uint64_t(multiprocessors) + 32;
  slots.count = uint32_t(std::min<uint64_t>({resident, slots.blocks, gpu::MaxSlots}));
  slots.bytes = (sharedBytes + 3) / 4 * 16;
  return slots;
}

// ---------------------------------------------------------------- copies, fills

void Collector::nodeAccesses(core::NodeId node, const std::vector<NodeAccess> &accesses) {
  for (const auto &[b, write, content] : accesses)
    for (uint64_t row = 0; write && row < b.depth * b.height; ++row)
      Constants.written(Detector, node,
                        b.address + row / b.height * b.slice + row % b.height * b.pitch, b.width);
  for (const NodeAccess &a : accesses)
    noteContent(a);
  ContextLog *c = shadowHere();
  if (c)
    nodeOnDevice(*c, node, accesses);
  else
    Tags.forget(node);
  for (const NodeAccess &a : accesses) {
    const Box &b = a.box;
    for (uint64_t z = 0; z < b.depth; ++z)
      for (uint64_t y = 0; y < b.height; ++y)
        for (const gpu::ShadowMap::Piece &p :
             Shadow.pieces(b.address + z * b.slice + y * b.pitch, b.width)) {
          if (c && p.shadow)
            continue;
          nodeOnHost(node, p.address, p.bytes, a.write);
        }
  }
  followed(node);
}

/// Every node that accesses memory comes by here, after what it does was checked.
void Collector::followed(core::NodeId node) {
  if (Wide.missing(node, Order.hostForAll()))
    host::incomplete("a large copy or fill that is not ordered before other work was not checked "
                     "against it on the GPU");
  Everything.add(node);
}

/// A large range that follows everything races with nothing; it is not remembered word by word, and
/// work that is not ordered after it is told.
void Collector::nodeOnHost(core::NodeId node, uint64_t address, uint64_t bytes, bool write) {
  if (bytes >= WideBytes && !Everything.missing(node, Order.hostForAll()))
    Wide.add(node);
  else if (write)
    Detector.nodeWrite(node, address, bytes, {});
  else
    Detector.nodeRead(node, address, bytes, {});
}

/// A launch of one thread, by the collector's own kernel.
void Collector::nodeOnDevice(ContextLog &c, core::NodeId node,
                             const std::vector<NodeAccess> &accesses, bool ends) {
  ContextScope current(c.context);
  gpu::MarkSource source;
  source.node = node;
  source.layout = gpu::markLayout(1, false);
  Stamp = Stamp % 0xffff + 1;
  gpu::Log log = Log.blank(c, Stamp);
  describeShadow(c, log, source);
  DeviceLog::Outcome outcome;
  bool good = Log.clearFast(c, log, {}) && Log.write(c, log);
  for (const NodeAccess &a : accesses) {
    using abi::AccessKind;
    abi::Op op(a.write ? AccessKind::Store : AccessKind::Load, abi::MemoryOrder::Weak,
               abi::Scope::Thread);
    Box b = a.box;
    if (b.height > 1 && b.pitch == b.width)
      b.width *= b.height, b.height = 1;
    if (b.depth > 1 && b.height == 1 && b.slice == b.width)
      b.width *= b.depth, b.depth = 1;
    good = good && Shadow.check(c, {log, c.log, b.address, b.width, b.height, b.pitch, b.depth,
                                    b.slice, a.write, op.raw()});
  }
  if (!good || !Log.read(c, outcome))
    return host::incomplete("a copy could not be checked: the device does not respond");
  addCounters(outcome);
  uint64_t count = std::min<uint64_t>(outcome.log.cursor, Log.capacity());
  Dropped += outcome.log.cursor - count;
  if (!count)
    return;
  gpu::ReplayLaunch launch;
  launch.node = node;
  launch.threadsPerBlock = 1;
  launch.stamp = Stamp;
  launch.tag = uint32_t(log.tag >> gpu::mark::TagShift);
  launch.ends = ends;
  Replay.begin(launch);
  Replay.scan(Log.records(), count, /*final=*/true);
  Replay.end();
}

// ---------------------------------------------------------------- memory

void Collector::memoryStarts(uint64_t address, uint64_t bytes, core::NodeId since,
                             bool onHostOnly) {
  Replay.locations().values().forget(address, bytes);
  ContextLog *c = shadowHere();
  if (c && onHostOnly) {
    ContextScope current(c->context);
    Shadow.fill(*c, address, bytes, gpu::mark::Tracked);
  } else if (c) {
    ContextScope current(c->context);
    Shadow.map(*c, address, bytes, /*idle=*/!Now.running());
    hideFromShadow(*c, address, bytes);
    uint64_t mark = 0;
    if (since.value) { // as if it had been written by its allocation
      gpu::MarkSource source;
      source.node = since;
      source.lifetime = true;
      source.layout = gpu::markLayout(1, false);
      mark = uint64_t(tagFor(*c, source).tag) << gpu::mark::TagShift | 15;
    }
    Shadow.fill(*c, address, bytes, mark);
  }
  Detector.allocated(address, bytes, since);
}

void Collector::memoryEnds(uint64_t address, uint64_t bytes, core::NodeId by, bool afterAll) {
  Replay.locations().values().forget(address, bytes);
  if (ContextLog *c = shadowHere()) {
    if (!afterAll) {
      Box all;
      all.address = address;
      all.width = bytes;
      nodeOnDevice(*c, by, {{all, true, nullptr}}, /*ends=*/true);
    }
    ContextScope current(c->context);
    Shadow.fill(*c, address, bytes, gpu::mark::Freed);
  }
  Detector.freed(address, bytes, by, afterAll);
  Detector.setAtomicity(address, bytes, {});
}

// ---------------------------------------------------------------- what was counted

void Collector::addCounters(const DeviceLog::Outcome &outcome) {
  for (auto &row : outcome.counters)
    for (uint32_t i = 0; i < gpu::Counters; ++i)
      Totals[i] += row[i];
  auto total = [&](Counter c) { return Totals[uint32_t(c)]; };
  if (uint64_t n = total(Counter::TimeOverflow))
    host::findingSink().gaveUp("threads of the GPU passed more barriers than its shadow memory can "
                               "count: their later accesses were not checked",
                               n);
  if (uint64_t n = total(Counter::BarrierDiverged))
    host::findingSink().gaveUp("block barriers of the GPU were passed by a part of a warp: what "
                               "they order, and whether they are used well, was not checked",
                               n);
  if (uint64_t n = total(Counter::GridsMixed))
    host::findingSink().gaveUp("launches that overlap on the GPU could not be told apart: some of "
                               "their events were not checked",
                               n);
  if (uint64_t n = total(Counter::SlotsMissing))
    host::findingSink().gaveUp("shared memory of some blocks was not checked on the GPU: there was "
                               "no room for its shadow",
                               n);
}

} // namespace scopesan::cupti
