// Registry of the program's memory: address -> allocation. Not thread-safe by itself.
#pragma once

#include "collector.h"

#include <map>

namespace scopesan::host {

struct Allocation {
  MemoryFacts facts;
  uint32_t index = 0; ///< n-th allocation of the process, 1-based; 0 for variables
  bool freed = false;
};

class AllocationRegistry {
public:
  void add(const MemoryFacts &facts);
  void remove(uint64_t address);
  /// The allocation that holds `address`, a freed one if nothing else was put there since.
  const Allocation *find(uint64_t address) const;

private:
  void eraseOverlapping(uint64_t begin, uint64_t end);

  std::map<uint64_t, Allocation> byAddress; // disjoint
  uint32_t count = 0;
};

} // namespace scopesan::host
