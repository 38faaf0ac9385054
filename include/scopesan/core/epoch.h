// Epochs: when an access happened, from its thread's point of view.
#pragma once

#include "scopesan/core/ids.h"

namespace scopesan::core {

/// One merged logical time per thread. It advances at the thread's releases and acquire rejections
/// (by one), at a warp barrier (lane maximum + 1) and at a block barrier (block maximum + 1), so
/// that "before the barrier" is `time < time of the barrier` for everyone who took part.
struct LocalTime {
  uint32_t value = 0;
  constexpr bool operator==(const LocalTime &) const = default;
  constexpr auto operator<=>(const LocalTime &) const = default;
  constexpr LocalTime next() const { return {value + 1}; }
};

/// (thread, local time): identifies everything that the thread did at that local time.
struct Epoch {
  BlockId block;
  ThreadIndex thread;
  LocalTime time;
  constexpr bool operator==(const Epoch &) const = default;
};

constexpr uint32_t WarpSize = 32;
constexpr uint32_t MaxBlockThreads = 1024;
constexpr uint32_t warpOf(ThreadIndex t) { return t.value / WarpSize; }
constexpr uint32_t laneOf(ThreadIndex t) { return t.value % WarpSize; }
/// Unique non-zero key of a thread.
constexpr uint64_t threadKey(BlockId b, ThreadIndex t) { return uint64_t(b.value) << 10 | t.value; }

} // namespace scopesan::core
