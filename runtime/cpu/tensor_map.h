// What a CUtensorMap holds on the CPU backend: cuTensorMapEncodeTiled writes it, tensor copies read
// it. Programs treat the object as opaque.
#pragma once

#include <stdint.h>

namespace scopesan::cpu {

struct TensorMap {
  static constexpr uint32_t MagicNumber = 0x5AFE7E50, MaxRank = 5, NoReduction = 255;
  uint32_t Magic = MagicNumber;
  uint8_t Rank = 0;
  uint8_t ElementBytes = 0;
  uint8_t SwizzleUnits = 1;      ///< of 16 bytes in a row of the pattern: 1 none, 2, 4, 8
  uint8_t FillsNan = 0;          ///< outside the tensor: NaN instead of zero
  uint8_t Reduces = NoReduction; ///< ReduceType of the elements
  uint64_t Address = 0;
  uint64_t Strides[MaxRank - 1] = {}; ///< bytes between elements of dimension 1, ...
  uint32_t LastIndex[MaxRank] = {};   ///< size of each dimension less one
  uint16_t Box[MaxRank] = {};         ///< elements
  uint8_t Steps[MaxRank] = {};        ///< element strides
};
static_assert(sizeof(TensorMap) <= 128);

} // namespace scopesan::cpu
