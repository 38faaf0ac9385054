#include "Enumerate.h"

#include "FromExecution.h"

#include <bitset>
#include <map>

namespace scopesan::litmus {

namespace {

/// Barrier events of one block, name and count.
struct BarrierClass {
  uint32_t count = 0;
  std::vector<uint32_t> passing;
  uint32_t blocked = 0;
};
using Grouping = std::vector<std::vector<uint32_t>>;

class Enumerator {
public:
  Enumerator(const Program &p, const EnumerateLimits &limits,
             const std::function<bool(const AxiomaticExecution &)> &visit)
      : P(p), Limits(limits), Visit(visit) {}

  Enumerated run() {
    if (!applicable())
      return Enumerated::Unknown;
    Domain domain;
    if (!valueDomain(P, Limits.traces, domain))
      return Enumerated::TooMany;
    Traces.resize(P.threads.size());
    for (uint32_t t = 0; t < P.threads.size(); ++t)
      if (!threadTraces(P, t, domain, Limits.traces, Traces[t]))
        return Enumerated::TooMany;
    if (!numberValues())
      return Enumerated::TooMany;
    Chosen.resize(P.threads.size());
    chooseTraces(0, {}, Initial);
    return TooMany ? Enumerated::TooMany : Enumerated::All;
  }

private:
  /// The axioms are about whole locations, generic and texture proxies, and launches of which one
  /// starts after the other has ended.
  bool applicable() const {
    for (const Launch &l : P.launches)
      if (!l.programmatic.empty())
        return false;
    for (const Location &l : P.locations)
      if (l.isLocal)
        return false;
    std::map<uint32_t, const Instr *> sized; // an access to each location
    for (const ThreadCode &t : P.threads)
      for (const Instr &i : t.code) {
        if (!known(i))
          return false;
        if (!i.isMemory())
          continue;
        const Instr *&other = sized[P.root(i.location)];
        if (other && (other->offset != i.offset || other->bytes != i.bytes ||
                      other->elementBytes != i.elementBytes))
          return false;
        other = &i;
      }
    return true;
  }
  static bool known(const Instr &i) {
    if (i.nonCoherent || i.proxy == Proxy::TensorMap || i.proxy == Proxy::Async)
      return false;
    return i.isMemory() || i.verb == Verb::Fence || i.verb == Verb::ProxyFence ||
           (i.verb == Verb::BlockBarrier && !i.allThreads && !i.othersArrive) ||
           i.verb == Verb::Assign || i.verb == Verb::Branch || i.verb == Verb::Nop;
  }
  bool stop() const { return Stopped || TooMany; }
  void countOrder() { TooMany |= ++Orders > Limits.orders; }

  // ------------------------------------------------------------------ traces

  /// Values of locations, numbered.
  using ValueSet = std::bitset<512>;
  struct TraceValues {
    ValueSet reads, writes;
  };

  /// What each trace reads and writes; false: too many different values.
  bool numberValues() {
    std::map<std::pair<uint32_t, int64_t>, size_t> numbers;
    auto add = [&](ValueSet &set, uint32_t location, int64_t value) {
      size_t n = numbers.try_emplace({P.root(location), value}, numbers.size()).first->second;
      if (n < set.size())
        set.set(n);
    };
    for (uint32_t l = 0; l < P.locations.size(); ++l)
      add(Initial, l, P.locations[P.root(l)].initial);
    Values.resize(P.threads.size());
    WrittenFrom.resize(P.threads.size() + 1);
    for (uint32_t t = uint32_t(P.threads.size()); t-- > 0;) {
      WrittenFrom[t] = WrittenFrom[t + 1];
      for (const Trace &trace : Traces[t]) {
        TraceValues &v = Values[t].emplace_back();
        for (const TraceStep &s : trace.steps) {
          const Instr &i = P.threads[t].code[s.instr];
          if (i.isMemory() && i.reads())
            add(v.reads, i.location, s.read);
          if (s.wrote)
            add(v.writes, i.location, s.written);
        }
        WrittenFrom[t] |= v.writes;
      }
    }
    return numbers.size() <= Initial.size();
  }
  /// Every value read must be initial or written by some chosen trace: what the traces up to `t`
  /// read and none of them writes, a later one must be able to write.
  void chooseTraces(uint32_t t, const ValueSet &reads, const ValueSet &written) {
    if (t == P.threads.size())
      return build();
    for (size_t i = 0; i < Traces[t].size() && !stop(); ++i) {
      TooMany |= ++Candidates > Limits.candidates;
      ValueSet r = reads | Values[t][i].reads, w = written | Values[t][i].writes;
      Chosen[t] = &Traces[t][i];
      if ((r & ~(w | WrittenFrom[t + 1])).none())
        chooseTraces(t + 1, r, w);
    }
  }

  // ------------------------------------------------------------------ events

  void build() {
    Candidate c(P);
    for (uint32_t l = 0; l < P.locations.size(); ++l)
      if (P.root(l) == l) {
        Event e;
        e.kind = EventKind::Write;
        e.initial = true;
        e.location = l;
        e.value = P.locations[l].initial;
        c.events.push_back(e);
      }
    std::vector<std::vector<uint32_t>> firstEvent(P.threads.size());
    for (uint32_t t = 0; t < P.threads.size(); ++t)
      for (const TraceStep &s : Chosen[t]->steps) {
        uint32_t before = c.size();
        firstEvent[t].push_back(before);
        appendEvents(c, t, s.instr, s.wrote);
        for (uint32_t e = before; e < c.size(); ++e)
          c.events[e].value = c.events[e].kind == EventKind::Write ? s.written : s.read;
        if (c.size() > MaxEvents) {
          TooMany = true;
          return;
        }
      }
    uint32_t n = c.size();
    c.po = c.rmw = c.rf = c.co = c.barriers = c.scFences = Relation(n);
    Relation dependency(n);
    for (uint32_t i = 0; i < n; ++i)
      for (uint32_t j = i + 1; j < n; ++j)
        if (!c.events[i].initial && c.events[i].thread == c.events[j].thread)
          c.po.add(i, j);
    for (uint32_t t = 0; t < P.threads.size(); ++t)
      for (uint32_t k = 0; k < Chosen[t]->steps.size(); ++k)
        addDependencies(c, Chosen[t]->steps[k], firstEvent[t], k, dependency);
    StaticRelations s(c);
    std::vector<Grouping> groupings;
    if (!barrierGroupings(c, firstEvent, groupings))
      return;
    chooseReadsFrom(c, s, dependency, groupings, 0);
  }
  void addDependencies(Candidate &c, const TraceStep &s, const std::vector<uint32_t> &first,
                       uint32_t k, Relation &dependency) {
    uint32_t begin = first[k], end = k + 1 < first.size() ? first[k + 1] : begin + 2;
    for (uint32_t e = begin; e < end && e < c.size() && c.events[e].instr == s.instr &&
                             c.events[e].thread == c.events[begin].thread;
         ++e)
      for (uint64_t d = s.dependsOn; d; d &= d - 1)
        dependency.add(first[__builtin_ctzll(d)], e);
    const Event &e = c.events[begin];
    if (e.kind == EventKind::Read && s.wrote) {
      c.rmw.add(begin, begin + 1);
      if (s.writeNeedsRead)
        dependency.add(begin, begin + 1);
    }
  }

  // ------------------------------------------------------------------ barriers

  bool barrierGroupings(const Candidate &c, const std::vector<std::vector<uint32_t>> &firstEvent,
                        std::vector<Grouping> &out) {
    std::map<std::tuple<uint32_t, int64_t, int64_t, int64_t>, BarrierClass> classes;
    for (uint32_t t = 0; t < P.threads.size(); ++t)
      for (uint32_t k = 0; k < Chosen[t]->steps.size(); ++k) {
        const TraceStep &s = Chosen[t]->steps[k];
        if (P.threads[t].code[s.instr].verb != Verb::BlockBarrier)
          continue;
        uint32_t home = 0; // first thread of the block
        while (home != t && !P.sameBlock(home, t))
          ++home;
        BarrierClass &b = classes[{home, s.barrier, s.logical, s.count}];
        b.count = uint32_t(s.count);
        if (!Chosen[t]->done && k + 1 == Chosen[t]->steps.size())
          ++b.blocked;
        else
          b.passing.push_back(firstEvent[t][k]);
        (void)c;
      }
    out.assign(1, {});
    for (auto &[key, b] : classes) {
      std::vector<Grouping> ways;
      if (!b.count)
        ways.push_back({b.passing});
      else if (b.passing.size() % b.count || b.blocked >= b.count)
        return false;
      else
        partitions(b.passing, b.count, {}, ways);
      std::vector<Grouping> next;
      for (const Grouping &g : out)
        for (const Grouping &w : ways) {
          Grouping both = g;
          both.insert(both.end(), w.begin(), w.end());
          next.push_back(both);
        }
      out = std::move(next);
    }
    return true;
  }
  /// All ways to split `left` into groups of `size`.
  static void partitions(const std::vector<uint32_t> &left, uint32_t size, const Grouping &done,
                         std::vector<Grouping> &out) {
    if (left.empty()) {
      out.push_back(done);
      return;
    }
    uint32_t rest = uint32_t(left.size()) - 1;
    for (uint32_t mask = 0; mask < (1u << rest); ++mask) {
      if (uint32_t(__builtin_popcount(mask)) + 1 != size)
        continue;
      std::vector<uint32_t> group{left[0]}, others;
      for (uint32_t i = 0; i < rest; ++i)
        (mask >> i & 1 ? group : others).push_back(left[i + 1]);
      Grouping next = done;
      next.push_back(group);
      partitions(others, size, next, out);
    }
  }
  /// No thread waits for a barrier that can complete only after it.
  static bool noDeadlock(const Candidate &c, const Grouping &groups) {
    Relation waits{uint32_t(groups.size())};
    for (uint32_t g = 0; g < groups.size(); ++g)
      for (uint32_t a : groups[g])
        for (uint32_t h = 0; h < groups.size(); ++h)
          for (uint32_t b : groups[h])
            if (c.po.has(a, b) && !c.events[a].arriveOnly)
              waits.add(g, h);
    return waits.acyclic();
  }
  static void applyGrouping(Candidate &c, const Grouping &groups) {
    c.barriers = Relation(c.size());
    for (const std::vector<uint32_t> &g : groups)
      for (uint32_t a : g)
        for (uint32_t b : g)
          if (a != b && !c.events[b].arriveOnly)
            c.barriers.add(a, b);
    addLaunchOrder(c);
  }

  // ------------------------------------------------------------------ rf, fence order, co

  void chooseReadsFrom(Candidate &c, const StaticRelations &s, const Relation &dependency,
                       const std::vector<Grouping> &groupings, uint32_t from) {
    if (stop())
      return;
    uint32_t r = from;
    while (r < c.size() && c.events[r].kind != EventKind::Read)
      ++r;
    if (r == c.size()) {
      countOrder();
      if (!(c.rf | dependency).acyclic()) // no thin air
        return;
      for (const Grouping &g : groupings)
        if (noDeadlock(c, g)) {
          applyGrouping(c, g);
          chooseFenceOrder(c, s);
        }
      return;
    }
    for (uint32_t w = 0; w < c.size(); ++w) {
      const Event &e = c.events[w];
      if (e.kind != EventKind::Write || e.location != c.events[r].location ||
          e.value != c.events[r].value)
        continue;
      c.rf.add(w, r);
      chooseReadsFrom(c, s, dependency, groupings, r + 1);
      c.rf.row(w) &= ~bit(r);
    }
  }

  void chooseFenceOrder(Candidate &c, const StaticRelations &s) {
    std::vector<std::pair<uint32_t, uint32_t>> free;
    Relation fixed(c.size());
    for (uint32_t a = 0; a < c.size(); ++a)
      for (uint32_t b = a + 1; b < c.size(); ++b) {
        if (!isScFence(c.events[a]) || !isScFence(c.events[b]) || !s.morallyStrong.has(a, b))
          continue;
        if (c.po.has(a, b))
          fixed.add(a, b);
        else
          free.push_back({a, b});
      }
    for (uint64_t choice = 0; choice < (uint64_t(1) << free.size()) && !stop(); ++choice) {
      c.scFences = fixed;
      for (uint32_t i = 0; i < free.size(); ++i)
        if (choice >> i & 1)
          c.scFences.add(free[i].second, free[i].first);
        else
          c.scFences.add(free[i].first, free[i].second);
      countOrder();
      if (c.scFences.acyclic())
        chooseCoherence(c, s);
    }
  }
  static bool isScFence(const Event &e) {
    return e.kind == EventKind::Fence && e.order == MemoryOrder::SeqCst;
  }

  void chooseCoherence(Candidate &c, const StaticRelations &s) {
    Derived d = derive(c, s);
    for (uint32_t a = 0; a < c.size(); ++a) // Fence-SC axiom
      for (uint32_t b = 0; b < c.size(); ++b)
        if (a != b && isScFence(c.events[a]) && isScFence(c.events[b]) &&
            d.baseCausality.has(a, b) && !c.scFences.has(a, b) && s.morallyStrong.has(a, b))
          return;
    Relation needed(c.size());
    EventSet writes = c.where([](const Event &e) { return e.kind == EventKind::Write; });
    needed = (d.causality & s.sameLocation).restricted(writes, writes);
    std::vector<std::pair<uint32_t, uint32_t>> free;
    for (uint32_t a = 0; a < c.size(); ++a)
      for (uint32_t b = 0; b < c.size(); ++b) {
        if (a == b || !(writes >> a & 1) || !(writes >> b & 1) || !s.sameLocation.has(a, b))
          continue;
        if (c.events[a].initial)
          needed.add(a, b);
        else if (a < b && s.morallyStrong.has(a, b) && !needed.has(a, b) && !needed.has(b, a))
          free.push_back({a, b});
      }
    for (uint64_t choice = 0; choice < (uint64_t(1) << free.size()) && !stop(); ++choice) {
      countOrder();
      c.co = needed;
      for (uint32_t i = 0; i < free.size(); ++i)
        if (choice >> i & 1)
          c.co.add(free[i].second, free[i].first);
        else
          c.co.add(free[i].first, free[i].second);
      c.co = c.co.transitive();
      if (consistent(c, s, d))
        accept(c, s, d);
    }
  }

  // ------------------------------------------------------------------ guards

  void accept(const Candidate &c, const StaticRelations &s, const Derived &d) {
    AxiomaticExecution x{&c, &s, &d, Chosen, true};
    x.satisfiesGuard = guardHolds(c);
    if (!Visit(x))
      Stopped = true;
  }
  bool guardHolds(const Candidate &c) const {
    for (uint32_t t = 0; t < P.threads.size(); ++t)
      for (const TraceStep &s : Chosen[t]->steps) {
        const Instr &i = P.threads[t].code[s.instr];
        if (P.guard.strongLoadsSeeNonInitial && i.verb == Verb::Load && i.isStrong() &&
            s.read == P.locations[P.root(i.location)].initial)
          return false;
        if (i.expect.fromOtherThread && !readFromOther(c, t, s.instr))
          return false;
      }
    return holds(c, P.guard.condition);
  }
  bool readFromOther(const Candidate &c, uint32_t thread, uint32_t instr) const {
    for (uint32_t w = 0; w < c.size(); ++w)
      for (EventSet r = c.rf.row(w); r; r &= r - 1) {
        const Event &e = c.events[__builtin_ctzll(r)];
        if (e.thread == thread && e.instr == instr)
          return !c.events[w].initial && c.events[w].thread != thread;
      }
    return false;
  }
  bool compare(const Condition &k, int64_t v) const {
    return (v == k.value) == (k.cmp == Compare::Equal);
  }
  /// Final values: those of the writes that nothing follows in coherence; there may be several.
  bool holds(const Candidate &c, const Condition &k) const {
    switch (k.kind) {
    case Condition::Kind::True:
      return true;
    case Condition::Kind::And:
      for (const Condition &p : k.parts)
        if (!holds(c, p))
          return false;
      return true;
    case Condition::Kind::Or:
      for (const Condition &p : k.parts)
        if (holds(c, p))
          return true;
      return false;
    case Condition::Kind::Not:
      return !holds(c, k.parts[0]);
    case Condition::Kind::Register:
      return (Chosen[k.thread]->done || Chosen[k.thread]->assigned[k.reg]) &&
             compare(k, Chosen[k.thread]->registers[k.reg]);
    case Condition::Kind::Final:
      for (uint32_t w = 0; w < c.size(); ++w)
        if (c.events[w].kind == EventKind::Write && c.events[w].location == P.root(k.location) &&
            !c.co.row(w) && compare(k, c.events[w].value))
          return true;
      return false;
    case Condition::Kind::ReadsOf:
      for (const Event &e : c.events)
        if (e.kind == EventKind::Read && e.isStrong() && e.location == P.root(k.location) &&
            !compare(k, e.value))
          return false;
      return true;
    }
    return false;
  }

  const Program &P;
  const EnumerateLimits &Limits;
  const std::function<bool(const AxiomaticExecution &)> &Visit;
  std::vector<std::vector<Trace>> Traces;
  std::vector<std::vector<TraceValues>> Values; ///< of Traces
  ValueSet Initial;
  std::vector<ValueSet> WrittenFrom; ///< by traces of this thread and later ones
  std::vector<const Trace *> Chosen;
  uint64_t Candidates = 0;
  uint64_t Orders = 0;
  bool Stopped = false, TooMany = false;
};

} // namespace

Enumerated enumerate(const Program &p, const EnumerateLimits &limits,
                     const std::function<bool(const AxiomaticExecution &)> &visit) {
  return Enumerator(p, limits, visit).run();
}

AxiomaticVerdict axiomaticVerdict(const Program &p, const EnumerateLimits &limits) {
  AxiomaticVerdict v;
  v.extent = enumerate(p, limits, [&](const AxiomaticExecution &x) {
    ++v.executions;
    if (!x.satisfiesGuard)
      return true;
    ++v.considered;
    auto racy = [&](const Derived &d, RaceReading r) {
      return !races(*x.candidate, *x.relations, d, r).empty();
    };
    v.racyPtx += racy(*x.derived, RaceReading::Ptx);
    v.racyCxx += racy(*x.derived, RaceReading::Cxx);
    Candidate unordered = *x.candidate;
    unordered.scFences = Relation(unordered.size());
    Derived d = x.candidate->scFences.empty() ? *x.derived : derive(unordered, *x.relations);
    v.racyPtxS5 += racy(d, RaceReading::Ptx);
    v.racyCxxS5 += racy(d, RaceReading::Cxx);
    return true;
  });
  return v;
}

} // namespace scopesan::litmus
