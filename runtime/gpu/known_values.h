// What device memory is known to hold: by fills, small copies from the host, initial values of
// variables, and atomic objects at the end of a launch. It tells where the values of an atomic
// object begin (locations.h); what is not known is asked of nobody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace scopesan::gpu {

/// What a copy or fill writes. Neither a pattern nor bytes: not known.
struct Content {
  std::vector<std::byte> bytes; ///< a copy's
  uint32_t element = 0;         ///< a fill's: bytes of `pattern`, 1, 2 or 4
  uint32_t pattern = 0;

  static constexpr size_t MostBytes = 4096; ///< longer copies are not kept

  bool isKnown() const { return element || !bytes.empty(); }
  static Content ofFill(uint32_t value, uint32_t element) { return {{}, element, value}; }
};

class KnownValues {
public:
  bool empty() const { return Pieces.empty(); }
  /// The first `bytes` bytes of `content`, which is known.
  void set(uint64_t address, uint64_t bytes, const Content &content);
  void set(uint64_t address, uint32_t bytes, uint64_t value);
  void forget(uint64_t address, uint64_t bytes);
  void clear() { Pieces.clear(); }
  /// Little-endian; at most 8 bytes.
  std::optional<uint64_t> read(uint64_t address, uint32_t bytes) const;

private:
  /// More pieces than that: everything is forgotten.
  static constexpr size_t MostPieces = 1 << 16;
  struct Piece {
    uint64_t end;
    uint64_t origin; ///< address of the content's first byte
    Content content;

    std::byte at(uint64_t address) const;
  };
  const Piece *find(uint64_t address) const;

  std::map<uint64_t, Piece> Pieces; ///< by first address; they do not overlap
};

} // namespace scopesan::gpu
