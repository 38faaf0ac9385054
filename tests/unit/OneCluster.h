// A launch of two clusters of two blocks each, and short forms of what its threads do to cluster
// barriers, mbarriers and asynchronous copies.
#pragma once

#include "Simulation.h"

#include <gtest/gtest.h>

namespace scopesan::core::test {

constexpr uint64_t S = 0x5000, T2 = 0x6000, M = 0x7000, M2 = 0x7100;

/// One cluster of two blocks of 64 threads, and a second cluster.
struct OneCluster : testing::Test {
  Simulation s;
  Block *b[4] = {};
  void SetUp() override {
    LaunchFacts f;
    f.cluster = {2, 1, 1};
    NodeId n = s.launch(s.stream(), 4, 64, {}, f);
    for (int i = 0; i < 4; ++i)
      b[i] = s.block(n, i);
  }
  Thread &t(uint32_t block, uint32_t i = 0) { return s.thread(b[block], i); }
  void clusterBarrier(bool relaxed = false) {
    for (int k = 0; k < 2; ++k)
      for (Thread &x : b[k]->threads)
        s.D.clusterArrive(x, relaxed, site(30));
    for (int k = 0; k < 2; ++k)
      for (Thread &x : b[k]->threads)
        s.D.clusterWait(x, site(31));
  }
  static Op arrive(MemoryOrder o = Release, Scope sc = Scope::Block) {
    return Op(AccessKind::Rmw, o, sc);
  }
  static Op wait(MemoryOrder o = Acquire, Scope sc = Scope::Block) {
    return Op(AccessKind::Load, o, sc);
  }
  void initMbarrier(uint64_t m, uint32_t count) {
    s.D.mbarrierInit(t(0), m, count, site(40));
    s.barrier(b[0]);
  }
  void initFence(Thread &x) {
    s.D.fence(x, Op(AccessKind::Fence, Release, Scope::Cluster).with(Op::InitsOnlyBit), site(43));
  }
  void arriveAt(Thread &x, uint64_t m, Op op = arrive()) {
    s.D.mbarrierArrive(x, m, 1, 0, false, op, site(41));
  }
  void waited(Thread &x, uint64_t m, Op op = wait()) { s.D.mbarrierWait(x, m, op, site(42), true); }
  BlockId bulkIn(Thread &x, uint64_t dst, uint64_t src, uint32_t bytes = 16) {
    BlockId a = s.D.asyncBegin(x, Proxy::Async);
    s.D.asyncRead(src, bytes, site(50));
    s.D.asyncWrite(dst, bytes, site(50));
    return a;
  }
  /// Two pieces of 16 bytes.
  void bulkOut(Thread &x, uint64_t dst, uint64_t src) {
    BlockId a = s.D.asyncBegin(x, Proxy::Async);
    for (uint32_t at : {0, 16})
      s.D.asyncRead(src + at, 16, site(50));
    s.D.asyncWrite(dst, 32, site(50));
    s.D.bulkTrack(x, a);
  }
  void mapFence(Thread &x, MemoryOrder half, Scope scope, uint64_t map = 0, uint64_t bytes = 0) {
    s.D.tensormapFence(x, Op(AccessKind::Fence, half, scope), site(53), map, bytes);
  }
  void reduce(Thread &x, uint64_t dst, uint32_t elements) {
    s.D.asyncBegin(x, Proxy::Async);
    for (uint32_t i = 0; i < elements; ++i)
      s.D.asyncReduce(dst + 4 * i, 4, Op(AccessKind::Red, Relaxed, Scope::Device), site(52));
  }
  BlockId cpAsync(Thread &x, uint64_t dst, uint64_t src) {
    BlockId a = s.D.asyncBegin(x, Proxy::Generic);
    s.D.asyncRead(src, 4, site(51));
    s.D.asyncWrite(dst, 4, site(51));
    s.D.cpAsyncTrack(x, a);
    return a;
  }
  void tellShared() {
    for (int k = 0; k < 4; ++k)
      s.D.sharedMemory(b[k], sharedOf(k), 0x1000);
    s.D.sharedWindow(sharedOf(0), 0x4000);
  }
  static uint64_t sharedOf(int block) { return 0x100000 + uint64_t(block) * 0x1000; }
  void finish(int block) {
    for (Thread &x : b[block]->threads)
      s.D.threadExit(x);
    s.D.endBlock(b[block]);
  }
};

} // namespace scopesan::core::test
