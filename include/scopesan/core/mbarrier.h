// mbarrier objects (S10): phases, pending and transaction counts, and what each phase publishes.
//
//   init(n) -> phase 0, pending n, tx 0
//   arrive: pending -= k;  expect_tx: tx += b;  complete_tx: tx -= b
//   pending == 0 and tx == 0 -> the phase completes: phase + 1, pending = expected
#pragma once

#include "scopesan/core/sync.h"

namespace scopesan::core {

/// A release pattern that an arrival contributes to its phase. Of completed phases, one stands for
/// all of a block's threads that executed the same two operations: whoever waits, scopes judge them
/// alike.
struct PhaseHead {
  SnapshotRef snapshot;
  SyncOp first;  ///< the fence, or the arrival itself
  SyncOp arrive; ///< the observed operation

  bool judgedAlike(const PhaseHead &o) const {
    return arrive.place.block == o.arrive.place.block && first.op.scope() == o.first.op.scope() &&
           arrive.op.scope() == o.arrive.op.scope() && first.site == o.first.site &&
           arrive.site == o.arrive.site;
  }
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
    complete();
    return true;
  }
  void complete() {
    ++phase;
    transactions = 0;
    pending = expected;
    Vec<uint8_t> isOwn;
    isOwn.resize(completed.size());
    for (PhaseHead &h : current)
      addCompleted(moved(h), isOwn);
    current.clear();
  }
  /// Has the phase of this parity completed (test_wait.parity)?
  bool parityCompleted(uint32_t parity) const { return (phase & 1) != (parity & 1); }

private:
  /// `isOwn[i]`: the snapshot of completed[i] was made here, nobody else refers to it yet.
  void addCompleted(PhaseHead &&h, Vec<uint8_t> &isOwn) {
    for (uint32_t i = 0; i < completed.size(); ++i) {
      PhaseHead &x = completed[i];
      if (!x.judgedAlike(h))
        continue;
      if (!isOwn[i]) {
        SnapshotRef both = SnapshotRef::create();
        both->block = x.arrive.place.block; // names its launch; its own bounds cover nothing
        both->add(*x.snapshot);
        x.snapshot = both;
        isOwn[i] = 1;
      }
      x.snapshot->add(*h.snapshot);
      x.first = h.first;
      x.arrive = h.arrive;
      return;
    }
    completed.push(moved(h));
    isOwn.push(0);
  }
};

} // namespace scopesan::core
