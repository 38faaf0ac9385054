// Matrices in shared memory that wgmma reads by descriptors (PTX ISA 9.7.16.5.1).
#pragma once

#include <stdint.h>

namespace scopesan::host {

/// How an operation reads one of its factors: rows of A, or columns of B, of 32 bytes along K.
struct MatrixReads {
  uint32_t elementBytes = 2;
  bool transposed = false; ///< MN-major
};

/// Rows of A, or columns of B, of 32 bytes along K.
class SharedMatrix {
public:
  /// `window`: where the block's shared memory begins, as an address with the low bits of its own;
  /// `bytes` of it. `error` says why a descriptor cannot be followed.
  SharedMatrix(uint64_t window, uint64_t bytes, uint64_t descriptor, MatrixReads reads,
               const char *&error)
      : window(window), transposed(reads.transposed), elementBytes(reads.elementBytes) {
    constexpr uint32_t AddressBits = 18; // that the descriptor has
    constexpr uint8_t unitsOf[] = {1, 8, 4, 2};
    offset = (field(descriptor, 0) - uint32_t(window)) & ((1u << AddressBits) - 1);
    leading = field(descriptor, 16);
    stride = field(descriptor, 32);
    units = unitsOf[descriptor >> 62];
    if (offset >= bytes)
      error = "a matrix descriptor that names no shared memory of the block";
    else if (descriptor >> 49 & 7)
      error = "a matrix descriptor with a base offset";
  }

  /// Address of the element `along` K in row (of A) or column (of B) `across`.
  uint64_t element(uint32_t across, uint32_t along) const {
    uint32_t perUnit = 16 / elementBytes;
    uint64_t at = window + offset;
    if (!transposed) { // 8 rows of `units` units; the unit along K
      uint32_t unit = along / perUnit;
      at += across % 8 * 16 * units + across / 8 * stride + along % perUnit * elementBytes +
            unit * (units == 1 ? leading : 16);
    } else { // 8 steps along K, each a row of `units` units
      uint32_t unit = across / perUnit;
      at += across % perUnit * elementBytes + unit % units * 16 + along % 8 * 16 * units +
            unit / units * (units == 1 ? stride : leading) +
            along / 8 * (units == 1 ? leading : stride);
    }
    return at ^ ((at >> 7 & (units - 1)) << 4);
  }

  /// Calls `read(address)` for each 16 bytes that an operation reads of `count` rows or columns
  /// from `first` on.
  template <typename Read> void forUnits(uint32_t first, uint32_t count, Read read) const {
    uint32_t perUnit = 16 / elementBytes, k = 32 / elementBytes;
    uint32_t stepAcross = transposed ? perUnit : 1, stepAlong = transposed ? 1 : perUnit;
    for (uint32_t across = first; across < first + count; across += stepAcross)
      for (uint32_t along = 0; along < k; along += stepAlong)
        read(element(across, along));
  }

private:
  static constexpr uint32_t field(uint64_t descriptor, int at) {
    return uint32_t(descriptor >> at & 0x3fff) << 4;
  }

  uint64_t window;
  bool transposed;
  uint32_t elementBytes, offset = 0, ///< of the start
      leading = 0, stride = 0,       ///< bytes between core matrices, or blocks of them
      units = 1;                     ///< of 16 bytes in a row of the swizzled pattern
};

} // namespace scopesan::host
