// Proxies and virtual aliases (S13): happens-before alone does not carry an access from one proxy
// to another.
//
// Each thread keeps, beside its clock, what has passed through a proxy fence on the way to it. A
// generic write reaches the async or tensor-map proxy only through a fence of that proxy executed
// in the block that uses it; a change of virtual address needs fence.proxy.alias anywhere on the
// path. Completion of an asynchronous copy includes the fence back to the generic proxy.
#pragma once

#include "scopesan/core/clock.h"

namespace scopesan::core {

/// How an access reaches memory. Three bits in a shadow record.
enum class Proxy : uint8_t {
  Generic = 0,
  Async = 1,       ///< bulk and tensor copies, wgmma shared-memory reads
  TensorMap = 2,   ///< reads of tensor-map objects
  NonCoherent = 3, ///< ld.global.nc, texture, surface (D11)
  Alias = 4        ///< generic access through a second virtual address of the location
};

enum class ProxyFence : uint8_t { Async = 0, TensorMap = 1, Alias = 2 };

/// What has passed a fence of each proxy before the owner's present.
struct ProxyClocks {
  static constexpr uint32_t Count = 3;
  BlockClock passed[Count];

  bool empty() const {
    for (const BlockClock &c : passed)
      if (!c.empty())
        return false;
    return true;
  }
  void join(const ProxyClocks &o) {
    for (uint32_t i = 0; i < Count; ++i)
      passed[i].join(o.passed[i]);
  }
  /// Fences other than alias count in the block that executed them only.
  void joinFromOtherBlock(const ProxyClocks &o) {
    passed[uint32_t(ProxyFence::Alias)].join(o.passed[uint32_t(ProxyFence::Alias)]);
  }
};

} // namespace scopesan::core
