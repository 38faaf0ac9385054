// mbarrier objects (S10): phases, pending and transaction counts, and what each phase publishes.
//
//   init(n) -> phase 0, pending n, tx 0
//   arrive: pending -= k;  expect_tx: tx += b;  complete_tx: tx -= b
//   pending == 0 and tx == 0 -> the phase completes: phase + 1, pending = expected
#pragma once

#include "scopesan/core/sync.h"

namespace scopesan::core {

/// A release pattern that an arrival contributes to its phase.
struct PhaseHead {
  SnapshotRef snapshot;
  SyncOp first;  ///< the fence, or the arrival itself
  SyncOp arrive; ///< the observed operation
  bool merged = false;
};

struct Mbarrier {
  uint64_t address = 0;
  bool valid = false;
  uint32_t expected = 0, pending = 0;
  int64_t transactions = 0; ///< bytes still to arrive in this phase
  uint32_t phase = 0;       ///< index of the incomplete phase
  Vec<PhaseHead> current;   ///< contributions to the incomplete phase
  Vec<PhaseHead> completed; ///< contributions to all completed phases

  void init(uint64_t addr, uint32_t count) {
    address = addr;
    valid = true;
    expected = pending = count;
    transactions = 0;
    phase = 0;
    current.clear();
    completed.clear();
  }
  bool inUse() const { return valid && (pending != expected || transactions != 0); }
  /// Completes the phase if nothing is outstanding; returns whether it did.
  bool completeIfReady() {
    if (pending != 0 || transactions != 0)
      return false;
    ++phase;
    pending = expected;
    for (PhaseHead &h : current)
      addCompleted(moved(h));
    current.clear();
    return true;
  }
  /// Has the phase of this parity completed (test_wait.parity)?
  bool parityCompleted(uint32_t parity) const { return (phase & 1) != (parity & 1); }

private:
  void addCompleted(PhaseHead &&h) {
    for (PhaseHead &x : completed)
      if (!x.merged && !h.merged && x.first.sameThread(h.first) &&
          x.first.op.scope() == h.first.op.scope() && x.arrive.op.scope() == h.arrive.op.scope() &&
          h.snapshot->block == x.snapshot->block && h.snapshot->block.value) {
        x = moved(h); // a thread's newer snapshot contains its older one
        return;
      }
    completed.push(moved(h));
  }
};

} // namespace scopesan::core
