// Distinct findings with their counts, and the X1 list. Not thread-safe by itself.
#pragma once

#include "collector.h"

#include <array>
#include <map>

namespace scopesan::host {

/// Two findings are the same when rule, unordered pair of sites and set of blamed sites agree.
/// Accesses without a site (copies, host steps, waits at an unknown place of a kernel) are told
/// apart by what they are, see `actors`.
struct FindingKey {
  core::Rule rule{};
  std::array<uint32_t, 2> sites{};
  std::array<const void *, 2> actors{};
  std::array<uint32_t, 2> stacks{};                        ///< host code that called the API
  std::array<uint32_t, core::Finding::MaxBlamed> blamed{}; // sorted, 0 = unused
  auto operator<=>(const FindingKey &) const = default;
};

struct Tally {
  uint32_t id = 0;
  uint64_t count = 0;
  uint64_t journalled = 0; ///< count as of the last line about it
  /// Bytes that the occurrences touch, as long as they are of one allocation.
  struct Range {
    uint64_t base = 0, bytes = 0; ///< of the allocation
    uint64_t begin = 0, end = 0;
  } range;
};

/// True when a grown count is worth a line before the end: at powers of two.
constexpr bool isMilestone(uint64_t count) { return (count & (count - 1)) == 0; }

class FindingStore {
public:
  /// Counts occurrences; `isNew` says whether they are the first.
  Tally &count(const FindingKey &key, uint64_t occurrences, bool &isNew);
  std::map<FindingKey, Tally> &all() { return tallies; }
  void clear() { tallies.clear(); }

private:
  std::map<FindingKey, Tally> tallies;
};

class IncompleteStore {
public:
  using Key = std::pair<std::string, uint32_t>; // what, site
  Tally &add(const std::string &what, core::SiteId site) {
    Tally &tally = tallies[{what, site.value}];
    ++tally.count;
    return tally;
  }
  Tally &set(const std::string &what, uint64_t count) {
    Tally &tally = tallies[{what, 0}];
    tally.count = count;
    return tally;
  }
  std::map<Key, Tally> &all() { return tallies; }
  void clear() { tallies.clear(); }

private:
  std::map<Key, Tally> tallies;
};

} // namespace scopesan::host
