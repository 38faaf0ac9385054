// The device's work: operations, what they wait for, and the engine that runs them.
//
// An API call enqueues an operation. It may begin when everything it follows is done. Copies, fills
// and markers take effect at once; a kernel launch becomes active in the engine, together with the
// launches of other streams. The device runs only while a host thread waits in the API.
#pragma once

#include "cpu/random.h"
#include "cpu/shim/stream.h"
#include "host/collector.h"

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>

namespace scopesan::cpu {

class Context;

/// Where an operation goes: its line in the launch order, what it follows, and whose work it is.
struct Placement {
  core::TimelineId Line;
  Dependencies After;
  Dependencies Primaries; ///< programmatic: may still run, griddepcontrol.wait waits for them
  Stream *Home = nullptr;
  host::Origin Origin;
  std::vector<core::NodeId> nodes() const; ///< of After
};

/// Gives an operation its node in the launch order, its effect, and its name in reports.
void describeWork(Context &C, Operation &Op, const Work &W, const Placement &P);

class WorkQueue {
public:
  void start(Context &C);

  // ---- enqueueing
  /// Enqueues at a place. The caller has checked the work's arguments.
  OperationRef enqueue(Placement P, const Work &W);
  /// Enqueues next in a stream, also after `Extra`.
  OperationRef enqueue(Stream &S, const Work &W, const Dependencies &Extra = {});
  /// A point in the stream's order whose `Effect` runs when it is reached.
  OperationRef enqueueMarker(Stream &S, std::function<void()> Effect,
                             const Dependencies &Extra = {});
  OperationRef enqueueMarker(Placement P, std::function<void()> Effect);
  /// What the next operation of the stream follows, the host included.
  Placement placeIn(Stream &S, bool Programmatic = false);
  /// A place on a line beside the stream's own, for work between two of its operations. The caller
  /// fills in what it follows, at least all of the stream so far.
  Placement placeBeside(Stream &S, size_t Line);
  /// `Op` is now what the stream's next operation follows.
  void append(Stream &S, const Placement &P, const OperationRef &Op, bool Programmatic = false);

  // ---- waiting: run the device until the condition holds; the host is then ordered after it
  cudaError_t waitFor(const Dependencies &D);
  cudaError_t waitFor(const OperationRef &Op) { return waitFor(Dependencies{{Op, Op->Node}}); }
  cudaError_t waitForStream(Stream &S);
  cudaError_t waitForDevice(int Device);
  /// The same without an order: the operation just happens now.
  cudaError_t runUntilDone(const OperationRef &Op);
  /// Runs the device for a while; cudaSuccess when everything is done, else cudaErrorNotReady.
  cudaError_t query(const Dependencies &D);
  cudaError_t queryStream(Stream &S);
  /// Runs everything that is left, except host functions where `RunCallbacks` is false. For process
  /// exit, device reset, and frees.
  void drain(bool RunCallbacks);

  /// Runs the device for a while, for a host thread that waits in a loop of its own.
  void runForAWhile();
  /// A turn of the device while the host is blocked. False when nothing is left that could go on.
  /// A device that waits for memory does not count as stuck: the host may still come to help.
  bool runBeside();
  /// Is anything unfinished? May be asked without the lock.
  bool hasWork() const { return HasWork; }

  /// The host frees memory by the call `Api`: its free node, which later work follows.
  core::NodeId hostFree(const char *Api);

  void forgetFailure();

private:
  OperationRef prepare(Placement &P);
  void commit(const OperationRef &Op, const Placement &P);
  void hostLearns(const Dependencies &D);
  cudaError_t runUntil(const std::function<bool()> &Done);
  void startEligible();
  void startTriggered();
  void begin(const OperationRef &Op);
  /// Starts a host function on a thread of its own, as CUDA does: who calls the API may hold what
  /// the function waits for.
  void startFunction(const OperationRef &Op);
  /// Gives functions time, without the lock; until `Op` has returned, or for so long.
  void awaitFunction(const Operation *Op, uint64_t Milliseconds);
  bool isInFunction() const;
  void finish(const OperationRef &Op);
  void collectEnded();
  /// One engine run. False when the device failed.
  bool runOnce(uint64_t Slices);
  void stuck(RunStatus How);
  /// Nothing runs, and operations wait for values in memory.
  void stuckPolling();
  /// May another host thread still end a wait? Gives it time.
  bool isForgiven();
  void deviceFailed();

  Context *Owner = nullptr;
  uint64_t NextSequence = 1;
  std::map<uint64_t, OperationRef> Unfinished; ///< by sequence
  std::map<uint64_t, OperationRef> Ready;      ///< may begin, by sequence
  std::vector<OperationRef> AwaitTrigger;      ///< only programmatic predecessors are missing
  std::vector<OperationRef> Polling;           ///< wait for a value in memory
  std::vector<OperationRef> Running;           ///< launches that are active in the engine
  bool SkipCallbacks = false;
  std::atomic<bool> HasWork = false;
  std::mutex ReturnMutex;
  std::condition_variable Return; ///< some host function has returned
  uint64_t WaitingSince = 0;      ///< milliseconds; first livelock that was forgiven, 0 = none
  Random QueryChance{7};
};

} // namespace scopesan::cpu
