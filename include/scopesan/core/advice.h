// Advisories (A1): what is no violation but worth knowing. Exists only when advice is asked for;
// nothing here changes a verdict.
//
//   unordered-strong  a write that could not know of an earlier strong read or write of the
//                     location. Whoever read the other's value, or waits for it, has seen the
//                     order.
//   volatile-sync     only edges through volatile accesses order a pair that would race otherwise
//   observation-only  only S16 orders such a pair
//   over-synchronized scope_use.h
#pragma once

#include "scopesan/core/scope_use.h"

namespace scopesan::core {

class Advice {
public:
  explicit Advice(Context &c) : Uses(c), C(c) {}

  ScopeUses Uses;
  /// Uses of mbarriers are strong accesses whose order does not matter by themselves (S10).
  bool muted = false;

  // ---------------------------------------------------------------- pairs

  enum Kind { UnorderedStrong, VolatileSync, ObservationOnly, Kinds };

  /// An advisory pair. The first one of its sites is reported at once, the others are counted;
  /// `describe` adds to the first what takes time to find out.
  template <class F> void pair(Kind k, Finding &f, F describe) {
    struct Row {
      Rule rule;
      RuleCounters::Counter counter;
    };
    constexpr Row rows[] = {{Rule::UnorderedStrong, RuleCounters::A1UnorderedStrong},
                            {Rule::VolatileSync, RuleCounters::A1VolatileSync},
                            {Rule::ObservationOnly, RuleCounters::A1ObservationOnly}};
    C.counters.hit(rows[k].counter);
    Seen &s = Pairs[k][keyOf(f.first, f.second)];
    s.further += f.occurrences;
    if (s.finding.occurrences == 0) {
      f.rule = rows[k].rule;
      describe(f);
      C.sink.report(f);
      s.further = 0;
      s.finding = f;
    }
  }

  // ---------------------------------------------------------------- unordered-strong

  /// The thread at `reader` read, before an unordered write, what that write replaced. It may have
  /// waited for it: then it reads the location again.
  void readTooEarly(const Place &reader, const Finding &f) {
    uint64_t sites = keyOf(f.first, f.second);
    if (Seen *s = Pairs[UnorderedStrong].find(sites)) {
      ++s->further;
      return;
    }
    Vec<Early> &all = EarlyReads[keyOf(reader.block, f.first.thread)];
    for (Early &e : all)
      if (e.first.address == f.first.address && keyOf(e.first, e.second) == sites)
        return;
    if (EarlyCount == KeptEarly)
      return;
    ++EarlyCount;
    all.push(Early{f.first, f.second, f.hazard, f.distance});
  }
  /// `t` reads the location by a strong operation: its earlier reads were a wait.
  void read(const Thread &t, uint64_t address) {
    Vec<Early> *all = EarlyReads.find(keyOf(t.block->identity(), t.index));
    if (!all)
      return;
    EarlyCount -= all->size();
    all->filter([&](const Early &e) { return e.first.address != address; });
    EarlyCount += all->size();
  }
  /// The thread does nothing more: it waited for nothing that is left.
  void exit(BlockId identity, ThreadIndex i) {
    Uses.exit(identity, i);
    Vec<Early> *all = EarlyReads.find(keyOf(identity, i));
    if (!all)
      return;
    report(*all);
    EarlyCount -= all->size();
    EarlyReads.erase(keyOf(identity, i));
  }

  // ---------------------------------------------------------------- volatile-sync

  /// The step from `write` to `read` on the object is one through a volatile access of the user's.
  bool isSoft(uint64_t object, const SyncOp &write, const SyncOp &read) {
    bool byWrite = write.op.isVolatile() && !write.op.inToolkit();
    bool byRead = read.op.isVolatile() && !read.op.inToolkit();
    if (C.options.cxxMode || !(byWrite || byRead) || C.order.nextBlock().value >= SoftKey)
      return false;
    Steps[object + 1] = {write, read};
    return true;
  }
  /// `t` learns what `s` knows through such a step on the object.
  void acquire(Thread &t, const SnapshotRef &s, uint64_t object) {
    if (s->block.value && t.blocks.coversSoftly({s->block, s->thread, {s->time.value - 1}}))
      return;
    BlockClock own;
    s->addOwnTo(own);
    t.blocks.joinSoftly(s->blocks);
    t.blocks.joinSoftly(own);
    t.nodes.joinSoftly(s->nodes);
    t.proxies.join(s->proxies);
    t.foreign = true;
    Edge e{s, t.epoch(), object};
    if (Edges.size() < KeptEdges)
      Edges.push(moved(e));
    else
      Edges[NextEdge] = moved(e);
    NextEdge = (NextEdge + 1) % KeptEdges;
  }
  /// Names the volatile accesses through which `from` precedes `t`, where they are still known.
  void blameVolatile(const Thread &t, const Epoch &from, Finding &f) {
    BlameSet b;
    for (uint32_t i = 0; i < Edges.size() && b.empty(); ++i) {
      const Edge &e = Edges[(NextEdge + Edges.size() - 1 - i) % Edges.size()];
      if (!C.covers(*e.snapshot, from) ||
          !(C.happensBefore(t, e.to) || (e.to.block == t.block->id && e.to.thread == t.index)))
        continue;
      if (const Step *s = Steps.find(e.object + 1))
        for (auto [op, other] : {OpPair{&s->write, &s->read}, OpPair{&s->read, &s->write}})
          if (op->op.isVolatile())
            b.add(*op, other->place);
    }
    f.blamedCount = b.count;
    for (uint32_t i = 0; i < b.count; ++i)
      f.blamed[i] = b.entries[i];
  }

  // ---------------------------------------------------------------- the end

  /// Reports what is known only when the run is over. May be called more than once.
  void finish() {
    EarlyReads.forEach([&](uint64_t, Vec<Early> &all) { report(all); });
    EarlyReads.clear();
    EarlyCount = 0;
    for (HashMap<Seen> &pairs : Pairs)
      pairs.forEach([&](uint64_t, Seen &s) {
        if (!s.further)
          return;
        s.finding.occurrences = s.further;
        s.further = 0;
        C.sink.report(s.finding);
      });
    Uses.report();
  }

private:
  struct Seen {
    Finding finding;
    uint64_t further = 0; ///< occurrences that are not reported yet
    Seen() { finding.occurrences = 0; }
  };
  struct Early {
    AccessRecord first, second;
    Hazard hazard;
    Distance distance;
  };
  struct Step {
    SyncOp write, read;
  };
  struct Edge {
    SnapshotRef snapshot;
    Epoch to;
    uint64_t object;
  };
  struct OpPair {
    const SyncOp *op, *other;
  };
  static constexpr uint32_t KeptEdges = 256, KeptEarly = 1 << 16;

  static uint64_t keyOf(BlockId b, ThreadIndex i) { return threadKey(b, i) + 1; }
  static uint64_t keyOf(const AccessRecord &a, const AccessRecord &b) {
    return (uint64_t(minOf(a.site, b.site).value) << 32 | maxOf(a.site, b.site).value) + 1;
  }
  void report(const Vec<Early> &all) {
    for (const Early &e : all) {
      Finding f;
      f.first = e.first;
      f.second = e.second;
      f.hazard = e.hazard;
      f.distance = e.distance;
      pair(UnorderedStrong, f, [](Finding &) {});
    }
  }

  Context &C;
  HashMap<Seen> Pairs[Kinds];     ///< by sites
  HashMap<Vec<Early>> EarlyReads; ///< by reading thread
  uint32_t EarlyCount = 0;        ///< of all threads
  HashMap<Step> Steps;            ///< by object's address + 1: the latest volatile step
  Vec<Edge> Edges;                ///< ring
  uint32_t NextEdge = 0;
};

} // namespace scopesan::core
