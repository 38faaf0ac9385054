// A run with advice on.
#pragma once

#include "Simulation.h"

#include <gtest/gtest.h>

namespace scopesan::core::test {

/// Clusters of two blocks; t(b, i) is thread i of block b.
struct Advised : testing::Test {
  static DetectorOptions options(bool cxx = false) {
    DetectorOptions o;
    o.advise = true;
    o.cxxMode = cxx;
    o.hostSees = [](uint64_t address) { return address >= HostSees; };
    return o;
  }
  static constexpr uint64_t HostSees = 0x100000;
  explicit Advised(bool cxx = false) : s(options(cxx)) {}
  void SetUp() override { launch(4); }
  void launch(uint32_t blocks) {
    LaunchFacts f;
    f.cluster = {2, 1, 1};
    Node = s.launch(Stream, blocks, 64, {}, f);
    for (uint32_t i = 0; i < blocks; ++i)
      b[i] = s.block(Node, i);
  }
  void end(uint32_t blocks) {
    for (uint32_t i = 0; i < blocks; ++i) {
      for (Thread &x : b[i]->threads)
        s.D.threadExit(x);
      s.D.endBlock(b[i]);
    }
  }
  Thread &t(uint32_t block, uint32_t i = 0) { return s.thread(b[block], i); }
  size_t count(Rule r) const { return s.Sink.advice(r).size(); }
  uint64_t hits(RuleCounters::Counter c) const { return s.D.counters().values[c]; }

  Simulation s;
  TimelineId Stream = s.stream();
  NodeId Node;
  Block *b[8] = {};
};

} // namespace scopesan::core::test
