// An enqueued piece of work and what it waits for.
//
//   queued --all predecessors done--> ready --> started --(kernel: launch ends)--> done
#pragma once

#include "cpu/engine.h"
#include "cpu/shim/work.h"
#include "scopesan/core/ids.h"

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

namespace scopesan::cpu {

struct Operation;
struct Stream;
using OperationRef = std::shared_ptr<Operation>;

struct Operation {
  uint64_t Sequence = 0; ///< order of enqueueing over all streams
  core::NodeId Node;
  bool Started = false, Done = false;
  uint32_t Blockers = 0;                 ///< predecessors that are not done
  std::vector<OperationRef> Unblocks;    ///< operations that have this one as a blocker
  std::vector<OperationRef> Primaries;   ///< programmatic: kernels that must have triggered
  std::function<bool()> MayEnd;          ///< a wait for a value in memory; null = at once
  std::function<void()> Effect;          ///< what a copy, fill, marker or callback does
  bool IsCallback = false;               ///< runs host code: skipped at process exit
  std::atomic<bool> HasReturned = false; ///< a callback that was started on its thread
  std::unique_ptr<LaunchSpec> Kernel;    ///< a launch instead
  std::shared_ptr<const Arguments> Args; ///< the values that Kernel->Args points to
  Launch *Running = nullptr;
  Stream *Home = nullptr; ///< whose work it is
};

/// An operation to wait for and its place in the launch order.
struct Dependency {
  OperationRef Op; ///< may be null when it is long done
  core::NodeId Node;
};
using Dependencies = std::vector<Dependency>;

} // namespace scopesan::cpu
