// Clusters, mbarriers, asynchronous copies and proxies in a log.
#include "Log.h"

namespace scopesan::gpu::test {
namespace {

using core::Rule;

constexpr uint64_t Shared = SharedBit | 1024, Tile = SharedBit | 2048;
constexpr abi::Op Arrive(abi::AccessKind::Rmw, abi::MemoryOrder::Release, abi::Scope::Block);
constexpr abi::Op Wait(abi::AccessKind::Load, abi::MemoryOrder::Acquire, abi::Scope::Block);
constexpr abi::Op ArriveCluster(abi::AccessKind::Rmw, abi::MemoryOrder::Release,
                                abi::Scope::Cluster);
constexpr abi::Op WaitCluster(abi::AccessKind::Load, abi::MemoryOrder::Acquire,
                              abi::Scope::Cluster);
constexpr abi::Op Copy(abi::AccessKind::AsyncCopy, abi::MemoryOrder::Weak, abi::Scope::Thread);

uint64_t peer(uint32_t rank, uint32_t offset) {
  return SharedBit | PeerBit | uint64_t(rank) << 32 | offset;
}

Launch &init(Launch &l, uint32_t count) {
  l.add({0, 0}, EventKind::MbarrierInit, Shared, count);
  for (uint32_t i = 0; i < 2; ++i)
    l.barrier({0, i}, 32); // the whole warp: two lanes exist
  return l;
}

// S9
TEST(ReplayAsync, ClusterBarrierOrders) {
  for (bool wait : {true, false}) {
    Launch l(2, 1, {2, 1, 1});
    l.write({0, 0}, X);
    l.add({0, 0}, EventKind::ClusterArrive, 0, 0).add({1, 0}, EventKind::ClusterArrive, 0, 0);
    if (wait)
      l.add({1, 0}, EventKind::ClusterWait, 0, 0);
    l.read({1, 0}, X).end();
    EXPECT_EQ(l.S.count(Rule::DataRace), wait ? 0u : 1u);
  }
}

TEST(ReplayAsync, RelaxedArrivalPublishesNothing) {
  Launch l(2, 1, {2, 1, 1});
  l.write({0, 0}, X);
  l.add({0, 0}, EventKind::ClusterArrive, 0, 1).add({1, 0}, EventKind::ClusterArrive, 0, 0);
  l.add({1, 0}, EventKind::ClusterWait, 0, 0).read({1, 0}, X).end();
  EXPECT_EQ(l.S.count(Rule::DataRace), 1u);
}

// P5: a peer's address and the owner's address are one location.
TEST(ReplayAsync, PeerAddressesNameTheOwnersMemory) {
  Launch l(core::Dim3{4, 2, 1}, 1, {2, 2, 1}); // blocks 0 1 4 5 and 2 3 6 7
  auto sync = [&](uint32_t first) {
    for (uint32_t b : {first, first + 1, first + 4, first + 5})
      l.add({b, 0}, EventKind::ClusterArrive, 0, 0);
    for (uint32_t b : {first, first + 1, first + 4, first + 5})
      l.add({b, 0}, EventKind::ClusterWait, 0, 0);
  };
  sync(2);
  l.write({6, 0}, Shared).read({3, 0}, peer(2, 1024)); // rank 2 of its cluster is block 6
  EXPECT_EQ((l.scan(), l.S.count(Rule::DataRace)), 1u);
  l.write({2, 0}, Tile).write({3, 0}, peer(1, 2048)); // block 3 itself
  sync(2);
  l.end();
  EXPECT_EQ(l.S.findings.size(), 1u);
}

// D8: a peer's memory before anything tells that the peer has started.
TEST(ReplayAsync, PeerMemoryBeforeTheClusterMet) {
  Launch l(2, 1, {2, 1, 1});
  l.write({0, 0}, peer(1, 1024));
  for (EventKind k : {EventKind::ClusterArrive, EventKind::ClusterWait})
    for (uint32_t b : {0u, 1u})
      l.add({b, 0}, k, 0, 0);
  l.end();
  EXPECT_EQ(l.S.count(Rule::Lifetime), 1u);
}

TEST(ReplayAsync, SharedMemoryStaysUntilTheClusterEnds) {
  Launch l(4, 1, {2, 1, 1});
  l.exit({0, 0}).write({2, 0}, Shared).read({1, 0}, Shared).exit({1, 0});
  l.write({3, 0}, Shared).exit({2, 0}).exit({3, 0}).end();
  EXPECT_TRUE(l.S.findings.empty());
}

// S10
TEST(ReplayAsync, MbarrierOrders) {
  for (bool done : {true, false}) {
    Launch l(1, 2);
    init(l, 1).write({0, 0}, X);
    l.add({0, 0}, EventKind::MbarrierArrive, Shared, 1, Arrive.raw());
    l.add({0, 1}, EventKind::MbarrierWait, Shared, done, Wait.raw()).read({0, 1}, X).end();
    EXPECT_EQ(l.S.count(Rule::DataRace), done ? 0u : 1u);
    EXPECT_EQ(l.S.findings.size(), done ? 0u : 1u);
  }
}

TEST(ReplayAsync, MbarrierAcrossBlocksNeedsClusterScope) {
  for (bool wide : {true, false}) {
    Launch l(2, 1, {2, 1, 1});
    l.add({1, 0}, EventKind::MbarrierInit, Shared, 1);
    for (EventKind k : {EventKind::ClusterArrive, EventKind::ClusterWait})
      for (uint32_t b : {0u, 1u})
        l.add({b, 0}, k, 0, 0);
    l.write({0, 0}, X);
    l.add({0, 0}, EventKind::MbarrierArrive, peer(1, 1024), 1, ArriveCluster.raw());
    l.add({1, 0}, EventKind::MbarrierWait, Shared, 1, (wide ? WaitCluster : Wait).raw());
    l.read({1, 0}, X);
    for (EventKind k : {EventKind::ClusterArrive, EventKind::ClusterWait})
      for (uint32_t b : {0u, 1u})
        l.add({b, 0}, k, 0, 0);
    l.end();
    EXPECT_EQ(l.S.count(Rule::InsufficientScope), wide ? 0u : 1u); // of X
    EXPECT_EQ(l.S.count(Rule::ScopeRace), wide ? 0u : 1u);         // of the barrier
    EXPECT_EQ(l.S.findings.size(), wide ? 0u : 2u);
  }
}

TEST(ReplayAsync, DropLowersTheNextPhase) {
  Launch l(1, 2);
  init(l, 2);
  l.add({0, 0}, EventKind::MbarrierArrive, Shared, 1 | DropBit, Arrive.raw());
  l.add({0, 1}, EventKind::MbarrierArrive, Shared, 1, Arrive.raw());
  l.add({0, 1}, EventKind::MbarrierWait, Shared, 1, Wait.raw()).write({0, 1}, X);
  l.add({0, 1}, EventKind::MbarrierArrive, Shared, 1, Arrive.raw()); // completes alone
  l.add({0, 0}, EventKind::MbarrierWait, Shared, 1, Wait.raw()).read({0, 0}, X).end();
  EXPECT_TRUE(l.S.findings.empty());
}

// S12: the thread that waited for the group, and nobody else.
TEST(ReplayAsync, CpAsyncGroups) {
  for (bool wait : {true, false}) {
    Launch l(1, 1);
    l.add({0, 0}, EventKind::CpAsync, X, 2048, 16 | 16 << 16);
    l.add({0, 0}, EventKind::CpAsyncCommit, 0, 0);
    if (wait)
      l.add({0, 0}, EventKind::CpAsyncWait, 0, 0);
    l.read({0, 0}, Tile + 12).end();
    EXPECT_EQ(l.S.count(Rule::AsyncInFlight), wait ? 0u : 1u);
  }
}

TEST(ReplayAsync, CpAsyncWaitAllNeedsNoGroup) {
  Launch l(1, 1);
  l.add({0, 0}, EventKind::CpAsync, X, 2048, 16 | 16 << 16);
  l.add({0, 0}, EventKind::CpAsyncWait, 0, abi::WaitAll).read({0, 0}, Tile).end();
  EXPECT_TRUE(l.S.findings.empty());
}

// The zero-filled part has no source.
TEST(ReplayAsync, CpAsyncReadsItsSourceBytesOnly) {
  for (uint32_t source : {4u, 16u}) {
    Launch l(2, 1);
    l.write({1, 0}, X + 8).add({0, 0}, EventKind::CpAsync, X, 2048, 16 | source << 16).end();
    EXPECT_EQ(l.S.findings.size(), source == 16 ? 1u : 0u);
  }
}

TEST(ReplayAsync, CpAsyncThroughAnMbarrier) {
  for (bool noinc : {true, false}) {
    Launch l(1, 2);
    init(l, noinc ? 2 : 1);
    l.add({0, 0}, EventKind::CpAsync, X, 2048, 16 | 16 << 16);
    l.add({0, 0}, EventKind::CpAsyncArrive, Shared, noinc);
    l.add({0, 1}, EventKind::MbarrierArrive, Shared, 1, Arrive.raw());
    l.add({0, 1}, EventKind::MbarrierWait, Shared, 1, Wait.raw()).read({0, 1}, Tile).end();
    EXPECT_TRUE(l.S.findings.empty());
  }
}

// The copy's bytes reach whoever waits on the barrier.
TEST(ReplayAsync, BulkCopyCompletesOnItsBarrier) {
  for (bool wait : {true, false}) {
    Launch l(1, 2);
    init(l, 1);
    l.add({0, 0}, EventKind::MbarrierExpect, Shared, 64, Arrive.raw());
    l.add({0, 0}, EventKind::MbarrierArrive, Shared, 1, Arrive.raw());
    l.operands({0, 0}, X, 0, Shared).add({0, 0}, EventKind::BulkCopy, Tile, 64, Copy.raw());
    if (wait)
      l.add({0, 1}, EventKind::MbarrierWait, Shared, 1, Wait.raw());
    l.read({0, 1}, Tile + 60).end();
    EXPECT_EQ(l.S.count(Rule::AsyncInFlight), wait ? 0u : 1u);
  }
}

TEST(ReplayAsync, BulkGroups) {
  for (uint32_t readOnly : {0u, 1u}) {
    Launch l(1, 1);
    l.operands({0, 0}, Tile).add({0, 0}, EventKind::BulkCopy, X, 64, Copy.raw());
    l.add({0, 0}, EventKind::BulkCommit, 0, 0);
    l.add({0, 0}, EventKind::BulkWait, 0, 0, readOnly);
    l.write({0, 0}, Tile); // .read frees the source
    EXPECT_EQ((l.scan(), l.S.findings.size()), 0u);
    l.read({0, 0}, X).end();
    EXPECT_EQ(l.S.count(Rule::AsyncInFlight), readOnly);
  }
}

TEST(ReplayAsync, ByteMasks) {
  Launch l(1, 1);
  l.operands({0, 0}, Tile, 0xf0ffu << 16); // copies bytes 8 to 11 of each 16
  l.add({0, 0}, EventKind::BulkCopy, X, 32, Copy.raw())
      .write({0, 0}, X + 16, 8)
      .write({0, 0}, Tile + 28);
  EXPECT_EQ((l.scan(), l.S.findings.size()), 0u);
  l.write({0, 0}, X + 24).end();
  EXPECT_EQ(l.S.count(Rule::AsyncInFlight), 1u);
}

TEST(ReplayAsync, MulticastReachesEachReceiver) {
  Launch l(2, 1, {2, 1, 1});
  for (uint32_t b : {0u, 1u})
    l.add({b, 0}, EventKind::MbarrierInit, Shared, 1);
  auto sync = [&] {
    for (EventKind k : {EventKind::ClusterArrive, EventKind::ClusterWait})
      for (uint32_t b : {0u, 1u})
        l.add({b, 0}, k, 0, 0);
  };
  sync();
  l.operands({0, 0}, X, 3, Shared).add({0, 0}, EventKind::BulkCopy, Tile, 16, Copy.raw());
  l.add({1, 0}, EventKind::MbarrierExpect, Shared, 16, Arrive.raw());
  l.add({1, 0}, EventKind::MbarrierArrive, Shared, 1, Arrive.raw());
  l.add({1, 0}, EventKind::MbarrierWait, Shared, 1, Wait.raw()).read({1, 0}, Tile);
  EXPECT_EQ((l.scan(), l.S.findings.size()), 0u);
  sync();
  l.read({0, 0}, Tile); // did not wait, and whoever did knows of its own part only
  l.end();
  EXPECT_EQ(l.S.count(Rule::AsyncInFlight), 1u);
}

// O1: relaxed.gpu for each element, so two of them never race.
TEST(ReplayAsync, ReducingCopies) {
  constexpr abi::Op Add =
      abi::Op(abi::AccessKind::Red, abi::MemoryOrder::Relaxed, abi::Scope::Device)
          .withElementLog2(2);
  Launch l(2, 1);
  l.operands({0, 0}, Tile).add({0, 0}, EventKind::BulkCopy, X, 32, Add.raw());
  l.operands({1, 0}, Tile).add({1, 0}, EventKind::BulkCopy, X, 32, Add.raw());
  EXPECT_EQ((l.scan(), l.S.findings.size()), 0u);
  l.read({1, 0}, X + 16).end();
  EXPECT_GE(l.S.findings.size(), 1u);
}

TEST(ReplayAsync, StoreAsync) {
  for (bool wait : {true, false}) {
    Launch l(2, 1, {2, 1, 1});
    l.add({1, 0}, EventKind::MbarrierInit, Shared, 1);
    auto sync = [&] {
      for (EventKind k : {EventKind::ClusterArrive, EventKind::ClusterWait})
        for (uint32_t b : {0u, 1u})
          l.add({b, 0}, k, 0, 0);
    };
    sync();
    l.operands({0, 0}, peer(1, 1024));
    l.add({0, 0}, EventKind::StoreAsync, peer(1, 2048), 8,
          abi::Op(abi::AccessKind::Store, abi::MemoryOrder::Weak, abi::Scope::Thread).raw());
    l.add({1, 0}, EventKind::MbarrierExpect, Shared, 8, Arrive.raw());
    l.add({1, 0}, EventKind::MbarrierArrive, Shared, 1, Arrive.raw());
    if (wait)
      l.add({1, 0}, EventKind::MbarrierWait, Shared, 1, Wait.raw());
    l.read({1, 0}, Tile + 4);
    sync();
    l.end();
    EXPECT_EQ(l.S.count(Rule::AsyncInFlight), wait ? 0u : 1u);
  }
}

// S13: a generic write reaches the async proxy through a fence only.
TEST(ReplayAsync, ProxyFences) {
  for (bool fence : {true, false}) {
    Launch l(1, 1);
    l.write({0, 0}, Tile);
    if (fence)
      l.add({0, 0}, EventKind::ProxyFence, 0, uint32_t(abi::ProxyFence::Async));
    l.operands({0, 0}, Tile).add({0, 0}, EventKind::BulkCopy, X, 16, Copy.raw()).end();
    EXPECT_EQ(l.S.count(Rule::ProxyViolation), fence ? 0u : 1u);
  }
}

TEST(ReplayAsync, ProxyFencesOfOneSpace) {
  for (abi::Space space : {abi::Space::Shared, abi::Space::Global}) {
    Launch l(1, 1);
    l.write({0, 0}, Tile);
    l.add({0, 0}, EventKind::ProxyFence, 0, uint32_t(abi::ProxyFence::Async), uint32_t(space));
    l.operands({0, 0}, Tile).add({0, 0}, EventKind::BulkCopy, X, 16, Copy.raw()).end();
    EXPECT_EQ(l.S.count(Rule::ProxyViolation), space == abi::Space::Shared ? 0u : 1u);
  }
}

TEST(ReplayAsync, SimulatedTransactions) {
  Launch l(1, 2);
  init(l, 1);
  l.add({0, 0}, EventKind::MbarrierExpect, Shared, 16, Arrive.raw()).write({0, 0}, X);
  l.add({0, 0}, EventKind::MbarrierArrive, Shared, 1, Arrive.raw());
  l.add({0, 0}, EventKind::MbarrierComplete, Shared, 16, Arrive.raw());
  l.add({0, 1}, EventKind::MbarrierWait, Shared, 1, Wait.raw()).read({0, 1}, X).end();
  EXPECT_TRUE(l.S.findings.empty());
}

TEST(ReplayAsync, TensorMaps) {
  for (bool fence : {true, false}) {
    Launch l(1, 1);
    constexpr uint32_t Read = uint32_t(abi::Proxy::TensorMap) << 1;
    l.write({0, 0}, X);
    for (auto half : {abi::MemoryOrder::Release, abi::MemoryOrder::Acquire})
      if (fence)
        l.add({0, 0}, EventKind::TensormapFence, half == abi::MemoryOrder::Acquire ? X : 0,
              half == abi::MemoryOrder::Acquire ? 128 : 0,
              abi::Op(abi::AccessKind::Fence, half, abi::Scope::Device).raw());
    l.add({0, 0}, EventKind::ProxyAccess, X, 4, Read).end();
    EXPECT_EQ(l.S.count(Rule::ProxyViolation), fence ? 0u : 1u);
  }
}

} // namespace
} // namespace scopesan::gpu::test
