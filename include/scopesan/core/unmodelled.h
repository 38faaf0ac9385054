// Operations that nobody models (X1).
//
// One may have synchronized with any other such operation, been what a later acquire or wait
// observed, or completed the phase of an mbarrier, so every such edge is kept: findings may be
// lost, none is invented.
#pragma once

#include "scopesan/core/context.h"

namespace scopesan::core {

class Unmodelled {
public:
  explicit Unmodelled(Context &c) : C(c) {}

  /// X1: `t` executed such an operation. Called before and after it.
  void x1Execute(Thread &t) {
    C.counters.hit(RuleCounters::X1Unmodelled);
    C.unmodelled = true;
    SnapshotRef s = takeSnapshot(t);
    C.advance(t);
    Published.add(*s);
    x1Acquire(t);
  }
  /// X1: `t` observed something; what such operations published may be among it.
  void x1Acquire(Thread &t) {
    if (!C.unmodelled)
      return;
    t.blocks.join(Published.blocks);
    t.nodes.join(Published.nodes);
    t.proxies.join(Published.proxies);
    t.foreign = true;
  }

private:
  Context &C;
  Snapshot Published; ///< what all of them may have published
};

} // namespace scopesan::core
