// The collector on a real GPU: what the driver's API does becomes facts for the detector, and what
// kernels recorded is replayed.
//
// There is one log, and its records belong to the launches that are active: one, or, with
// --concurrent=overlap, several of different kernels. Copies that the program issues meanwhile wait
// in a queue, so that the detector sees everything in an order that happens-before allows.
//
//   idle --launch ENTER: log reset--> launching --EXIT: completion event--> active
//   active --another launch (overlap)--> active
//   active --all events complete: log replayed, queue applied--> idle
//   active --a launch that must wait waits too long--> overrun: nothing is recorded until all
//   events complete
#pragma once

#include "cupti/constants.h"
#include "cupti/device_log.h"
#include "cupti/device_shadow.h"
#include "cupti/graphs.h"
#include "cupti/quarantine.h"
#include "gpu/device_image.h"
#include "gpu/order.h"
#include "gpu/replay.h"
#include "host/copy_promise.h"

#include <array>
#include <cuda.h>
#include <functional>
#include <map>
#include <mutex>
#include <unordered_map>

namespace scopesan::cupti {

/// A function of a loaded module, known since its first launch.
struct Function {
  std::string name; ///< demangled
  bool instrumented = false;
  CUfunction handle = nullptr;
  gpu::KernelMode mode = gpu::KernelMode::Logged;
  uint32_t firstSite = 0; ///< site id; 0 = not known
  uint32_t id = 0;        ///< gpu::kernelId
  bool usesShared = false, gridBarriers = false;
  uint32_t constants = 0; ///< bits of the constant variables that it may read
  uint32_t staticShared = 0;
  core::Dim3 cluster;
};

/// Where a launch goes that is not simply next in its stream.
struct LaunchPlace {
  gpu::Place at;
  host::Origin origin;
  core::NodeId node; ///< filled in by the launch
};

struct LaunchRequest {
  CUfunction function = nullptr;
  const char *symbol = nullptr;
  core::Dim3 grid, block, cluster;
  uint32_t dynamicShared = 0;
  CUstream stream = nullptr; ///< as the collector's own calls name it
  CUcontext context = nullptr;
  bool cooperative = false;
  bool programmatic = false;        ///< may start before the kernels before it have ended
  CUevent startedEvent = nullptr;   ///< recorded when all its blocks have started
  CUevent triggeredEvent = nullptr; ///< recorded when its blocks trigger
  core::DomainId domain;
  LaunchPlace *place = nullptr; ///< null = next in the stream
};

/// Rows of bytes. Strides in bytes.
struct Box {
  uint64_t address = 0, width = 0, height = 1, pitch = 0, depth = 1, slice = 0;
};

/// What host memory holds now, if that is little.
gpu::Content contentAt(uint64_t hostAddress, uint64_t bytes);

class Collector {
public:
  Collector();
  static Collector &get();

  std::mutex Lock;

  // All of these need the lock.
  void launchBegins(const LaunchRequest &request);
  void launchIssued(bool succeeded, CUstream stream);
  /// A graph, or another launch that records nothing of its own, starts.
  void uncheckedLaunch(const std::string &what, gpu::Stream &stream);
  /// Replays what is complete. `wait`: first waits for the active launch (for a while).
  void settle(bool wait);
  /// Judges what the active launch has recorded so far. Calls no CUDA function.
  void peek();
  /// Runs `action` now, or after the active launch's records. `node`: what it is about; none = what
  /// the host does by itself.
  void inOrder(core::NodeId node, std::function<void()> action);
  void publish();
  void finish();

  gpu::TensorMaps &tensorMaps() { return Replay.tensorMaps(); }

  /// Waits for a stream, for a while. False: it is still busy.
  bool waitFor(CUstream stream);

  core::Detector Detector;
  gpu::Order Order;
  GraphTable Graphs;

  /// Memory that copies and fills touch, by its first address.
  struct Memory {
    Memory(uint64_t bytes = 0, host::MemoryKind kind = {}, CUcontext context = nullptr)
        : bytes(bytes), kind(kind), context(context) {}
    uint64_t bytes;
    host::MemoryKind kind;
    CUcontext context;
    bool streamOrdered = false; ///< cudaMallocAsync: a free does not wait
    bool isVariable = false;
    std::string symbol;       ///< of a variable
    uint32_t generation = 0;  ///< of modules, when it was last seen
    bool hostReaches = false; ///< host code may access it
    bool onHostOnly = false;  ///< what it does is judged by the host alone: it has no cells

    bool onHost() const {
      return kind == host::MemoryKind::MappedHost || kind == host::MemoryKind::PinnedHost;
    }
  };
  /// D6, from the attributes of the memory and of its device.
  static core::MemoryAtomicity atomicityOf(const Memory &m, bool managed);
  const Memory *find(uint64_t address) const;
  uint64_t beginOf(uint64_t address) const;
  std::vector<uint64_t> allocationsWithin(uint64_t address, uint64_t bytes) const;
  /// `since`: alive for what is ordered after this node; null = from now on.
  void allocated(uint64_t address, const Memory &memory, const std::string &api,
                 core::NodeId since = {});
  void freed(uint64_t address, core::NodeId by, bool afterAll);
  /// A module's variable, by its symbol.
  void variable(uint64_t address, uint64_t bytes, const std::string &symbol, CUcontext context,
                bool constant = false);
  /// The same where the program asks for it.
  void variableNamed(uint64_t address, uint64_t bytes, const std::string &symbol,
                     CUcontext context);
  /// Accesses of a copy or fill, after the active launch. Either side may be missing.
  void copied(core::NodeId node, const Box *from, const Box *to, gpu::Content content = {});
  /// What an address is for the synchronization behaviour of copies, known to the collector or not.
  host::CopySide sideOf(uint64_t address) const;
  /// The program has freed device memory: keeps its addresses from being used again for a while, so
  /// that whoever still uses them is seen (D8).
  void quarantine(uint64_t address, uint64_t bytes, CUcontext context);
  /// Before memory is allocated in a context: the same for memory that ended with the one before.
  void quarantineEnded(CUcontext context);

  /// A device image was loaded. Has a lock of its own: called while the driver holds locks.
  void imageLoaded(const void *image, size_t bytes);
  /// A context is about to be destroyed. Likewise.
  void contextEnds(CUcontext context);
  // ---- facts of instrumented host code (host_code.cpp)
  /// Before host code accesses memory that CUDA knows.
  void hostActs(uint64_t address, uint64_t bytes);
  void hostAccess(uint64_t address, uint64_t bytes, core::SiteId site, bool write);
  void hostAtomic(uint64_t address, uint32_t bytes, abi::Op op, core::SiteId site, bool wrote);
  /// A thread of the host may have come after something that is in the queue.
  void hostLearns() { ++Knowledge; }
  /// The host asked whether work is done.
  void hostAsks() {
    if (Order.hasHostCode())
      Order.host(); // ends the step: a loop that asks is no bare wait (D12)
  }
  void hostFunctionRuns();
  /// A context may end: what it recorded is judged, what it has registered goes to others.
  void contextMayEnd(CUcontext context);
  /// Forgets the contexts that have ended; their memory ended with the call `api`.
  void dropContexts(const std::string &api);
  /// Forgets the functions and modules of a context, and its variables; null: of all, but variables
  /// stay until something else is found in their place.
  void forgetModules(CUcontext context);

private:
  /// A launch that records.
  struct Active {
    std::string name;
    uint32_t number = 0; ///< of the launch, from 1
    core::NodeId node;
    uint32_t kernel = 0; ///< gpu::kernelId
    uint32_t slot = 0;   ///< gpu::Overlap
    CUevent done = nullptr;
    bool issued = false, ended = false;
    uint64_t queued = 0;           ///< work that was put into the queue before it
    std::function<void()> atStart; ///< what the detector learns before its first record
  };
  /// Launches that record into the log, since it was empty.
  struct Recording {
    ContextLog *log = nullptr;
    std::vector<Active> launches; ///< none = idle
    uint32_t launched = 0;        ///< with those that do not record

    bool running() const { return !launches.empty(); }
    bool issued() const { return running() && (launches.size() > 1 || launches[0].issued); }
  };
  const Function &functionOf(const LaunchRequest &r);
  void bindModule(CUmodule module, const std::string &name, CUcontext context);
  void takeImages();
  /// Why a launch cannot be checked; empty = it can.
  std::string obstacle(const Function &f, const LaunchRequest &r);
  void begin(const LaunchRequest &r, const Function &f, gpu::Stream &s);
  core::NodeId launchNode(const LaunchRequest &r, const Function &f, gpu::Stream &s,
                          core::LaunchFacts &facts, CUdevice device);
  void beginUnchecked();
  bool uncheckedRuns();
  void conclude(bool ended);
  struct Pending;
  void applyWhere(const std::function<bool(const Pending &)> &which);
  void applyQueue();
  bool complete();
  bool isRunning() const { return Now.issued() && !Overrun; }
  bool awaitEnd(uint64_t patienceMs, const std::function<bool()> &enough);
  // overlap.cpp
  static bool overlaps();
  void makeWay(const LaunchRequest &r, const Function &f);
  bool mayJoin(const Function &f);
  uint32_t freeSlot() const;
  std::array<uint32_t, gpu::Overlap::Slots> kernelsInSlots() const;
  bool writeBeside(ContextLog &c, const gpu::Log &log, const Active &launch);
  std::string runningNames() const;
  void tellBefore(core::NodeId launch);
  void applyKnownToHost();
  void pause(unsigned turn);
  void catchUp();
  void assumeSeen();
  void reportLimits();

  // shadow.cpp
  void startShadow(ContextLog &c);
  void startShadowEarly();
  /// The part of a context on the device with shadow memory, the current one if possible; null =
  /// there is none.
  ContextLog *shadowHere();
  /// The next tag for a node that leaves marks.
  gpu::LaunchTags::Assigned tagFor(ContextLog &c, const gpu::MarkSource &source);
  /// Fills in the shadow's part of a launch's state.
  void describeShadow(ContextLog &c, gpu::Log &log, const gpu::MarkSource &source);
  SlotDemand slotsFor(const LaunchRequest &r, const Function &f, uint32_t sharedBytes);
  /// Accesses of a node that is no kernel: on the device where there is shadow memory, else on the
  /// host.
  struct NodeAccess {
    Box box;
    bool write = false;
    std::shared_ptr<const gpu::Content> content; ///< of each row that it writes; null = not known
  };
  /// Of a module's variable before the module is known.
  struct EarlyAccess {
    core::NodeId node;
    NodeAccess access;
  };
  void nodeAccesses(core::NodeId node, const std::vector<NodeAccess> &accesses);
  void followed(core::NodeId node);
  // known_values.cpp
  void noteContent(const NodeAccess &access);
  std::shared_ptr<const gpu::Content> initialContent(const Memory &m, uint64_t address);
  void valuesUnknown(core::NodeId node);
  void nodeOnHost(core::NodeId node, uint64_t address, uint64_t bytes, bool write);
  /// `ends`: the memory ends with the node.
  void nodeOnDevice(ContextLog &c, core::NodeId node, const std::vector<NodeAccess> &accesses,
                    bool ends = false);
  void memoryStarts(uint64_t address, uint64_t bytes, core::NodeId since, bool onHostOnly = false);
  void hideFromShadow(ContextLog &c, uint64_t address, uint64_t bytes);
  /// Something new lies in the range: entries that were left there are stale.
  void forgetOverlapping(uint64_t address, uint64_t bytes);
  void memoryEnds(uint64_t address, uint64_t bytes, core::NodeId by, bool afterAll);
  void addCounters(const DeviceLog::Outcome &outcome);
  void setCounters();

  using FunctionKey = std::pair<CUcontext, CUfunction>;
  using ModuleKey = std::pair<CUcontext, CUmodule>;
  gpu::Replay Replay;
  std::map<uint64_t, Memory> Allocations;
  std::vector<EarlyAccess> Early;
  ConstantVariables Constants;
  Quarantine Freed;
  std::map<FunctionKey, Function> Functions;
  std::map<ModuleKey, bool> Modules; ///< true: instrumented
  std::vector<std::unique_ptr<gpu::SiteTable>> Tables;
  bool HasFastKernels = false; ///< among the kernels of Tables
  std::vector<gpu::ImageVariable> Variables;
  std::mutex NoteLock; ///< guards what callbacks note while the driver holds locks
  std::vector<std::unique_ptr<gpu::SiteTable>> NewTables;
  std::vector<gpu::ImageVariable> NewVariables;
  std::vector<CUcontext> EndedContexts;

  uint32_t ModuleGeneration = 0; ///< grows when modules are unloaded
  DeviceLog Log;
  DeviceShadow Shadow;
  bool ShadowFailed = false;
  gpu::Frontier Everything; ///< launches, copies and fills so far
  gpu::Frontier Wide;       ///< large copies and fills that the host did not remember
  gpu::LaunchTags Tags;
  uint64_t Totals[gpu::Counters] = {}; ///< by gpu::Counter
  uint64_t ElidedSites = 0;            ///< of the kernels that were launched
  uint32_t Stamp = 0;
  uint32_t LaunchCount = 0;
  Recording Now;
  bool Overrun = false;
  bool UncheckedStarts = false;   ///< between ENTER and EXIT of an unchecked launch
  std::vector<CUevent> Unchecked; ///< ends of instrumented kernels that run unchecked
  uint64_t Dropped = 0;
  struct Pending {
    core::NodeId node;
    std::function<void()> action;
    bool byHost = false;
    uint64_t number = 0;
  };
  std::vector<Pending> Queue;
  uint64_t Queued = 0;    ///< so far
  uint64_t Knowledge = 0; ///< grows with the queue and with what threads of the host learn
  bool ToldOfFastKernels = false;
  bool ContextsEnd = false; ///< the current context may be no more
};

/// True while the collector itself calls CUDA: its calls are not the program's.
extern thread_local bool Inside;
struct InsideScope {
  bool before = Inside;
  InsideScope() { Inside = true; }
  ~InsideScope() { Inside = before; }
};

/// Another thread may be capturing: our own allocations and copies must not spoil that.
struct RelaxedCapture {
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  RelaxedCapture() { cuThreadExchangeStreamCaptureMode(&mode); }
  ~RelaxedCapture() { cuThreadExchangeStreamCaptureMode(&mode); }
};

/// How long a launch waits for the kernel before it. Longer means that the program lets its kernels
/// wait for each other, which serialised launches cannot serve.
inline constexpr uint64_t LaunchPatienceMs = 10'000;

/// How long host code waits for the records of what it may have seen.
inline constexpr uint64_t CatchUpMs = 2'000;

/// Subscribes the collector's callbacks (callbacks.cpp). Returns what went wrong or nothing.
std::string subscribeCollector();
uint64_t milliseconds();

} // namespace scopesan::cupti
