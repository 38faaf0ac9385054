// Second virtual addresses of memory (P1, S13): what cuMemMap maps while it is mapped elsewhere.
#pragma once

#include <stdint.h>
#include <vector>

namespace scopesan::cpu {

class AliasTable {
public:
  bool any() const { return !Ranges.empty(); }
  /// The address that the byte at `Address` has first; `Address` itself if that is no alias.
  uint64_t first(uint64_t Address) const {
    for (const Range &R : Ranges)
      if (Address - R.Begin < R.Bytes)
        return R.First + (Address - R.Begin);
    return Address;
  }
  bool contains(uint64_t Address) const { return any() && first(Address) != Address; }

  void add(uint64_t Begin, uint64_t Bytes, uint64_t First) {
    Ranges.push_back({Begin, Bytes, First});
  }
  void remove(uint64_t Begin) {
    std::erase_if(Ranges, [&](const Range &R) { return R.Begin == Begin; });
  }

private:
  struct Range {
    uint64_t Begin, Bytes, First;
  };
  std::vector<Range> Ranges; ///< few programs have any
};

/// Written by API calls only, which do not run beside kernels.
inline AliasTable TheAliases;

} // namespace scopesan::cpu
