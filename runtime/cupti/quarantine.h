// Freed device memory whose addresses nobody gets for a while, so that a kernel that still uses
// them is seen (D8) instead of taking part in the life of what lies there next.
//
// What the program has freed is allocated again at once: the driver gives the same addresses, or
// the attempt is given up. Bounded in bytes; the oldest goes first.
#pragma once

#include <cuda.h>
#include <deque>
#include <map>
#include <stdint.h>

namespace scopesan::cupti {

class Quarantine {
public:
  /// The context must be current.
  void occupy(uint64_t address, uint64_t bytes, CUcontext context);
  /// Memory that ended with its context: its addresses are for the next context to occupy.
  void ended(uint64_t address, uint64_t bytes);
  void occupyEnded(CUcontext context);
  /// The context has been destroyed, with what was kept in it.
  void drop(CUcontext context);

private:
  static constexpr uint64_t LargestBytes = 1 << 20, MostBytes = 32 << 20, MostBlocks = 1024;
  struct Block {
    CUcontext context;
    CUdeviceptr address;
    uint64_t bytes;
  };
  bool isEnded(uint64_t address, uint64_t bytes) const;
  void keep(const Block &b);

  std::deque<Block> Kept; ///< oldest first
  uint64_t KeptBytes = 0;
  std::map<uint64_t, uint64_t> Ended; ///< address -> bytes
};

} // namespace scopesan::cupti
