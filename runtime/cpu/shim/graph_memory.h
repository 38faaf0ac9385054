// Memory that graphs allocate: its address is fixed when the node is made, its life begins and ends
// with each launch.
#pragma once

#include "cpu/shim/context.h"

namespace scopesan::cpu {

/// Reserves addresses that live as long as a copy of `W` does. A capture has set the call's name.
cudaError_t reserveForGraph(Context &C, size_t Bytes, int Device, AllocWork &W);
/// A free node for memory that a graph allocates.
cudaError_t freeInGraph(Context &C, void *P, FreeWork &W);

/// For cudaDeviceGetGraphMemAttribute: an allocation node has run, or what one allocated was freed.
void graphAllocated(uint64_t Address, uint64_t Bytes, int Device);
void graphFreed(uint64_t Address);

} // namespace scopesan::cpu
