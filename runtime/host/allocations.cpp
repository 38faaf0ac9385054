#include "allocations.h"

#include <algorithm>

namespace scopesan::host {

void AllocationRegistry::eraseOverlapping(uint64_t begin, uint64_t end) {
  auto it = byAddress.upper_bound(begin);
  if (it != byAddress.begin()) {
    auto before = std::prev(it);
    if (before->second.facts.address + before->second.facts.bytes > begin)
      byAddress.erase(before);
  }
  while (it != byAddress.end() && it->first < end)
    it = byAddress.erase(it);
}

void AllocationRegistry::add(const MemoryFacts &facts) {
  uint64_t bytes = std::max<uint64_t>(facts.bytes, 1);
  eraseOverlapping(facts.address, facts.address + bytes);
  bool isVariable =
      facts.kind == MemoryKind::DeviceVariable || facts.kind == MemoryKind::ConstantVariable;
  byAddress[facts.address] = {facts, isVariable ? 0 : ++count, false};
}

void AllocationRegistry::remove(uint64_t address) {
  auto it = byAddress.find(address);
  if (it != byAddress.end())
    it->second.freed = true; // kept until reused: a late access still gets a name (D8)
}

const Allocation *AllocationRegistry::find(uint64_t address) const {
  auto it = byAddress.upper_bound(address);
  if (it == byAddress.begin())
    return nullptr;
  const Allocation &allocation = std::prev(it)->second;
  return address - allocation.facts.address < allocation.facts.bytes ? &allocation : nullptr;
}

} // namespace scopesan::host
