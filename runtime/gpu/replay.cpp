#include "gpu/replay.h"

#include <algorithm>
#include <utility>

namespace scopesan::gpu {

using core::SiteId;

void Replay::begin(const ReplayLaunch &launch) {
  Launch = launch;
  Launch.sharedBytes = uint32_t(std::min<uint64_t>(Launch.sharedBytes, SlotBytes));
  Active = true;
  Paired = Judged = 0;
  Partner.clear();
  Open.clear();
  LastAtomic.clear();
  Variables.clear();
  Phases.clear();
  Steps.clear();
  PhaseTimes.clear();
  D.beginLaunch(Launch.node);
  Atomics.forgetAll(); // copies and the host may have changed every value
}

void Replay::scan(const Record *records, uint64_t count, bool final) {
  if (!Active)
    return;
  pair(records, count, final);
  uint64_t limit = Paired;
  if (!final)
    for (auto &[thread, at] : Open)
      limit = std::min(limit, at);
  for (; Judged < limit; ++Judged)
    if (records[Judged].complete(Launch.stamp))
      event(records, Judged);
}

void Replay::pair(const Record *records, uint64_t count, bool final) {
  if (Partner.size() < count)
    Partner.resize(count);
  for (; Paired < count; ++Paired) {
    const Record &r = records[Paired];
    bool whole = r.complete(Launch.stamp);
    if (whole && hasSecond(r) && !final)
      whole = Paired + 1 < count && records[Paired + 1].complete(Launch.stamp);
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
    auto [last, isFirst] = LastAtomic.try_emplace(who, at);
    if (!isFirst) {
      const Record &before = records[last->second];
      if (before.high == r.high && before.value == r.value)
        Partner[last->second] |= RepeatedBit;
      last->second = at;
    }
    Open[who] = at;
    return;
  }
  case EventKind::AtomicAfter:
    if (auto open = Open.find(key(r)); open != Open.end()) {
      Partner[open->second] |= uint32_t(at - open->second);
      Open.erase(open);
    }
    return;
  case EventKind::SharedVariable:
    if (r.value & SharedBit)
      Variables.push_back({uint32_t(r.value), r.low, TextOf ? TextOf(SiteId{r.high}) : ""});
    return;
  case EventKind::Exit:
    LastAtomic.erase(key(r));
    return;
  default:
    return;
  }
}

// ---------------------------------------------------------------- blocks

Replay::BlockState &Replay::block(uint32_t index) {
  BlockState *&recent = Recent[index % Recent.size()];
  if (recent && recent->index == index)
    return *recent;
  auto b = Blocks.find(index);
  if (b == Blocks.end()) {
    if (Launch.mode == KernelMode::Syncless)
      limitBlocks();
    beginCluster(index);
    b = Blocks.find(index);
  }
  return *(recent = b->second.get());
}

/// Blocks of a cluster become resident together.
void Replay::beginCluster(uint32_t index) {
  const core::Dim3 &g = Launch.grid, &c = Launch.cluster;
  uint32_t x = index % g.x / c.x * c.x, y = index / g.x % g.y / c.y * c.y,
           z = index / g.x / g.y / c.z * c.z;
  auto cluster = std::make_shared<ClusterState>();
  cluster->live = uint32_t(c.count());
  for (uint32_t rank = 0; rank < cluster->live; ++rank) {
    auto b = std::make_unique<BlockState>();
    b->index = x + rank % c.x + g.x * (y + rank / c.x % c.y + g.y * (z + rank / c.x / c.y));
    b->rank = rank;
    b->cluster = cluster;
    if (FreeSlots.empty())
      FreeSlots.push_back(SlotCount++);
    uint64_t shared = SharedBase + FreeSlots.back() * SlotBytes;
    cluster->slots.push_back(FreeSlots.back());
    FreeSlots.pop_back();
    D.forget(shared, Launch.sharedBytes); // P5
    b->detect = D.beginBlock(Launch.node, b->index);
    D.sharedMemory(b->detect, shared, Launch.sharedBytes);
    b->live = uint32_t(Launch.threadsPerBlock);
    if (Launch.mode == KernelMode::Mixed)
      PhaseTimes[b->index] = {D.thread(b->detect, core::ThreadIndex{0})->time};
    if (auto known = Phases.find(b->index); known != Phases.end()) {
      b->phase = known->second;
      D.passBarrier(b->detect, {b->phase + 1});
    }
    b->threads.resize(Launch.threadsPerBlock);
    cluster->members.push_back(b.get());
    uint32_t key = b->index;
    Blocks[key] = std::move(b);
  }
}

void Replay::endBlock(BlockState &b) {
  D.endBlock(b.detect);
  std::shared_ptr<ClusterState> cluster = b.cluster;
  cluster->members[b.rank] = nullptr;
  if (--cluster->live == 0)
    for (uint32_t slot : cluster->slots) {
      Atomics.forget(SharedBase + slot * SlotBytes, Launch.sharedBytes);
      FreeSlots.push_back(slot);
    }
  Recent[b.index % Recent.size()] = nullptr;
  Blocks.erase(b.index);
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
  if (!Active)
    return;
  std::vector<uint32_t> left;
  for (auto &[index, b] : Blocks)
    left.push_back(index);
  std::sort(left.begin(), left.end()); // the same order in every run
  for (uint32_t index : left) {
    BlockState &b = *Blocks[index];
    for (uint32_t i = 0; i < b.threads.size(); ++i)
      exitThread(b, i);
  }
  for (uint32_t index : left)
    endBlock(*Blocks[index]);
  if (LostReaders)
    host::findingSink().gaveUp("readers of a word that was written later in the same kernel could "
                               "not all be told apart on the GPU: races with them may be missed",
                               LostReaders);
  D.endLaunch(Launch.node);
  Active = false;
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
  x->bytes = Launch.mode == KernelMode::Mixed ? before.low & 0xff : before.low;
  x->op = abi::Op(before.extra);
  x->site = {before.high};
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
  if (after && hasSecond(*after) && after[1].complete(Launch.stamp)) {
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
  if (r.kind() == EventKind::SharedVariable || r.thread() >= Launch.threadsPerBlock)
    return;
  BlockState &b = block(r.block);
  ThreadState &t = b.threads[r.thread()];
  core::Thread &who = *D.thread(b.detect, core::ThreadIndex{r.thread()});
  SiteId site{r.high};
  if (Launch.mode != KernelMode::Logged) {
    enterPhase(b, r.phase());
    b.usesShared |= (r.value & SharedBit) && r.kind() != EventKind::Known;
  }
  if (r.kind() == EventKind::AtomicAfter)
    return atomicAfter(r, t);
  settle(t);
  if (Launch.mode == KernelMode::Mixed)
    if (uint32_t tick = tickOf(r); tick != EndOfPhase)
      noteStep(b, r.thread(), tick);
  if (Launch.ends && (r.kind() == EventKind::Read || r.kind() == EventKind::Write))
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
    if (Launch.mode == KernelMode::Syncless) // its value orders nothing
      return D.atomicAfter(who, place(b, r.value), r.low, strongOp(site), site, true, 0);
    return atomicBefore(records, at, b, t);
  case EventKind::Fence:
    return D.fence(who, abi::Op(r.extra), site);
  case EventKind::BlockArrive:
    return D.blockBarrierArrive(who, abi::BarrierKind(r.value >> 32), uint32_t(r.value), r.low,
                                site);
  case EventKind::WarpArrive:
    if (r.extra)
      return warpArrive(b, r);
    return D.warpBarrierArrive(who, r.low, site);
  case EventKind::Exit:
    if (Launch.mode == KernelMode::Mixed)
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
  if (!Active || address < SharedBase || address >= SharedBase + uint64_t(SlotCount) * SlotBytes)
    return p;
  uint32_t offset = uint32_t((address - SharedBase) % SlotBytes);
  p.found = true;
  p.offset = offset;
  for (const Variable &v : Variables)
    if (offset - v.offset < v.bytes) {
      p.variable = v.name;
      p.offset = offset - v.offset;
      p.size = v.bytes;
      return p;
    }
  if (Launch.dynamicBytes && offset >= Launch.dynamicOffset) {
    p.variable = "dynamic shared memory";
    p.offset = offset - Launch.dynamicOffset;
    p.size = Launch.dynamicBytes;
  }
  return p;
}

} // namespace scopesan::gpu
