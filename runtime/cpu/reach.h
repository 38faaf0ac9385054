// D8: is the memory that a device thread touches within its device's reach? Asked once for each
// page and device, then remembered.
#pragma once

#include "cpu/engine.h"

namespace scopesan::cpu {

/// Answers for one address. Set by the shim; null = everything is fine.
extern Reach (*ReachQuery)(uint64_t Address, uint32_t Device);

/// Pages that are known to be fine.
class ReachCache {
public:
  bool knows(uint64_t Address, uint32_t Device) const {
    uint64_t K = key(Address, Device);
    return Keys[K % Size] == K;
  }
  void remember(uint64_t Address, uint32_t Device) {
    uint64_t K = key(Address, Device);
    Keys[K % Size] = K;
  }
  /// Something was freed, unregistered or made unreachable.
  void clear() {
    for (uint64_t &K : Keys)
      K = 0;
  }

private:
  static constexpr uint64_t Size = 1024;
  static uint64_t key(uint64_t Address, uint32_t Device) {
    return uint64_t(Device + 1) << 56 | Address >> 12;
  }
  uint64_t Keys[Size] = {};
};
extern ReachCache TheReachCache;

/// A page that is not known to be fine: asks, and reports what cannot be reached.
void askReach(uint64_t Address, uint64_t Bytes, abi::Op Op, uint32_t Site);

inline void checkReach(const void *P, uint64_t Bytes, abi::Op Op, uint32_t Site) {
  auto Address = reinterpret_cast<uint64_t>(P);
  if (!TheReachCache.knows(Address, Engine::current()->Device)) [[unlikely]]
    askReach(Address, Bytes, Op, Site);
}

} // namespace scopesan::cpu
