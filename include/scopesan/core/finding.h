// What the detector reports: facts only. Titles, files and lines are added by the report.
#pragma once

#include "scopesan/abi.h"
#include "scopesan/core/ids.h"

namespace scopesan::core {

/// Finding and advisory rules of the memory model. Names and summaries: rules.def.
enum class Rule : uint8_t {
#define SCOPESAN_RULE(id, enumerator, name, isAdvisory, summary) enumerator,
#include "scopesan/core/rules.def"
};

/// Hazard in execution order: first access, second access. None: the finding is not about a pair of
/// accesses.
enum class Hazard : uint8_t { None, WriteAfterWrite, ReadAfterWrite, WriteAfterRead };

/// What is wrong at a barrier (D7).
enum class Misuse : uint8_t {
  None,
  Missing,       ///< nothing can go on any more, and threads that it counts have not arrived
  PartOfWarp,    ///< its count is not of whole warps
  TwoCounts,     ///< two arrivals name different counts
  Divergent,     ///< aligned, but lanes of one warp reach it in different places
  Uninitialised, ///< an mbarrier that was not initialised (yet)
  InUse,         ///< an mbarrier that was initialised again while in use
  TooMany,       ///< more arrivals than an mbarrier expects
  Unpaired,      ///< cluster barrier: an arrival without its wait, or the reverse
  CountRange,    ///< an mbarrier's count is none that it can have
  Completes,     ///< an arrival that must not complete an mbarrier's phase does
  OutsideMask    ///< warp barrier: the mask lacks the lane itself
};
enum class BarrierKind : uint8_t { Block, Cluster, Mbarrier, Warp };
struct BarrierFacts {
  Misuse misuse{};
  BarrierKind kind{};
  uint32_t id = 0;                    ///< of a block barrier
  uint32_t expected = 0, arrived = 0; ///< threads or arrivals
  uint64_t lackingBytes = 0;          ///< Missing: of an mbarrier's phase
  uint32_t here = 0, elsewhere = 0;   ///< Missing: threads of the block that wait, and that do not
};

/// Narrowest level that both threads share (the subkind of D1).
enum class Distance : uint8_t {
  SameThread, ///< one side is an asynchronous copy of the thread
  SameWarp,
  SameBlock,
  SameCluster,
  SameGrid,
  BetweenKernels,
  BetweenDomains,
  HostDevice,
  HostThreads
};

/// One side of a finding.
struct AccessRecord {
  SiteId site;
  abi::Op op;
  NodeId node;   ///< launch or host step
  BlockId block; ///< with the launch's first block: linear block index
  ThreadIndex thread;
  uint64_t address = 0; ///< first byte of the whole access
  uint32_t bytes = 0;   ///< of the whole access
  HostId host = {};     ///< host thread that made it, if one did (S15)
  bool isCopy = false;  ///< an asynchronous copy that the thread issued (S12)
  abi::Proxy proxy = abi::Proxy::Generic;
};

/// An operation whose scope was too narrow (D2, D3), and the smallest scope that suffices.
struct Blame {
  SiteId site;
  abi::Op op;
  BlockId block;
  ThreadIndex thread;
  NodeId node;
  abi::Scope needs = abi::Scope::System;
};

struct Finding {
  static constexpr uint32_t MaxBlamed = 12;
  Rule rule{};
  Hazard hazard{};
  Distance distance{};
  AccessRecord first;  ///< executed earlier
  AccessRecord second; ///< executed later
  uint32_t blamedCount = 0;
  Blame blamed[MaxBlamed];
  BarrierFacts barrier;     ///< D7
  uint64_t occurrences = 1; ///< that this report stands for
};

/// How the scope of one operation of the program was used in the run (A1 over-synchronized).
struct ScopeUse {
  AccessRecord example; ///< its first execution; names site and operation
  /// A synchronizes-with edge or another thread's access asked for some scope.
  bool isNeeded = false;
  abi::Scope needed = abi::Scope::Block; ///< what the farthest observer asked for, at least block
  AccessRecord observer; ///< that one; observer.op.isStrong() tells whether it is known
  uint64_t executions = 0;
  uint64_t edges = 0;                ///< synchronizes-with edges that it was an end of
  uint32_t blocks = 0, launches = 0; ///< that executed it

  /// A1: an access that nobody observed tells nothing; a fence that nothing used is one too many.
  bool isTooWide() const {
    return isNeeded ? needed < example.op.scope() : example.op.kind() == abi::AccessKind::Fence;
  }
};

/// Receives findings as they are made. Implementations deduplicate; calls are serialized.
class FindingSink {
public:
  virtual void report(const Finding &) = 0;
  /// X1: the detector gave something up. `what` is a stable text; `count` how many times so far.
  virtual void gaveUp(const char *what, uint64_t count) = 0;
  /// At the end of a run with advice, once for each operation that has a scope.
  virtual void scopeUse(const ScopeUse &) {}

protected:
  ~FindingSink() = default;
};

} // namespace scopesan::core
