// Strong identifiers. One type per id; no bare integer crosses a module border.
#pragma once

#include <compare>
#include <stdint.h>

namespace scopesan::core {

/// Defines a strong id over an unsigned integer with ordering and an explicit raw value.
#define SCOPESAN_ID(Name, Raw)                                                                     \
  struct Name {                                                                                    \
    Raw value = 0;                                                                                 \
    constexpr bool operator==(const Name &) const = default;                                       \
    constexpr auto operator<=>(const Name &) const = default;                                      \
  }

/// Instrumented instruction, unique in the process: module base + index in its site table. 0 =
/// none.
SCOPESAN_ID(SiteId, uint32_t);
/// Block of a launch, unique in the run: launches take consecutive ranges (P2). Host threads and
/// copies are actors with one block of one thread. 0 = none.
SCOPESAN_ID(BlockId, uint32_t);
/// Thread within its block, 0-1023.
SCOPESAN_ID(ThreadIndex, uint32_t);
/// Node of the launch order (S14): a kernel launch, copy, fill, event record, host step. 0 = none.
SCOPESAN_ID(NodeId, uint32_t);
/// A sequence of nodes that are ordered by construction: a stream or a host thread.
SCOPESAN_ID(TimelineId, uint32_t);
/// Host thread of the program (S15), unique in the run. 0 = none.
SCOPESAN_ID(HostId, uint32_t);
SCOPESAN_ID(DeviceId, uint16_t);
/// Physical memory-synchronization domain of a launch on its device (P6).
SCOPESAN_ID(DomainId, uint8_t);

#undef SCOPESAN_ID

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  constexpr uint64_t count() const { return uint64_t(x) * y * z; }
  constexpr bool operator==(const Dim3 &) const = default;
};

} // namespace scopesan::core
