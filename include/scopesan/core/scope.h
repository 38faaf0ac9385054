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

/// P4: does `scope`, used by a thread at `from`, include the thread at `to`? Both are different
/// threads; scope thread includes nobody else.
constexpr bool includes(Scope scope, const Place &from, const Place &to) {
  if (scope == Scope::System)
    return true;
  if (scope == Scope::Thread || from.host || to.host)
    return false;
  if (scope == Scope::Block)
    return from.block == to.block;
  if (scope == Scope::Cluster)
    return from.node == to.node && from.cluster == to.cluster;
  return from.device == to.device && from.domain == to.domain;
}

/// The smallest scope that, used at `from`, includes the thread at `to`.
constexpr Scope neededScope(const Place &from, const Place &to) {
  for (Scope s : {Scope::Block, Scope::Cluster, Scope::Device})
    if (includes(s, from, to))
      return s;
  return Scope::System;
}

/// True when only the memory-synchronization domain keeps device scope from being enough (D4).
constexpr bool onlyDomainsDiffer(const Place &a, const Place &b) {
  return !a.host && !b.host && a.device == b.device && a.domain != b.domain;
}

} // namespace scopesan::core
