// The engine: runs the blocks of all active launches as fibers under one seeded scheduler.
//
// One OS thread at a time drives it (the shim's lock), not always the same one. The driver calls
// run(); fibers switch to each other directly and return to the driver when the slice budget is
// spent, a launch ended, or the device failed.
#pragma once

#include "cpu/async_copies.h"
#include "cpu/random.h"
#include "cpu/scheduler.h"
#include "cpu/shared_arena.h"
#include "cpu/state.h"

#include <functional>

namespace scopesan::cpu {

struct EngineSettings {
  uint64_t Seed = 1;
  uint32_t ResidentBlocks = 8;
  uint32_t PreemptionInterval = 40; ///< 0 = only at synchronization
  uint32_t StackBytes = 64 * 1024;
  uint32_t SmCount = 8;
  uint64_t WaitLimit = 0; ///< turns without a change of memory that are allowed; 0 = any number
};

enum class RunStatus {
  LaunchEnded, ///< at least one launch ended since run() was called
  BudgetSpent,
  Idle,       ///< nothing is active
  Deadlocked, ///< threads exist, none can run
  Livelocked, ///< all runnable threads have only been waiting for a long time
  TooLong,    ///< nothing has changed, or no thread has ended, for longer than the limit allows
  Failed
};

class Engine {
public:
  void configure(const EngineSettings &, core::Detector &);

  /// Makes a launch active. `Launch::Ended` tells when it is over; the caller then calls retire().
  /// Returns null when its blocks do not fit into shared memory.
  Launch *start(LaunchSpec Spec);
  void retire(Launch *L);
  bool active() const { return !Active.empty(); }

  /// Runs at most `Slices` thread slices.
  RunStatus run(uint64_t Slices);
  const Failure &failure() const { return Failed; }
  /// Ends all launches after a failure or a stuck state and forgets the failure.
  void abandonAll();
  /// Records a failure that the driver decided on (stuck).
  void fail(FailureCode Code, std::string Message) { Failed = {Code, std::move(Message)}; }
  /// Who waits where, one line per group of threads, below the title.
  std::string describeStuck(std::string Title) const;
  /// D12: reports a stuck state as a finding (D7 where a barrier is involved).
  void reportStuck(core::Detector &D) const;
  /// Starts a new quiet period: the host promises that something may still change.
  void forgiveLivelock() { Sched.noteLifetime(); }

  /// Virtual time of the device in nanoseconds: advances with slices and clock reads only.
  uint64_t now() const { return Sched.Slices * NanosecondsPerSlice + ClockReads * 40; }

  // ---- called on fibers
  static Thread *current() { return static_cast<Thread *>(__scopesan_cpu_current); }
  /// Ends the kernel with an error of thread `By`: `What` is followed by where that is. Continues
  /// in the driver.
  [[noreturn]] void failFromFiber(FailureCode Code, const std::string &What, const Thread &By,
                                  uint32_t Site = 0);
  [[noreturn]] void failFromFiber(Failure F);
  [[noreturn]] void exitThread();
  [[noreturn]] void fiberLoop(bool AfterExit);
  uint64_t specialRegister(uint32_t Id);

  const EngineSettings &settings() const { return Settings; }
  SharedArena &arena() { return Arena; }
  const std::vector<Launch *> &activeLaunches() const { return Active; }
  FiberPool Fibers;
  Scheduler Sched;
  AsyncCopies Copies;

  static constexpr uint64_t NanosecondsPerSlice = 64;
  static constexpr uint32_t GridWorkspaceBytes = 256;

private:
  void admit(Launch *L);
  bool startCluster(Launch *L);
  void beginBlock(Launch *L, Block *B, uint64_t Linear);
  void finishThread(Thread *T);
  void endCluster(Launch *L, Cluster *C);
  void release(Launch *L);
  void leaveDependents(Launch *L);
  bool tooLong() const;

  EngineSettings Settings;
  SharedArena Arena;
  Failure Failed;
  bool LaunchEnded = false;
  uint64_t ClockReads = 0;
  std::vector<Launch *> Active;
  std::vector<Block *> FreeBlocks;
  std::vector<Cluster *> FreeClusters;
};

/// The process's engine and detector. Plain globals: the per-access hooks reach them directly.
/// A barrier's count as the hardware keeps it: of whole warps (S7).
constexpr uint32_t wholeWarps(uint32_t Count) { return (Count + 31) & ~31u; }

extern Engine TheEngine;
extern core::Detector *TheDetector;

/// "block [x,y,z] thread [x,y,z]"
std::string describeThread(const Thread &T);
/// "kernel f(int*) (launch 3), block [0,0,0] thread [1,0,0]".
std::string describePlace(const Thread &T);
/// Where the thread stands, for findings.
core::AccessRecord recordOf(const Thread &T);
/// "file:line" of a global site id, or the empty string. Set by the shim.
extern std::string (*SiteDescriber)(uint32_t Site);

// ---- barriers.cpp, warp.cpp: what an exiting thread does to those who wait for it
void barriersAfterExit(Thread &T);
void clusterAfterExit(Thread &T);
void warpAfterExit(Thread &T);
/// The thread's block lets dependent launches start (dependents.cpp).
void triggerDependents(Block &B);

} // namespace scopesan::cpu
