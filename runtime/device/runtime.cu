// The device side of the GPU backend: every entry point appends one record to the log.
//
// Freestanding: compiled without CUDA headers to bitcode that the plugin links into device code.
// A thread takes its ticket before what it announces and after what it reports:
//   weak access, store, fence, arrival, copy, exit   ticket -> operation
//   value that was read, end of a wait               operation -> ticket (it depends on the value)
// The record's address depends on the ticket, so a thread goes on only when it has it. No barrier,
// no lock, no loop: the program's liveness is its own.
#include "scopesan/gpu_abi.h"

#define DEVICE extern "C" __attribute__((device, used, noinline))
#define INLINE_MEMBER __attribute__((device, always_inline)) inline
#define INLINE static INLINE_MEMBER

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

  /// The second of two tickets.
  INLINE_MEMBER Ticket next() const { return {at ? at + sizeof(Record) : 0, stamp}; }
};

/// Takes `Count` tickets in a row, all or none. `dependency`: a value that must exist before; one
/// value in 2^64 takes one ticket more.
template <uint32_t Count = 1> INLINE Ticket take(uint64_t dependency) {
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
               "selp.u64 n, %3, %4, p;\n\t"
               "atom.relaxed.gpu.global.add.u64 %0, [%1+16], n;\n\t"
               "}"
               : "=l"(slot)
               : "l"(log), "l"(dependency), "n"(Count + 1), "n"(Count)
               : "memory");
  if (slot + Count <= capacity)
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

#ifdef SCOPESAN_CLUSTERS
/// The record's form of an address in a cluster peer's shared memory, `other` for any other
/// address. Mapping keeps offsets, so the peer's window begins where offset 0 is mapped to.
INLINE uint64_t peerPlace(uint64_t p, uint64_t other) {
  uint64_t result;
  asm("{\n\t"
      ".reg .pred c, own;\n\t"
      ".reg .b32 a, rank, mine, base, high;\n\t"
      ".reg .b64 w, r;\n\t"
      "mov.b64 r, %2;\n\t"
      "isspacep.shared::cluster c, %1;\n\t"
      "@c cvta.to.shared::cluster.u64 w, %1;\n\t"
      "@c cvt.u32.u64 a, w;\n\t"
      "@c getctarank.shared::cluster.u32 rank, a;\n\t"
      "mov.u32 mine, %%cluster_ctarank;\n\t"
      "mov.b32 base, 0;\n\t"
      "@c mapa.shared::cluster.u32 base, base, rank;\n\t"
      "sub.u32 a, a, base;\n\t"
      "or.b32 high, rank, 0xC0000000;\n\t"
      "setp.eq.u32 own, rank, mine;\n\t"
      "selp.b32 high, 0x80000000, high, own;\n\t"
      "@c mov.b64 r, {a, high};\n\t"
      "mov.b64 %0, r;\n\t"
      "}"
      : "=l"(result)
      : "l"(p), "l"(other));
  return result;
}
#else
INLINE uint64_t peerPlace(uint64_t, uint64_t other) { return other; }
#endif

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
  return result == p && p ? peerPlace(p, p) : result;
}

/// Offset of an address in the block's own shared memory.
INLINE uint32_t sharedOffset(const void *pointer) { return uint32_t(place(pointer)); }

/// An operation on an mbarrier.
INLINE void barrierRecord(const Ticket &t, EventKind kind, const void *barrier, uint32_t low,
                          uint32_t site, uint32_t extra) {
  record(t, kind, place(barrier), low, site, extra);
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

// S9
DEVICE void __scopesan_cluster_arrive(uint32_t relaxed, uint32_t site) {
  record(take(0), EventKind::ClusterArrive, 0, relaxed, site, 0);
}

DEVICE void __scopesan_cluster_wait(uint32_t site) {
  record(take(0), EventKind::ClusterWait, 0, 0, site, 0);
}

// S10
DEVICE void __scopesan_mbarrier_init(const void *barrier, uint32_t count, uint32_t site) {
  barrierRecord(take(0), EventKind::MbarrierInit, barrier, count, site, 0);
}

DEVICE void __scopesan_mbarrier_inval(const void *barrier, uint32_t site) {
  barrierRecord(take(0), EventKind::MbarrierInval, barrier, 0, site, 0);
}

DEVICE void __scopesan_mbarrier_expect_tx(const void *barrier, uint32_t bytes, uint32_t op,
                                          uint32_t site) {
  barrierRecord(take(0), EventKind::MbarrierExpect, barrier, bytes, site, op);
}

DEVICE void __scopesan_mbarrier_complete_tx(const void *barrier, uint32_t bytes, uint32_t op,
                                            uint32_t site) {
  barrierRecord(take(0), EventKind::MbarrierComplete, barrier, bytes, site, op);
}

DEVICE void __scopesan_mbarrier_arrive(const void *barrier, uint32_t count, uint32_t expected,
                                       uint32_t drop, uint32_t op, uint32_t site) {
  if (expected)
    barrierRecord(take(0), EventKind::MbarrierExpect, barrier, expected, site, op);
  barrierRecord(take(0), EventKind::MbarrierArrive, barrier, count | (drop ? DropBit : 0), site,
                op);
}

DEVICE void __scopesan_mbarrier_wait(const void *barrier, uint32_t op, uint32_t site,
                                     uint32_t done) {
  barrierRecord(take(done), EventKind::MbarrierWait, barrier, done, site, op);
}

// S12
DEVICE void __scopesan_cp_async(const void *to, const void *from, uint32_t bytes,
                                uint32_t sourceBytes, uint32_t site) {
  record(take(0), EventKind::CpAsync, place(from), sharedOffset(to), site,
         bytes | sourceBytes << 16);
}

DEVICE void __scopesan_cp_async_mbarrier_arrive(const void *barrier, uint32_t noinc,
                                                uint32_t site) {
  barrierRecord(take(0), EventKind::CpAsyncArrive, barrier, noinc, site, 0);
}

DEVICE void __scopesan_cp_async_commit(uint32_t site) {
  record(take(0), EventKind::CpAsyncCommit, 0, 0, site, 0);
}

DEVICE void __scopesan_cp_async_wait(uint32_t allowed, uint32_t site) {
  record(take(0), EventKind::CpAsyncWait, 0, allowed, site, 0);
}

/// Sizes have 32 bits in the instruction.
DEVICE void __scopesan_bulk_copy(const void *to, const void *from, uint64_t bytes,
                                 const void *barrier, uint32_t op, uint32_t masks, uint32_t site) {
  uint64_t b = barrier ? place(barrier) : 0;
  Ticket t = take<2>(0);
  record(t, EventKind::Operands, place(from), masks, uint32_t(b), uint32_t(b >> 32));
  record(t.next(), EventKind::BulkCopy, place(to), uint32_t(bytes), site, op);
}

DEVICE void __scopesan_bulk_commit(uint32_t site) {
  record(take(0), EventKind::BulkCommit, 0, 0, site, 0);
}

DEVICE void __scopesan_bulk_wait(uint32_t allowed, uint32_t readOnly, uint32_t site) {
  record(take(0), EventKind::BulkWait, 0, allowed, site, readOnly);
}

DEVICE void __scopesan_store_async(const void *to, uint32_t bytes, const void *barrier, uint32_t op,
                                   uint32_t site) {
  Ticket t = take<2>(0);
  record(t, EventKind::Operands, place(barrier), 0, 0, 0);
  record(t.next(), EventKind::StoreAsync, place(to), bytes, site, op);
}

// S13
DEVICE void __scopesan_proxy_fence(uint32_t fence, uint32_t space, uint32_t site) {
  record(take(0), EventKind::ProxyFence, 0, fence, site, space);
}

DEVICE void __scopesan_tensormap_fence(const void *map, uint32_t op, uint32_t site) {
  record(take(0), EventKind::TensormapFence, uint64_t(map), 0, site, op);
}

DEVICE void __scopesan_proxy_access(const void *address, uint32_t bytes, uint32_t write,
                                    uint32_t proxy, uint32_t site) {
  if (uint64_t at = place(address))
    record(take(0), EventKind::ProxyAccess, at, bytes, site, write | proxy << 1);
}

// S14
DEVICE void __scopesan_griddep_wait(uint32_t site) {
  record(take(0), EventKind::GriddepWait, 0, 0, site, 0);
}

DEVICE void __scopesan_griddep_launch(uint32_t site) {
  record(take(0), EventKind::GriddepLaunch, 0, 0, site, 0);
}

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
