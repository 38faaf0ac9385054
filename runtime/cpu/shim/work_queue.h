// Streams, events, and the device that works them off.
//
// An API call enqueues an operation. An operation may begin when it is the oldest of its stream and
// everything in `After` is done. Copies, fills and markers take effect at once; a kernel launch
// becomes active in the engine, together with the launches of other streams. The device runs only
// while a host thread waits in the API.
//
//   queued --oldest of its stream, After done--> started --(launch ends)--> done
//
// A programmatic launch (S14) may also start when the kernel before it in its stream, which may
// itself be running, has triggered; it is done when that kernel is.
#pragma once

#include "cpu/engine.h"
#include "cpu/shim/cuda_api.h"
#include "scopesan/core/ids.h"

#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace scopesan::cpu {

class Context;
struct Stream;

struct Operation {
  uint64_t Sequence = 0; ///< order of enqueueing over all streams
  core::NodeId Node;
  bool Started = false, Done = false;
  std::vector<std::shared_ptr<Operation>> After; ///< in other streams
  std::function<void()> Effect;                  ///< what a copy, fill, marker or callback does
  bool IsCallback = false;                       ///< runs host code: skipped at process exit
  std::unique_ptr<LaunchSpec> Kernel;            ///< a launch instead
  std::vector<char> Arguments;                   ///< the values that Kernel->Args points to
  std::vector<void *> ArgumentPointers;
  Launch *Running = nullptr;
  bool IsKernel = false;
  /// Of a programmatic launch: the kernels of its chain, oldest first, the one before it last.
  std::vector<std::shared_ptr<Operation>> Prerequisites;

  /// Programmatic launches that follow may start.
  bool triggered() const { return Started && (!Running || Running->triggered()); }
};
using OperationRef = std::shared_ptr<Operation>;

/// An operation to wait for and its place in the launch order.
struct Dependency {
  OperationRef Op; ///< may be null when it is long done
  core::NodeId Node;
};

struct Stream {
  uint32_t Ordinal = 0; ///< order of creation; 0 = legacy default stream
  unsigned Flags = cudaStreamDefault;
  int Priority = 0;
  bool Blocking = true;   ///< synchronizes with the legacy default stream
  bool Destroyed = false; ///< by the program; lives on until its work is done
  core::TimelineId Timeline;
  Dependency Last;        ///< most recent operation
  core::NodeId HostKnows; ///< node of this stream that the host was last ordered after
  std::deque<OperationRef> Queue;
  std::vector<OperationRef> Chain;       ///< last kernel and the programmatic launches after it
  std::vector<core::NodeId> BeforeChain; ///< what that kernel was ordered after
  cudaLaunchMemSyncDomain Domain = cudaLaunchMemSyncDomainDefault;
  cudaLaunchMemSyncDomainMap DomainMap = {0, 1};
};

struct Event {
  unsigned Flags = cudaEventDefault;
  Dependency LastRecord;
  bool Recorded = false;
  std::shared_ptr<uint64_t> Time; ///< virtual nanoseconds, written when the record is reached
};

class WorkQueue {
public:
  void start(Context &C);

  // ---- streams. Null handle = the legacy default stream or, where stated, the thread's own.
  Stream *create(unsigned Flags, int Priority);
  void destroy(Stream *S);
  /// Null for a handle that is not a stream.
  Stream *lookup(cudaStream_t Handle);
  Stream &legacy() { return *Legacy; }
  const std::vector<Stream *> &streams() const { return Streams; }

  // ---- enqueueing
  OperationRef enqueueLaunch(Stream &S, const core::LaunchFacts &Facts,
                             std::unique_ptr<LaunchSpec> Spec);
  /// Programmatic stream serialization: ordered after the kernel before it in the stream by
  /// griddepcontrol.wait only. An ordinary launch where the last operation is no kernel.
  OperationRef enqueueProgrammatic(Stream &S, const core::LaunchFacts &Facts,
                                   std::unique_ptr<LaunchSpec> Spec);
  OperationRef enqueueCopy(Stream &S, std::function<void(Operation &)> Effect);
  OperationRef enqueueMarker(Stream &S, std::function<void()> Effect,
                             const Dependency *After = nullptr);

  // ---- waiting: run the device until the condition holds; the host is then ordered after it
  cudaError_t waitFor(const OperationRef &Op);
  cudaError_t waitForStream(Stream &S);
  cudaError_t waitForAll();
  /// Runs the device for a while; cudaSuccess when the operation is done, else cudaErrorNotReady.
  cudaError_t query(const Dependency &D);
  cudaError_t queryStream(Stream &S);
  /// Runs everything that is left, except host functions. For process exit and device reset.
  void drain(bool RunCallbacks);

  /// The host's own timeline goes on after `Nodes`.
  void hostAfter(const core::NodeId *Nodes, uint32_t Count);
  core::NodeId hostNode() const { return HostNode; }

  bool inCallback() const { return InCallback; }
  bool anyPending() const;
  void forgetFailure();

private:
  std::vector<Dependency> crossDependencies(Stream &S);
  template <typename MakeNode>
  OperationRef enqueue(Stream &S, const Dependency *Extra, MakeNode Make);
  cudaError_t runUntil(const std::function<bool()> &Done);
  void startEligible();
  static bool mayStart(const Stream &S, size_t Index);
  void begin(const OperationRef &Op);
  void finish(const OperationRef &Op);
  void collectEnded();
  void dropDestroyed();
  /// One engine run. False when the device failed.
  bool runOnce(uint64_t Slices);
  void stuck(bool Livelock);
  void deviceFailed();

  Context *Owner = nullptr;
  std::vector<Stream *> Streams;
  Stream *Legacy = nullptr;
  uint32_t StreamsCreated = 0;
  uint64_t NextSequence = 0;
  std::vector<OperationRef> Running; ///< launches that are active in the engine
  std::vector<Dependency> Orphans;   ///< last operations of destroyed blocking streams
  core::TimelineId HostTimeline;
  core::NodeId HostNode;
  bool InCallback = false, SkipCallbacks = false;
  uint64_t WaitingSince = 0; ///< milliseconds; first livelock that was forgiven, 0 = none
  Random QueryChance{7};
};

} // namespace scopesan::cpu
