#include "Traces.h"

#include <map>

namespace scopesan::litmus {

namespace {

struct Path {
  Trace trace;
  uint32_t pc = 0;
  std::vector<uint64_t> registerSources; ///< steps that a register's value came from
  uint64_t control = 0;                  ///< steps that branches so far depended on
  std::map<uint32_t, uint32_t> backJumps;
};

class Walker {
public:
  Walker(const Program &p, uint32_t thread, const Domain &domain, size_t limit,
         std::vector<Trace> &out)
      : P(p), T(p.threads[thread]), Values(domain), Limit(limit), Out(out) {}

  bool run() {
    Path start;
    start.trace.registers = T.initialRegisters;
    start.trace.assigned.resize(T.registers.size());
    start.registerSources.resize(T.registers.size());
    return walk(std::move(start));
  }

private:
  int64_t value(const Path &p, const Expr &e) const {
    auto of = [&](const Operand &o) { return o.isConstant() ? o.value : p.trace.registers[o.reg]; };
    return e.op == '+' ? of(e.a) + of(e.b) : e.op == '-' ? of(e.a) - of(e.b) : of(e.a);
  }
  uint64_t sources(const Path &p, const Expr &e) const {
    auto of = [&](const Operand &o) { return o.isConstant() ? 0 : p.registerSources[o.reg]; };
    return of(e.a) | (e.op ? of(e.b) : 0);
  }
  void assign(Path &p, uint32_t reg, int64_t v, uint64_t from) const {
    if (reg == None)
      return;
    p.trace.registers[reg] = v;
    p.trace.assigned[reg] = true;
    p.registerSources[reg] = from;
  }
  bool emit(Path &&p, bool done) {
    p.trace.done = done;
    Out.push_back(std::move(p.trace));
    return Out.size() <= Limit;
  }

  bool walk(Path p) {
    while (p.pc < T.code.size()) {
      const Instr &i = T.code[p.pc];
      if (p.trace.steps.size() >= 60)
        return false;
      switch (i.verb) {
      case Verb::Branch:
        p.control |= sources(p, i.lhs) | sources(p, i.rhs);
        if ((value(p, i.lhs) == value(p, i.rhs)) == (i.cmp == Compare::Equal)) {
          if (i.target <= p.pc && ++p.backJumps[p.pc] > P.maxLoop)
            return true;
          p.pc = i.target;
        } else {
          ++p.pc;
        }
        continue;
      case Verb::Assign:
        assign(p, i.dst, value(p, i.value), sources(p, i.value));
        ++p.pc;
        continue;
      case Verb::Load:
      case Verb::Rmw:
        return readAll(p, i);
      default:
        if (!plainStep(p, i))
          return false;
      }
    }
    return emit(std::move(p), true);
  }

  TraceStep step(const Path &p) const {
    TraceStep s;
    s.instr = p.pc;
    s.dependsOn = p.control;
    return s;
  }
  bool plainStep(Path &p, const Instr &i) {
    TraceStep s = step(p);
    if (i.verb == Verb::Store) {
      s.wrote = true;
      s.written = value(p, i.value);
      s.dependsOn |= sources(p, i.value);
    } else if (i.verb == Verb::BlockBarrier) {
      s.barrier = value(p, i.barrier);
      s.logical = value(p, i.logicalBarrier);
      s.count = i.count ? value(p, *i.count) : 0;
    }
    p.trace.steps.push_back(s);
    if (i.verb == Verb::BlockBarrier && s.count && !emit(Path(p), false))
      return false;
    ++p.pc;
    return true;
  }
  bool readAll(const Path &p, const Instr &i) {
    for (int64_t v : Values[P.root(i.location)]) {
      if (i.expect.reads && *i.expect.reads != v)
        continue;
      Path next = p;
      TraceStep s = step(p);
      uint64_t self = uint64_t(1) << p.trace.steps.size();
      s.read = v;
      if (i.verb == Verb::Rmw) {
        bool cas = i.rmw == RmwKind::CompareExchange;
        s.wrote = !cas || v == value(p, i.compare);
        s.written = rmwResult(i.rmw, v, value(p, i.value));
        s.dependsOn |= sources(p, i.value) | (cas ? sources(p, i.compare) : 0);
        s.writeNeedsRead = i.rmw != RmwKind::Exchange;
        if ((i.expect.succeeds && *i.expect.succeeds != s.wrote) ||
            (s.wrote && (s.written > MaxValue || s.written < -MaxValue)))
          continue;
      }
      next.trace.steps.push_back(s);
      assign(next, i.dst, v, self);
      ++next.pc;
      if (!walk(std::move(next)))
        return false;
    }
    return true;
  }

  static constexpr int64_t MaxValue = 1000;
  const Program &P;
  const ThreadCode &T;
  const Domain &Values;
  size_t Limit;
  std::vector<Trace> &Out;
};

} // namespace

int64_t rmwResult(RmwKind k, int64_t old, int64_t v) {
  switch (k) {
  case RmwKind::Add:
    return old + v;
  case RmwKind::Sub:
    return old - v;
  case RmwKind::Exchange:
  case RmwKind::CompareExchange:
    return v;
  case RmwKind::Min:
    return old < v ? old : v;
  case RmwKind::Max:
    return old > v ? old : v;
  case RmwKind::And:
    return old & v;
  case RmwKind::Or:
    return old | v;
  case RmwKind::Xor:
    return old ^ v;
  }
  return v;
}

bool threadTraces(const Program &p, uint32_t thread, const Domain &domain, size_t limit,
                  std::vector<Trace> &out) {
  return Walker(p, thread, domain, limit, out).run();
}

bool valueDomain(const Program &p, size_t limit, Domain &out) {
  out.assign(p.locations.size(), {});
  for (uint32_t l = 0; l < p.locations.size(); ++l)
    out[p.root(l)].insert(p.locations[p.root(l)].initial);
  size_t rmws = 0;
  for (const ThreadCode &t : p.threads)
    for (const Instr &i : t.code)
      rmws += i.writes();
  for (size_t round = 0; round <= rmws + 1; ++round) { // a value passes through each write once
    Domain next = out;
    for (uint32_t t = 0; t < p.threads.size(); ++t) {
      std::vector<Trace> traces;
      if (!threadTraces(p, t, out, limit, traces))
        return false;
      for (const Trace &trace : traces)
        for (const TraceStep &s : trace.steps)
          if (s.wrote)
            next[p.root(p.threads[t].code[s.instr].location)].insert(s.written);
    }
    if (next == out)
      return true;
    out = std::move(next);
  }
  return true;
}

} // namespace scopesan::litmus
