// Shadow slots of resident blocks' shared memory (gpu_abi.h).
#pragma once

#include "cells.h"

namespace {

/// Counts what the threads of the warp that are here bring, and adds it up once.
INLINE uint32_t sumOfWarp(uint32_t n, bool *first) {
  uint32_t sum, lane, mask;
  asm volatile("{\n\t"
               "activemask.b32 %1;\n\t"
               "redux.sync.add.u32 %0, %2, %1;\n\t"
               "}"
               : "=r"(sum), "=&r"(mask)
               : "r"(n));
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  *first = lane == uint32_t(__builtin_ctz(mask));
  return sum;
}
} // namespace
INLINE uint32_t atomicExchange(uint64_t at, uint32_t v) {
  uint32_t old;
  asm volatile("atom.relaxed.gpu.global.exch.b32 %0, [%1], %2;"
               : "=r"(old)
               : "l"(at), "r"(v)
               : "memory");
  return old;
}

/// The slot of this block and its generation, slot | generation << 32, slot NoSlot = none. The
/// first warp of the block takes it; the others wait until it is there.
COLD uint64_t __scopesan_fast_take_slot(uint32_t threads) {
  Log *log = currentLog();
  uint32_t block = blockIndex();
  uint64_t shadow = fetch(uint64_t(&log->sharedShadow));
  uint64_t entry = fetch(uint64_t(&log->slotTable)) + block % SlotEntries * sizeof(uint64_t);
  uint64_t headers = fetch(uint64_t(&log->slotHeaders));
  uint64_t taken = fetch(uint64_t(&log->slotTaken));
  uint32_t slots = fetch32(&log->slotCount);
  constexpr uint64_t Claimed = 0xffff, Failed = 0xfffe;
  uint64_t mine = uint64_t(fetch32(&log->stamp)) << 48 | block;
  if (!shadow)
    return NoSlot;
  for (;;) {
    uint64_t found;
    asm volatile("ld.acquire.gpu.global.b64 %0, [%1];" : "=l"(found) : "l"(entry) : "memory");
    if ((found ^ mine) >> 48 == 0 && found) {
      if (uint32_t(found) != block)
        return NoSlot; // the entry is another block's
      uint64_t slot = found >> 32 & 0xffff;
      if (slot == Claimed)
        continue; // a warp of this block is about to publish it
      if (slot == Failed)
        return NoSlot;
      uint32_t generation = fetch32(&reinterpret_cast<SlotHeader *>(headers)[slot].generation);
      return slot | uint64_t(generation) << 32;
    }
    uint64_t old;
    asm volatile("atom.relaxed.gpu.global.cas.b64 %0, [%1], %2, %3;"
                 : "=l"(old)
                 : "l"(entry), "l"(found), "l"(mine | Claimed << 32)
                 : "memory");
    if (old == found)
      break;
  }
  uint64_t slot = Failed;
  uint32_t generation = 0, words = (slots + 31) / 32;
  for (uint32_t i = 0; i < words && slot == Failed; ++i) {
    uint64_t word = taken + (block + i) % words * sizeof(uint32_t);
    for (;;) { // each turn another block took a bit
      uint32_t free = ~fetch32(reinterpret_cast<uint32_t *>(word)), old;
      if (!free)
        break;
      uint32_t bit = free & -free;
      asm volatile("atom.relaxed.gpu.global.or.b32 %0, [%1], %2;"
                   : "=r"(old)
                   : "l"(word), "r"(bit)
                   : "memory");
      if (!(old & bit)) {
        slot = (block + i) % words * 32 + uint32_t(__builtin_ctz(bit));
        break;
      }
    }
  }
  if (slot != Failed) {
    auto *h = &reinterpret_cast<SlotHeader *>(headers)[slot];
    generation = fetch32(&h->generation) + 1;
    if (generation > mark::Generations) {
      slot = Failed; // used up: it stays taken
    } else {
      atomicExchange(uint64_t(&h->generation), generation);
      atomicExchange(uint64_t(&h->live), threads);
    }
  }
  asm volatile("st.release.gpu.global.b64 [%0], %1;"
               :
               : "l"(entry), "l"(mine | slot << 32)
               : "memory");
  return slot == Failed ? NoSlot : slot | uint64_t(generation) << 32;
}

/// `n` threads of the block end.
COLD void __scopesan_fast_leave_slot(uint32_t slot, uint32_t n) {
  Log *log = currentLog();
  uint64_t live =
      uint64_t(&reinterpret_cast<SlotHeader *>(fetch(uint64_t(&log->slotHeaders)))[slot].live);
  uint32_t old;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;"
               : "=r"(old)
               : "l"(live), "r"(-n)
               : "memory");
  if (old != n)
    return;
  uint64_t entry = fetch(uint64_t(&log->slotTable)) + blockIndex() % SlotEntries * sizeof(uint64_t);
  uint64_t word = fetch(uint64_t(&log->slotTaken)) + slot / 32 * sizeof(uint32_t);
  asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" : : "l"(entry), "l"(uint64_t(0)) : "memory");
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
  asm volatile("red.relaxed.gpu.global.and.b32 [%0], %1;"
               :
               : "l"(word), "r"(~(1u << slot % 32))
               : "memory");
}
