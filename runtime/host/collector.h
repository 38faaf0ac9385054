// The facts that a collector (CPU shim or CUPTI) feeds, and what it may ask back.
//
// All functions are thread-safe and may be called before main. Nothing here knows about LLVM, CUDA
// headers or a backend. Findings go to the journal (docs/journal.md) that the `scopesan` command
// renders.
#pragma once

#include "scopesan/abi.h"
#include "scopesan/core/finding.h"
#include "scopesan/core/ids.h"
#include "stacks.h"

#include <stdint.h>
#include <string>
#include <string_view>
#include <vector>

namespace scopesan::host {

/// Starts the collector once per process: parses SCOPESAN_OPTIONS, opens the journal. `backend` is
/// "cpu" or "gpu". On bad options prints what to do and exits with the tool-failure code.
void initialise(const char *backend);

// ---------------------------------------------------------------- modules
/// Registers an instrumented module and returns its first global site id (also stored through
/// `module.siteBase`). The module's tables must stay alive.
core::SiteId registerModule(const abi::Module &module, const std::string &name);
/// A device module without instrumentation was loaded; `kernels` are its kernel names if known.
void uninstrumentedModule(const std::string &name, const std::vector<std::string> &kernels);
/// X1 of a module whose tables this library cannot read.
inline constexpr const char *OtherVersion =
    "device code was built by another version of ScopeSan and was not checked; build it again";

// ---------------------------------------------------------------- memory
enum class MemoryKind : uint8_t {
  Device,
  Managed,
  MappedHost,
  PinnedHost,
  DeviceVariable,
  ConstantVariable,
  DeviceHeap,
  Array ///< a CUDA array
};
struct MemoryFacts {
  uint64_t address = 0;
  uint64_t bytes = 0;
  MemoryKind kind{};
  std::string name; ///< variable name, or the API call that allocated it ("cudaMalloc")
  uint32_t device = 0;
};
void memoryAllocated(const MemoryFacts &);
void memoryFreed(uint64_t address);

/// Can the host access what lies at this address while kernels run? Memory of unknown origin
/// counts.
bool hostMaySee(uint64_t address);

/// A place within a block's shared memory.
struct SharedPlace {
  bool found = false;
  std::string variable; ///< variable name; "dynamic shared memory" for the extern array
  uint64_t offset = 0;  ///< bytes into that variable
  uint64_t size = 0;    ///< bytes of the variable; 0 = unknown
};
/// Tells where a shared-memory address lies. Set once by the backend.
using SharedResolver = SharedPlace (*)(uint64_t address);
void setSharedResolver(SharedResolver);

// ---------------------------------------------------------------- launches, copies, host steps
/// Where work came from. Numbers are for people: small and the same in every run.
struct Origin {
  uint32_t stream = 0; ///< ordinal of creation; 0 = legacy default stream
  uint32_t device = 0;
  bool isHost = false;      ///< a call of the host that is in no stream
  uint32_t graph = 0;       ///< 1-based number of the instantiated graph; 0 = not part of one
  uint32_t graphLaunch = 0; ///< 1-based launch of that graph
  uint32_t graphNode = 0;   ///< place of the node in the graph's order of creation
  StackId stack{};          ///< host code that launched it, or that added the node to its graph
  StackId graphStack{};     ///< host code that launched the graph
  bool staged = false;      ///< a copy that may return when its pageable source is staged
  /// Kernels that a programmatic launch may overlap (S14).
  std::vector<core::NodeId> primaries{};
};
enum class StreamKind : uint8_t { Unknown, Legacy, PerThread, Blocking, NonBlocking };
struct StreamFacts {
  uint32_t number = 0; ///< as in Origin
  StreamKind kind{};
  StackId stack{}; ///< host code that made it
};
/// The host code that called into the collector's library.
StackId captureStack();

struct LaunchRecord {
  core::NodeId node;
  core::BlockId firstBlock;
  std::string kernel; ///< demangled
  core::Dim3 grid, block, cluster;
  uint64_t dynamicShared = 0;
  uint32_t index = 0; ///< 1-based number of the launch in the process
  bool cooperative = false;
  uint32_t domain = 0;
  Origin origin;
};
void launchStarted(const LaunchRecord &);
void streamMade(const StreamFacts &);
/// The host thread stands for host functions that `api` put into a stream.
void hostFunction(core::HostId thread, const std::string &api, const Origin &origin);
/// A copy, fill or host step that accesses memory: `what` is the API name ("cudaMemcpyAsync").
void nodeNamed(core::NodeId node, const std::string &what, const Origin &origin);

// ---------------------------------------------------------------- findings and limits
/// Where the detector reports to. Deduplicates by rule and site pair, resolves, journals.
core::FindingSink &findingSink();
/// X1: something took part that is not modelled. `site` may be 0. Deduplicated with a count.
void incomplete(const std::string &what, core::SiteId site = {});
/// X1: a kernel ended with an error, so what it had not executed was not checked. `cause` names the
/// kernel.
void kernelFailed(const std::string &cause, core::SiteId site = {});
/// Something that readers of the report should know; not a limit. Once each.
void note(const std::string &what);
/// Host code of these units, names with a NUL each, is not instrumented where others' is: a note.
void plainUnits(std::string_view names);
/// Number of accesses that reached the shadow so far (reported in the result).
void setCheckedAccesses(uint64_t count);
/// What the GPU backend's shadow memory on the device did.
struct DeviceCounters {
  uint64_t settled = 0;     ///< accesses that reached it
  uint64_t logged = 0;      ///< accesses that fast kernels logged in full
  uint64_t candidates = 0;  ///< pairs that it left to the judge on the host
  uint64_t suppressed = 0;  ///< further pairs of the same sites, only counted
  uint64_t shadowBytes = 0; ///< device memory that it takes
  uint64_t elidedSites = 0; ///< places of kernels that are not checked: nothing can race with them

  bool operator==(const DeviceCounters &) const = default;
};
void setDeviceCounters(const DeviceCounters &counters);
/// A failure of the tool itself: journalled, printed, makes the exit code 67.
void toolFailure(const std::string &what);
/// True after a finding when `halt_on_finding` is set: the backend should stop the program.
bool shouldHalt();

/// Writes what is left. Called at exit; safe to call twice.
void finish();

} // namespace scopesan::host
