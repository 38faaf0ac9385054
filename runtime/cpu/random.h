// The scheduler's only source of chance: a small seeded generator (SplitMix64).
#pragma once

#include <stdint.h>

namespace scopesan::cpu {

class Random {
public:
  explicit Random(uint64_t Seed = 1) : State(Seed * 0x9E3779B97F4A7C15ull + 0x1234567) {}

  uint64_t next() {
    uint64_t Z = (State += 0x9E3779B97F4A7C15ull);
    Z = (Z ^ Z >> 30) * 0xBF58476D1CE4E5B9ull;
    Z = (Z ^ Z >> 27) * 0x94D049BB133111EBull;
    return Z ^ Z >> 31;
  }
  /// Uniform in [0, Bound). `Bound` must not be 0.
  uint32_t below(uint32_t Bound) { return uint32_t((next() >> 32) * Bound >> 32); }
  bool coin() { return next() >> 63; }

private:
  uint64_t State;
};

} // namespace scopesan::cpu
