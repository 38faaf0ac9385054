// mbarrier objects and asynchronous copies (PTX ISA 9.7.9.25, 9.7.13.15).
//
// A copy happens where it is issued: legal, but the latest legal moment is never tried. Threads of
// the CPU backend switch only in calls of the engine, so these need no atomics.
#include "support.h"

#include <stddef.h>

/// A phase is complete when nothing is pending and the expected bytes have arrived.
typedef struct {
  uint64_t phase : 1, pending : 20, expected : 20;
  int64_t bytes : 22;
  uint64_t unused : 1;
} Mbarrier;
_Static_assert(sizeof(Mbarrier) == 8, "an mbarrier object has 64 bits");

void __scopesan_cpu_yield(void);

static void completeIfDone(Mbarrier *b) {
  if (b->pending == 0 && b->bytes == 0) {
    b->phase ^= 1;
    b->pending = b->expected;
  }
}

static uint64_t stateOf(const Mbarrier *b) {
  uint64_t state;
  __builtin_memcpy(&state, b, 8);
  return state;
}

void __scopesan_ptx_mbarrier_init(Mbarrier *b, uint32_t count) {
  *b = (Mbarrier){.pending = count, .expected = count};
}

/// Expects `bytes`, then arrives `count` times; `drop` leaves the following phases. Returns the
/// state before.
uint64_t __scopesan_ptx_mbarrier_arrive(Mbarrier *b, uint32_t count, uint32_t bytes,
                                        uint32_t drop) {
  uint64_t state = stateOf(b);
  b->bytes += bytes;
  if (drop)
    b->expected -= count;
  b->pending -= count;
  completeIfDone(b);
  return state;
}

void __scopesan_ptx_mbarrier_expect(Mbarrier *b, uint32_t bytes) { b->bytes += bytes; }

void __scopesan_ptx_mbarrier_complete(Mbarrier *b, uint32_t bytes) {
  b->bytes -= bytes;
  completeIfDone(b);
}

/// Whether the phase of `state` is complete; `parity` forms pass 0 or 1.
uint32_t __scopesan_ptx_mbarrier_test(const Mbarrier *b, uint64_t state) {
  return b->phase != (state & 1);
}

uint32_t __scopesan_ptx_mbarrier_try(const Mbarrier *b, uint64_t state) {
  if (__scopesan_ptx_mbarrier_test(b, state))
    return 1;
  __scopesan_cpu_yield();
  return __scopesan_ptx_mbarrier_test(b, state);
}

uint32_t __scopesan_ptx_mbarrier_pending(uint64_t state) {
  Mbarrier b;
  __builtin_memcpy(&b, &state, 8);
  return b.pending;
}

/// Copies `from` bytes and fills up to `bytes` with zeros.
void __scopesan_ptx_copy_async(void *to, const void *source, uint32_t bytes, uint32_t from) {
  uint32_t copied = from < bytes ? from : bytes;
  __builtin_memcpy(to, source, copied);
  __builtin_memset((char *)to + copied, 0, bytes - copied);
}

/// Bulk copy; `barrier` may be null.
void __scopesan_ptx_copy_bulk(void *to, const void *source, uint32_t bytes, Mbarrier *barrier) {
  __builtin_memcpy(to, source, bytes);
  if (barrier)
    __scopesan_ptx_mbarrier_complete(barrier, bytes);
}
