// Tensor maps and what tensor copies access through them (PTX ISA 9.7.9.27, tiled mode).
#pragma once

#include "scopesan/abi.h"
#include "scopesan/core/detector.h"
#include "scopesan/tensor_map_field.h"

#include <algorithm>
#include <stdint.h>
#include <string>
#include <vector>

namespace scopesan::host {

/// Types of a tensor's elements, numbered as .elemtype of tensormap.replace numbers them.
enum class TensorElement : uint8_t {
  U8,
  U16,
  U32,
  S32,
  U64,
  S64,
  F16,
  F32,
  F32Ftz,
  F64,
  BF16,
  TF32,
  TF32Ftz
};
inline constexpr uint32_t TensorElements = uint32_t(TensorElement::TF32Ftz) + 1;
constexpr uint32_t bytesOf(TensorElement t) {
  constexpr uint8_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4};
  return uint32_t(t) < TensorElements ? bytes[uint32_t(t)] : 1; // of memory that is no map: any
}

/// What a CUtensorMap stands for. On the CPU backend programs carry it in their CUtensorMap, which
/// they treat as opaque.
struct TensorMap {
  static constexpr uint32_t MagicNumber = 0x5AFE7E50, MaxRank = 5;
  uint32_t magic = MagicNumber;
  uint8_t rank = 0;
  TensorElement element = TensorElement::U8;
  uint8_t swizzleUnits = 1; ///< of 16 bytes in a row of the pattern: 1 none, 2, 4, 8
  uint8_t fillsNan = 0;     ///< outside the tensor: NaN instead of zero
  uint64_t address = 0;
  uint64_t strides[MaxRank - 1] = {}; ///< bytes between elements of dimension 1, ...
  uint32_t lastIndex[MaxRank] = {};   ///< size of each dimension less one
  uint16_t box[MaxRank] = {};         ///< elements
  uint8_t steps[MaxRank] = {};        ///< element strides

  uint32_t elementBytes() const { return bytesOf(element); }
};
static_assert(sizeof(TensorMap) <= 128);

/// Arguments of cuTensorMapEncodeTiled; types, interleaving and swizzles as numbered there.
struct TensorMapRequest {
  uint32_t type = 0, rank = 0;
  uint64_t address = 0;
  const uint64_t *sizes = nullptr, *strides = nullptr;
  const uint32_t *box = nullptr, *steps = nullptr;
  uint32_t interleave = 0, swizzle = 0, fill = 0;
};
enum class Encoding { Done, Invalid, Lacking };
/// `lacks`: with Lacking, what of the request tensor copies here do not know.
Encoding encodeTiled(const TensorMapRequest &request, TensorMap &map, const char *&lacks);
/// cuTensorMapReplaceAddress. False: the driver refuses it.
bool replaceAddress(TensorMap &map, uint64_t address);
/// tensormap.replace (PTX ISA 9.7.9.28); `index`: the dimension. False: a value that tensor copies
/// here do not know.
bool replaceField(TensorMap &map, abi::TensorMapField field, uint32_t index, uint64_t value);

/// A box in a tensor and its image in shared memory, which is dense, its dimension 0 innermost.
struct TensorTile {
  /// Bytes of the image that lie next to each other in the tensor as well, and inside of it.
  struct Run {
    uint64_t global;
    uint32_t offset, bytes;
  };
  std::vector<Run> runs;
  uint32_t bytes = 0;
  uint32_t elementBytes = 1;
  uint32_t swizzleUnits = 1;
  bool fillsNan = false;

  /// `error` says why the map cannot be followed.
  TensorTile(const TensorMap &map, uint32_t rank, const int32_t *start, std::string &error);
  /// Address of byte `offset` of the image at `shared`; 16 bytes from a multiple of 16 on are
  /// neighbours.
  uint64_t inShared(uint64_t shared, uint32_t offset) const {
    uint64_t at = shared + offset;
    return at ^ ((at >> 7 & (swizzleUnits - 1)) << 4);
  }
};

/// One direction of a tensor copy.
struct TensorTransfer {
  const TensorTile &tile;
  uint64_t shared; ///< where the image lies
  bool store;      ///< from there to the tensor
  bool reduces;    ///< with `store`
};

/// Tells the detector what the copy that was begun last accesses (S12). `note(address, bytes)`: of
/// each write before it is told.
template <typename Note>
void tellAccesses(core::Detector &d, const TensorTransfer &t, core::SiteId site, Note note) {
  const TensorTile &tile = t.tile;
  abi::Op red = abi::Op(abi::AccessKind::Red, abi::MemoryOrder::Relaxed, abi::Scope::Device)
                    .withElementLog2(uint32_t(__builtin_ctz(tile.elementBytes)));
  for (const TensorTile::Run &run : tile.runs)
    for (uint32_t at = 0; at < run.bytes;) {
      uint32_t n = t.reduces ? tile.elementBytes : std::min(16u, run.bytes - at);
      if (t.store)
        note(run.global + at, n);
      if (t.reduces)
        d.asyncReduce(run.global + at, n, red, site);
      else if (t.store)
        d.asyncWrite(run.global + at, n, site);
      else
        d.asyncRead(run.global + at, n, site);
      at += n;
    }
  for (uint32_t at = 0; at < tile.bytes; at += 16) {
    uint64_t address = tile.inShared(t.shared, at);
    uint32_t n = std::min(16u, tile.bytes - at);
    if (t.store) {
      d.asyncRead(address, n, site);
    } else {
      note(address, n);
      d.asyncWrite(address, n, site);
    }
  }
}

/// The map itself is read through a proxy of its own (S13).
void tellMapRead(core::Detector &d, core::Thread &by, uint64_t map, core::SiteId site);
/// By the copy that is being issued: it may read the map until it is done.
void tellMapRead(core::Detector &d, uint64_t map, core::SiteId site);

} // namespace scopesan::host
