// What the program said of ranges of managed memory: cudaMemAdvise and prefetches. Hints: they are
// kept to be read back and change no verdict.
#pragma once

#include "cpu/shim/cuda_api.h"

#include <map>
#include <set>
#include <stdint.h>

namespace scopesan::cpu {

struct Advice {
  bool ReadMostly = false;
  std::set<int> AccessedBy; ///< devices; cudaCpuDeviceId = the host
  cudaMemLocation Preferred{cudaMemLocationTypeInvalid, {cudaInvalidDeviceId}};
  cudaMemLocation LastPrefetch{cudaMemLocationTypeInvalid, {cudaInvalidDeviceId}};
};

/// Advice for the bytes of one allocation, by offset. Ranges without any have `Advice{}`.
class RangeAdvice {
public:
  /// Calls `Change` for each stretch of [Begin, End).
  template <typename Function> void change(uint64_t Begin, uint64_t End, Function Change) {
    cut(Begin);
    cut(End);
    for (auto It = Stretches.lower_bound(Begin); It != Stretches.end() && It->first < End; ++It)
      Change(It->second);
  }
  /// Does `Holds` for all of [Begin, End)?
  template <typename Predicate> bool all(uint64_t Begin, uint64_t End, Predicate Holds) const {
    for (auto It = at(Begin); It != Stretches.end() && It->first < End; ++It)
      if (!Holds(It->second))
        return false;
    return true;
  }
  const Advice &of(uint64_t Offset) const { return at(Offset)->second; }

private:
  std::map<uint64_t, Advice>::const_iterator at(uint64_t Offset) const {
    return std::prev(Stretches.upper_bound(Offset));
  }
  void cut(uint64_t Offset) { Stretches.try_emplace(Offset, at(Offset)->second); }

  std::map<uint64_t, Advice> Stretches{{0, {}}}; ///< each up to the next one's start
};

} // namespace scopesan::cpu
