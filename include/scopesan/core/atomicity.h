// How far operations of system scope are atomic on a piece of memory (D6).
//
// The rule is the programming guide's list ("Atomicity"): an operation of narrower scope always is.
// At system scope it depends on the memory and on what the devices support; the collector turns
// pointer and device attributes into one of these.
#pragma once

#include "scopesan/core/range_map.h"
#include "scopesan/core/scope.h"

namespace scopesan::core {

enum class Atomicity : uint8_t {
  Always,         ///< pageable with pageableMemoryAccess, managed with concurrentManagedAccess,
                  ///< mapped with hostNativeAtomicSupported
  LoadsAndStores, ///< mapped without it: naturally aligned loads and stores of up to 16 bytes
  OneDevice,      ///< GPU memory that other GPUs reach without native atomics: as long as the
                  ///< threads that access it concurrently are of one GPU
  Never           ///< managed without concurrentManagedAccess
};

/// What is known of the memory at an address; memory that is not entered is Always.
struct MemoryAtomicity {
  Atomicity kind = Atomicity::Always;
};
using AtomicityMap = RangeMap<MemoryAtomicity>;

/// Is the operation atomic, whoever else accesses the memory? `aligned`: to its size.
constexpr bool atomicAlone(const MemoryAtomicity &m, Op op, uint32_t bytes, bool aligned) {
  if (op.scope() != Scope::System)
    return true;
  if (m.kind == Atomicity::LoadsAndStores)
    return !op.isRmw() && aligned && bytes <= 16;
  return m.kind != Atomicity::Never;
}
/// Are operations of threads at `a` and `b` atomic towards each other?
constexpr bool atomicTogether(const MemoryAtomicity &m, const Place &a, const Place &b) {
  return m.kind != Atomicity::OneDevice || (!a.host && !b.host && a.device == b.device);
}

} // namespace scopesan::core
