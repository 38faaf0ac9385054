// Declares the entry points of abi.def for the CPU backend.
#pragma once

#include <stdint.h>

extern "C" {
void __scopesan_read(const void *Address, uint32_t Bytes, uint32_t Site);
void __scopesan_write(const void *Address, uint32_t Bytes, uint32_t Site);
void __scopesan_read_range(const void *Address, uint64_t Bytes, uint32_t Site);
void __scopesan_write_range(const void *Address, uint64_t Bytes, uint32_t Site);
void __scopesan_atomic_before(const void *Address, uint32_t Bytes, uint32_t Op, uint32_t Site);
void __scopesan_atomic_after(const void *Address, uint32_t Bytes, uint32_t Op, uint32_t Site,
                             uint32_t Wrote, uint64_t Value);
void __scopesan_fence(uint32_t Op, uint32_t Site);
void __scopesan_block_barrier_before(uint32_t Kind, uint32_t Id, uint32_t Count, uint32_t Site);
void __scopesan_block_barrier_after(uint32_t Kind, uint32_t Id, uint32_t Count, uint32_t Site);
void __scopesan_warp_barrier_before(uint32_t Mask, uint32_t Site);
void __scopesan_warp_barrier_after(uint32_t Mask, uint32_t Site);
void __scopesan_unmodelled(uint32_t Site);
}
