// The entry points of abi.def for clusters, mbarriers, asynchronous copies, proxies and dependent
// launches. Nothing switches between a call that precedes an operation and that operation; what the
// detector said of a copy is kept for the operation (AsyncCopies::announce).
#include "cpu/aliases.h"
#include "cpu/async_copies.h"
#include "cpu/constant_reads.h"
#include "cpu/engine.h"
#include "cpu/hooks.h"

#include "host/collector.h"

#include <algorithm>

using namespace scopesan;
using namespace scopesan::cpu;
using core::Proxy;
using core::SiteId;

ConstantReads scopesan::cpu::TheConstantReads;

namespace {

uint64_t raw(const void *P) { return reinterpret_cast<uint64_t>(P); }

Thread &enter(uint32_t Site) {
  TheEngine.Sched.syncPoint();
  Thread &T = *Engine::current();
  T.Site = Site;
  return T;
}

/// A copy's accesses are told in pieces whose size a shadow record can hold. Bit i of `LeftOut`:
/// byte i of each 16 is not copied.
template <typename Function>
void pieces(uint64_t Bytes, uint32_t LeftOut, uint32_t Largest, Function F) {
  for (uint64_t At = 0; At < Bytes;) {
    if (LeftOut >> At % 16 & 1) {
      ++At;
      continue;
    }
    uint64_t End = std::min({Bytes, At + Largest, (At / 16 + 1) * 16});
    uint32_t N = 1;
    while (At + N < End && !(LeftOut >> (At + N) % 16 & 1))
      ++N;
    F(At, N);
    At += N;
  }
}

struct Transfer {
  uint64_t To, From; ///< From 0: the source is no memory
  uint64_t Bytes, SourceBytes;
  uint32_t LeftOut;
  abi::Op Op;
  uint64_t Barrier; ///< 0 = none
};

/// Where the detector keeps the memory. Whether a copy needed an alias fence is not known (X1).
uint64_t told(uint64_t Address, uint32_t Site) {
  if (!TheAliases.contains(Address)) [[likely]]
    return Address;
  host::incomplete("an asynchronous or non-coherent access at a second virtual address: alias "
                   "fences before it are not checked",
                   SiteId{Site});
  return TheAliases.first(Address);
}

/// Tells the detector of one copy to one receiver; the operation that follows takes its actors.
core::BlockId tell(Thread &T, AsyncCopies::Announcement &A, Proxy P, Transfer X) {
  X.From = told(X.From, A.Site);
  X.To = told(X.To, A.Site);
  core::Detector &D = *TheDetector;
  SiteId Site{A.Site};
  core::BlockId Actor = D.asyncBegin(*T.Detect, P);
  if (X.From)
    pieces(X.SourceBytes, X.LeftOut, 16,
           [&](uint64_t At, uint32_t N) { D.asyncRead(X.From + At, N, Site); });
  if (X.Op.isStrong())
    pieces(X.Bytes, 0, X.Op.elementBytes(),
           [&](uint64_t At, uint32_t N) { D.asyncReduce(X.To + At, N, X.Op, Site); });
  else
    pieces(X.Bytes, X.LeftOut, 16,
           [&](uint64_t At, uint32_t N) { D.asyncWrite(X.To + At, N, Site); });
  core::BlockId Signal;
  if (Block *Owner = X.Barrier ? sharedOwner(T, X.Barrier) : nullptr)
    Signal = D.asyncSignal(*T.Detect, *Owner->Threads[0].Detect, X.Barrier, Site);
  A.Receivers[A.Count++] = {Actor, Signal};
  return Actor;
}

} // namespace

extern "C" {
#pragma GCC visibility push(default)

// ---------------------------------------------------------------- clusters

void __scopesan_cluster_arrive(uint32_t Relaxed, uint32_t Site) {
  TheDetector->clusterArrive(*enter(Site).Detect, Relaxed != 0, SiteId{Site});
}
void __scopesan_waiting(uint32_t Site) { Engine::current()->Site = Site; }
void __scopesan_cluster_wait(uint32_t Site) {
  Thread &T = *Engine::current();
  T.Site = Site;
  TheDetector->clusterWait(*T.Detect, SiteId{Site});
}

// ---------------------------------------------------------------- mbarriers

void __scopesan_mbarrier_init(const void *Barrier, uint32_t Count, uint32_t Site) {
  TheDetector->mbarrierInit(*enter(Site).Detect, raw(Barrier), Count, SiteId{Site});
}
void __scopesan_mbarrier_inval(const void *Barrier, uint32_t Site) {
  TheDetector->mbarrierInval(*enter(Site).Detect, raw(Barrier), SiteId{Site});
}
void __scopesan_mbarrier_expect_tx(const void *Barrier, uint32_t Bytes, uint32_t Op,
                                   uint32_t Site) {
  TheDetector->mbarrierExpectTx(*enter(Site).Detect, raw(Barrier), Bytes, abi::Op(Op),
                                SiteId{Site});
}
void __scopesan_mbarrier_complete_tx(const void *Barrier, uint32_t Bytes, uint32_t Op,
                                     uint32_t Site) {
  TheDetector->mbarrierSimulateTx(*enter(Site).Detect, raw(Barrier), Bytes, abi::Op(Op),
                                  SiteId{Site});
}
void __scopesan_mbarrier_arrive(const void *Barrier, uint32_t Count, uint32_t Expected,
                                uint32_t Drop, uint32_t Op, uint32_t Site) {
  TheDetector->mbarrierArrive(*enter(Site).Detect, raw(Barrier), Count, Expected, Drop != 0,
                              abi::Op(Op), SiteId{Site});
}
void __scopesan_mbarrier_wait(const void *Barrier, uint32_t Op, uint32_t Site, uint32_t Done) {
  Thread &T = *Engine::current();
  T.Site = Site;
  TheDetector->mbarrierWait(*T.Detect, raw(Barrier), abi::Op(Op), SiteId{Site}, Done != 0);
}
void __scopesan_cp_async_mbarrier_arrive(const void *Barrier, uint32_t NoInc, uint32_t Site) {
  Thread &T = enter(Site);
  TheEngine.Copies.announce(T, Site).Arrival =
      TheDetector->cpAsyncMbarrierIssue(*T.Detect, raw(Barrier), NoInc != 0, SiteId{Site});
}

// ---------------------------------------------------------------- copies

void __scopesan_cp_async(const void *To, const void *From, uint32_t Bytes, uint32_t Source,
                         uint32_t Site) {
  TheEngine.Sched.write();
  Thread &T = *Engine::current();
  abi::Op Op(abi::AccessKind::AsyncCopy, abi::MemoryOrder::Weak, abi::Scope::Thread);
  core::BlockId Actor = tell(T, TheEngine.Copies.announce(T, Site), Proxy::Generic,
                             {raw(To), raw(From), Bytes, std::min(Source, Bytes), 0, Op, 0});
  TheDetector->cpAsyncTrack(*T.Detect, Actor);
}
void __scopesan_cp_async_commit(uint32_t) {
  TheDetector->cpAsyncCommit(*Engine::current()->Detect);
}
void __scopesan_cp_async_wait(uint32_t Allowed, uint32_t) {
  core::Thread &T = *Engine::current()->Detect;
  if (Allowed == abi::WaitAll)
    TheDetector->cpAsyncWaitAll(T);
  else
    TheDetector->cpAsyncWaitGroup(T, Allowed);
}

void __scopesan_bulk_copy(const void *To, const void *From, uint64_t Bytes, const void *Barrier,
                          uint32_t Op, uint32_t Masks, uint32_t Site) {
  Thread &T = enter(Site);
  AsyncCopies::Announcement &A = TheEngine.Copies.announce(T, Site);
  if (!Bytes)
    return;
  uint32_t Receivers = Masks & 0xffff, LeftOut = Masks >> 16;
  Transfer X{raw(To), raw(From), Bytes, Bytes, LeftOut, abi::Op(Op), raw(Barrier)};
  if (!Receivers) {
    core::BlockId Actor = tell(T, A, Proxy::Async, X);
    if (!Barrier)
      TheDetector->bulkTrack(*T.Detect, Actor);
    return;
  }
  for (uint32_t Rank = 0; Receivers >> Rank; ++Rank) {
    if (!(Receivers >> Rank & 1))
      continue;
    X.To = raw(inBlock(T, To, Rank));
    X.Barrier = Barrier ? raw(inBlock(T, Barrier, Rank)) : 0;
    tell(T, A, Proxy::Async, X);
  }
}
void __scopesan_bulk_commit(uint32_t) { TheDetector->bulkCommit(*Engine::current()->Detect); }
void __scopesan_bulk_wait(uint32_t Allowed, uint32_t ReadOnly, uint32_t) {
  TheDetector->bulkWaitGroup(*Engine::current()->Detect, Allowed, ReadOnly != 0);
}
void __scopesan_store_async(const void *To, uint32_t Bytes, const void *Barrier, uint32_t Op,
                            uint32_t Site) {
  Thread &T = enter(Site);
  AsyncCopies::Announcement &A = TheEngine.Copies.announce(T, Site);
  if (!Barrier)
    return TheDetector->asyncRelease(*T.Detect, raw(To), Bytes, abi::Op(Op), SiteId{Site});
  tell(T, A, Proxy::Generic, {raw(To), 0, Bytes, 0, 0, abi::Op(Op), raw(Barrier)});
}

void __scopesan_wgmma(uint32_t, uint32_t Site) { TheEngine.Copies.announce(enter(Site), Site); }
void __scopesan_tensor_copy(uint32_t, uint32_t Site) {
  TheEngine.Copies.announce(enter(Site), Site);
}

// ---------------------------------------------------------------- proxies

void __scopesan_proxy_fence(uint32_t Fence, uint32_t Space, uint32_t) {
  core::FenceSpace Limit = core::FenceSpace::Unlimited;
  if (abi::Space(Space) == abi::Space::Global)
    Limit = core::FenceSpace::Global;
  else if (abi::Space(Space) == abi::Space::Shared ||
           abi::Space(Space) == abi::Space::SharedCluster)
    Limit = core::FenceSpace::Shared;
  TheDetector->proxyFence(*Engine::current()->Detect, core::ProxyFence(Fence), Limit);
}
void __scopesan_tensormap_fence(const void *Map, uint32_t Bytes, uint32_t Op, uint32_t Site) {
  TheDetector->tensormapFence(*enter(Site).Detect, abi::Op(Op), SiteId{Site}, uint64_t(Map), Bytes);
}
void __scopesan_proxy_access(const void *Address, uint32_t Bytes, uint32_t Write, uint32_t P,
                             uint32_t Site) {
  core::Thread &T = *Engine::current()->Detect;
  if (Proxy(P) == Proxy::ConstantBank) {
    if (T.foreign || !TheConstantReads.isKnown(T.block->place.node, raw(Address), Bytes, Site))
      TheDetector->proxyRead(T, raw(Address), Bytes, SiteId{Site}, Proxy(P));
    return;
  }
  if (Write)
    TheEngine.Sched.write();
  else
    TheEngine.Sched.read();
  uint64_t At = told(raw(Address), Site);
  if (Write)
    TheDetector->proxyWrite(T, At, Bytes, SiteId{Site}, Proxy(P));
  else
    TheDetector->proxyRead(T, At, Bytes, SiteId{Site}, Proxy(P));
}

// ---------------------------------------------------------------- dependent launches

void __scopesan_griddep_wait(uint32_t Site) {
  Thread &T = *Engine::current();
  T.Site = Site;
  TheDetector->griddepWait(*T.Detect);
}
void __scopesan_griddep_launch(uint32_t Site) { enter(Site); }

#pragma GCC visibility pop
}
