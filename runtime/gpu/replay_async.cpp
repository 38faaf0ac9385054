// Replay of clusters (S9), mbarriers (S10), asynchronous copies (S12) and proxies (S13).
//
// A copy executes when it likes after its ticket; its completion is logged by whoever waits for it.
// complete_tx is applied at the ticket of the copy: a wait is logged after it returned, when
// everything that its phase waited for had a ticket, so no phase is found incomplete that was not.
#include "gpu/replay.h"

#include "host/bulk_size.h"

#include <algorithm>

namespace scopesan::gpu {

using abi::AccessKind;
using core::SiteId;

namespace {

/// Detector records know sizes of single accesses, not of copies.
constexpr uint32_t ChunkBytes = 16;

core::FenceSpace fenceSpace(abi::Space s) {
  return s == abi::Space::Global                                     ? core::FenceSpace::Global
         : s == abi::Space::Shared || s == abi::Space::SharedCluster ? core::FenceSpace::Shared
                                                                     : core::FenceSpace::Unlimited;
}

} // namespace

void Replay::asyncEvent(const Event &e) {
  const Record &r = e.r;
  switch (r.kind()) {
  case EventKind::ClusterArrive:
    return D.clusterArrive(e.who, r.low != 0, e.site);
  case EventKind::ClusterWait:
    return D.clusterWait(e.who, e.site);
  case EventKind::CpAsync:
    return cpAsync(e);
  case EventKind::BulkCopy:
    return bulkCopy(e);
  case EventKind::StoreAsync:
    return storeAsync(e);
  case EventKind::CpAsyncCommit:
  case EventKind::CpAsyncWait:
  case EventKind::BulkCommit:
  case EventKind::BulkWait:
    return groupEvent(e);
  case EventKind::ProxyFence:
    return D.proxyFence(e.who, core::ProxyFence(r.low), fenceSpace(abi::Space(r.extra)));
  case EventKind::TensormapFence:
    return D.tensormapFence(e.who, abi::Op(r.extra), e.site, r.value ? place(e.b, r.value) : 0,
                            r.low);
  case EventKind::ProxyAccess: {
    uint64_t at = place(e.b, r.value);
    core::Proxy proxy = core::Proxy(r.extra >> 1);
    if (r.extra & 1)
      return D.proxyWrite(e.who, at, r.low, e.site, proxy);
    return D.proxyRead(e.who, at, r.low, e.site, proxy);
  }
  case EventKind::TensorCopy:
  case EventKind::TensorMapReplace:
  case EventKind::Wgmma:
  case EventKind::WgmmaCommit:
  case EventKind::WgmmaWait:
    return tensorEvent(e);
  case EventKind::GriddepWait:
    endThose([&](core::NodeId other) { return D.isPrimaryOf(other, L->launch.node); });
    return D.griddepWait(e.who);
  case EventKind::GriddepLaunch: // S14: releases nothing
    return;
  default:
    return mbarrierEvent(e);
  }
}

void Replay::mbarrierEvent(const Event &e) {
  const Record &r = e.r;
  uint64_t at = place(e.b, r.value);
  abi::Op op(r.extra);
  switch (r.kind()) {
  case EventKind::MbarrierInit:
    Atomics.weakWrite(at, 8);
    return D.mbarrierInit(e.who, at, r.low, e.site);
  case EventKind::MbarrierInval:
    return D.mbarrierInval(e.who, at, e.site);
  case EventKind::MbarrierExpect:
    return D.mbarrierExpectTx(e.who, at, r.low, op, e.site);
  case EventKind::MbarrierComplete:
    return D.mbarrierSimulateTx(e.who, at, r.low, op, e.site);
  case EventKind::MbarrierArrive:
    D.mbarrierArrive(e.who, at, r.low & ~DropBit, 0, r.low & DropBit, op, e.site);
    return;
  case EventKind::MbarrierWait:
    return D.mbarrierWait(e.who, at, op, e.site, r.low != 0);
  case EventKind::CpAsyncArrive:
    return D.cpAsyncMbarrierArrive(e.who, at, r.low != 0, e.site);
  default:
    return;
  }
}

void Replay::groupEvent(const Event &e) {
  const Record &r = e.r;
  switch (r.kind()) {
  case EventKind::CpAsyncCommit:
    return D.cpAsyncCommit(e.who);
  case EventKind::CpAsyncWait:
    return r.low == abi::WaitAll ? D.cpAsyncWaitAll(e.who) : D.cpAsyncWaitGroup(e.who, r.low);
  case EventKind::BulkCommit:
    return D.bulkCommit(e.who);
  default:
    return D.bulkWaitGroup(e.who, r.low, r.extra != 0);
  }
}

/// Non-bulk copies belong to the generic proxy.
void Replay::cpAsync(const Event &e) {
  uint32_t bytes = e.r.extra & 0xffff, source = std::min(e.r.extra >> 16, bytes);
  uint64_t to = place(e.b, SharedBit | e.r.low);
  core::BlockId actor = D.asyncBegin(e.who, core::Proxy::Generic);
  if (source)
    D.asyncRead(place(e.b, e.r.value), source, e.site);
  Atomics.weakWrite(to, bytes);
  D.asyncWrite(to, bytes, e.site);
  D.cpAsyncTrack(e.who, actor);
}

/// Of each receiver, an actor of its own: its completion tells nothing of the others.
void Replay::bulkCopy(const Event &e) {
  const Record &o = e.t.operands;
  uint64_t barrier = uint64_t(o.extra) << 32 | o.high;
  uint32_t receivers = o.low & 0xffff;
  if (e.r.low % host::BulkSizeUnit)
    host::incomplete(host::OddBulkSize, e.site);
  if (!receivers)
    return bulkTransfer(e, e.r.value, barrier);
  for (uint32_t rank = 0; receivers >> rank; ++rank)
    if (receivers >> rank & 1)
      bulkTransfer(e, inPeer(e.r.value, rank), inPeer(barrier, rank));
}

void Replay::bulkTransfer(const Event &e, uint64_t to, uint64_t barrier) {
  const Record &r = e.r, &o = e.t.operands;
  core::BlockId actor = D.asyncBegin(e.who, core::Proxy::Async);
  transfer(place(e.b, to), place(e.b, o.value), r.low, o.low >> 16, abi::Op(r.extra), e.site);
  if (barrier)
    return complete(e, barrier, r.low, actor);
  D.bulkTrack(e.who, actor);
}

/// Accesses of a bulk copy. `leftOut`: bytes of each 16 that are not copied.
void Replay::transfer(uint64_t to, uint64_t from, uint64_t bytes, uint32_t leftOut, abi::Op op,
                      SiteId site) {
  for (uint64_t at = 0; at < bytes; at += ChunkBytes) {
    uint32_t chunk = uint32_t(std::min<uint64_t>(ChunkBytes, bytes - at));
    for (uint32_t i = 0; i < chunk;) {
      uint32_t n = 1;
      bool copied = !(leftOut >> i & 1);
      while (i + n < chunk && !(leftOut >> (i + n) & 1) == copied)
        ++n;
      if (copied) {
        D.asyncRead(from + at + i, n, site);
        asyncWrite(to + at + i, n, op, site);
      }
      i += n;
    }
  }
}

void Replay::asyncWrite(uint64_t to, uint32_t bytes, abi::Op op, SiteId site) {
  Atomics.weakWrite(to, bytes);
  if (op.kind() != AccessKind::Red)
    return D.asyncWrite(to, bytes, site);
  for (uint32_t i = 0; i < bytes; i += op.elementBytes())
    D.asyncReduce(to + i, op.elementBytes(), op, site);
}

void Replay::storeAsync(const Event &e) {
  core::BlockId actor = D.asyncBegin(e.who, core::Proxy::Generic);
  asyncWrite(place(e.b, e.r.value), e.r.low, abi::Op(e.r.extra), e.site);
  complete(e, e.t.operands.value, e.r.low, actor);
}

/// Ends the accesses of the copy that was begun last.
void Replay::complete(const Event &e, uint64_t barrier, uint32_t bytes, core::BlockId actor) {
  BlockState *o = owner(e.b, barrier);
  if (!o)
    return; // the block has ended: nobody can wait for it any more
  core::Thread &there = *D.thread(o->detect, core::ThreadIndex{0});
  uint64_t at = place(e.b, barrier);
  core::BlockId signal = D.asyncSignal(e.who, there, at, e.site);
  D.mbarrierCompleteTx(there, at, bytes, actor, e.site, signal);
}

} // namespace scopesan::gpu
