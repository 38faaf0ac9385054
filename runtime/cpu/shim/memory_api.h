#pragma once

#include "cpu/shim/context.h"

namespace scopesan::cpu {

/// Ends an allocation, after all queued work. CUDA does that too, but only for memory that is not
/// stream-ordered, and without a promise ("may perform implicit synchronization"): so the wait
/// orders nothing for the host, and `free_waits=0` does not rely on it.
cudaError_t endAllocation(Context &C, const Allocation &A, const char *Api);

} // namespace scopesan::cpu
