// Parameters of the collector's own kernels, shared by the device and the host. Freestanding.
#pragma once

#include "scopesan/gpu_abi.h"

namespace scopesan::cupti {

inline constexpr uint64_t LogCursorOffset = 16;
static_assert(__builtin_offsetof(gpu::Log, cursor) == LogCursorOffset);

/// scopesanCheck: rows of bytes, strides in bytes.
struct CheckRange {
  gpu::Log log; ///< as written for this pseudo-launch
  uint64_t logAddress;
  uint64_t address, width, height, pitch, depth, slice;
  uint32_t write, op; ///< abi::Op, raw
};

/// scopesanSweep: new tag of each old one, 8 in a word; 0 = dropped.
struct SweepTags {
  uint64_t now[8];
};

} // namespace scopesan::cupti
