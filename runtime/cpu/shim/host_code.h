// The backend's side of host_abi.h.
#pragma once

#include <stdint.h>

namespace scopesan::cpu {

/// Plain accesses of host code to [Begin, End) are to be told: the region that CUDA's allocations
/// come from, and registered memory elsewhere.
void hostWatchesRegion(uint64_t Begin, uint64_t End);
void hostWatchesElsewhere(uint64_t Begin, uint64_t End);

} // namespace scopesan::cpu
