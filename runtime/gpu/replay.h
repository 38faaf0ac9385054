// Replays the log of one kernel launch, or of launches that overlap, into the detector.
//
//   idle --begin--> recording --begin another, scan (any number of times)--> recording --end-->
//   idle
//
// The records of each launch have its stamp. A launch starts with its first record: by then all
// that it is ordered after has ended.
//
// Scanning runs in two passes. The first pairs the two tickets of each strong operation and stops
// at the first record that is not complete. The second feeds the detector in ticket order, up to
// the oldest operation whose second ticket is missing. What is judged is therefore a prefix of the
// total order: nothing that it depends on is missing.
#pragma once

#include "gpu/locations.h"
#include "gpu/tensor_maps.h"
#include "host/collector.h"
#include "scopesan/gpu_abi.h"

#include <array>
#include <deque>
#include <functional>
#include <string>

namespace scopesan::gpu {

struct ReplayLaunch {
  core::NodeId node;
  core::Dim3 grid, cluster; ///< in blocks
  uint64_t threadsPerBlock = 0;
  uint32_t sharedBytes = 0;   ///< of a block, with what the system reserves
  uint32_t dynamicOffset = 0; ///< where dynamic shared memory begins in the block's window
  uint32_t dynamicBytes = 0;
  uint32_t stamp = 0;
  KernelMode mode = KernelMode::Logged;
  uint32_t tag = 0;  ///< of its marks in global memory; 0 = it leaves none
  MarkLayout layout; ///< of its marks in shared memory, where it has no tag
  /// No launch, but the end of memory: what is found there is only remembered (Detector::freed).
  bool ends = false;
};

/// Who made the marks of one tag (Log::tag): a launch, or a copy or fill, which is one thread.
struct MarkSource {
  core::NodeId node; ///< none = unused tag
  MarkLayout layout{};
  uint32_t firstSite = 0; ///< site id of its first site; 0 = not known, marks have no position
  KernelMode mode = KernelMode::Logged;
  bool lifetime = false; ///< an allocation or a free (D8)
};

class Replay {
public:
  explicit Replay(core::Detector &d) : D(d), Atomics(d) { d.sharedWindow(SharedBase, SharedBase); }
  Replay(const Replay &) = delete;

  void begin(const ReplayLaunch &launch);
  /// Called when a launch starts: what is no kernel and is ordered before it is to be told now.
  void onStart(std::function<void(core::NodeId)> f) { OnStart = std::move(f); }
  /// Judges what is there of records[0..count). `final`: nothing more will come.
  void scan(const Record *records, uint64_t count, bool final);
  /// Ends the launches: threads without an exit record exit now.
  void end();
  bool active() const { return !Launches.empty(); }
  /// Before a launch or copy makes marks with `tag`. begin() does not do it.
  void setTag(uint32_t tag, const MarkSource &source) {
    Tags[tag % Tags.size()] = source;
    FastKernels |= source.mode != KernelMode::Logged;
    tellUnmarked();
  }
  /// Words of mixed kernels some of whose readers are not known.
  uint64_t lostReaders() const { return LostReaders; }
  /// Tensor copies and matrix operations whose accesses could not be told (X1).
  uint64_t unknownOperations() const { return UnknownOperations; }
  /// Records judged so far in this launch.
  uint64_t judged() const { return Judged; }
  Locations &locations() { return Atomics; }
  TensorMaps &tensorMaps() { return Maps; }
  /// Stores to [address, address + bytes) that were judged but may not have acted act now.
  void actStores(uint64_t address, uint64_t bytes) {
    for (auto &launch : Launches)
      for (auto &[index, b] : launch->blocks)
        for (ThreadState &t : b->threads)
          if (AtomicOp *op = t.pending; op && op->isStore() && !op->applied &&
                                        op->address < address + bytes &&
                                        address < op->address + op->bytes)
            Atomics.force(*op);
  }

  /// Names a place in a block's shared memory, while its launch is replayed.
  host::SharedPlace resolveShared(uint64_t address) const;
  /// Text of a site: a variable's name.
  using SiteText = std::string (*)(core::SiteId);
  void setSiteText(SiteText f) { TextOf = f; }
  /// A site's entry in its unit's table; null = not known.
  using SiteEntry = const abi::Site *(*)(core::SiteId);
  void setSiteEntry(SiteEntry f) { EntryOf = f; }

private:
  struct ThreadState {
    AtomicOp *pending = nullptr; ///< its latest strong operation, until its next event
    AtomicOp *change = nullptr;  ///< what follows it (ChangeFollows)
    Record operands{};           ///< EventKind::Operands for its next event
    Record start{};              ///< EventKind::TensorStart, likewise
    bool exited = false;
  };
  struct BlockState;
  /// Blocks of one cluster, by rank. Their shared memory stays until all have ended.
  struct ClusterState {
    std::vector<uint32_t> slots;
    std::vector<BlockState *> members; ///< null = ended
    uint32_t live = 0;
  };
  /// One warp's share of its warpgroup's operations.
  struct WarpgroupPart {
    uint32_t come = 0;               ///< lanes, to the operation that has not begun
    bool described = false;          ///< the following hold for it
    uint64_t a = 0, b = 0;           ///< descriptors
    uint32_t shape = 0;              ///< wgmma::
    std::vector<core::BlockId> open; ///< actors since the last commit
    std::vector<std::vector<core::BlockId>> groups;
  };
  struct WarpgroupState {
    WarpgroupPart parts[4];
    uint32_t learned[128][4] = {}; ///< groups of each part that a thread knows complete
  };
  struct BlockState {
    uint32_t index = 0;
    core::Block *detect = nullptr;
    uint32_t live = 0;
    uint32_t rank = 0;  ///< in the cluster
    uint32_t phase = 0; ///< barriers passed (fast kernels)
    bool usesShared = false;
    std::shared_ptr<ClusterState> cluster;
    std::vector<ThreadState> threads;
    std::vector<WarpgroupState> warpgroups; ///< empty until the first wgmma

    uint32_t slot() const { return cluster->slots[rank]; }
  };
  /// What one event belongs to.
  struct Event {
    const Record &r;
    BlockState &b;
    ThreadState &t;
    core::Thread &who;
    core::SiteId site;
  };
  struct Variable {
    uint32_t offset, bytes;
    std::string name;
  };
  /// What a thread of a mixed kernel did until its synchronization at (phase, tick), since the one
  /// before, was at `time`.
  struct Step {
    uint32_t phase, tick;
    core::LocalTime time;
  };
  static constexpr uint32_t EndOfPhase = ~0u; ///< as a tick
  /// Which way read-modify-writes have changed a value.
  enum : uint8_t { Rises = 1, Falls = 2 };
  /// A launch and what its records said so far.
  struct LaunchState {
    ReplayLaunch launch;
    bool started = false, ended = false;
    std::unordered_map<uint64_t, uint64_t> open;       ///< thread -> AtomicBefore without partner
    std::unordered_map<uint64_t, uint64_t> lastAtomic; ///< thread -> its latest AtomicBefore
    std::unordered_map<uint64_t, uint8_t> directions;  ///< Rises, Falls; by record's address
    std::unordered_map<uint32_t, std::unique_ptr<BlockState>> blocks;
    std::array<BlockState *, 64> recent{};
    std::unordered_map<uint32_t, uint32_t> phases; ///< of blocks that limitBlocks() put away
    std::unordered_map<uint64_t, std::vector<Step>> steps; ///< by key(block, thread)
    std::unordered_map<uint32_t, std::vector<core::LocalTime>> phaseTimes; ///< of blocks, by phase
    std::vector<Variable> variables;
  };
  bool select(const Record &r);
  void start(LaunchState &launch);
  void endThose(const std::function<bool(core::NodeId)> &which);
  void endSelected();

  void pair(const Record *records, uint64_t count, bool final);
  void pairOne(const Record &r, uint64_t at, const Record *records);
  void event(const Record *records, uint64_t at);
  // replay_async.cpp: clusters, mbarriers, copies, proxies
  void asyncEvent(const Event &e);
  void mbarrierEvent(const Event &e);
  void groupEvent(const Event &e);
  void cpAsync(const Event &e);
  void bulkCopy(const Event &e);
  void bulkTransfer(const Event &e, uint64_t to, uint64_t barrier);
  void storeAsync(const Event &e);
  void transfer(uint64_t to, uint64_t from, uint64_t bytes, uint32_t leftOut, abi::Op op,
                core::SiteId site);
  void asyncWrite(uint64_t to, uint32_t bytes, abi::Op op, core::SiteId site);
  void complete(const Event &e, uint64_t barrier, uint32_t bytes, core::BlockId actor);
  // replay_tensor.cpp: tensor copies, wgmma
  void tensorEvent(const Event &e);
  void unknownOperation(const Event &e, const std::string &what);
  void tensorCopy(const Event &e);
  void tensorTransfer(const Event &e, const host::TensorTile &tile, uint64_t shared,
                      uint64_t barrier);
  void tensorMapReplace(const Event &e);
  void noteUnmarked();
  void tellUnmarked();
  static WarpgroupState &warpgroup(BlockState &b, uint32_t thread);
  void warpgroupArrive(const Event &e);
  void warpgroupReads(const Event &e, WarpgroupPart &p, uint32_t come);
  void warpgroupWait(const Event &e);
  // replay_marks.cpp: marks of the shadow memory on the device
  void fastEvent(const Event &e);
  void enterPhase(BlockState &b, uint32_t phase);
  // replay_mixed.cpp: kernels that log their synchronization, but not their barriers of the block
  static uint32_t tickOf(const Record &r);
  void noteStep(BlockState &b, uint32_t thread, uint32_t tick);
  void passBarriers(BlockState &b, uint32_t ahead);
  void warpArrive(BlockState &b, const Record &r);
  void exitLanes(BlockState &b, uint32_t thread, uint32_t lanes);
  core::LocalTime timeOf(uint32_t block, uint32_t thread, uint32_t phase, uint32_t tick);
  void limitBlocks();
  /// An access that a mark tells of.
  struct Remembered {
    const Event &by; ///< who found it
    uint64_t mark, word;
    bool isRead;
    core::SiteId site;
    uint64_t threads = 0; ///< of a block of its launch
    bool ticks = false;   ///< its kernel synchronizes
    bool isPast = false;  ///< of another launch
  };
  void knownOfBlock(const Remembered &m, uint32_t index, core::BlockId block, uint64_t time,
                    MarkLayout layout);
  void known(const Event &e, uint64_t mark, uint64_t word, bool isRead, uint32_t firstSite);
  /// A relaxed read-modify-write that a mark or a record of a fast kernel stands for.
  abi::Op strongOp(core::SiteId site) const;
  void recall(core::BlockId block, uint32_t thread, core::LocalTime time, uint64_t mark,
              uint64_t word, bool isRead, core::SiteId site);
  void atomicBefore(const Record *records, uint64_t at, BlockState &b, ThreadState &t);
  AtomicOp *newOp(const Record &before, BlockState &b);
  static void tellOutcome(AtomicOp &op, const Record &after);
  /// The record after `after` belongs to it, too.
  static bool hasSecond(const Record &after) {
    return after.kind() == EventKind::AtomicAfter && after.extra & ChangeFollows;
  }
  void atomicAfter(const Record &r, ThreadState &t);
  void settle(ThreadState &t);
  void exitThread(BlockState &b, uint32_t i);
  BlockState &block(uint32_t index);
  void beginCluster(uint32_t index);
  /// `ran`: the log tells of the ends of its threads.
  void endBlock(BlockState &b, bool ran = true);
  /// Block of the record's address form whose shared memory it names; null = it has ended.
  BlockState *owner(BlockState &b, uint64_t value) const;
  uint64_t place(const BlockState &b, uint64_t value) const;
  /// The same place in the block of rank `rank` of the cluster.
  static uint64_t inPeer(uint64_t value, uint32_t rank) {
    return SharedBit | PeerBit | uint64_t(rank) << 32 | uint32_t(value);
  }
  static uint64_t key(uint32_t block, uint32_t thread) { return uint64_t(block) << 10 | thread; }
  static uint64_t key(const Record &r) { return key(r.block, r.thread()); }

  core::Detector &D;
  Locations Atomics;
  TensorMaps Maps;
  bool TensorCopies = false, FastKernels = false, ToldUnmarked = false;
  SiteText TextOf = nullptr;
  SiteEntry EntryOf = nullptr;
  std::function<void(core::NodeId)> OnStart;
  std::vector<std::unique_ptr<LaunchState>> Launches; ///< in the order of their begin()
  LaunchState *L = nullptr;                           ///< the one whose record is looked at
  uint64_t Paired = 0, Judged = 0;

  /// For each AtomicBefore: its AtomicAfter relative to it, 0 = none yet; top bit: repeated.
  static constexpr uint32_t RepeatedBit = 1u << 31;
  std::vector<uint32_t> Partner;
  std::array<MarkSource, 64> Tags{};
  uint64_t LostReaders = 0, UnknownOperations = 0;
  std::vector<uint32_t> FreeSlots;
  std::vector<const LaunchState *> SlotOwners; ///< by slot; null = it is free
  std::deque<AtomicOp> Pool;
  std::vector<AtomicOp *> FreeOps;

  /// Shared memory of resident blocks: addresses that no device pointer has.
  static constexpr uint64_t SharedBase = uint64_t(1) << 60;
  static constexpr uint64_t SlotBytes = 256 * 1024;
};

} // namespace scopesan::gpu
