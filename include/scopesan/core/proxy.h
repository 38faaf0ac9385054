// Proxies and virtual aliases (S13): happens-before alone does not carry an access from one proxy
// or virtual address to another.
//
// A path from X to Y needs, in this order: a fence of X's proxy in X's block, fence.proxy.alias if
// their addresses differ, a fence of Y's proxy in Y's block. Each thread keeps, beside its clock,
// which accesses have passed which of these fences on the way to it. Asynchronous copies and reads
// of tensor maps need no fence to leave their proxy: completion includes it. What precedes a read
// of a tensor map leaves the generic proxy by the release half of a pair of fences and enters by
// the acquire half; each half's scope must include the other's thread.
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

/// The state space that a fence is limited to, or that an access lies in. Unlimited when unknown.
enum class FenceSpace : uint8_t { Unlimited, Shared, Global };
constexpr bool concerns(FenceSpace fence, FenceSpace access) {
  return fence == FenceSpace::Unlimited || access == FenceSpace::Unlimited || fence == access;
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

/// Leaf of a map from blocks to clocks: a pointer to a shared, immutable clock.
struct SharedClockLeaf {
  struct Shared {
    uint32_t refs = 1;
    BlockClock clock;
  };
  static Shared *of(uint64_t l) { return reinterpret_cast<Shared *>(l); }
  static uint64_t make(const BlockClock &c) {
    Shared *s = new (allocate(sizeof(Shared)), PlacementTag{}) Shared();
    s->clock = c;
    return reinterpret_cast<uint64_t>(s);
  }
  static void retain(uint64_t l) { ++of(l)->refs; }
  static void release(uint64_t l) {
    if (--of(l)->refs)
      return;
    of(l)->~Shared();
    deallocate(of(l));
  }
  static uint64_t join(uint64_t a, uint64_t b) {
    if (a == b || of(a)->clock.sameAs(of(b)->clock)) {
      retain(a);
      return a;
    }
    BlockClock both = of(a)->clock;
    both.join(of(b)->clock);
    for (uint64_t l : {a, b})
      if (both.sameAs(of(l)->clock)) {
        retain(l);
        return l;
      }
    return make(both);
  }
};

/// The pieces of memory that acquire halves of tensor-map fences concern. Each piece of each block
/// has a name beside those of the blocks, by which ProxyClocks keeps what has entered there.
class AcquiredMaps {
public:
  BlockId at(BlockId here, uint64_t address, uint64_t bytes) {
    Vec<Piece> &pieces = ByBlock[here.value];
    for (const Piece &p : pieces)
      if (p.address == address && p.bytes == bytes)
        return p.name;
    return pieces.push(Piece{address, bytes, {NameBit | ++Names}}).name;
  }
  /// f(name) holds for a piece of the block that holds `address`.
  template <class F> bool any(BlockId here, uint64_t address, F f) const {
    if (const Vec<Piece> *pieces = ByBlock.find(here.value))
      for (const Piece &p : *pieces)
        if (address - p.address < p.bytes && f(p.name))
          return true;
    return false;
  }

private:
  static constexpr uint32_t NameBit = 1u << 31; ///< of no block
  struct Piece {
    uint64_t address, bytes;
    BlockId name;
  };
  HashMap<Vec<Piece>> ByBlock;
  uint32_t Names = 0;
};

/// What has passed which fences before the owner's present. A fence that enters a proxy counts in
/// the block that executed it only, so its accesses are kept by block.
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
  /// The access at `e`, in `space`, has passed the fences of `path`, the last one in block `here`.
  bool covers(const ProxyPath &path, const Epoch &e, BlockId here, FenceSpace space) const {
    for (const Entry &x : Passed) {
      if ((x.key & (SpaceUnit - 1)) != path.key() ||
          !concerns(FenceSpace(x.key / SpaceUnit), space))
        continue;
      uint64_t l = x.accesses.find(path.key() < EnterUnit ? 0 : here.value);
      if (l && (SharedClockLeaf::of(l)->clock.covers(e) ||
                SharedClockLeaf::of(l)->clock.coversSoftly(e)))
        return true;
    }
    return false;
  }
  /// The owner, in block `here`, executes a fence; `known` is everything that precedes it. Only
  /// fences that enter a proxy which nobody needs to leave can be limited to a space.
  void fence(ProxyFence f, const BlockClock &known, BlockId here,
             FenceSpace space = FenceSpace::Unlimited) {
    if (f == ProxyFence::Alias) {
      forPassed(AliasBit,
                [&](uint32_t key, const BlockClock &passed) { raise(key | AliasBit, {}, passed); });
      return raise(AliasBit, {}, known);
    }
    Proxy p = proxyOf(f);
    uint32_t enter = uint32_t(p) * EnterUnit | uint32_t(space) * SpaceUnit;
    enterPassed(enter, here);
    raise(enter, here, known);
    if (!needsFenceToLeave(p))
      return;
    BlockClock mine;
    mine.joinBlock(known, here);
    raise(uint32_t(p), {}, mine);
  }
  /// The owner, in block `here`, releases all that is `known` to the tensor-map proxy, at `scope`.
  void releaseMaps(uint32_t scope, const BlockClock &known, BlockId here) {
    raise(uint32_t(Proxy::TensorMap) | scope * SpaceUnit, here, known);
  }
  /// The acquire half, in block `here` or at a piece of memory there (AcquiredMaps): of the
  /// releases for which pairs(scope, block) holds.
  template <class F> void acquireMaps(BlockId here, F pairs) {
    BlockClock passed;
    for (const Entry &x : Passed)
      if ((x.key & (SpaceUnit - 1)) == uint32_t(Proxy::TensorMap))
        x.accesses.forEach([&](uint32_t block, uint64_t leaf) {
          if (pairs(x.key / SpaceUnit, BlockId{block}))
            passed.join(SharedClockLeaf::of(leaf)->clock);
        });
    constexpr uint32_t Enter = uint32_t(Proxy::TensorMap) * EnterUnit;
    enterPassed(Enter, here); // what came through other proxies may have been released
    raise(Enter, here, passed);
  }
  void join(const ProxyClocks &o) {
    for (const Entry &x : o.Passed)
      entry(x.key).accesses.join(x.accesses);
  }

private:
  static constexpr uint32_t AliasBit = 8, EnterUnit = 16, SpaceUnit = 128;
  struct Entry {
    uint32_t key;                            ///< ProxyPath::key and SpaceUnit * FenceSpace
    PersistentMap<SharedClockLeaf> accesses; ///< by block of the entering fence; 0 without one
  };
  Entry &entry(uint32_t key) {
    for (Entry &x : Passed)
      if (x.key == key)
        return x;
    return Passed.push(Entry{key, {}});
  }
  /// Calls f(key, accesses) for what has entered no proxy yet and has a key below `limit`; not for
  /// releaseMaps, as no scope is Thread.
  template <class F> void forPassed(uint32_t limit, F f) {
    for (uint32_t i = 0, before = Passed.size(); i < before; ++i)
      if (uint32_t key = Passed[i].key; key < limit) {
        BlockClock passed = SharedClockLeaf::of(Passed[i].accesses.find(0))->clock;
        f(key, passed);
      }
  }
  void enterPassed(uint32_t enter, BlockId here) {
    forPassed(EnterUnit,
              [&](uint32_t key, const BlockClock &passed) { raise(key | enter, here, passed); });
  }
  void raise(uint32_t key, BlockId block, const BlockClock &accesses) {
    uint64_t leaf = SharedClockLeaf::make(accesses);
    entry(key).accesses.raise(block.value, leaf);
    SharedClockLeaf::release(leaf);
  }
  Vec<Entry> Passed; ///< nearly always empty or one entry
};

} // namespace scopesan::core
