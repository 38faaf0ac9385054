// Where a thread sits and which threads a scope includes (P3, P4).
#pragma once

#include "scopesan/abi.h"
#include "scopesan/core/ids.h"

#include <initializer_list>

namespace scopesan::core {

using abi::Op;
using abi::Scope;

/// Position of a thread in the hierarchy (P2). A host thread is an actor of its own: its `block` is
/// unique to it, so that every scope below system includes only itself.
struct Place {
  BlockId block;
  uint32_t cluster = 0; ///< unique within the launch: index of the cluster in the grid
  NodeId node;          ///< launch
  DeviceId device;
  DomainId domain; ///< physical memory-synchronization domain (P6)
  bool host = false;
  bool operator==(const Place &) const = default;
};
static_assert(sizeof(Place) == 16); // kept with every remembered operation
static_assert(Scope::Thread < Scope::Block && Scope::Block < Scope::Cluster &&
              Scope::Cluster < Scope::Device && Scope::Device < Scope::System); // P3

/// P4: the smallest scope that, used at `from`, includes the thread at `to`; both are different
/// threads. Below system scope a host thread includes only itself.
[[gnu::always_inline]] constexpr Scope p4NeededScope(const Place &from, const Place &to) {
  if (from.host || to.host)
    return Scope::System;
  if (from.block == to.block)
    return Scope::Block;
  if (from.node == to.node && from.cluster == to.cluster)
    return Scope::Cluster;
  return from.device == to.device && from.domain == to.domain ? Scope::Device : Scope::System;
}
/// P4: does `scope`, used by a thread at `from`, include the thread at `to`? Scope thread includes
/// nobody else.
constexpr bool p4Includes(Scope scope, const Place &from, const Place &to) {
  return scope >= p4NeededScope(from, to);
}

/// True when only the memory-synchronization domain keeps device scope from being enough (D4).
constexpr bool onlyDomainsDiffer(const Place &a, const Place &b) {
  return !a.host && !b.host && a.device == b.device && a.domain != b.domain;
}

} // namespace scopesan::core
