// Who observed the values of an atomic location (S16).
//
// Nearly every strong read is written down here and nearly none is ever asked for. So that writing
// costs little, observations gather beside the object and move away a cache line at a time.
#pragma once

#include "scopesan/core/containers.h"
#include "scopesan/core/epoch.h"

namespace scopesan::core {

/// A strong read that observed a strong write. Through a chain of RMWs whose steps are morally
/// strong it observed every write since the chain began: versions [chainStart, version].
struct Observation {
  uint32_t block = 0, time = 0; ///< of the read
  uint32_t version = 0;
  uint32_t bits = 0; ///< 0-9 thread, 10-31 version - chainStart, MaxSpan = at least that

  static constexpr uint32_t MaxSpan = (1u << 22) - 1;
  Observation() = default;
  Observation(const Epoch &read, uint32_t chainStart, uint32_t version)
      : block(read.block.value), time(read.time.value), version(version),
        bits(read.thread.value | minOf(version - chainStart, MaxSpan) << 10) {}
  uint32_t span() const { return bits >> 10; }
  uint32_t chainStart() const { return version - span(); }
  Epoch read() const { return {{block}, {bits & 1023}, {time}}; }
  bool covers(uint32_t v) const { return chainStart() <= v && v <= version; }
  /// `v` may be of the chain, which is longer than can be told.
  bool mayCover(uint32_t v) const { return span() == MaxSpan && v < chainStart(); }
  bool sameAs(const Epoch &e, uint32_t v) const {
    return version == v && block == e.block.value && (bits & 1023) == e.thread.value;
  }
};
static_assert(sizeof(Observation) == 16);

/// The latest observations of one location; more than Kept are forgotten, oldest first.
class ObservedValues {
public:
  static constexpr uint32_t PerLine = CacheLine / sizeof(Observation), Kept = 128;

  /// A chain of RMWs whose values began at `chainStart` was observed at `version`.
  [[gnu::always_inline]] void note(const Epoch &read, uint32_t chainStart, uint32_t version) {
    if (Newest == version && isNoted(read))
      return;
    if (Count == PerLine)
      moveAway();
    Latest[Count++] = Observation(read, chainStart, version);
    Newest = version;
  }
  /// Calls f(observation).
  template <class F> void forEach(F f) const {
    for (const Line &l : Older)
      for (const Observation &o : l.at)
        f(o);
    for (uint32_t i = 0; i < Count; ++i)
      f(Latest[i]);
  }
  /// An observation of version `v` may have been forgotten.
  bool mayHaveLost(uint32_t v) const { return Wrapped && v <= Older[NextLine].at[0].version; }

private:
  struct alignas(CacheLine) Line {
    Observation at[PerLine];
  };
  /// A waiting loop observes one value many times.
  bool isNoted(const Epoch &read) const {
    for (uint32_t i = 0; i < Count; ++i)
      if (Latest[i].sameAs(read, Newest))
        return true;
    return false;
  }
  Line full() const {
    Line l;
    for (uint32_t i = 0; i < PerLine; ++i)
      l.at[i] = Latest[i];
    return l;
  }
  [[gnu::noinline]] void moveAway() {
    if (Older.size() < Kept / PerLine) {
      Older.push(full());
    } else {
      Wrapped = true;
      Older[NextLine] = full();
      NextLine = (NextLine + 1) % (Kept / PerLine);
    }
    Count = 0;
  }
  Observation Latest[PerLine];
  Vec<Line> Older;     ///< once full a ring
  uint32_t Newest = 0; ///< version that the latest observation observed
  uint8_t Count = 0;   ///< of Latest
  uint8_t NextLine = 0;
  bool Wrapped = false;
};

} // namespace scopesan::core
