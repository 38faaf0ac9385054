#include "cpu/tensor_copies.h"

#include "cpu/async_copies.h"
#include "cpu/engine.h"
#include "cpu/mbarriers.h"

#include <algorithm>
#include <string.h>

using namespace scopesan;
using namespace scopesan::cpu;

TensorTile::TensorTile(const TensorMap &Map, uint32_t Rank, const int32_t *Start,
                       std::string &Error)
    : ElementBytes(Map.ElementBytes), SwizzleUnits(Map.SwizzleUnits), FillsNan(Map.FillsNan) {
  if (Map.Magic != TensorMap::MagicNumber || Map.Rank != Rank) {
    Error = Map.Magic != TensorMap::MagicNumber
                ? "the tensor map was not made by cuTensorMapEncodeTiled"
                : "the tensor map has another number of dimensions than the instruction";
    return;
  }
  uint32_t Count[TensorMap::MaxRank] = {1, 1, 1, 1, 1}, Index[TensorMap::MaxRank] = {};
  for (uint32_t D = 0; D < Rank; ++D)
    Count[D] = (Map.Box[D] + Map.Steps[D] - 1u) / Map.Steps[D];
  auto Inside = [&](uint32_t D, int64_t At) { return At >= 0 && At <= int64_t(Map.LastIndex[D]); };
  for (;;) {
    uint64_t Line = Map.Address;
    bool Within = true;
    for (uint32_t D = 1; D < Rank; ++D) {
      int64_t At = int64_t(Start[D]) + Index[D] * Map.Steps[D];
      Within &= Inside(D, At);
      Line += Within ? uint64_t(At) * Map.Strides[D - 1] : 0;
    }
    for (uint32_t I = 0; I < Count[0]; ++I, Bytes += ElementBytes) {
      int64_t At = int64_t(Start[0]) + I * Map.Steps[0];
      if (!Within || !Inside(0, At))
        continue;
      char *Global = reinterpret_cast<char *>(Line + uint64_t(At) * ElementBytes);
      if (!Runs.empty() && Runs.back().Global + Runs.back().Bytes == Global &&
          Runs.back().Offset + Runs.back().Bytes == Bytes)
        Runs.back().Bytes += ElementBytes;
      else
        Runs.push_back({Global, Bytes, ElementBytes});
    }
    uint32_t D = 1;
    while (D < Rank && ++Index[D] == Count[D])
      Index[D++] = 0;
    if (D >= Rank)
      return;
  }
}

char *TensorTile::inShared(char *Shared, uint32_t Offset) const {
  uint64_t At = reinterpret_cast<uint64_t>(Shared) + Offset;
  return reinterpret_cast<char *>(At ^ ((At >> 7 & (SwizzleUnits - 1)) << 4));
}
void TensorTile::toShared(char *Shared, const char *Image) const {
  for (uint32_t At = 0; At < Bytes; At += 16)
    memcpy(inShared(Shared, At), Image + At, std::min(16u, Bytes - At));
}
void TensorTile::fromShared(const char *Shared, char *Image) const {
  for (uint32_t At = 0; At < Bytes; At += 16)
    memcpy(Image + At, inShared(const_cast<char *>(Shared), At), std::min(16u, Bytes - At));
}
void TensorTile::fill(char *Image) const {
  // The NaN is the one whose bits are all set but the sign.
  for (uint32_t I = 0; I < Bytes; ++I)
    Image[I] = !FillsNan ? 0 : I % ElementBytes == ElementBytes - 1 ? 0x7f : char(0xff);
}

namespace {

/// Tells the detector of a copy between the tile and the shared memory at `Shared`.
core::BlockId tell(Thread &T, const TensorTile &Tile, char *Shared, bool Store, Reduction R,
                   void *Barrier, core::SiteId Site, core::BlockId &Signal) {
  core::Detector &D = *TheDetector;
  auto Raw = [](const void *P) { return reinterpret_cast<uint64_t>(P); };
  core::BlockId Actor = D.asyncBegin(*T.Detect, core::Proxy::Async);
  abi::Op Red = abi::Op(abi::AccessKind::Red, abi::MemoryOrder::Relaxed, abi::Scope::Device)
                    .withElementLog2(uint32_t(__builtin_ctz(Tile.ElementBytes)));
  for (const TensorTile::Run &Run : Tile.Runs)
    for (uint32_t At = 0; At < Run.Bytes;) {
      uint32_t N = R ? Tile.ElementBytes : std::min(16u, Run.Bytes - At);
      if (R)
        D.asyncReduce(Raw(Run.Global + At), N, Red, Site);
      else if (Store)
        D.asyncWrite(Raw(Run.Global + At), N, Site);
      else
        D.asyncRead(Raw(Run.Global + At), N, Site);
      At += N;
    }
  for (uint32_t At = 0; At < Tile.Bytes; At += 16) {
    uint64_t Address = Raw(Tile.inShared(Shared, At));
    uint32_t N = std::min(16u, Tile.Bytes - At);
    Store ? D.asyncRead(Address, N, Site) : D.asyncWrite(Address, N, Site);
  }
  if (Block *Owner = Barrier ? sharedOwner(T, Raw(Barrier)) : nullptr)
    Signal = D.asyncSignal(*T.Detect, *Owner->Threads[0].Detect, Raw(Barrier), Site);
  return Actor;
}

} // namespace

extern "C" {
#pragma GCC visibility push(default)

void __scopesan_cpu_tensor_copy(const void *Map, void *Shared, void *Barrier, const int32_t *Start,
                                uint32_t Rank, uint32_t Store, uint32_t Reducing,
                                uint32_t Receivers) {
  Thread &T = *Engine::current();
  uint32_t Site = TheEngine.Copies.announcedSite(T);
  TensorMap M;
  readDeviceMemory(&M, Map, sizeof M);
  if (Site) // S13: the map itself is read through a proxy of its own
    for (uint32_t At = 0; At < 128; At += 16)
      TheDetector->proxyRead(*T.Detect, reinterpret_cast<uint64_t>(Map) + At, 16,
                             core::SiteId{Site}, core::Proxy::TensorMap);
  std::string Error;
  TensorTile Tile(M, Rank, Start, Error);
  Reduction R{0};
  if (Reducing)
    R = Reduction(ReduceOp(Reducing), ReduceType(M.Reduces));
  if (R && M.Reduces == TensorMap::NoReduction)
    Error = "no reduction of the tensor map's type";
  if (!Error.empty())
    TheEngine.failFromFiber(FailureCode::LaunchFailure,
                            "tensor copy: " + Error + ", " + describeThread(T));
  if (Barrier)
    checkMbarrier(T, Barrier);
  auto issue = [&](char *To, void *Signals) {
    AsyncCopy C;
    C.To = To;
    C.Bytes = C.SourceBytes = Tile.Bytes;
    C.Barrier = Signals;
    C.Reducing = R;
    C.Completes = Signals ? AsyncCopy::Kind::Signalled : AsyncCopy::Kind::BulkGroup;
    C.Tile = std::make_unique<TensorTile>(Tile);
    C.StoresTile = Store;
    C.Site = Site;
    if (Site) {
      C.Actor = tell(T, Tile, To, Store, R, Signals, core::SiteId{Site}, C.Signal);
      if (!Signals)
        TheDetector->bulkTrack(*T.Detect, C.Actor);
    }
    TheEngine.Copies.issueTold(T, std::move(C));
  };
  if (!Receivers)
    return issue(static_cast<char *>(Shared), Barrier);
  for (uint32_t Rank = 0; Receivers >> Rank; ++Rank)
    if (Receivers >> Rank & 1)
      issue(inBlock(T, Shared, Rank), inBlock(T, Barrier, Rank));
}

#pragma GCC visibility pop
}
