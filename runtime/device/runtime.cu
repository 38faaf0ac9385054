// The device side of the GPU backend: every entry point appends one record to the log.
//
// Freestanding: compiled without CUDA headers to bitcode that the plugin links into device code.
// A thread takes its ticket before what it announces and after what it reports:
//   weak access, store, fence, arrival, copy, exit   ticket -> operation
//   value that was read, end of a wait               operation -> ticket (it depends on the value)
// The record's address depends on the ticket, so a thread goes on only when it has it. No barrier,
// no lock, no loop: the program's liveness is its own.
#include "overlap.h"

extern "C" {
__attribute__((device)) Log *__scopesan_gpu_state;
}

namespace {

/// Offset of an address in the block's own shared memory.
INLINE uint32_t sharedOffset(const void *pointer) { return uint32_t(place(pointer)); }

/// An operation on an mbarrier.
INLINE void barrierRecord(const Ticket &t, EventKind kind, const void *barrier, uint32_t low,
                          uint32_t site, uint32_t extra) {
  record(t, kind, place(barrier), low, site, extra);
}

} // namespace

DEVICE void __scopesan_read(const void *address, uint32_t bytes, uint32_t site) {
  __scopesan_gpu_mark(address, bytes, MarkRead, site);
  if (uint64_t at = place(address))
    record(take(0), EventKind::Read, at, bytes, site, 0);
}

DEVICE void __scopesan_write(const void *address, uint32_t bytes, uint32_t site) {
  __scopesan_gpu_mark(address, bytes, MarkWrite, site);
  if (uint64_t at = place(address))
    record(take(0), EventKind::Write, at, bytes, site, 0);
}

DEVICE void __scopesan_read_range(const void *address, uint64_t bytes, uint32_t site) {
  __scopesan_gpu_mark(address, bytes, MarkRead, site);
  if (uint64_t at = bytes ? place(address) : 0)
    record(take(0), EventKind::ReadRange, at, uint32_t(bytes), site, uint32_t(bytes >> 32));
}

DEVICE void __scopesan_write_range(const void *address, uint64_t bytes, uint32_t site) {
  __scopesan_gpu_mark(address, bytes, MarkWrite, site);
  if (uint64_t at = bytes ? place(address) : 0)
    record(take(0), EventKind::WriteRange, at, uint32_t(bytes), site, uint32_t(bytes >> 32));
}

DEVICE void __scopesan_atomic_before(const void *address, uint32_t bytes, uint32_t op,
                                     uint32_t site) {
  __scopesan_gpu_mark(address, bytes, MarkStrong, site);
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
  __scopesan_gpu_mark(from, bytes, MarkRead, site);
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
  __scopesan_gpu_mark(from, bytes, MarkRead, site);
  __scopesan_gpu_mark(to, bytes, MarkWrite, site);
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

DEVICE void __scopesan_tensormap_fence(const void *map, uint32_t bytes, uint32_t op, uint32_t site) {
  record(take(0), EventKind::TensormapFence, uint64_t(map), bytes, site, op);
}

DEVICE void __scopesan_proxy_access(const void *address, uint32_t bytes, uint32_t write,
                                    uint32_t proxy, uint32_t site) {
  __scopesan_gpu_mark(address, bytes,
                      (write ? uint32_t(MarkWrite) : 0) |
                          (proxy == uint32_t(abi::Proxy::NonCoherent) ? uint32_t(MarkNonCoherent) : 0),
                      site);
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

#ifdef SCOPESAN_CLUSTERS
#include "tensor.h"

#include "fast.h"
#endif
