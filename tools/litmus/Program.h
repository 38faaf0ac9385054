// A small multi-thread program over shared locations: what the litmus runner explores.
//
// Built by the parsers (Notation.h, Dat3M.h, RandomProgram.h), executed by the explorer, fed to the
// detector by Drive.h, and judged by the axiomatic model in Axiomatic.h.
#pragma once

#include "scopesan/abi.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scopesan::litmus {

using abi::MemoryOrder;
using abi::Scope;

constexpr uint32_t None = ~0u;

/// Proxies of PTX 8.8 (S13).
enum class Proxy : uint8_t { Generic, Texture, Surface, Constant, Async, TensorMap };

/// A constant or a register of the executing thread.
struct Operand {
  int64_t value = 0;
  uint32_t reg = None; ///< None: the constant `value`
  bool isConstant() const { return reg == None; }
};

/// `a`, `a + b` or `a - b`.
struct Expr {
  Operand a, b;
  char op = 0; ///< 0, '+' or '-'
  static Expr constant(int64_t v) { return {{v, None}, {}, 0}; }
  static Expr reg(uint32_t r) { return {{0, r}, {}, 0}; }
};

enum class Verb : uint8_t {
  Load,
  Store,
  Rmw, ///< a red where `returns` is false
  Fence,
  ProxyFence,
  BlockBarrier,
  WarpBarrier,
  ClusterArrive,
  ClusterWait,
  MbarInit,
  MbarArrive,
  MbarWait, ///< a test_wait or try_wait that returned true
  AsyncCopy,
  AsyncCommit,
  AsyncWait,
  Assign,
  Branch, ///< to `target` when `lhs cmp rhs`
  Exit,
  GridWait,         ///< griddepcontrol.wait
  LaunchDependents, ///< griddepcontrol.launch_dependents
  Launch,           ///< host or device: starts the launch `target`
  Sync,             ///< host: waits for `launches`
  Nop
};

enum class RmwKind : uint8_t { Add, Sub, Exchange, CompareExchange, Min, Max, And, Or, Xor };
enum class Compare : uint8_t { Equal, NotEqual };

/// What a guard inside an operation asks of it ("-> 1", "(fails)", "reads 0 of unlock").
struct Expectation {
  std::optional<int64_t> reads; ///< value read
  std::optional<bool> succeeds; ///< compare-exchange
  bool fromOtherThread = false; ///< the value read was written by another thread
};

/// Which copies an instruction belongs to: they differ in proxy and in their groups.
enum class AsyncKind : uint8_t { CpAsync, Bulk };

/// Asynchronous part of an instruction (S10, S12).
struct AsyncPart {
  AsyncKind kind = AsyncKind::CpAsync;
  uint32_t source = None, destination = None; ///< locations; None: not read, not written
  bool reduces = false; ///< AsyncCopy: each element is a red with the instruction's order, scope
  bool generic = false; ///< AsyncCopy: through the generic proxy although of kind Bulk
  bool tracked = true;  ///< AsyncCopy without mbarrier: joins the thread's open group
  uint32_t mbarrier = None;  ///< location it completes on
  uint32_t groups = 0;       ///< AsyncWait: groups that may stay in flight; None = wait_all
  bool readOnly = false;     ///< AsyncWait: .read
  bool expectsBytes = false; ///< MbarArrive: expect_tx for the copies of this mbarrier
  bool ofCopies = false;     ///< MbarArrive: cp.async.mbarrier.arrive
  uint32_t parity = 0;       ///< MbarWait: of the phase
};
constexpr uint32_t CopyBytes = 16; ///< of every asynchronous copy

/// How a location that is used as an mbarrier starts.
struct MbarrierSetup {
  bool used = false;
  bool initialisedByProgram = false;
  uint32_t arrivals = 0; ///< expected in each phase
  uint32_t bytes = 0;    ///< expected in phase 0 by an arrival before the program
  uint32_t completedPhases = 0;
};

struct Instr {
  Verb verb = Verb::Nop;
  std::string text; ///< as the source writes it

  // Load, Store, Rmw, Fence
  uint32_t location = None;
  uint32_t offset = 0, bytes = 4; ///< of the access within the location
  uint32_t elementBytes = 0;      ///< vector or packed access: size of one element; 0 = scalar
  MemoryOrder order = MemoryOrder::Weak;
  Scope scope = Scope::Thread;
  Proxy proxy = Proxy::Generic; ///< also of ProxyFence
  uint32_t storageClass = 0;    ///< Vulkan's, only to tell aliases
  bool aliasFence = false;      ///< ProxyFence: fence.proxy.alias
  bool initsOnly = false;       ///< Fence: fence.mbarrier_init
  uint32_t acquiredMap = None;  ///< ProxyFence, acquire of a tensor map: which; None = all
  bool isVolatile = false, nonCoherent = false;
  RmwKind rmw = RmwKind::Add;
  bool returns = true;
  bool isOnlyWayOut = false; ///< of its loop (D12)
  Expr value, compare;
  uint32_t dst = None; ///< register; None = discarded
  Expectation expect;

  // Branch, Launch, Sync
  Expr lhs, rhs;
  Compare cmp = Compare::Equal;
  uint32_t target = 0;
  std::string launchName;         ///< Launch: as the text names its target
  std::vector<uint32_t> launches; ///< Sync: launches it waits for

  // BlockBarrier; the barrier is named by both expressions together
  Expr barrier, logicalBarrier;
  std::optional<Expr> count; ///< threads that take part; none: see Program::barrierCount
  bool arriveOnly = false;
  bool othersArrive = false; ///< arrivals that the text lacks come from threads it leaves out
  bool allThreads = false;   ///< __syncthreads: every thread of the block that has not exited
  uint32_t mask = 0;         ///< WarpBarrier: lanes

  AsyncPart async;

  bool usesMbarrier() const {
    return verb == Verb::MbarInit || verb == Verb::MbarArrive || verb == Verb::MbarWait;
  }
  bool isMemory() const { return verb == Verb::Load || verb == Verb::Store || verb == Verb::Rmw; }
  bool isStrong() const { return order != MemoryOrder::Weak; }
  bool writes() const { return verb == Verb::Store || verb == Verb::Rmw; }
  bool reads() const { return verb == Verb::Load || verb == Verb::Rmw; }
  bool acquires() const {
    return order == MemoryOrder::Acquire || order == MemoryOrder::AcqRel ||
           order == MemoryOrder::SeqCst;
  }
  bool releases() const {
    return order == MemoryOrder::Release || order == MemoryOrder::AcqRel ||
           order == MemoryOrder::SeqCst;
  }
};

/// A shared location, or another view of one: an alias has its own name and perhaps its own
/// address, but the same bytes.
struct Location {
  std::string name;
  int64_t initial = 0;
  bool initialGiven = false;    ///< by the text
  uint32_t root = None;         ///< location that owns the bytes; itself if not an alias
  bool distinctAddress = false; ///< alias under another virtual address
  Proxy view = Proxy::Generic;
  uint32_t sharedOf = None; ///< thread in whose block's shared memory it lies, where that matters
  bool isLocal = false;     ///< private to each thread: never checked
  MbarrierSetup mbarrier;
};

/// Where a thread runs. Threads with equal device, domain, cluster and block share a block.
struct Position {
  uint32_t launch = 0;
  uint32_t device = 0, domain = 0, cluster = 0, block = 0, warp = 0;
  bool clusterGiven = false;
  bool warpGiven = false;
  bool host = false;
};

struct ThreadCode {
  std::string name; ///< "T0", "K1", "host"
  Position at;
  std::vector<std::string> registers;
  std::vector<int64_t> initialRegisters;
  std::vector<bool> unknownInitial; ///< used before it is assigned, without a given value
  std::vector<Instr> code;
};

/// A kernel launch or, as the launch of the host thread, the host itself.
struct Launch {
  std::string name;
  uint32_t stream = 0;
  bool cooperative = false;
  bool byThread = false;       ///< started by a Launch instruction; otherwise at the beginning
  std::vector<uint32_t> after; ///< launches that are complete before it starts
  std::vector<uint32_t> programmatic; ///< launches that must only have triggered (PDL)
  std::vector<uint32_t> before;       ///< launches that complete only after it (none of its own)
};

/// What the host does to order launches, in the order of its calls.
struct HostCall {
  enum class Kind : uint8_t {
    Launch,     ///< `launch` on `stream`
    Record,     ///< event `event` on `stream`
    Wait,       ///< `stream` waits for event `event`
    WriteValue, ///< `stream` writes a value to memory
    WaitValue   ///< `stream` waits for that value
  };
  Kind kind = Kind::Launch;
  uint32_t launch = None;
  std::string stream; ///< empty: one of the launch's own; "legacy"
  std::string event;
};

/// A boolean condition over registers, memory and what reads returned.
struct Condition {
  enum class Kind : uint8_t { True, And, Or, Not, Register, Final, ReadsOf };
  Kind kind = Kind::True;
  std::vector<Condition> parts;
  uint32_t thread = None; ///< Register
  uint32_t reg = None;
  uint32_t location = None; ///< Final: value at the end; ReadsOf: every strong read returned it
  Compare cmp = Compare::Equal;
  int64_t value = 0;
};

/// Which executions count.
struct Guard {
  Condition condition;
  bool strongLoadsSeeNonInitial = false;
};

struct Program {
  std::string name;
  std::vector<Location> locations;
  std::vector<ThreadCode> threads;
  std::vector<Launch> launches;
  std::vector<HostCall> hostCalls; ///< of rows about launches; launches by a thread included
  bool asGraph = false;            ///< the launches are nodes of one graph instead
  bool nonBlockingStreams = true;  ///< streams do not join the legacy stream
  Guard guard;
  uint32_t maxLoop = 1; ///< backward jumps per branch before an execution is given up

  /// Barriers of several threads are named by registers whose initial values the text leaves out.
  bool barriersUnknown = false;

  /// Something that only another platform's model has, or that the text leaves out: why the
  /// program cannot be run. Empty = runnable.
  std::string notRunnable;
  uint32_t failedThread = None; ///< whose operation, or label, `failedText` is the reason
  std::string failedText;

  uint32_t root(uint32_t location) const { return locations[location].root; }
  bool sameBlock(uint32_t a, uint32_t b) const;
};

/// Short names as the notation writes them.
const char *orderName(MemoryOrder o);
const char *scopeName(Scope s);
const char *proxyName(Proxy p);

} // namespace scopesan::litmus
