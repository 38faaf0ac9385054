#include "cpu/tensor_copies.h"

#include "cpu/async_copies.h"
#include "cpu/engine.h"
#include "cpu/mbarriers.h"

#include <algorithm>
#include <optional>
#include <string.h>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

char *inShared(const TensorTile &Tile, const char *Shared, uint32_t Offset) {
  return reinterpret_cast<char *>(Tile.inShared(reinterpret_cast<uint64_t>(Shared), Offset));
}

} // namespace

void scopesan::cpu::toShared(const TensorTile &Tile, char *Shared, const char *Image) {
  for (uint32_t At = 0; At < Tile.bytes; At += 16)
    memcpy(inShared(Tile, Shared, At), Image + At, std::min(16u, Tile.bytes - At));
}
void scopesan::cpu::fromShared(const TensorTile &Tile, const char *Shared, char *Image) {
  for (uint32_t At = 0; At < Tile.bytes; At += 16)
    memcpy(Image + At, inShared(Tile, Shared, At), std::min(16u, Tile.bytes - At));
}
void scopesan::cpu::fillImage(const TensorTile &Tile, char *Image) {
  // The NaN is the one whose bits are all set but the sign.
  for (uint32_t I = 0; I < Tile.bytes; ++I)
    Image[I] = !Tile.fillsNan                                   ? 0
               : I % Tile.elementBytes == Tile.elementBytes - 1 ? 0x7f
                                                                : char(0xff);
}

namespace {

/// What a reduction takes the elements for.
std::optional<ReduceType> reduceType(host::TensorElement T) {
  switch (T) {
  case host::TensorElement::U32:
    return ReduceType::U32;
  case host::TensorElement::S32:
    return ReduceType::S32;
  case host::TensorElement::U64:
    return ReduceType::U64;
  case host::TensorElement::S64:
    return ReduceType::S64;
  case host::TensorElement::F16:
    return ReduceType::F16;
  case host::TensorElement::BF16:
    return ReduceType::BF16;
  case host::TensorElement::F32:
  case host::TensorElement::F32Ftz:
    return ReduceType::F32;
  case host::TensorElement::F64:
    return ReduceType::F64;
  default:
    return std::nullopt;
  }
}

/// Tells the detector of a copy; it completes on `Barrier`, or by group if that is null.
core::BlockId tell(Thread &T, const void *Map, const host::TensorTransfer &Transfer, void *Barrier,
                   core::SiteId Site, core::BlockId &Signal) {
  core::Detector &D = *TheDetector;
  auto At = reinterpret_cast<uint64_t>(Barrier);
  core::BlockId Actor = D.asyncBegin(*T.Detect, core::Proxy::Async);
  host::tellMapRead(D, reinterpret_cast<uint64_t>(Map), Site);
  host::tellAccesses(D, Transfer, Site, [](uint64_t, uint32_t) {});
  if (Block *Owner = Barrier ? sharedOwner(T, At) : nullptr)
    Signal = D.asyncSignal(*T.Detect, *Owner->Threads[0].Detect, At, Site);
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
  std::string Error;
  TensorTile Tile(M, Rank, Start, Error);
  Reduction R{0};
  if (std::optional<ReduceType> Type = Reducing ? reduceType(M.element) : std::nullopt)
    R = Reduction(ReduceOp(Reducing), *Type);
  else if (Reducing)
    Error = "no reduction of the tensor map's type";
  if (!Error.empty())
    TheEngine.failFromFiber(FailureCode::LaunchFailure, "tensor copy (" + Error + ")", T, Site);
  if (Store && std::any_of(Start, Start + Rank, [](int32_t At) { return At < 0; }))
    TheEngine.failFromFiber( // as seen on an H200; copies into shared memory may start there
        FailureCode::IllegalInstruction,
        "tensor copy out of shared memory that starts at a negative coordinate", T, Site);
  checkAligned(T, Shared, TensorAlignment, "tensor copy", Site);
  if (Barrier)
    checkMbarrier(T, Barrier);
  auto issue = [&](char *To, void *Signals) {
    AsyncCopy C;
    C.To = To;
    C.Bytes = C.SourceBytes = Tile.bytes;
    C.Barrier = Signals;
    C.Reducing = R;
    C.Completes = Signals ? AsyncCopy::Kind::Signalled : AsyncCopy::Kind::BulkGroup;
    C.Tile = std::make_unique<TensorTile>(Tile);
    C.StoresTile = Store;
    C.Site = Site;
    if (Site) {
      host::TensorTransfer Told{Tile, reinterpret_cast<uint64_t>(To), Store != 0, bool(R)};
      C.Actor = tell(T, Map, Told, Signals, core::SiteId{Site}, C.Signal);
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
