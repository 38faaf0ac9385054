// Memory pools: which device their memory lies on, and which other devices may access it.
#pragma once

#include "cpu/shim/cuda_api.h"

#include <set>
#include <stdint.h>

namespace scopesan::cpu {

struct Pool {
  int Device = 0;
  bool IsDefault = false;
  std::set<int> Access; ///< further devices that may access its memory
  uint64_t ReleaseThreshold = 0;
  mutable uint64_t UsedHigh = 0; ///< most bytes in use at once since it was reset
  int Reuse[3] = {1, 1, 1};      ///< policies; memory is never reused where they could matter
};

/// Null for a handle that is not alive.
Pool *lookupPool(cudaMemPool_t Handle);
/// The pool that cudaMallocAsync takes from on a device.
Pool &currentPool(int Device);

} // namespace scopesan::cpu
