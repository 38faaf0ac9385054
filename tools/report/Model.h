// The report of one run as data: what the journal says, merged over processes, with a verdict.
// Text and Json only print it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace scopesan::report {

/// One source position of an inline chain.
struct Frame {
  std::string file;
  unsigned line = 0;   ///< 1-based; 0 = unknown
  unsigned column = 0; ///< 1-based; 0 = unknown
  std::string function;
  bool operator==(const Frame &) const = default;
  auto operator<=>(const Frame &) const = default;
};

/// A place in host code that has no source position yet.
struct HostCode {
  std::string module; ///< path of the object
  uint64_t offset = 0;
};
/// Calls of host code, innermost first: as the journal has them, and with source positions.
struct HostStack {
  std::vector<HostCode> code;
  std::vector<Frame> frames; ///< the user's own; empty until symbolize()
};

/// True for headers of the CUDA toolkit, CCCL, clang and the C++ library: not the user's code.
bool isToolkitFile(const std::string &file);

using Coordinates = std::array<unsigned, 3>;

/// An access, or a blamed operation (then `needs` is set and the kind may be "fence").
/// Words as in docs/journal.md.
struct Operation {
  std::string kind, order;
  std::string scope; ///< empty when weak
  bool isVolatile = false;
  uint64_t bytes = 0;
  std::string type;
  std::vector<Frame> frames; ///< innermost first
  std::string kernel;        ///< empty for host steps
  std::string api;           ///< API call of a host step or copy
  unsigned hostThread = 0;   ///< of the program, from 1; 0 = none or not known
  unsigned launch = 0;
  Coordinates block{}, thread{};
  unsigned warp = 0, lane = 0, stream = 0, device = 0;
  std::optional<unsigned> domain; ///< of a launch: its memory-synchronization domain
  bool isHost = false;            ///< a call of the host that is in no stream
  bool isHostFunction = false;    ///< an access of a host function that `api` put into the stream
  std::string streamKind; ///< "legacy", "per-thread", "blocking", "non-blocking"; empty: not known
  bool staged = false;    ///< a copy that may return before its pageable source is on the device
  bool isAsynchronous = false; ///< of a copy that the thread issued
  std::string proxy;           ///< empty: the generic one
  unsigned graph = 0;          ///< number of the instantiated graph that it is part of; 0 = none
  unsigned graphLaunch = 0, graphNode = 0;
  HostStack host;       ///< where it was launched, or its node was added to the graph
  HostStack graphHost;  ///< where the graph was launched
  HostStack streamHost; ///< where the stream was made
  std::string needs;    ///< smallest scope that suffices; blamed operations only

  bool isKnown() const { return !kind.empty(); }
  bool isWeak() const { return order == "weak"; }
  bool writes() const { return kind != "load" && kind != "fence"; }
  bool isLife() const {
    return kind == "alloc" || kind == "free" || kind == "enter" || kind == "exit";
  }
  /// Inlined from <cuda/atomic> and its like.
  bool isFromAtomic() const;
  /// The innermost frame of the user's own code; the innermost of all if there is none.
  /// Null when there are no frames.
  const Frame *place() const;
  size_t placeIndex() const;
};

struct Memory {
  std::string kind; ///< "device", "shared", "variable", ...
  std::string name;
  std::optional<unsigned> index; ///< n-th allocation of the process
  std::optional<uint64_t> size;
  uint64_t offset = 0, bytes = 0;
  unsigned device = 0;
  bool freed = false;
};

/// How much of the run an advisory rests on.
struct Coverage {
  uint64_t executions = 0;           ///< of the operation
  uint64_t edges = 0;                ///< synchronizes-with edges that it was an end of
  uint64_t blocks = 0, launches = 0; ///< that executed it
};

/// D7: what is wrong at which barrier. Words as in docs/journal.md.
struct BarrierUse {
  std::string misuse, kind;
  unsigned number = 0;                ///< of a block barrier
  uint64_t expected = 0, arrived = 0; ///< threads or arrivals
  uint64_t lackingBytes = 0;          ///< of an mbarrier's phase
  uint64_t here = 0, elsewhere = 0;   ///< threads of the block that wait, and that do not
};

struct Finding {
  std::string rule; ///< "D3"
  std::string name; ///< "insufficient-scope"
  bool isAdvisory = false;
  std::string hazard; ///< empty: the finding is not about a pair of accesses
  std::string distance;
  /// In execution order. over-synchronized: the operation, and the farthest observer if there was
  /// one.
  std::array<Operation, 2> accesses;
  Memory memory;
  std::vector<Operation> blamed;
  uint64_t count = 0;
  std::optional<Coverage> coverage;  ///< over-synchronized only
  std::optional<BarrierUse> barrier; ///< D7 only
  /// Index of the access whose kernel is a programmatic launch that may overlap the other's (S14).
  std::optional<unsigned> programmatic;

  /// D12 of a wait that ended all the same: of a host loop that does not ask the API, or of a
  /// thread for one that starts later.
  bool isUnpromisedWait() const { return name == "forward-progress" && !hazard.empty(); }
  bool isHostLoop() const { return isUnpromisedWait() && distance == "host-device"; }
  /// The accesses are by work that order between launches could order.
  bool isBetweenWork() const {
    return distance == "between-kernels" || distance == "between-domains" ||
           distance == "host-device";
  }
  /// D8: where a block's shared memory began or ended is not in execution order with the access.
  bool isBlockEnd() const { return accesses[0].kind == "enter" || accesses[0].kind == "exit"; }
  /// The places are where threads stand, not accesses to memory (D7, D12 where nothing moves).
  bool isStuck() const {
    return name == "barrier-misuse" || (name == "forward-progress" && hazard.empty());
  }
};

/// How the scope of one operation was used (journal line "scope"). `needs` of the operation is
/// empty when nothing needed it.
struct ScopeUse {
  Operation operation, observer;
  Coverage coverage;
};

struct Incomplete {
  std::string what;
  std::vector<Frame> frames; ///< empty when no site is known
  std::string text;          ///< PTX or IR of the operation, may be empty
  uint64_t count = 1;
};

struct KernelTally {
  std::string name;
  uint64_t launches = 0;
};

/// How the program ended.
struct ProgramEnd {
  int code = 0;
  int signal = 0;        ///< 0 = it exited
  bool timedOut = false; ///< stopped by --timeout
};

enum class Verdict { Clean, Findings, Incomplete };
const char *nameOf(Verdict);

/// Shadow memory on a GPU: the counters of host::DeviceCounters.
struct DeviceTally {
  uint64_t settled = 0, logged = 0, candidates = 0, suppressed = 0, shadowBytes = 0,
           elidedSites = 0;
};

/// The host computed without calling the API while a launch waited. 0 seconds: it did not.
struct Standstill {
  std::string kernel;
  unsigned launch = 0, seconds = 0;
};

struct Report {
  std::string version, backend;
  uint64_t seed = 0;
  std::vector<std::string> command;
  std::vector<KernelTally> kernels; ///< in order of first launch
  uint64_t checkedAccesses = 0;
  std::optional<DeviceTally> device;
  std::vector<Finding> findings, advisories;
  std::vector<ScopeUse> scopeUses; ///< until they have become advisories
  std::vector<Incomplete> incomplete;
  std::vector<std::string> failures; ///< the tool itself failed
  std::vector<std::string> notes;    ///< e.g. why a backend was chosen
  Standstill standstill;             ///< when the journal ended
  ProgramEnd end;

  Verdict verdict() const;
  uint64_t launches() const;
};

/// Makes advisories of the scopes that are wider than needed: operations of one place in the source
/// are one. Drops advice about code that the user cannot change. Call once all facts are there.
void finishAdvice(Report &report);

enum class ProgressMode { Advise, Strict, Off };

/// Gives host stacks their source positions, from the debug information of the program's objects.
void symbolize(Report &report);

/// Moves advisories to where `progress` wants progress-not-promised (D12) to be.
void applyProgressMode(Report &report, ProgressMode mode);

/// Drops advisories that a finding says better: non-atomic-memory where the place is part of a D6.
void dropCoveredAdvice(Report &report);

/// Adds what follows from the facts: "no instrumented kernel ran" and the like. Call once, last.
void addDerivedLimits(Report &report);

/// Exit codes that options can change.
struct ExitCodes {
  int findings = 66, failure = 67, nothingRan = 68, incomplete = 69;
  bool strict = false;
};

/// The first that applies: signal (128 + n), tool failure, findings, the program's own code,
/// incomplete under strict, no instrumented kernel ran, 0.
int exitCode(const Report &report, const ExitCodes &codes);

} // namespace scopesan::report
