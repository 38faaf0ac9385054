// Observation (S16): an observed strong write is ordered by that alone.
#pragma once

#include "scopesan/core/objects.h"

namespace scopesan::core {

class ObservationRules {
public:
  ObservationRules(Context &c, SyncObjects &o) : C(c), Objects(o) {}

  /// S16 (PTX mode): the strong write `s` was observed, directly or through RMWs, by a morally
  /// strong read that happens before `t`'s present. An RMW is one operation: whoever observed what
  /// it wrote comes after it as a whole. `softly`: volatile accesses may help (A1).
  bool s16Observed(const Thread &t, const AtomicWord &o, const StrongRecord &s, uint64_t word,
                   bool softly = true) const {
    if (C.options.cxxMode || !s.version)
      return false;
    bool observed = false;
    Objects.forEach(word, o, [&](const SyncObject &x) {
      if (x.bytes != s.bytes() || x.address % WordBytes != uint32_t(__builtin_ctz(s.mask())))
        return; // another object of this word
      for (const Observation &seen : x.observations)
        observed |= seen.chainStart <= s.version && s.version <= seen.version &&
                    (C.ordered(t, seen.read) || (softly && C.happensBefore(t, seen.read)));
    });
    if (observed)
      C.counters.hit(RuleCounters::S16Observed);
    return observed;
  }

private:
  Context &C;
  SyncObjects &Objects;
};

} // namespace scopesan::core
