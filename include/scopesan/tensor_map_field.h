// Numbers of the fields of a tensor map, for the pass and both backends.
#pragma once

#include <stdint.h>

namespace scopesan::abi {

/// Fields of a tensor map, as tensormap.replace names them.
enum class TensorMapField : uint32_t {
  Address,
  Rank, ///< less one
  Box,
  Size,
  Stride,
  Step,
  Type,
  Interleave,
  Swizzle,
  Atomicity,
  Fill
};

} // namespace scopesan::abi
