// The accesses of an asynchronous copy while it is issued, and the groups it belongs to (S12). When
// what it did becomes known: async.h.
#pragma once

#include "scopesan/core/mbarrier_rules.h"
#include "scopesan/core/resident.h"

namespace scopesan::core {

class Copies {
public:
  Copies(Context &c, AsyncRules &async, Accesses &a, MbarrierRules &m, ResidentBlocks &blocks,
         ClusterRules &clusters)
      : C(c), Async(async), A(a), Mbarriers(m), Blocks(blocks), Clusters(clusters) {}

  BlockId begin(Thread &issuer, Proxy proxy) {
    if (!Copy)
      Copy = Blocks.create();
    Through = proxy;
    From = issuer.block;
    return Async.s12Begin(issuer, *Copy);
  }
  void alsoAfter(const Thread &issuer) { Async.s12AlsoAfter(issuer, *Copy); }
  void read(uint64_t addr, uint32_t bytes, SiteId site) {
    Thread &reader = Copy->threads[AsyncRules::Reader.value];
    A.weak(reader, addr, bytes, site, abi::AccessKind::Load, Through);
    constexpr Op op(abi::AccessKind::Load, abi::MemoryOrder::Weak, Scope::Thread);
    Clusters.d8OwnSource(*From, reader, addr, bytes, op, site);
  }
  void readMap(uint64_t addr, uint32_t bytes, SiteId site) {
    A.weak(Copy->threads[AsyncRules::Reader.value], addr, bytes, site, abi::AccessKind::Load,
           Proxy::TensorMap);
  }
  void write(uint64_t addr, uint32_t bytes, SiteId site) {
    A.weak(writer(), addr, bytes, site, abi::AccessKind::Store, Through);
  }
  void reduce(uint64_t addr, uint32_t elementBytes, Op op, SiteId site) {
    A.reduce(writer(), addr, elementBytes, op, site, Through);
  }
  void release(Thread &issuer, uint64_t addr, uint32_t bytes, Op op, SiteId site) {
    begin(issuer, Proxy::Generic);
    C.advance(issuer);
    A.atomic(writer(), addr, bytes, op, site, true, 0);
  }
  /// S12: the copy will complete on the mbarrier at `addr`, as a thread of `owner`'s block.
  BlockId s12Signal(Thread &issuer, Thread &owner, uint64_t addr, SiteId site) {
    constexpr Op op(abi::AccessKind::Red, abi::MemoryOrder::Release, Scope::Cluster);
    BlockId copy = Copy->id;
    Place place = Copy->place;
    Copy->id = C.order.newSignal(place.node, owner.block->id, owner.index, copy);
    Copy->place = owner.block->place;
    A.strong(writer(), addr, MbarrierRules::Bytes, op, site, Proxy::Generic);
    if (C.advice) [[unlikely]]
      C.advice->Uses.elsewhere(writer(), addr, {site, op, owner.block->place, AsyncRules::Writer});
    Mbarriers.valid(issuer, addr, site);
    BlockId signal = Copy->id;
    Copy->id = copy;
    Copy->place = place;
    return signal;
  }
  /// X1: after an unmodelled operation, which may have been a commit, every copy counts as waited
  /// for.
  void x1WaitGroups(Thread &t, CopyGroups &g, uint32_t allowed, bool written) {
    if (C.unmodelled)
      Async.commit(g);
    Async.s12WaitGroups(t, g, C.unmodelled ? 0 : allowed, written);
  }

private:
  Thread &writer() { return Copy->threads[AsyncRules::Writer.value]; }

  Context &C;
  AsyncRules &Async;
  Accesses &A;
  MbarrierRules &Mbarriers;
  ResidentBlocks &Blocks;
  ClusterRules &Clusters;
  Block *Copy = nullptr; ///< stand-in of the copy being issued
  Block *From = nullptr; ///< block of its issuer
  Proxy Through = Proxy::Generic;
};

} // namespace scopesan::core
