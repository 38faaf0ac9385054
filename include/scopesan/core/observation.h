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
                   bool softly = true) {
    if (C.options.cxxMode || !s.version)
      return false;
    bool observed = false, lost = false;
    Objects.forEach(word, o, [&](const SyncObject &x) {
      if (x.bytes != s.bytes() || x.address % WordBytes != uint32_t(__builtin_ctz(s.mask())))
        return; // another object of this word
      lost |= x.observations.mayHaveLost(s.version);
      x.observations.forEach([&](const Observation &seen) {
        if (observed || !(seen.covers(s.version) || seen.mayCover(s.version)) ||
            !(C.ordered(t, seen.read()) || (softly && C.happensBefore(t, seen.read()))))
          return;
        (seen.covers(s.version) ? observed : lost) = true;
      });
    });
    if (observed)
      C.counters.hit(RuleCounters::S16Observed);
    else if (lost)
      C.x1GaveUp("observations of a location with many readers were forgotten", Forgotten);
    return observed || lost;
  }

private:
  Context &C;
  SyncObjects &Objects;
  uint64_t Forgotten = 0;
};

} // namespace scopesan::core
