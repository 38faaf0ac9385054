#include "gpu/replay.h"

#include <algorithm>
#include <utility>

namespace scopesan::gpu {

using core::SiteId;

void Replay::begin(const ReplayLaunch &launch) {
  bool isFirst = Launches.empty();
  if (isFirst) {
    Paired = Judged = 0;
    Partner.clear();
    Atomics.forgetAll(); // copies and the host may have changed every value
  }
  L = Launches.emplace_back(std::make_unique<LaunchState>()).get();
  L->launch = launch;
  L->launch.sharedBytes = uint32_t(std::min<uint64_t>(launch.sharedBytes, SlotBytes));
  if (isFirst)
    start(*L);
}

/// The launch of a record; false: it is of none, or has not been written whole.
bool Replay::select(const Record &r) {
  if (L && r.complete(L->launch.stamp))
    return true;
  for (auto &launch : Launches)
    if (r.complete(launch->launch.stamp)) {
      L = launch.get();
      return true;
    }
  return false;
}

/// Ends the launches that have left all their records.
void Replay::endThose(const std::function<bool(core::NodeId)> &which) {
  LaunchState *now = L;
  for (size_t i = 0; i < Launches.size(); ++i) {
    if (Launches[i]->ended || !which(Launches[i]->launch.node))
      continue;
    if (!Launches[i]->started)
      start(*Launches[i]);
    L = Launches[i].get();
    endSelected();
  }
  L = now;
}

/// S14: what it is ordered after has ended, and left all its records before the launch's first.
void Replay::start(LaunchState &launch) {
  launch.started = true;
  core::NodeId node = launch.launch.node;
  endThose([&](core::NodeId other) { return D.precedes(other, node); });
  if (OnStart)
    OnStart(node);
  D.beginLaunch(node);
}

void Replay::scan(const Record *records, uint64_t count, bool final) {
  if (!active())
    return;
  pair(records, count, final);
  uint64_t limit = Paired;
  if (!final)
    for (auto &launch : Launches)
      for (auto &[thread, at] : launch->open)
        limit = std::min(limit, at);
  for (; Judged < limit; ++Judged)
    if (select(records[Judged])) {
      if (!L->started)
        start(*L);
      if (!L->ended)
        event(records, Judged);
    }
}

void Replay::pair(const Record *records, uint64_t count, bool final) {
  if (Partner.size() < count)
    Partner.resize(count);
  for (; Paired < count; ++Paired) {
    const Record &r = records[Paired];
    bool whole = select(r);
    if (whole && hasSecond(r) && !final)
      whole = Paired + 1 < count && records[Paired + 1].complete(L->launch.stamp);
    if (whole)
      pairOne(r, Paired, records);
    else if (!final)
      break;
  }
}

void Replay::pairOne(const Record &r, uint64_t at, const Record *records) {
  switch (r.kind()) {
  case EventKind::AtomicBefore: {
    uint64_t who = key(r);
    auto [last, isFirst] = L->lastAtomic.try_emplace(who, at);
    if (!isFirst) {
      const Record &before = records[last->second];
      if (before.high == r.high && before.value == r.value)
        Partner[last->second] |= RepeatedBit;
      last->second = at;
    }
    L->open[who] = at;
    return;
  }
  case EventKind::AtomicAfter:
    if (auto open = L->open.find(key(r)); open != L->open.end()) {
      constexpr uint32_t Step = Wrote | WrittenKnown | ValueKnown;
      uint64_t written = uint64_t(r.high) << 32 | r.low;
      if ((r.extra & Step) == Step && written != r.value)
        L->directions[records[open->second].value] |= written < r.value ? Falls : Rises;
      Partner[open->second] |= uint32_t(at - open->second);
      L->open.erase(open);
    }
    return;
  case EventKind::SharedVariable:
    if (r.value & SharedBit)
      L->variables.push_back({uint32_t(r.value), r.low, TextOf ? TextOf(SiteId{r.high}) : ""});
    return;
  case EventKind::Exit:
    L->lastAtomic.erase(key(r));
    return;
  default:
    return;
  }
}

// ---------------------------------------------------------------- blocks

Replay::BlockState &Replay::block(uint32_t index) {
  BlockState *&recent = L->recent[index % L->recent.size()];
  if (recent && recent->index == index)
    return *recent;
  auto b = L->blocks.find(index);
  if (b == L->blocks.end()) {
    if (L->launch.mode == KernelMode::Syncless)
      limitBlocks();
    beginCluster(index);
    b = L->blocks.find(index);
  }
  return *(recent = b->second.get());
}

/// Blocks of a cluster become resident together.
void Replay::beginCluster(uint32_t index) {
  const core::Dim3 &g = L->launch.grid, &c = L->launch.cluster;
  uint32_t x = index % g.x / c.x * c.x, y = index / g.x % g.y / c.y * c.y,
           z = index / g.x / g.y / c.z * c.z;
  auto cluster = std::make_shared<ClusterState>();
  cluster->live = uint32_t(c.count());
  for (uint32_t rank = 0; rank < cluster->live; ++rank) {
    auto b = std::make_unique<BlockState>();
    b->index = x + rank % c.x + g.x * (y + rank / c.x % c.y + g.y * (z + rank / c.x / c.y));
    b->rank = rank;
    b->cluster = cluster;
    if (FreeSlots.empty()) {
      FreeSlots.push_back(uint32_t(SlotOwners.size()));
      SlotOwners.push_back(nullptr);
    }
    SlotOwners[FreeSlots.back()] = L;
    uint64_t shared = SharedBase + FreeSlots.back() * SlotBytes;
    cluster->slots.push_back(FreeSlots.back());
    FreeSlots.pop_back();
    D.forget(shared, L->launch.sharedBytes); // P5
    b->detect = D.beginBlock(L->launch.node, b->index);
    D.sharedMemory(b->detect, shared, L->launch.sharedBytes);
    b->live = uint32_t(L->launch.threadsPerBlock);
    if (L->launch.mode == KernelMode::Mixed)
      L->phaseTimes[b->index] = {D.thread(b->detect, core::ThreadIndex{0})->time};
    if (auto known = L->phases.find(b->index); known != L->phases.end()) {
      b->phase = known->second;
      D.passBarrier(b->detect, {b->phase + 1});
    }
    b->threads.resize(L->launch.threadsPerBlock);
    cluster->members.push_back(b.get());
    uint32_t key = b->index;
    L->blocks[key] = std::move(b);
  }
}

void Replay::endBlock(BlockState &b, bool ran) {
  Atomics.forgetUnordered(b.detect);
  D.endBlock(b.detect, ran);
  std::shared_ptr<ClusterState> cluster = b.cluster;
  cluster->members[b.rank] = nullptr;
  if (--cluster->live == 0)
    for (uint32_t slot : cluster->slots) {
      Atomics.forget(SharedBase + slot * SlotBytes, L->launch.sharedBytes);
      FreeSlots.push_back(slot);
      SlotOwners[slot] = nullptr;
    }
  L->recent[b.index % L->recent.size()] = nullptr;
  L->blocks.erase(b.index);
}

void Replay::exitThread(BlockState &b, uint32_t i) {
  ThreadState &t = b.threads[i];
  settle(t);
  if (t.exited)
    return;
  t.exited = true;
  --b.live;
  D.threadExit(*D.thread(b.detect, core::ThreadIndex{i}));
}

void Replay::end() {
  if (!active())
    return;
  endThose([](core::NodeId) { return true; });
  if (LostReaders)
    host::findingSink().gaveUp("readers of a word that was written later in the same kernel could "
                               "not all be told apart on the GPU: races with them may be missed",
                               LostReaders);
  bool allLogged = std::all_of(Launches.begin(), Launches.end(), [](const auto &launch) {
    return launch->launch.mode == KernelMode::Logged;
  });
  if (allLogged)
    Atomics.remember(SharedBase);
  else
    Atomics.values().clear(); // others write without a record
  Launches.clear();
  L = nullptr;
}

void Replay::endSelected() {
  L->ended = true;
  std::vector<uint32_t> left;
  for (auto &[index, b] : L->blocks)
    left.push_back(index);
  std::sort(left.begin(), left.end()); // the same order in every run
  for (uint32_t index : left) {
    BlockState &b = *L->blocks[index];
    for (uint32_t i = 0; i < b.threads.size(); ++i)
      exitThread(b, i);
  }
  for (uint32_t index : left)
    endBlock(*L->blocks[index], /*ran=*/false);
  D.endLaunch(L->launch.node);
}

uint64_t Replay::place(const BlockState &b, uint64_t value) const {
  if (!(value & SharedBit))
    return value;
  uint32_t rank = value & PeerBit ? uint32_t(value >> 32) & 0xffff : b.rank;
  uint32_t slot = rank < b.cluster->slots.size() ? b.cluster->slots[rank] : b.slot();
  return SharedBase + slot * SlotBytes + uint32_t(value) % SlotBytes;
}

Replay::BlockState *Replay::owner(BlockState &b, uint64_t value) const {
  uint32_t rank = value & PeerBit ? uint32_t(value >> 32) & 0xffff : b.rank;
  return rank < b.cluster->members.size() ? b.cluster->members[rank] : &b;
}

// ---------------------------------------------------------------- events

/// The thread goes on: what it left open is over.
void Replay::settle(ThreadState &t) {
  for (AtomicOp *op : {std::exchange(t.pending, nullptr), std::exchange(t.change, nullptr)}) {
    if (!op)
      continue;
    if (op->isStore())
      Atomics.force(*op);
    else
      Atomics.abandon(*op); // its second ticket was lost
    FreeOps.push_back(op);
  }
}

AtomicOp *Replay::newOp(const Record &before, BlockState &b) {
  AtomicOp *x;
  if (FreeOps.empty()) {
    x = &Pool.emplace_back();
  } else {
    x = FreeOps.back();
    FreeOps.pop_back();
    *x = AtomicOp();
  }
  x->thread = D.thread(b.detect, core::ThreadIndex{before.thread()});
  x->address = place(b, before.value);
  x->bytes = L->launch.mode == KernelMode::Mixed ? before.low & 0xff : before.low;
  x->op = abi::Op(before.extra);
  x->site = {before.high};
  auto directions = L->directions.find(before.value);
  x->swings = directions != L->directions.end() && directions->second == (Rises | Falls);
  return x;
}

void Replay::tellOutcome(AtomicOp &op, const Record &after) {
  op.wrote = after.extra & Wrote;
  op.writtenKnown =
      op.wrote && (after.extra & WrittenKnown) && op.op.kind() != abi::AccessKind::Red;
  op.valueKnown = after.extra & ValueKnown;
  op.value = after.value;
  op.waits = op.op.kind() == abi::AccessKind::Load && after.low;
  op.written = uint64_t(after.high) << 32 | after.low;
}

void Replay::atomicBefore(const Record *records, uint64_t at, BlockState &b, ThreadState &t) {
  const Record &r = records[at];
  uint32_t distance = Partner[at] & ~RepeatedBit;
  abi::Op op(r.extra);
  bool isStore = op.kind() == abi::AccessKind::Store || op.kind() == abi::AccessKind::Red;
  if (!distance && !isStore)
    return; // never seen to end
  AtomicOp *x = newOp(r, b);
  x->repeated = Partner[at] & RepeatedBit;
  x->wrote = isStore;
  const Record *after = distance ? &records[at + distance] : nullptr;
  if (after)
    tellOutcome(*x, *after);
  if (after && hasSecond(*after) && after[1].complete(L->launch.stamp)) {
    // The change was read after the first value: it may have been written at any time since then.
    t.change = newOp(r, b);
    t.change->repeated = std::exchange(x->repeated, true);
    tellOutcome(*t.change, after[1]);
    Atomics.open(*t.change);
  }
  Atomics.open(*x);
  t.pending = x;
}

void Replay::atomicAfter(const Record &, ThreadState &t) {
  AtomicOp *op = t.pending;
  if (!op || op->isStore())
    return; // a store stays pending until its thread goes on
  Atomics.close(*op);
  t.pending = std::exchange(t.change, nullptr);
  FreeOps.push_back(op);
}

void Replay::event(const Record *records, uint64_t at) {
  const Record &r = records[at];
  if (r.kind() == EventKind::SharedVariable || r.thread() >= L->launch.threadsPerBlock)
    return;
  BlockState &b = block(r.block);
  ThreadState &t = b.threads[r.thread()];
  core::Thread &who = *D.thread(b.detect, core::ThreadIndex{r.thread()});
  SiteId site{r.high};
  if (L->launch.mode != KernelMode::Logged) {
    enterPhase(b, r.phase());
    b.usesShared |= (r.value & SharedBit) && r.kind() != EventKind::Known;
  }
  if (r.kind() == EventKind::AtomicAfter)
    return atomicAfter(r, t);
  settle(t);
  if (L->launch.mode == KernelMode::Mixed)
    if (uint32_t tick = tickOf(r); tick != EndOfPhase)
      noteStep(b, r.thread(), tick);
  if (L->launch.ends && (r.kind() == EventKind::Read || r.kind() == EventKind::Write))
    return;
  switch (r.kind()) {
  case EventKind::Read:
    return D.read(who, place(b, r.value), r.low, site);
  case EventKind::Write:
    Atomics.weakWrite(place(b, r.value), r.low, &who);
    return D.write(who, place(b, r.value), r.low, site);
  case EventKind::ReadRange:
    return D.readRange(who, place(b, r.value), uint64_t(r.extra) << 32 | r.low, site);
  case EventKind::WriteRange:
    Atomics.weakWrite(place(b, r.value), uint64_t(r.extra) << 32 | r.low, &who);
    return D.writeRange(who, place(b, r.value), uint64_t(r.extra) << 32 | r.low, site);
  case EventKind::AtomicBefore:
    if (L->launch.mode == KernelMode::Syncless) // its value orders nothing
      return D.atomicAfter(who, place(b, r.value), r.low, strongOp(site), site, true, 0);
    return atomicBefore(records, at, b, t);
  case EventKind::Fence:
    Atomics.fenced(b.detect);
    return D.fence(who, abi::Op(r.extra), site);
  case EventKind::BlockArrive:
    return D.blockBarrierArrive(who, abi::BarrierKind(r.value >> 32), uint32_t(r.value), r.low,
                                site);
  case EventKind::WarpArrive:
    if (r.extra)
      return warpArrive(b, r);
    return D.warpBarrierArrive(who, r.low, site);
  case EventKind::Exit:
    if (L->launch.mode == KernelMode::Mixed)
      exitLanes(b, r.thread(), r.low);
    else
      exitThread(b, r.thread());
    if (b.live == 0)
      endBlock(b);
    return;
  case EventKind::Unmodelled: // low 1: the operation is over
    D.unmodelled(who);
    if (r.low == 0)
      host::incomplete("an operation that ScopeSan does not model was executed", site);
    return;
  case EventKind::Operands:
    t.operands = r;
    return;
  case EventKind::TensorStart:
    t.start = r;
    return;
  case EventKind::Known:
  case EventKind::Candidate:
    return fastEvent({r, b, t, who, site});
  default:
    return asyncEvent({r, b, t, who, site});
  }
}

host::SharedPlace Replay::resolveShared(uint64_t address) const {
  host::SharedPlace p;
  uint64_t slot = (address - SharedBase) / SlotBytes;
  if (address < SharedBase || slot >= SlotOwners.size() || !active())
    return p;
  auto offset = uint32_t((address - SharedBase) % SlotBytes);
  p.found = true;
  p.offset = offset;
  const LaunchState *owner = SlotOwners[slot] ? SlotOwners[slot] : L;
  for (const Variable &v : owner->variables)
    if (offset - v.offset < v.bytes) {
      p.variable = v.name;
      p.offset = offset - v.offset;
      p.size = v.bytes;
      return p;
    }
  const ReplayLaunch &launch = owner->launch;
  if (launch.dynamicBytes && offset >= launch.dynamicOffset) {
    p.variable = "dynamic shared memory";
    p.offset = offset - launch.dynamicOffset;
    p.size = launch.dynamicBytes;
  }
  return p;
}

} // namespace scopesan::gpu
