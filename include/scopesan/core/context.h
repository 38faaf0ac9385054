// What the rules share: launch order, sink, options, counters.
#pragma once

#include "scopesan/core/atomicity.h"
#include "scopesan/core/lifetime.h"
#include "scopesan/core/shadow.h"
#include "scopesan/core/thread.h"

namespace scopesan::core {

struct DetectorOptions {
  bool cxxMode = false;          ///< --memory-model=c++
  bool volatileIsRelaxed = true; ///< O2
  bool proxyWar =
      false; ///< S13 (?): also ask for a fence between a generic read and an async write
  uint64_t readerBudgetBytes = uint64_t(1) << 30;
  bool advise = false; ///< A1: everything of advice.h
  /// Can the host access the memory at this address while kernels run? Null: none of it. Only asked
  /// when advice is given: whoever looks on from there is not seen.
  bool (*hostSees)(uint64_t address) = nullptr;
};

/// How often each rule acted; index by the enumerator.
struct RuleCounters {
  enum Counter {
#define SCOPESAN_COUNTER(rule, enumerator, what) enumerator,
#include "scopesan/core/counters.def"
    Count
  };
  uint64_t values[Count] = {};
  void hit(Counter c) { ++values[c]; }
};

/// Edges rejected for scope, newest kept (D3). A lost one can only turn a D3 into a D1.
class RejectedLog {
public:
  static constexpr uint32_t Capacity = 8192;
  void add(RejectedEdge &&e) {
    if (Edges.size() < Capacity)
      Edges.push(moved(e));
    else
      Edges[Next] = moved(e);
    Next = (Next + 1) % Capacity;
  }
  uint32_t size() const { return Edges.size(); }
  /// i = 0 is the newest.
  const RejectedEdge &newest(uint32_t i) const {
    return Edges[(Next + Capacity - 1 - i) % Capacity];
  }

private:
  Vec<RejectedEdge> Edges;
  uint32_t Next = 0;
};

class Advice;

struct Context {
  explicit Context(FindingSink &sink, const DetectorOptions &options)
      : sink(sink), options(options) {}
  FindingSink &sink;
  DetectorOptions options;
  LaunchOrder order;
  RuleCounters counters;
  RejectedLog rejected;
  /// Addresses of shared memory, all blocks together; no bytes: cannot be told from the others.
  uint64_t sharedWindow = 0, sharedWindowBytes = 0;
  uint64_t accessed = 0;   ///< address of the access that is being checked
  bool unmodelled = false; ///< X1: an operation that nobody models was executed
  Lifetimes lifetimes;
  AtomicityMap atomicity;
  AcquiredMaps acquiredMaps;
  Advice *advice = nullptr; ///< null unless asked for

  /// D6: null where every operation is atomic at its scope.
  const MemoryAtomicity *atomicityAt(uint64_t address) {
    return atomicity.any() ? atomicity.find(address) : nullptr;
  }
  /// Happens-before: does everything at `e` precede the present of `t`? With advice: without the
  /// help of volatile accesses; the judge asks happensBefore before it reports.
  bool ordered(const Thread &t, const Epoch &e) const {
    if (e.block == t.block->id) {
      if (e.time < t.base || e.thread == t.index ||
          (e.time < t.warpBase && warpOf(e.thread) == warpOf(t.index)))
        return true;
      return t.blocks.covers(e);
    }
    return e.block < t.block->orderedBelow || orderedForeign(t, e);
  }
  /// Happens-before that also carries `old` to the proxy of `me` (S13).
  bool ordered(const Thread &t, const Record &old, const Record &me) const {
    return ordered(t, old.epoch()) &&
           (((old.bits | me.bits) >> Record::ProxyShift) == 0 || s13Proxy(t, old, me));
  }
  /// Happens-before with all that helps.
  bool happensBefore(const Thread &t, const Epoch &e) const {
    return ordered(t, e) || (advice && covered(t.blocks, t.nodes, e));
  }
  /// ... that also carries `old` to the proxy of `me` (S13).
  bool happensBefore(const Thread &t, const Record &old, const Record &me) const {
    return happensBefore(t, old.epoch()) &&
           (((old.bits | me.bits) >> Record::ProxyShift) == 0 || s13Proxy(t, old, me));
  }
  /// O6: order by kernel boundaries and griddepcontrol.wait alone.
  bool o6LaunchOrdered(const Thread &t, const Epoch &e) const {
    return e.block < t.block->orderedBelow || order.precedes(order.nodeOf(e.block), t.nodes) ||
           (advice && order.precedesSoftly(order.nodeOf(e.block), t.nodes));
  }
  /// Does the snapshot know `e`?
  bool covers(const Snapshot &s, const Epoch &e) const {
    return s.ownCovers(e) || s.blocks.covers(e) || order.precedes(order.nodeOf(e.block), s.nodes) ||
           (advice && covered(s.blocks, s.nodes, e));
  }
  /// A1, D12: what a waiting thread stands on.
  struct Waiter {
    const Place &place;
    bool cooperative;
    const NodeClock &nodes;
    const StepSet &seen;
  };
  /// A1: the thread at `b` shares the waiter's cluster or cooperative grid, belongs to a launch
  /// that it depends on, or was known to have executed a step.
  bool promisedToRun(const Waiter &w, const Place &b) const {
    const Place &a = w.place;
    return b.host || a.block == b.block || p4Includes(Scope::Cluster, a, b) ||
           (a.node == b.node && w.cooperative) || order.precedes(b.node, w.nodes) ||
           w.seen.contains(b.block);
  }
  SyncOp syncOp(const Thread &t, Op op, SiteId site) const { return StrongOp{op, site}.by(t); }
  /// Advances the thread's time; a wrap would forget order and is counted (X1).
  void advance(Thread &t) {
    if (t.time.value == ~0u) [[unlikely]]
      x1GaveUp("a thread's local time is exhausted", TimeWraps);
    else
      t.time = t.time.next();
  }
  /// X1: something exact was given up, `count` times so far; `what` is a stable text.
  void x1GaveUp(const char *what, uint64_t &count) {
    counters.hit(RuleCounters::X1GaveUp);
    sink.gaveUp(what, ++count);
  }
  /// P4, counted: both scopes include the other operation's thread.
  bool p4Mutually(const SyncOp &a, const SyncOp &b) {
    if (p4Mutual(a, b))
      return true;
    counters.hit(RuleCounters::P4Excluded);
    return false;
  }

private:
  bool covered(const BlockClock &blocks, const NodeClock &nodes, const Epoch &e) const {
    return blocks.coversSoftly(e) || order.precedesSoftly(order.nodeOf(e.block), nodes);
  }
  /// S13: for an ordered pair of which one side is not generic. S14 edges cover proxies. C++ mode
  /// knows no aliases, textures or surfaces; what asynchronous copies need does not depend on it.
  bool s13Proxy(const Thread &t, const Record &old, const Record &me) const {
    ProxyPath path = s13Path(t, old, me);
    return path.empty() || o6LaunchOrdered(t, old.epoch()) ||
           t.proxies.covers(path, old.epoch(), t.block->place.block, accessedSpace()) ||
           (path.enter == Proxy::TensorMap &&
            acquiredMaps.any(t.block->place.block, accessed, [&](BlockId entered) {
              return t.proxies.covers(path, old.epoch(), entered, accessedSpace());
            }));
  }
  FenceSpace accessedSpace() const {
    if (!sharedWindowBytes)
      return FenceSpace::Unlimited;
    return accessed - sharedWindow < sharedWindowBytes ? FenceSpace::Shared : FenceSpace::Global;
  }
  /// S13: the fences needed between `old` and `me`. A generic read before an asynchronous write
  /// needs none unless `proxyWar` is chosen; reads of tensor maps concern writes only.
  ProxyPath s13Path(const Thread &t, const Record &old, const Record &me) const {
    Proxy a = withoutAlias(old.proxy()), b = withoutAlias(me.proxy());
    bool sameBlock = order.placeOf({old.block}).block == t.block->place.block;
    ProxyPath path;
    path.alias = isAlias(old.proxy()) != isAlias(me.proxy()) && !options.cxxMode;
    if (a == b && sameBlock && !path.alias)
      return path;
    if (b == Proxy::Async && (old.isWrite() || options.proxyWar))
      path.enter = b;
    else if (b == Proxy::TensorMap && old.isWrite())
      path.enter = b;
    if (options.cxxMode)
      return path;
    if (needsFenceToLeave(a))
      path.leave = a;
    if (needsFenceToLeave(b))
      path.enter = b;
    return path;
  }
  bool orderedForeign(const Thread &t, const Epoch &e) const {
    return t.blocks.covers(e) || order.precedes(order.nodeOf(e.block), t.nodes);
  }
  uint64_t TimeWraps = 0;
};

} // namespace scopesan::core
