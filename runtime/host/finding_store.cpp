#include "finding_store.h"

namespace scopesan::host {

Tally &FindingStore::count(const FindingKey &key, uint64_t occurrences, bool &isNew) {
  auto [it, inserted] = tallies.try_emplace(key);
  isNew = inserted;
  if (inserted)
    it->second.id = static_cast<uint32_t>(tallies.size());
  it->second.count += occurrences;
  return it->second;
}

} // namespace scopesan::host
