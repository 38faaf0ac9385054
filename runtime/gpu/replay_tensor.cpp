// Replay of tensor copies and of wgmma (S12, S13): the device names maps and matrices, what they
// access is worked out here, by the code that the CPU backend uses as well.
#include "gpu/replay.h"

#include "host/shared_matrix.h"

#include <algorithm>
#include <utility>

namespace scopesan::gpu {

namespace {

constexpr uint32_t WarpLanes = 32, RowsOfWarp = 16;

uint64_t wide(uint32_t low, uint32_t high) { return uint64_t(high) << 32 | low; }

} // namespace

void Replay::tensorEvent(const Event &e) {
  switch (e.r.kind()) {
  case EventKind::TensorCopy:
    return tensorCopy(e);
  case EventKind::TensorMapReplace:
    return tensorMapReplace(e);
  case EventKind::Wgmma:
    return warpgroupArrive(e);
  case EventKind::WgmmaCommit: {
    WarpgroupPart &p = warpgroup(e.b, e.r.thread()).parts[e.r.thread() / WarpLanes % 4];
    p.groups.push_back(std::move(p.open));
    p.open.clear();
    return;
  }
  case EventKind::WgmmaWait:
    return warpgroupWait(e);
  default:
    return;
  }
}

// ---------------------------------------------------------------- tensor copies

/// X1: what the thread executed is known by name only.
void Replay::unknownOperation(const Event &e, const std::string &what) {
  ++UnknownOperations;
  D.unmodelled(e.who);
  host::incomplete(what, e.site);
}

/// Of each receiver, an actor of its own.
void Replay::tensorCopy(const Event &e) {
  const Record &r = e.r, &o = e.t.operands, &s = e.t.start;
  const TensorMaps::Known *known = Maps.find(wide(r.low, r.extra));
  if (r.value && (!known || known->lacks))
    host::tellMapRead(D, e.who, place(e.b, r.value), e.site);
  if (!known || known->lacks)
    return unknownOperation(
        e, known ? std::string("a tensor copy was executed; ScopeSan lacks ") + known->lacks
                 : "a tensor copy was executed through a tensor map that was not seen to be made");
  int32_t start[host::TensorMap::MaxRank] = {int32_t(s.value), int32_t(s.value >> 32),
                                             int32_t(s.low), int32_t(s.high), int32_t(s.extra)};
  std::string error;
  host::TensorTile tile(known->map, o.low >> tensor::RankShift & tensor::RankMask, start, error);
  if (!error.empty())
    return unknownOperation(e, "a tensor copy was executed: " + error);
  noteUnmarked();
  uint64_t barrier = wide(o.high, o.extra);
  uint32_t receivers = o.low & tensor::ReceiversMask;
  if (!receivers)
    return tensorTransfer(e, tile, o.value, barrier);
  for (uint32_t rank = 0; receivers >> rank; ++rank)
    if (receivers >> rank & 1)
      tensorTransfer(e, tile, inPeer(o.value, rank), inPeer(barrier, rank));
}

void Replay::tensorTransfer(const Event &e, const host::TensorTile &tile, uint64_t shared,
                            uint64_t barrier) {
  uint32_t how = e.t.operands.low;
  core::BlockId actor = D.asyncBegin(e.who, core::Proxy::Async);
  if (e.r.value)
    host::tellMapRead(D, place(e.b, e.r.value), e.site);
  host::TensorTransfer transfer{tile, place(e.b, shared), (how & tensor::StoreBit) != 0,
                                (how & tensor::ReduceBit) != 0};
  host::tellAccesses(D, transfer, e.site,
                     [this](uint64_t at, uint32_t bytes) { Atomics.weakWrite(at, bytes); });
  if (barrier)
    return complete(e, barrier, tile.bytes, actor);
  D.bulkTrack(e.who, actor);
}

void Replay::tensorMapReplace(const Event &e) {
  const Record &o = e.t.operands;
  Maps.changed(o.value, e.r.value, "a value of tensormap.replace", [&](host::TensorMap &m) {
    return host::replaceField(m, abi::TensorMapField(o.low & 0xff), o.low >> 8,
                              wide(o.high, o.extra));
  });
}

/// The device does not know what a tensor copy accesses: it leaves no marks there.
void Replay::noteUnmarked() {
  TensorCopies = true;
  tellUnmarked();
}
void Replay::tellUnmarked() {
  if (!TensorCopies || !FastKernels || ToldUnmarked)
    return;
  ToldUnmarked = true;
  host::incomplete(
      "tensor copies and kernels that settle their accesses on the GPU are in one run: "
      "races between them are not seen (-mllvm -scopesan-gpu-mode=logged finds them)");
}

// ---------------------------------------------------------------- wgmma

Replay::WarpgroupState &Replay::warpgroup(BlockState &b, uint32_t thread) {
  if (b.warpgroups.empty())
    b.warpgroups.resize((b.threads.size() + 127) / 128);
  return b.warpgroups[thread / 128];
}

/// Each warp's part is an actor of its own, which starts when all lanes have come.
void Replay::warpgroupArrive(const Event &e) {
  uint32_t thread = e.r.thread(), first = thread / WarpLanes * WarpLanes;
  WarpgroupPart &p = warpgroup(e.b, thread).parts[thread / WarpLanes % 4];
  p.come |= 1u << thread % WarpLanes;
  if (e.r.low) {
    p.a = e.t.operands.value;
    p.b = e.r.value;
    p.shape = e.t.operands.low;
    p.described = true;
  }
  for (uint32_t lane = 0; lane < WarpLanes && first + lane < e.b.threads.size(); ++lane)
    if (!(p.come >> lane & 1) && !e.b.threads[first + lane].exited)
      return;
  uint32_t come = p.come;
  p.come = 0;
  if (std::exchange(p.described, false))
    warpgroupReads(e, p, come);
}

/// Each warp reads its own rows of A and all of B.
void Replay::warpgroupReads(const Event &e, WarpgroupPart &p, uint32_t come) {
  uint32_t thread = e.r.thread(), first = thread / WarpLanes * WarpLanes;
  uint64_t window = place(e.b, SharedBit);
  uint32_t bytes = 1u << (p.shape >> wgmma::ElementLog2Shift & wgmma::ElementLog2Mask);
  bool sharedA = p.shape & wgmma::SharedABit;
  const char *error = nullptr;
  host::SharedMatrix b(window, L->launch.sharedBytes, p.b,
                       {bytes, (p.shape & wgmma::TransposedBBit) != 0}, error);
  host::SharedMatrix a(window, L->launch.sharedBytes, sharedA ? p.a : p.b,
                       {bytes, (p.shape & wgmma::TransposedABit) != 0}, error);
  if (error)
    return unknownOperation(e, std::string("wgmma was executed with ") + error);
  core::BlockId actor = D.asyncBegin(e.who, core::Proxy::Async);
  for (uint32_t lane = 0; lane < WarpLanes; ++lane)
    if ((come >> lane & 1) && first + lane != thread)
      D.asyncAlsoAfter(*D.thread(e.b.detect, core::ThreadIndex{first + lane}));
  auto read = [&](uint64_t at) { D.asyncRead(at, 16, e.site); };
  if (sharedA)
    a.forUnits(thread / WarpLanes % 4 * RowsOfWarp, RowsOfWarp, read);
  b.forUnits(0, p.shape & wgmma::ColumnsMask, read);
  p.open.push_back(actor);
}

/// A group is of the whole warpgroup: all warps' parts of it that are in the log are complete.
void Replay::warpgroupWait(const Event &e) {
  uint32_t thread = e.r.thread();
  WarpgroupState &g = warpgroup(e.b, thread);
  size_t commits = g.parts[thread / WarpLanes % 4].groups.size();
  size_t done = commits > e.r.low ? commits - e.r.low : 0;
  for (uint32_t warp = 0; warp < 4; ++warp) {
    const auto &groups = g.parts[warp].groups;
    for (uint32_t &known = g.learned[thread % 128][warp]; known < std::min(done, groups.size());
         ++known)
      for (core::BlockId actor : groups[known])
        D.asyncLearn(e.who, actor);
  }
}

} // namespace scopesan::gpu
