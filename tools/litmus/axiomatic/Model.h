// The axiomatic memory model of PTX (ISA 8.5-8.10), written from its rules: the yardstick for the
// detector in the differential test.
//
// An execution is a set of events with program order, reads-from and coherence. From these follow
// the relations below; a data race is a conflicting pair that is neither morally strong nor in
// causality order.
#pragma once

#include "../Program.h"
#include "Relation.h"

namespace scopesan::litmus {

enum class EventKind : uint8_t { Read, Write, Fence, ProxyFence, Barrier };

struct Event {
  EventKind kind = EventKind::Read;
  bool initial = false; ///< the write of an initial value; belongs to no thread
  uint32_t thread = None, instr = None;
  uint32_t location = None; ///< owner of the bytes
  uint32_t address = None;  ///< virtual address: location whose address is used
  MemoryOrder order = MemoryOrder::Weak;
  Scope scope = Scope::Thread;
  Proxy proxy = Proxy::Generic;
  bool aliasFence = false, arriveOnly = false;
  bool isRed = false; ///< read half of a reduction: never part of an acquire pattern
  bool isVolatile = false;
  int64_t value = 0;

  bool isMemory() const { return kind == EventKind::Read || kind == EventKind::Write; }
  bool isStrong() const { return order != MemoryOrder::Weak; }
};

/// Events of one candidate execution and the relations that make it one.
struct Candidate {
  explicit Candidate(const Program &p) : program(&p) {}
  const Program *program;
  std::vector<Event> events;
  Relation po, rmw;  ///< program order; read half to write half of an RMW
  Relation rf;       ///< write to the reads that return its value
  Relation co;       ///< coherence, transitive
  Relation barriers; ///< arrival to departures of the same generation
  Relation scFences; ///< order of morally strong fence.sc pairs; empty under S5

  uint32_t size() const { return uint32_t(events.size()); }
  EventSet where(bool (*predicate)(const Event &)) const {
    EventSet out = 0;
    for (uint32_t i = 0; i < size(); ++i)
      if (predicate(events[i]))
        out |= bit(i);
    return out;
  }
};

/// Relations that do not depend on reads-from, coherence or barrier groups.
struct StaticRelations {
  explicit StaticRelations(const Candidate &c);
  Relation morallyStrong;             ///< 8.7 "morally strong operations"
  Relation sameLocation, sameAddress; ///< memory events
  Relation sameProxy, sameBlock;
  Relation releasePattern, acquirePattern; ///< first to last operation, 8.7
  Relation proxyFenceOf; ///< proxy fence to the accesses through its proxy in its block
};

struct Derived {
  Relation observation;   ///< 8.9.2
  Relation synchronizes;  ///< 8.9.3
  Relation baseCausality; ///< 8.9.5
  Relation causality;     ///< 8.9.5, between operations on one location
};

/// Deliberate coarsenings of S16 in the detector; all concern nothing but observation.
struct Observation {
  /// An RMW is one operation: whoever observed what it wrote comes after its read as well.
  bool wholeRmw = false;
  /// Only strong writes are observed. By the letter a thread's own RMW also observes the weak write
  /// before it, since operations of one thread are always morally strong.
  bool strongWritesOnly = false;
  /// Earlier operations of the observed thread on the same location count as observed: the shadow
  /// keeps a thread's newest strong access.
  bool coversEarlier = false;
};
/// `volatiles`: whether steps through volatile accesses count for synchronization (A1).
Derived derive(const Candidate &c, const StaticRelations &s, Observation o = {},
               bool volatiles = true);

/// Axioms of 8.10, for candidates that do not come from an interleaving.
bool consistent(const Candidate &c, const StaticRelations &s, const Derived &d);

enum class RaceReading : uint8_t {
  Ptx, ///< causality order, proxies and same-thread pairs included
  Cxx  ///< happens-before only: base causality between different threads
};
/// Pairs of memory events that race, a < b.
Relation races(const Candidate &c, const StaticRelations &s, const Derived &d, RaceReading r);

/// `scope` as used by `a`'s thread includes `b`'s thread (P4).
bool scopeIncludes(const Program &p, Scope scope, uint32_t a, uint32_t b);

} // namespace scopesan::litmus
