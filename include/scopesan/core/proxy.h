// Proxies and virtual aliases (S13): happens-before alone does not carry an access from one proxy
// or virtual address to another.
//
// A path from X to Y needs, in this order: a fence of X's proxy in X's block, fence.proxy.alias if
// their addresses differ, a fence of Y's proxy in Y's block. Each thread keeps, beside its clock,
// which accesses have passed which of these fences on the way to it. Asynchronous copies and reads
// of tensor maps need no fence to leave their proxy: completion includes it.
#pragma once

#include "scopesan/core/clock.h"

namespace scopesan::core {

/// How an access reaches memory. Four bits in a shadow record.
enum class Proxy : uint8_t {
  Generic = 0,
  Async = 1,       ///< bulk and tensor copies, wgmma shared-memory reads
  TensorMap = 2,   ///< reads of tensor-map objects
  NonCoherent = 3, ///< ld.global.nc and whatever else D11 governs
  Surface = 4,
  Texture = 5,
  Constant = 6,
  Alias = 8 ///< flag, alone a generic access: through a second virtual address of the location
};
constexpr Proxy throughAlias(Proxy p) { return Proxy(uint8_t(p) | uint8_t(Proxy::Alias)); }
constexpr bool isAlias(Proxy p) { return uint8_t(p) & uint8_t(Proxy::Alias); }
constexpr Proxy withoutAlias(Proxy p) { return Proxy(uint8_t(p) & 7); }
/// An access through it must pass its fence before generic accesses see it.
constexpr bool needsFenceToLeave(Proxy p) {
  Proxy q = withoutAlias(p);
  return q == Proxy::Surface || q == Proxy::Texture || q == Proxy::Constant;
}

enum class ProxyFence : uint8_t { Async, TensorMap, Alias, Surface, Texture, Constant };
constexpr Proxy proxyOf(ProxyFence f) {
  constexpr Proxy proxies[] = {Proxy::Async,   Proxy::TensorMap, Proxy::Generic,
                               Proxy::Surface, Proxy::Texture,   Proxy::Constant};
  return proxies[uint8_t(f)];
}

/// The fences that a pair of accesses needs between them.
struct ProxyPath {
  Proxy leave = Proxy::Generic, enter = Proxy::Generic; ///< Generic: none
  bool alias = false;
  constexpr bool empty() const {
    return leave == Proxy::Generic && enter == Proxy::Generic && !alias;
  }
  constexpr uint32_t key() const {
    return uint32_t(leave) | uint32_t(alias) << 3 | uint32_t(enter) << 4;
  }
};

/// What has passed which fences before the owner's present.
class ProxyClocks {
public:
  ProxyClocks() = default;
  ProxyClocks(const ProxyClocks &o) { join(o); }
  ProxyClocks(ProxyClocks &&) = default;
  ProxyClocks &operator=(const ProxyClocks &o) {
    if (this != &o) {
      Passed.clear();
      join(o);
    }
    return *this;
  }
  ProxyClocks &operator=(ProxyClocks &&) = default;

  bool empty() const { return Passed.empty(); }
  bool covers(const ProxyPath &path, const Epoch &e) const {
    for (const Entry &x : Passed)
      if (x.key == path.key())
        return x.accesses.covers(e);
    return false;
  }
  /// The owner, in block `own`, executes a fence; `known` is everything that precedes it.
  void fence(ProxyFence f, const BlockClock &known, BlockId own) {
    uint32_t before = Passed.size();
    Proxy p = proxyOf(f);
    for (uint32_t i = 0; i < before; ++i) {
      uint32_t key = Passed[i].key;
      if (f == ProxyFence::Alias && key < AliasBit)
        raise(key | AliasBit, BlockClock(Passed[i].accesses));
      else if (f != ProxyFence::Alias && key < EnterUnit)
        raise(key | uint32_t(p) << 4, BlockClock(Passed[i].accesses));
    }
    if (f == ProxyFence::Alias)
      return raise(AliasBit, known);
    raise(uint32_t(p) << 4, known);
    if (!needsFenceToLeave(p))
      return;
    BlockClock here;
    here.joinBlock(known, own);
    raise(uint32_t(p), here);
  }
  void join(const ProxyClocks &o) {
    for (const Entry &x : o.Passed)
      raise(x.key, x.accesses);
  }
  /// Fences that enter a proxy count in the block that executed them only.
  void joinFromOtherBlock(const ProxyClocks &o) {
    for (const Entry &x : o.Passed)
      if (x.key < EnterUnit)
        raise(x.key, x.accesses);
  }

private:
  static constexpr uint32_t AliasBit = 8, EnterUnit = 16;
  struct Entry {
    uint32_t key; ///< ProxyPath::key
    BlockClock accesses;
  };
  void raise(uint32_t key, const BlockClock &accesses) {
    for (Entry &x : Passed)
      if (x.key == key)
        return x.accesses.join(accesses);
    Passed.push(Entry{key, accesses});
  }
  Vec<Entry> Passed; ///< nearly always empty or one entry
};

} // namespace scopesan::core
