// The program's host threads as the detector knows them, and the facts of instrumented host code
// (S15).
//
//   no instrumented host code: every thread is opaque; API calls are in one total order
//   instrumented:              a thread that instrumented code creates is ordered by what it does
#pragma once

#include "host/collector.h"
#include "scopesan/core/ids.h"

#include <functional>
#include <vector>

namespace scopesan::cpu {

class Context;
struct Allocation;

class HostThreadTable {
public:
  /// Enters the calling thread as the process's first one.
  void start(Context &C);

  /// Has a module with instrumented host code been loaded?
  static bool isInstrumented();

  /// What work that the calling thread enqueues now comes after.
  core::NodeId past();
  /// The calling thread goes on after `Nodes`.
  void follow(const core::NodeId *Nodes, uint32_t Count);
  /// The calling thread frees memory: the free's node, which the thread's later steps follow.
  core::NodeId freeNode();
  /// Is the calling thread the only one so far?
  bool isAlone() const { return Known < 2; }
  /// Host functions are threads beside the caller: locks order from the first one on.
  void expectFunction() { HasFunctions = true; }
  bool locksOrder() const { return !isAlone() || HasFunctions; }
  /// Is every host thread's further past after what the calling thread knows? Opaque threads are in
  /// one total order.
  bool speaksForAll() const { return isAlone() || !isInstrumented(); }

  /// Who put a host function into a stream.
  struct FunctionSource {
    const char *Api = "";
    host::Origin From;
  };
  /// Runs a host function within `Node` of the launch order, as a thread of its own. The API's lock
  /// is not held meanwhile: the function may wait for other host threads.
  void runFunction(core::NodeId Node, const FunctionSource &Source,
                   const std::function<void()> &Function);
  /// Is the calling thread executing a host function?
  static bool inFunction();

  // ---- facts of instrumented code; called under the API's lock
  void read(uint64_t Address, uint64_t Bytes, uint32_t Site) {
    access(Address, Bytes, Site, /*Write=*/false);
  }
  void write(uint64_t Address, uint64_t Bytes, uint32_t Site) {
    access(Address, Bytes, Site, /*Write=*/true);
  }
  void atomic(uint64_t Address, uint32_t Bytes, abi::Op Op, uint32_t Site, bool Wrote);
  void fence(abi::Op Op, uint32_t Site);
  void unmodelled(uint32_t Site);
  uint32_t create();
  void begin(uint32_t Thread);
  void end(uint32_t Thread);
  void join(uint32_t Thread);
  void acquire(uint64_t Object, bool Shared);
  void release(uint64_t Object, bool Shared);
  void forget(uint64_t Object);

private:
  struct FunctionThread {
    core::HostId Id;
    core::NodeId End; ///< of what it did last
    FunctionSource Source;
    bool IsBusy = false;
  };

  core::HostId self();
  size_t functionThread(core::NodeId Node, const FunctionSource &Source);
  void access(uint64_t Address, uint64_t Bytes, uint32_t Site, bool Write);
  /// False, with a D8, when the host may not touch the memory.
  bool mayTouch(const Allocation &A, uint64_t Address, uint64_t Bytes, abi::Op Op, uint32_t Site);

  Context *Owner = nullptr;
  uint32_t Known = 0;
  bool HasFunctions = false;
  std::vector<core::TimelineId> FreeLines; ///< by host thread, less 1
  std::vector<FunctionThread> FunctionThreads;
};

} // namespace scopesan::cpu
