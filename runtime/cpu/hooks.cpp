// The entry points of abi.def: maybe switch first, then tell the detector, then return without
// switching. From atomic_before until atomic_after nothing may switch.
#include "cpu/hooks.h"
#include "cpu/aliases.h"
#include "cpu/engine.h"
#include "cpu/faults.h"
#include "cpu/fiber.h"
#include "cpu/reach.h"

#include "host/collector.h"

#include <algorithm>
#include <string.h>

using namespace scopesan;
using namespace scopesan::cpu;
using core::SiteId;

namespace {

/// Value in memory before a strong write, to tell stores that change something from waiting loops.
uint64_t ValueBefore;

uint64_t peek(const void *Address, uint32_t Bytes) {
  uint64_t Value = 0;
  ProbingDeviceAddress = true;
  __asm__ volatile("" ::: "memory");
  memcpy(&Value, Address, Bytes < 8 ? Bytes : 8);
  __asm__ volatile("" ::: "memory");
  ProbingDeviceAddress = false;
  return Value;
}

constexpr abi::Op WeakLoad(abi::AccessKind::Load, abi::MemoryOrder::Weak, abi::Scope::Thread);
constexpr abi::Op WeakStore(abi::AccessKind::Store, abi::MemoryOrder::Weak, abi::Scope::Thread);

uint64_t raw(const void *P) { return reinterpret_cast<uint64_t>(P); }

/// P5: private memory is never checked. The pass leaves out what it can see to be private; a
/// pointer to a local that was passed on is known only here.
bool isPrivate(const void *P) { return FiberStacks::contain(P); }

/// For the message if it faults.
void noteAccess(const void *Address, uint32_t Site) {
  Thread &T = *Engine::current();
  T.AccessSite = Site;
  T.Accessed = Address;
}

/// The thread that waits at the barrier and does not fit to the arrival of `T`: any, or one of its
/// warp.
const Thread *waiterAt(const BlockBarrier &Barrier, const Thread &T, bool SameWarp) {
  for (const Thread *W : Barrier.Waiters)
    if (!SameWarp || W->warpid == T.warpid)
      return W;
  return nullptr;
}

/// A weak access at a second virtual address of memory is told at the first, through the alias
/// proxy (S13). False: it is none.
bool toldThroughAlias(const void *P, uint64_t Bytes, bool Write, uint32_t Site) {
  if (!TheAliases.contains(raw(P))) [[likely]]
    return false;
  constexpr core::Proxy Through = core::throughAlias(core::Proxy::Generic);
  core::Thread &T = *Engine::current()->Detect;
  uint64_t Address = TheAliases.first(raw(P)), End = Address + Bytes;
  while (Address < End) { // a record holds up to 16 bytes
    uint64_t Next = std::min(End, (Address / 16 + 1) * 16);
    if (Write)
      TheDetector->proxyWrite(T, Address, uint32_t(Next - Address), SiteId{Site}, Through);
    else
      TheDetector->proxyRead(T, Address, uint32_t(Next - Address), SiteId{Site}, Through);
    Address = Next;
  }
  return true;
}

/// D7: the arrival at a block barrier has a count that is not of whole warps, another count than
/// the arrivals before it, or is of an aligned barrier that its warp reached elsewhere.
void checkArrival(Thread &T, uint32_t Id, uint32_t Count, bool Aligned, uint32_t Site) {
  Block &B = *T.Owner;
  if (Id >= Block::BarrierCount)
    return; // the operation itself fails
  BlockBarrier &Barrier = B.Barriers[Id];
  auto Whole = [&](uint32_t N) { return wholeWarps(N ? N : B.ThreadCount); };
  core::BarrierFacts Facts;
  Facts.id = Id;
  Facts.expected = Count;
  if (Count % 32) {
    Facts.misuse = core::Misuse::PartOfWarp;
  } else if (Barrier.Arrived && Whole(Barrier.Count) != Whole(Count)) {
    Facts.misuse = core::Misuse::TwoCounts;
    Facts.expected = Whole(Barrier.Count);
    Facts.arrived = Whole(Count);
  }
  if (!Barrier.Arrived)
    memset(Barrier.AlignedSite, 0, sizeof Barrier.AlignedSite);
  uint32_t &First = Barrier.AlignedSite[T.warpid];
  if (Aligned && First && First != Site && Facts.misuse == core::Misuse::None)
    Facts.misuse = core::Misuse::Divergent;
  if (Aligned && !First)
    First = Site;
  if (Facts.misuse == core::Misuse::None)
    return;
  const Thread *Other = waiterAt(Barrier, T, Facts.misuse == core::Misuse::Divergent);
  core::AccessRecord There = Other ? recordOf(*Other) : core::AccessRecord();
  TheDetector->barrierMisuse(*T.Detect, SiteId{Site}, Facts, Other ? &There : nullptr);
}

} // namespace

extern "C" {
#pragma GCC visibility push(default)

void __scopesan_read(const void *Address, uint32_t Bytes, uint32_t Site) {
  if (isPrivate(Address))
    return;
  TheEngine.Sched.read();
  noteAccess(Address, Site);
  checkReach(Address, Bytes, WeakLoad, Site);
  if (!toldThroughAlias(Address, Bytes, false, Site))
    TheDetector->read(*Engine::current()->Detect, raw(Address), Bytes, SiteId{Site});
}

void __scopesan_write(const void *Address, uint32_t Bytes, uint32_t Site) {
  if (isPrivate(Address))
    return;
  TheEngine.Sched.write();
  noteAccess(Address, Site);
  checkReach(Address, Bytes, WeakStore, Site);
  if (!toldThroughAlias(Address, Bytes, true, Site))
    TheDetector->write(*Engine::current()->Detect, raw(Address), Bytes, SiteId{Site});
}

void __scopesan_read_range(const void *Address, uint64_t Bytes, uint32_t Site) {
  if (!Bytes || isPrivate(Address))
    return;
  TheEngine.Sched.read();
  noteAccess(Address, Site);
  checkReach(Address, Bytes, WeakLoad, Site);
  if (!toldThroughAlias(Address, Bytes, false, Site))
    TheDetector->readRange(*Engine::current()->Detect, raw(Address), Bytes, SiteId{Site});
}

void __scopesan_write_range(const void *Address, uint64_t Bytes, uint32_t Site) {
  if (!Bytes || isPrivate(Address))
    return;
  TheEngine.Sched.write();
  noteAccess(Address, Site);
  checkReach(Address, Bytes, WeakStore, Site);
  if (!toldThroughAlias(Address, Bytes, true, Site))
    TheDetector->writeRange(*Engine::current()->Detect, raw(Address), Bytes, SiteId{Site});
}

void __scopesan_atomic_before(const void *Address, uint32_t Bytes, uint32_t RawOp, uint32_t Site) {
  if (isPrivate(Address))
    return;
  TheEngine.Sched.syncPoint();
  abi::Op Op(RawOp);
  Thread &T = *Engine::current();
  T.Site = Site;
  noteAccess(Address, Site);
  T.Polled |= Op.kind() != abi::AccessKind::Store;
  checkReach(Address, Bytes, Op, Site);
  if (Op.isWrite())
    ValueBefore = peek(Address, Bytes);
  TheDetector->atomicBefore(*T.Detect, TheAliases.first(raw(Address)), Bytes, Op, SiteId{Site});
}

void __scopesan_atomic_after(const void *Address, uint32_t Bytes, uint32_t RawOp, uint32_t Site,
                             uint32_t Wrote, uint64_t Value) {
  if (isPrivate(Address))
    return;
  if (Wrote && (Bytes > 8 || peek(Address, Bytes) != ValueBefore))
    TheEngine.Sched.noteProgress();
  TheDetector->atomicAfter(*Engine::current()->Detect, TheAliases.first(raw(Address)), Bytes,
                           abi::Op(RawOp), SiteId{Site}, Wrote != 0, Value);
}

void __scopesan_fence(uint32_t RawOp, uint32_t Site) {
  TheEngine.Sched.syncPoint();
  TheDetector->fence(*Engine::current()->Detect, abi::Op(RawOp), SiteId{Site});
}

void __scopesan_block_barrier_before(uint32_t Kind, uint32_t Id, uint32_t Count, uint32_t Site) {
  Thread &T = *Engine::current();
  T.Site = Site;
  if (!(Kind & abi::LateBarrier))
    checkArrival(T, Id, Count, Kind & abi::AlignedBarrier, Site);
  TheDetector->blockBarrierArrive(*T.Detect, abi::BarrierKind(Kind & 3), Id, wholeWarps(Count),
                                  SiteId{Site});
}

void __scopesan_block_barrier_after(uint32_t, uint32_t Id, uint32_t, uint32_t) {
  TheDetector->blockBarrierDepart(*Engine::current()->Detect, Id);
}

void __scopesan_warp_barrier_before(uint32_t Mask, uint32_t Site) {
  Thread &T = *Engine::current();
  T.Site = Site;
  TheDetector->warpBarrierArrive(*T.Detect, Mask, SiteId{Site});
}

void __scopesan_warp_barrier_after(uint32_t Mask, uint32_t) {
  TheDetector->warpBarrierDepart(*Engine::current()->Detect, Mask);
}

void __scopesan_unmodelled(uint32_t Site) {
  TheEngine.Sched.syncPoint();
  TheDetector->unmodelled(*Engine::current()->Detect);
  host::incomplete("an operation that ScopeSan does not model was executed", SiteId{Site});
}

void __scopesan_unmodelled_after(uint32_t) { TheDetector->unmodelled(*Engine::current()->Detect); }

void __scopesan_cpu_yield(void) { TheEngine.Sched.yield(true); }

#pragma GCC visibility pop
}
