// What a thread of a kernel in a fast form keeps in its registers.
#pragma once

#include "cells.h"

namespace {

/// Of one thread. Marks as in gpu_abi.h.
struct FastState {
  uint64_t table;      ///< 0 = accesses are logged in full
  uint64_t me;         ///< the thread's mark in global memory now; all ones = not checked
  uint64_t oldest;     ///< Log::oldest
  uint64_t wide;       ///< wideBegin()
  uint64_t span;       ///< phases passed, in the mark's unit
  uint64_t tick;       ///< ticks, in the mark's unit; 0 in kernels that are not mixed
  uint64_t warpTick;   ///< that of the last barrier of the whole warp in this phase
  uint64_t tickBits;   ///< all ones there
  uint64_t sharedMe;   ///< the mark in shared memory
  uint64_t sharedBase; ///< of the shadow slot; 0 = none
  uint32_t tableMask;  ///< Log::tableMask
  uint32_t slot;
  uint32_t checkedGlobal, checkedShared; ///< accesses
  // Kernels with cells in the block's shared memory (FastBlockCells):
  uint32_t blockData, blockBytes; ///< what has cells there; 0 bytes = not checked
  uint32_t blockCells;            ///< where they are
  uint32_t blockNow;              ///< upper half of a cell of mine now, without level
  // Mixed kernels: a load that may be repeated (mixed.h).
  uint32_t pollTurns; ///< 0 = there is none
  uint32_t pollSite;
  uint64_t pollAt, pollValue;
};
static_assert(sizeof(FastState) <= FastStateBytes);

} // namespace

COLD void __scopesan_fast_overflow() { count(currentLog(), Counter::TimeOverflow, 1); }
