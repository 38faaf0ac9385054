// A tiny stand-in for a backend: launches grids on the detector and executes hand-written events.
#pragma once

#include "scopesan/core/detector.h"

#include <string>
#include <vector>

namespace scopesan::core::test {

using abi::AccessKind;
using abi::MemoryOrder;

inline bool isAdvisory(Rule r) {
  constexpr bool table[] = {
#define SCOPESAN_RULE(id, enumerator, name, isAdvisory, summary) isAdvisory,
#include "scopesan/core/rules.def"
  };
  return table[unsigned(r)];
}

struct CollectingSink : FindingSink {
  std::vector<Finding> findings;
  std::vector<std::string> givenUp;
  std::vector<ScopeUse> uses;
  void scopeUse(const ScopeUse &u) override { uses.push_back(u); }
  void report(const Finding &f) override { findings.push_back(f); }
  void gaveUp(const char *what, uint64_t) override { givenUp.push_back(what); }
  /// Findings that fail a run (advisories left out).
  std::vector<Finding> races() const {
    std::vector<Finding> out;
    for (const Finding &f : findings)
      if (!isAdvisory(f.rule))
        out.push_back(f);
    return out;
  }
  std::vector<Finding> advice(Rule r) const {
    std::vector<Finding> out;
    for (const Finding &f : findings)
      if (f.rule == r)
        out.push_back(f);
    return out;
  }
};

/// Site ids: every operation takes one so that tests can name what is blamed.
inline SiteId site(uint32_t n) { return {n}; }

class Simulation {
public:
  explicit Simulation(DetectorOptions options = {}) : D(Sink, options) { Host = D.newTimeline(); }

  TimelineId stream() { return D.newTimeline(); }
  NodeId launch(TimelineId s, uint32_t blocks, uint32_t threads, std::vector<NodeId> after = {},
                LaunchFacts facts = {}) {
    facts.grid = {blocks, 1, 1};
    facts.block = {threads, 1, 1};
    return D.launch(s, after.data(), uint32_t(after.size()), facts);
  }
  Block *block(NodeId n, uint64_t i = 0) { return D.beginBlock(n, i); }
  Thread &thread(Block *b, uint32_t i) { return *D.thread(b, {i}); }

  void read(Thread &t, uint64_t a, uint32_t s = 1, uint32_t bytes = 4) {
    D.read(t, a, bytes, site(s));
  }
  void write(Thread &t, uint64_t a, uint32_t s = 2, uint32_t bytes = 4) {
    D.write(t, a, bytes, site(s));
  }
  void load(Thread &t, uint64_t a, MemoryOrder o, Scope sc, uint32_t s = 3, uint32_t bytes = 4) {
    atomic(t, a, Op(AccessKind::Load, o, sc), s, false, bytes);
  }
  void store(Thread &t, uint64_t a, MemoryOrder o, Scope sc, uint32_t s = 4, uint32_t bytes = 4) {
    atomic(t, a, Op(AccessKind::Store, o, sc), s, true, bytes);
  }
  void rmw(Thread &t, uint64_t a, MemoryOrder o, Scope sc, uint32_t s = 5) {
    atomic(t, a, Op(AccessKind::Rmw, o, sc), s, true, 4);
  }
  void red(Thread &t, uint64_t a, MemoryOrder o, Scope sc, uint32_t s = 6) {
    atomic(t, a, Op(AccessKind::Red, o, sc), s, true, 4);
  }
  void cas(Thread &t, uint64_t a, MemoryOrder o, Scope sc, bool success, uint32_t s = 7) {
    atomic(t, a, Op(AccessKind::Cas, o, sc), s, success, 4);
  }
  void volatileLoad(Thread &t, uint64_t a, uint32_t s, uint32_t flags = 0) {
    atomic(t, a, volatileOp(AccessKind::Load).with(flags), s, false, 4);
  }
  void volatileStore(Thread &t, uint64_t a, uint32_t s, uint32_t flags = 0) {
    atomic(t, a, volatileOp(AccessKind::Store).with(flags), s, true, 4);
  }
  void fence(Thread &t, MemoryOrder o, Scope sc, uint32_t s = 8) {
    D.fence(t, Op(AccessKind::Fence, o, sc), site(s));
  }
  void barrier(Block *b, uint32_t id = 0) {
    for (Thread &t : b->threads)
      if (!t.exited)
        D.blockBarrierArrive(t, abi::BarrierKind::Sync, id, 0, site(9));
  }
  void warpBarrier(Block *b, uint32_t warp, uint32_t mask = ~0u) {
    for (uint32_t m = mask; m; m &= m - 1) {
      uint32_t i = warp * WarpSize + __builtin_ctz(m);
      if (i < b->threads.size() && !b->threads[i].exited)
        D.warpBarrierArrive(b->threads[i], mask, site(10));
    }
  }

  /// Rules of all non-advisory findings, e.g. "D1 D3".
  std::string rules() const {
    static const char *names[] = {
#define SCOPESAN_RULE(id, enumerator, name, isAdvisory, summary) id,
#include "scopesan/core/rules.def"
    };
    std::string out;
    for (const Finding &f : Sink.races())
      out += (out.empty() ? "" : " ") + std::string(names[unsigned(f.rule)]);
    return out;
  }

  CollectingSink Sink;
  Detector D;
  TimelineId Host;

private:
  static Op volatileOp(AccessKind k) {
    return Op(k, MemoryOrder::Relaxed, Scope::System).with(Op::VolatileBit);
  }
  void atomic(Thread &t, uint64_t a, Op op, uint32_t s, bool wrote, uint32_t bytes) {
    D.atomicBefore(t, a, bytes, op, site(s));
    D.atomicAfter(t, a, bytes, op, site(s), wrote, 0);
  }
};

constexpr MemoryOrder Relaxed = MemoryOrder::Relaxed, Acquire = MemoryOrder::Acquire,
                      Release = MemoryOrder::Release, AcqRel = MemoryOrder::AcqRel,
                      SeqCst = MemoryOrder::SeqCst;
constexpr uint64_t X = 0x1000, Y = 0x2000, F = 0x3000, G = 0x4000;

} // namespace scopesan::core::test
