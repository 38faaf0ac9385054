// The run queue and the switching of threads.
//
// Fair: each round is a random permutation of the runnable threads, so between two turns of a
// thread every other runnable thread gets at most two. Deterministic: decisions depend on the seed
// and on the order of earlier decisions, never on addresses or time.
#pragma once

#include "cpu/random.h"
#include "cpu/state.h"

#include <vector>

namespace scopesan::cpu {

class Scheduler {
public:
  void configure(uint64_t Seed, uint32_t PreemptionInterval);

  uint32_t runnable() const { return Count; }
  void push(Thread *T);
  /// Next thread of the current round. The queue must not be empty.
  Thread *pop();
  void clear();

  // ---- on a fiber
  /// Called by hooks of weak accesses: switches when the drawn countdown is over.
  void read() {
    if (__builtin_expect(--Countdown < 0, 0))
      preempt(false);
  }
  void write() {
    if (__builtin_expect(--Countdown < 0, 0))
      preempt(true);
    noteWrite();
  }
  /// Before a synchronizing operation: may switch.
  void syncPoint();
  /// Gives other threads a turn. `MayBeSpin`: the thread may be waiting for another.
  void yield(bool MayBeSpin);
  /// Blocks the current thread until wake().
  void block(Wait Reason, uint32_t Detail);
  void wake(Thread *T);
  /// Memory has changed, or who may run.
  void noteProgress() {
    Quiet = 0;
    ChangedAt = Slices;
  }
  /// A weak write: what it changes is not known, and a waiting loop may contain it.
  void noteWrite() { ChangedAt = Slices; }
  void noteLifetime() {
    noteProgress();
    LifetimeAt = Slices;
  }
  /// Executes the asynchronous copies whose moment has come.
  void runCopies();
  /// Leaves fiber `Self`, which is running, for the driver; returns when it is resumed.
  void leaveToDriver(Fiber *Self);

  // ---- on the driver's stack
  /// Runs threads until something asks for the driver.
  void enter(uint64_t SliceBudget);
  bool livelocked() const { return Quiet >= quietLimit(); }
  /// In a livelock: the thread waits now, but has run lately. What it waits for comes, again and
  /// again.
  bool passes(const Thread &T) const { return livelocked() && T.BlockedAt >= QuietHalfAt; }
  /// Turns since memory last changed, and since a thread last began or ended.
  uint64_t turnsWithoutChange() const { return Slices - ChangedAt; }
  uint64_t turnsWithoutLifetime() const { return Slices - LifetimeAt; }

  /// Asks the running fiber to return to the driver at its next dispatch.
  void requestDriver() { Budget = 0; }
  bool driverWanted() const { return Budget <= 0 || Count == 0; }
  void noteSlice() {
    ++Slices;
    --Budget;
  }

  uint64_t Slices = 0; ///< thread slices started so far
  uint64_t Hash = 0;   ///< of the order of slices: equal hashes, equal schedules

  void switchTo(Thread *T, Fiber *From);

private:
  void preempt(bool Writes);
  void noteWait();
  bool allWait() const;
  void drawCountdown();
  void drawAhead();
  Thread *waiting(uint32_t Place) const { return Ring[(Head + Place) & Mask]; }
  void dispatch();
  uint64_t quietLimit() const;
  void grow();

  // Ring buffer; the first `RoundLeft` entries belong to the current round, the first `Drawn` of
  // them have their places already.
  //   pushed at the tail -> in the round -> drawn (its memory is fetched meanwhile) -> popped
  std::vector<Thread *> Ring;
  uint32_t Mask = 0, Head = 0, Count = 0, RoundLeft = 0, Drawn = 0;
  static constexpr uint32_t DrawAhead = 8;
  int64_t Countdown = 0;
  int64_t Budget = 0;
  uint64_t Quiet = 0;       ///< waiting yields since the last exit or value-changing strong store
  uint64_t QuietHalfAt = 0; ///< slice in which `Quiet` was half of its least limit
  uint64_t ChangedAt = 0, LifetimeAt = 0; ///< slices
  uint32_t Interval = 0;
  Random Chance;
  void *DriverStack = nullptr;
};

} // namespace scopesan::cpu
