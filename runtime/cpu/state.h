// The engine's records of what is resident: launches, clusters, blocks, warps, threads.
#pragma once

#include "cpu/cpu_abi.h"
#include "cpu/fiber.h"
#include "scopesan/core/detector.h"
#include "scopesan/core/ids.h"

#include <stdint.h>
#include <string>
#include <vector>

namespace scopesan::cpu {

struct Block;
struct CopyState;
struct Launch;

/// What a waiting thread waits for; `Thread::WaitDetail` holds the barrier id or the lane mask.
enum class Wait : uint8_t { None, BlockBarrier, Warp, Cluster, Grids };

struct Thread : ThreadContext {
  core::Thread *Detect = nullptr;
  Block *Owner = nullptr;
  Fiber *Stack = nullptr; ///< null before the first slice and after exit
  uint32_t Index = 0;     ///< linear thread index in the block
  uint32_t WaitDetail = 0;
  uint32_t BarrierResult = 0;
  bool ClusterArrived = false; ///< at least once
  uint32_t ClusterPhase = 0;   ///< phase that this thread's last cluster arrival belongs to
  uint32_t Device = 0;
  uint32_t Site = 0;       ///< last synchronization or strong access, for messages
  uint32_t AccessSite = 0; ///< last weak access, and what it touched
  const void *Accessed = nullptr;
  uint32_t TextureSite = 0; ///< of the texture or surface operation that follows
  uint32_t MbarrierSite = 0;
  void *Mbarrier = nullptr;    ///< whose phase the wait at MbarrierSite found incomplete
  CopyState *Copies = nullptr; ///< null until the thread issues one
  uint64_t WaitedAt = 0;       ///< slice in which it last gave a turn away at a strong access
  uint64_t BlockedAt = 0;      ///< slice in which it last began to wait for others
  Wait Waiting = Wait::None;
  bool Exited = false;
  bool Polled = false; ///< read atomically since a weak access last ended a slice of its
};

/// One lane's operands and result in a warp rendezvous.
struct WarpLane {
  uint32_t Op = 0, Mask = 0, B = 0, C = 0;
  uint64_t Value = 0, Result = 0;
  uint32_t Predicate = 0;
};

struct Warp {
  uint32_t Live = 0;      ///< lanes that exist and have not exited
  uint32_t Meeting = 0;   ///< lanes waiting in a rendezvous by mask
  uint32_t Gathering = 0; ///< lanes waiting in activemask
  WarpLane Lanes[32];
};

/// One of the 16 barriers of a block. Idle when `Arrived` is 0.
///   idle --first arrival--> collecting (count fixed) --last arrival or exit--> idle, waiters woken
struct BlockBarrier {
  uint32_t Count = 0;   ///< 0 = all live threads of the block
  uint32_t Arrived = 0; ///< threads; with an explicit count also the missing lanes of their warps
  uint32_t Popcount = 0;
  uint32_t Sources = 0; ///< threads that gave a predicate
  std::vector<Thread *> Waiters;
  uint32_t LaneMask[32] = {};    ///< arrivals by warp, kept for explicit counts only
  uint32_t AlignedSite[32] = {}; ///< by warp: where its first lane arrived at an aligned barrier
};

/// wgmma operations of four warps: actors by warp and group, and what each thread knows complete.
struct Warpgroup {
  struct Part {
    std::vector<core::BlockId> Open; ///< since the last commit
    std::vector<std::vector<core::BlockId>> Groups;
  } Parts[4];
  uint32_t Learned[128] = {}; ///< groups, by thread
};

struct Cluster {
  static constexpr uint32_t MaxBlocks = 16;
  uint32_t BlockCount = 0;
  uint32_t LiveThreads = 0;
  uint32_t Arrived = 0;
  uint32_t Phase = 0;
  bool UsesCopies = false; ///< a thread issued an asynchronous copy
  Block *Blocks[MaxBlocks] = {};
  std::vector<Thread *> Waiters;
};

struct Block {
  static constexpr uint32_t BarrierCount = 16;
  Launch *Grid = nullptr;
  Cluster *Peers = nullptr;
  core::Block *Detect = nullptr;
  uint64_t Linear = 0; ///< block index in the grid, x fastest
  uint32_t Rank = 0;   ///< in the cluster
  uint32_t ThreadCount = 0;
  uint32_t LiveThreads = 0;
  bool Triggered = false; ///< executed griddepcontrol.launch_dependents, or ended
  char *Shared = nullptr;
  std::vector<Thread> Threads;
  std::vector<Warp> Warps;
  std::vector<Warpgroup> Warpgroups; ///< empty until the first wgmma
  BlockBarrier Barriers[BarrierCount];
};

/// Can a device's threads touch an address?
enum class Reach : uint8_t {
  Fine,
  Unmapped,    ///< host memory that CUDA does not know
  NoPeerAccess ///< memory of another device, without access to it
};

/// What the shim asks for.
struct LaunchSpec {
  const Kernel *Code = nullptr;
  std::string Name; ///< demangled, for messages
  core::Dim3 Grid, BlockDim, ClusterDim;
  bool ExplicitCluster = false;
  bool Cooperative = false;
  uint32_t DynamicShared = 0;
  core::NodeId Node;
  uint32_t Index = 0; ///< 1-based number in the process
  uint32_t Device = 0;
  void **Args = nullptr; ///< must live until the launch has ended
  /// Programmatic dependent launch (S14): active launches that griddepcontrol.wait waits for.
  std::vector<Launch *> Prerequisites;
  uint64_t ArgumentsBegin = 0, ArgumentsEnd = 0; ///< where the argument values lie
};

struct Launch {
  LaunchSpec Spec;
  uint64_t BlockCount = 0;
  uint64_t NextBlock = 0; ///< blocks before it have started
  uint64_t EndedBlocks = 0;
  uint64_t TriggeredBlocks = 0;
  uint32_t BlocksPerCluster = 1;
  uint32_t ThreadsPerBlock = 0;
  uint32_t SlotBytes = 0;
  bool Ended = false;
  std::vector<Block *> Resident;
  std::vector<char *> FreeSlots; ///< shared-memory slots that this launch keeps until it ends
  void *GridWorkspace = nullptr; ///< cooperative groups' grid barrier lives here
  std::vector<Launch *> Dependents;
  std::vector<Thread *> GridWaiters; ///< in griddepcontrol.wait

  /// Dependent launches may start.
  bool triggered() const { return TriggeredBlocks == BlockCount; }
};

/// Why the device stopped. Values are the cudaError_t that the program sees.
enum class FailureCode : int {
  None = 0,
  IllegalAddress = 700,
  LaunchTimeout = 702,
  Assert = 710,
  IllegalInstruction = 715,
  MisalignedAddress = 716,
  LaunchFailure = 719,
  NotSupported = 801
};

struct Failure {
  FailureCode Code = FailureCode::None;
  std::string Message;
  uint32_t Site = 0; ///< of the operation that failed; 0 = not known
  bool Told = false; ///< the program's user has seen a message of the program's own
};

} // namespace scopesan::cpu
