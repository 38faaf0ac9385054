// Launches that overlap: which of them is the thread's (gpu_abi.h, Overlap).
#pragma once

#include "log.h"

namespace {

INLINE uint64_t gridNumber() {
  uint64_t grid;
  asm("mov.u64 %0, %%gridid;" : "=l"(grid));
  return grid;
}
INLINE uint64_t gridEntry(const Overlap &o, uint64_t grid) {
  return uint64_t(&o.grids[grid % Overlap::Grids]);
}
INLINE const Overlap &overlapOf(const Log *shared) {
  return reinterpret_cast<const State *>(shared)->overlap;
}

} // namespace

/// All threads of a grid write the same, and each reads what it wrote itself.
DEVICE void __scopesan_gpu_enter(uint32_t kernel) {
  Log *shared = __scopesan_gpu_state;
  if (!shared || !fetch32(&shared->overlaps))
    return;
  const Overlap &o = overlapOf(shared);
  uint64_t slot = Overlap::NoLaunch, grid = gridNumber();
#pragma unroll 1
  for (uint32_t i = 0; i < Overlap::Slots; ++i)
    if (fetch32(&o.kernels[i]) == kernel)
      slot = i;
  asm volatile("st.relaxed.gpu.global.b64 [%0], %1;"
               :
               : "l"(gridEntry(o, grid)), "l"(grid << 8 | slot)
               : "memory");
}

/// The shared log, which records nothing, where the launch is not checked.
DEVICE Log *__scopesan_gpu_overlapping(Log *shared) {
  const Overlap &o = overlapOf(shared);
  uint64_t grid = gridNumber(), found = fetch(gridEntry(o, grid));
  uint64_t slot = found & 0xff;
  if (found >> 8 != grid) {
    uint64_t at = fetch(uint64_t(&shared->counters)) + uint32_t(Counter::GridsMixed) * 8;
    asm volatile("red.relaxed.gpu.global.add.u64 [%0], 1;" : : "l"(at) : "memory");
    return shared;
  }
  return slot == Overlap::NoLaunch ? shared : const_cast<Log *>(&o.logs[slot]);
}
