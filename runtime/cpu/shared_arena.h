// Memory for the blocks' shared memory, mapped below 4 GiB so that a 32-bit shared address in PTX
// equals the pointer.
#pragma once

#include <map>
#include <stdint.h>

namespace scopesan::cpu {

class SharedArena {
public:
  static constexpr uint32_t Granule = 1024;

  /// First-fit; null when the arena is full. `Bytes` is rounded up to the granule.
  char *allocate(uint32_t Bytes);
  void free(char *Slot);
  bool contains(uint64_t Address) const { return Address - Base < Size; }
  uint64_t base() const { return Base; }
  uint64_t size() const { return Size; } ///< 0 before the first use

private:
  bool map();

  uint64_t Base = 0;
  uint64_t Size = 0;                 ///< 0 before the first use
  std::map<uint32_t, uint32_t> Free; ///< offset -> bytes, no two adjacent
  std::map<uint32_t, uint32_t> Used; ///< offset -> bytes
};

} // namespace scopesan::cpu
