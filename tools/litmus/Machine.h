// A sequentially consistent machine that executes a Program step by step.
//
// Memory operations, and barrier arrivals whose grouping depends on their order, are *visible*
// steps: the explorer chooses which thread takes the next one. Everything else is local and runs at
// once, since its place in an interleaving changes no value.
#pragma once

#include "Program.h"

#include <map>

namespace scopesan::litmus {

/// One executed instruction.
struct Step {
  uint32_t thread = 0, instr = 0;
  int64_t read = 0, written = 0;
  bool wrote = false;
  uint32_t from = None;  ///< step whose write was read; None = the initial value
  uint32_t group = None; ///< barrier generation: index into State::groups
};

enum class ThreadStatus : uint8_t { NotStarted, Ready, Waiting, Looping, Done };

struct ThreadState {
  ThreadStatus status = ThreadStatus::NotStarted;
  uint32_t pc = 0;
  bool triggered = false; ///< launch_dependents
  std::vector<int64_t> registers;
  std::vector<bool> assigned;
  std::map<uint32_t, uint32_t> backJumps; ///< by branch
  uint32_t group = None;                  ///< barrier generation it waits for
};

/// Names a barrier: block barriers by their block and operands, warp barriers by their warp.
struct BarrierKey {
  uint32_t launch = 0, cluster = 0, block = 0;
  enum Kind : uint32_t { Block, Warp, Cluster, WholeBlock };
  Kind kind = Block; ///< WholeBlock: every thread of the block that has not exited
  int64_t id = 0, logical = 0;
  auto operator<=>(const BarrierKey &) const = default;
};

/// A barrier generation.
struct BarrierGroup {
  BarrierKey key;
  uint32_t expected = 0;         ///< 0 = everybody who can still come
  std::vector<uint32_t> arrived; ///< threads
  bool complete = false;
  uint32_t completedBefore = 0; ///< number of steps when it completed
};

/// Phases of a location used as mbarrier (S10).
struct MbarrierState {
  uint32_t expected = 0, pending = 0, phase = 0;
  int64_t bytes = 0;
};

struct State {
  std::vector<ThreadState> threads;
  std::vector<int64_t> memory;          ///< by root location
  std::vector<uint32_t> lastWriter;     ///< step, by root location
  std::vector<bool> started;            ///< launches
  std::vector<MbarrierState> mbarriers; ///< by location
  std::map<BarrierKey, uint32_t> open;  ///< generation that is filling up
  std::vector<BarrierGroup> groups;
  std::vector<Step> steps;
  bool refuted = false; ///< an expectation of an operation was not met: the execution is not meant
};

/// What an RMW with operand `v` writes over `old`, if it writes.
int64_t applyRmw(RmwKind k, int64_t old, int64_t v);

class Machine {
public:
  explicit Machine(const Program &program);

  const Program &program() const { return P; }
  State initial() const;

  /// The thread can take its next visible step now without repeating a loop too often.
  bool enabled(const State &s, uint32_t thread) const;
  /// Takes the thread's next visible step and all local steps that follow.
  void step(State &s, uint32_t thread) const;
  /// The visible steps of two threads commute: same values, same barrier groups.
  bool independent(const State &s, uint32_t a, uint32_t b) const;

  bool allDone(const State &s) const;
  /// Nobody can step and somebody is left: true when all of those wait at barriers, false when
  /// one of them only repeats a loop.
  bool stuckAtBarriers(const State &s) const;
  /// Nobody can step, and all that are left repeat loops that nothing will end.
  bool onlyLoops(const State &s) const;
  bool satisfies(const State &end, const Guard &g) const;
  int64_t evaluate(const ThreadState &t, const Expr &e) const;

private:
  const Instr *next(const State &s, uint32_t thread) const;
  bool visible(const Instr &i) const;
  bool localStep(State &s, uint32_t thread) const;
  void mbarrierStep(State &s, uint32_t thread, const Instr &i) const;
  void copyStep(State &s, uint32_t thread, const Instr &i) const;
  bool clusterWaitOver(const State &s, uint32_t thread) const;
  void memoryStep(State &s, uint32_t thread, const Instr &i) const;
  void arrive(State &s, uint32_t thread, const Instr &i) const;
  bool completeGroups(State &s) const;
  bool groupIsFull(const State &s, const BarrierGroup &g) const;
  bool mayArrive(const State &s, uint32_t thread, const BarrierKey &key) const;
  bool mayMatch(const State &s, uint32_t thread, const Instr &i, const BarrierKey &key) const;
  BarrierKey keyOf(const State &s, uint32_t thread, const Instr &i) const;
  void runLocal(State &s) const;
  bool startThreads(State &s) const;
  bool launchComplete(const State &s, uint32_t launch) const;
  bool launchMayStart(const State &s, uint32_t launch) const;
  bool repeatsTooOften(const State &s, uint32_t thread) const;
  bool branch(ThreadState &t, uint32_t pc, const Instr &i) const;
  bool holds(const State &end, const Condition &c) const;

  const Program &P;
  std::vector<bool> HasLoop;    ///< by thread
  bool OrderedBarriers = false; ///< some counted barrier can be reached by more than its count
};

} // namespace scopesan::litmus
