// What the GPU's instrumented code and its host share: the event log, the state that switches
// recording on, and the table of sites that a module carries in readable form.
//
// Freestanding: used by the pass, by the device runtime and by the host.
#pragma once

#include "scopesan/abi.h"

namespace scopesan::gpu {

enum class EventKind : uint32_t {
  None = 0,
  Read,
  Write,
  ReadRange,
  WriteRange,
  AtomicBefore,
  AtomicAfter,
  Fence,
  BlockArrive,
  WarpArrive,
  Exit,
  Unmodelled,
  SharedVariable,
  Operands,
  ClusterArrive,
  ClusterWait,
  MbarrierInit,
  MbarrierInval,
  MbarrierExpect,
  MbarrierComplete,
  MbarrierArrive,
  MbarrierWait,
  CpAsync,
  CpAsyncArrive,
  CpAsyncCommit,
  CpAsyncWait,
  BulkCopy,
  BulkCommit,
  BulkWait,
  StoreAsync,
  ProxyFence,
  TensormapFence,
  ProxyAccess,
  GriddepWait,
  GriddepLaunch
};
/// Number of kinds.
inline constexpr uint32_t EventKinds = uint32_t(EventKind::GriddepLaunch) + 1;

/// `outcome` of __scopesan_gpu_atomic_after.
enum Outcome : uint32_t {
  Wrote = 1,        ///< memory was written
  WrittenKnown = 2, ///< `written` holds the value
  ValueKnown = 4    ///< `value` holds what was read
};

/// One event. Its index in the log is its ticket: a total order that agrees with every thread's
/// program order. Two 16-byte halves, each written at once and each with the launch's stamp, so
/// that a half-written record is never taken for a whole one.
///
///   kind                 value                  low             high
///   Read, Write          address                bytes           site
///   ReadRange, ...       address                bytes (low 32)  site           extra: bytes (high)
///   AtomicBefore         address                bytes           site           extra: op
///   AtomicAfter          value read             written (low)   written (high) extra: Outcome
///   Fence                -                      -               site           extra: op
///   BlockArrive          BarrierKind<<32 | id   count           site
///   WarpArrive           -                      mask            site
///   Unmodelled           -                      -               site
///   SharedVariable       address                bytes           site (once per launch)
///   ClusterArrive        -                      1: relaxed      site
///   MbarrierInit         barrier                count           site
///   MbarrierExpect, ...  barrier                bytes           site           extra: op
///   MbarrierArrive       barrier                count, DropBit  site           extra: op
///   MbarrierWait         barrier                1: done         site           extra: op
///   CpAsync              source                 shared offset   site           extra: bytes,
///                                                                              source bytes << 16
///   CpAsyncArrive        barrier                1: noinc        site
///   CpAsyncWait          -                      allowed         site
///   BulkCopy             destination            bytes           site           extra: op
///     Operands before    source                 masks           barrier (low)  extra: (high)
///   BulkWait             -                      allowed         site           extra: 1: read only
///   StoreAsync           destination            bytes           site           extra: op
///     Operands before    barrier
///   ProxyFence           -                      ProxyFence      site           extra: Space
///   TensormapFence       map or 0               -               site           extra: op
///   ProxyAccess          address                bytes           site           extra: write,
///                                                                              Proxy << 1
///   the others           barrier or -           -               site
/// Operands belongs to the same thread's next record. An expect_tx that an arrival contains is a
/// record of its own before it.
struct alignas(16) Record {
  uint64_t value;
  uint32_t block; ///< linear index in the grid
  uint32_t who;   ///< bits 0-15 stamp, 16-25 thread in block, 26-31 EventKind
  uint32_t low, high;
  uint32_t extra;
  uint32_t stamp; ///< bits 0-15 stamp

  constexpr uint32_t thread() const { return who >> 16 & 1023; }
  constexpr EventKind kind() const { return EventKind(who >> 26); }
  constexpr bool complete(uint32_t launchStamp) const {
    return (who & 0xffff) == launchStamp && stamp == launchStamp;
  }
};
static_assert(sizeof(Record) == 32);

/// Addresses of shared memory in records: this bit and the offset in the block's window.
inline constexpr uint64_t SharedBit = uint64_t(1) << 63;
/// Shared memory of another block of the cluster: bits 32-47 are its rank there.
inline constexpr uint64_t PeerBit = uint64_t(1) << 62;
/// MbarrierArrive: arrive_drop.
inline constexpr uint32_t DropBit = 1u << 31;

/// In device memory; one per process and device. Written by the host in stream order before each
/// launch, read by every event.
struct alignas(32) Log {
  uint64_t records;  ///< address of Record[capacity]
  uint32_t capacity; ///< 0 = recording is off
  uint32_t stamp;    ///< of the current launch, 1-65535
  uint64_t cursor;   ///< next ticket; tickets from `capacity` on were dropped
  uint64_t reserved;
};
static_assert(sizeof(Log) == 32);

/// Variable of each linked module that points to the Log; null = no collector: record nothing.
inline constexpr const char StateSymbol[] = "__scopesan_gpu_state";
/// i32 variable of each translation unit: first site id. The suffix is SiteBlob::hash, 16 digits.
inline constexpr const char SiteBasePrefix[] = "__scopesan_gpu_sites_base_";

/// Header of the site table that each translation unit carries as a constant in its device code;
/// found by scanning for the magic. Followed by Site[], Frame[], strings.
struct SiteBlob {
  char magic[16];
  uint32_t version; ///< abi::Version
  uint32_t siteCount, frameCount, stringBytes;
  uint64_t size; ///< bytes that follow this header
  uint64_t hash; ///< FNV-1a 64 of those bytes
};
static_assert(sizeof(SiteBlob) == 48);
/// Split so that the magic occurs only in device code.
inline constexpr const char SiteMagicHead[] = "\x7fScope";
inline constexpr const char SiteMagicTail[] = "San\rSITE\n\x1a";

} // namespace scopesan::gpu
