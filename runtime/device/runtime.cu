// The device side of the GPU backend: every entry point appends one record to the log.
//
// Freestanding: compiled without CUDA headers to bitcode that the plugin links into device code.
// A thread takes its ticket before what it announces and after what it reports:
//   weak access, store, fence, arrival, exit   ticket -> operation
//   value that was read                        operation -> ticket (it depends on the value)
// The record's address depends on the ticket, so a thread goes on only when it has it. No barrier,
// no lock, no loop: the program's liveness is its own.
#include "scopesan/gpu_abi.h"

#define DEVICE extern "C" __attribute__((device, used, noinline))
#define INLINE static __attribute__((device, always_inline)) inline

using namespace scopesan;
using namespace scopesan::gpu;

/// Set by the collector. Weak where several units are linked to one module.
extern "C" {
__attribute__((device)) Log *__scopesan_gpu_state;
}

namespace {

struct Ticket {
  uint64_t at; ///< address of the record, 0 = do not record
  uint32_t stamp;
};

/// `dependency`: a value that must exist before the ticket is taken. One value in 2^64 takes two.
INLINE Ticket take(uint64_t dependency) {
  Ticket t{0, 0};
  Log *log = __scopesan_gpu_state;
  if (!log)
    return t;
  uint64_t records;
  uint32_t capacity;
  // Plain loads: the host writes the log between kernels only.
  asm volatile("ld.global.v2.b64 {%0, %1}, [%2];" : "=l"(records), "=l"(t.at) : "l"(log));
  capacity = uint32_t(t.at);
  t.stamp = uint32_t(t.at >> 32);
  t.at = 0;
  if (!capacity)
    return t;
  uint64_t slot;
  asm volatile("{\n\t"
               ".reg .pred p;\n\t"
               ".reg .b64 n;\n\t"
               "setp.eq.u64 p, %2, 0x9E3779B97F4A7C15;\n\t"
               "selp.u64 n, 2, 1, p;\n\t"
               "atom.relaxed.gpu.global.add.u64 %0, [%1+16], n;\n\t"
               "}"
               : "=l"(slot)
               : "l"(log), "l"(dependency)
               : "memory");
  if (slot < capacity)
    t.at = records + slot * sizeof(Record);
  return t;
}

INLINE uint32_t blockIndex() {
  uint32_t x, y, z, nx, ny;
  asm("mov.u32 %0, %%ctaid.x;" : "=r"(x));
  asm("mov.u32 %0, %%ctaid.y;" : "=r"(y));
  asm("mov.u32 %0, %%ctaid.z;" : "=r"(z));
  asm("mov.u32 %0, %%nctaid.x;" : "=r"(nx));
  asm("mov.u32 %0, %%nctaid.y;" : "=r"(ny));
  return x + nx * (y + ny * z);
}

INLINE uint32_t threadIndex() {
  uint32_t x, y, z, nx, ny;
  asm("mov.u32 %0, %%tid.x;" : "=r"(x));
  asm("mov.u32 %0, %%tid.y;" : "=r"(y));
  asm("mov.u32 %0, %%tid.z;" : "=r"(z));
  asm("mov.u32 %0, %%ntid.x;" : "=r"(nx));
  asm("mov.u32 %0, %%ntid.y;" : "=r"(ny));
  return x + nx * (y + ny * z);
}

INLINE void record(const Ticket &t, EventKind kind, uint64_t value, uint32_t low, uint32_t high,
                   uint32_t extra) {
  if (!t.at)
    return;
  uint32_t who = t.stamp | threadIndex() << 16 | uint32_t(kind) << 26;
  asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};\n\t"
               "st.global.v4.b32 [%0+16], {%5, %6, %7, %8};"
               :
               : "l"(t.at), "r"(uint32_t(value)), "r"(uint32_t(value >> 32)), "r"(blockIndex()),
                 "r"(who), "r"(low), "r"(high), "r"(extra), "r"(t.stamp)
               : "memory");
}

/// P5: private and constant memory is never checked. Returns 0 for those, else the record's form.
INLINE uint64_t place(const void *pointer) {
  uint64_t p = uint64_t(pointer), result;
  asm("{\n\t"
      ".reg .pred s, l, c, k;\n\t"
      ".reg .b64 o;\n\t"
      "isspacep.shared s, %1;\n\t"
      "isspacep.local l, %1;\n\t"
      "isspacep.const c, %1;\n\t"
      "cvta.to.shared.u64 o, %1;\n\t"
      "or.b64 o, o, 0x8000000000000000;\n\t"
      "selp.b64 %0, o, %1, s;\n\t"
      "or.pred l, l, c;\n\t"
      "selp.b64 %0, 0, %0, l;\n\t"
      "}"
      : "=l"(result)
      : "l"(p));
  return result;
}

} // namespace

DEVICE void __scopesan_read(const void *address, uint32_t bytes, uint32_t site) {
  if (uint64_t at = place(address))
    record(take(0), EventKind::Read, at, bytes, site, 0);
}

DEVICE void __scopesan_write(const void *address, uint32_t bytes, uint32_t site) {
  if (uint64_t at = place(address))
    record(take(0), EventKind::Write, at, bytes, site, 0);
}

DEVICE void __scopesan_read_range(const void *address, uint64_t bytes, uint32_t site) {
  if (uint64_t at = bytes ? place(address) : 0)
    record(take(0), EventKind::ReadRange, at, uint32_t(bytes), site, uint32_t(bytes >> 32));
}

DEVICE void __scopesan_write_range(const void *address, uint64_t bytes, uint32_t site) {
  if (uint64_t at = bytes ? place(address) : 0)
    record(take(0), EventKind::WriteRange, at, uint32_t(bytes), site, uint32_t(bytes >> 32));
}

DEVICE void __scopesan_atomic_before(const void *address, uint32_t bytes, uint32_t op,
                                     uint32_t site) {
  if (uint64_t at = place(address))
    record(take(0), EventKind::AtomicBefore, at, bytes, site, op);
}

DEVICE void __scopesan_gpu_atomic_after(const void *address, uint32_t, uint32_t, uint32_t,
                                        uint32_t outcome, uint64_t value, uint64_t written) {
  if (place(address))
    record(take(value), EventKind::AtomicAfter, value, uint32_t(written), uint32_t(written >> 32),
           outcome);
}

DEVICE void __scopesan_fence(uint32_t op, uint32_t site) {
  record(take(0), EventKind::Fence, 0, 0, site, op);
}

DEVICE void __scopesan_block_barrier_before(uint32_t kind, uint32_t id, uint32_t count,
                                            uint32_t site) {
  record(take(0), EventKind::BlockArrive, uint64_t(kind) << 32 | id, count, site, 0);
}

/// Departures need no record: every arrival of the generation has a smaller ticket than what the
/// departing threads do next.
DEVICE void __scopesan_block_barrier_after(uint32_t, uint32_t, uint32_t, uint32_t) {}

DEVICE void __scopesan_warp_barrier_before(uint32_t mask, uint32_t site) {
  record(take(0), EventKind::WarpArrive, 0, mask, site, 0);
}

DEVICE void __scopesan_warp_barrier_after(uint32_t, uint32_t) {}

DEVICE void __scopesan_unmodelled(uint32_t site) {
  record(take(0), EventKind::Unmodelled, 0, 0, site, 0);
}

DEVICE void __scopesan_unmodelled_after(uint32_t site) {
  record(take(0), EventKind::Unmodelled, 0, 1, site, 0); // bytes 1: the operation is over
}

/// The layout is the same in every block: one thread of the grid tells it.
DEVICE void __scopesan_gpu_shared(const void *address, uint32_t bytes, uint32_t site) {
  if (threadIndex() == 0 && blockIndex() == 0)
    record(take(0), EventKind::SharedVariable, place(address), bytes, site, 0);
}

DEVICE void __scopesan_gpu_exit() { record(take(0), EventKind::Exit, 0, 0, 0, 0); }
