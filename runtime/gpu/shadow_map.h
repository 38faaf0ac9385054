// Which parts of global memory have shadow memory on the device, and where.
#pragma once

#include "scopesan/gpu_abi.h"

#include <map>
#include <unordered_map>
#include <vector>

namespace scopesan::gpu {

class ShadowMap {
public:
  /// Adjacent chunks, by the first one's address.
  struct Run {
    uint64_t address = 0, chunks = 0;
  };
  /// A part of a range whose shadow is contiguous.
  struct Piece {
    uint64_t address = 0, bytes = 0;
    uint64_t shadow = 0; ///< of the word at `address`; 0 = the part has none
  };

  /// Entries of the device's table, less one.
  uint64_t mask() const { return (uint64_t(1) << Bits) - 1; }
  uint32_t bits() const { return Bits; }
  /// How many entries (2 to the power of it) give every chunk of the range one of its own.
  uint32_t bitsFor(uint64_t address, uint64_t bytes) const;
  /// No fewer than before.
  void setBits(uint32_t bits);
  /// All chunks.
  std::vector<Piece> all() const;
  /// Chunks of [address, address + bytes) without shadow that can have one.
  std::vector<Run> missing(uint64_t address, uint64_t bytes) const;
  /// The chunks of `run` have their shadow at `shadow`, one after the other.
  void add(const Run &run, uint64_t shadow);
  /// The range, in order.
  std::vector<Piece> pieces(uint64_t address, uint64_t bytes) const;
  bool covers(uint64_t address, uint64_t bytes) const;
  uint64_t shadowBytes() const { return Chunks.size() * ChunkShadowSize; }
  void clear() {
    Chunks.clear();
    Owners.clear();
    Bits = LeastTableBits;
  }

private:
  /// The address of a chunk has an entry of the device's table to itself.
  bool eligible(uint64_t chunk) const;

  std::map<uint64_t, uint64_t> Chunks;           ///< address >> ChunkShift -> shadow
  std::unordered_map<uint64_t, uint64_t> Owners; ///< entry of the table -> key in Chunks
  uint32_t Bits = LeastTableBits;
};

} // namespace scopesan::gpu
