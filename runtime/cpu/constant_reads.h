// Reads of constant memory that the detector has seen already. All threads of a launch stand equal
// towards what is outside of it (O6), so one read of a place by one instruction speaks for all.
#pragma once

#include "scopesan/core/ids.h"

#include <stdint.h>

namespace scopesan::cpu {

class ConstantReads {
public:
  /// Was this read known? Now it is.
  bool isKnown(core::NodeId Launch, uint64_t Address, uint32_t Bytes, uint32_t Site) {
    Entry Now{Address, Bytes, Site, Launch.value, Writes};
    Entry &Known = Table[(Address / 4 ^ uint64_t(Site) * 0x9e37) % Size];
    if (Known == Now)
      return true;
    Known = Now;
    return false;
  }
  /// Memory was written from outside of kernels: each instruction's next read is looked at.
  void written() { ++Writes; }

private:
  struct Entry {
    uint64_t Address = 0;
    uint32_t Bytes = 0, Site = 0, Launch = 0, Writes = 0;
    bool operator==(const Entry &) const = default;
  };
  static constexpr uint32_t Size = 4096;
  uint32_t Writes = 1;
  Entry Table[Size];
};

extern ConstantReads TheConstantReads;

} // namespace scopesan::cpu
