#include "Machine.h"

namespace scopesan::litmus {

namespace {
bool compare(Compare c, int64_t a, int64_t b) { return (c == Compare::Equal) == (a == b); }
} // namespace

int64_t applyRmw(RmwKind k, int64_t old, int64_t v) {
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

Machine::Machine(const Program &program) : P(program) {
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> users; // (block's first thread, id) -> threads
  for (uint32_t t = 0; t < P.threads.size(); ++t) {
    bool loop = false;
    for (uint32_t i = 0; i < P.threads[t].code.size(); ++i)
      loop |= P.threads[t].code[i].verb == Verb::Branch && P.threads[t].code[i].target <= i;
    HasLoop.push_back(loop);
    for (const Instr &i : P.threads[t].code) {
      if (i.verb != Verb::BlockBarrier || !i.count || i.othersArrive)
        continue;
      uint32_t sharing = 0; // threads of the block that use counted barriers at all
      for (uint32_t u = 0; u < P.threads.size(); ++u)
        for (const Instr &j : P.threads[u].code)
          if (P.sameBlock(t, u) && j.verb == Verb::BlockBarrier && j.count) {
            ++sharing;
            break;
          }
      OrderedBarriers |= !i.count->a.isConstant() || i.count->a.value < int64_t(sharing);
    }
  }
}

State Machine::initial() const {
  State s;
  for (const ThreadCode &t : P.threads) {
    ThreadState &x = s.threads.emplace_back();
    x.registers = t.initialRegisters;
    x.assigned.resize(t.registers.size());
  }
  for (const Location &l : P.locations)
    s.memory.push_back(P.locations[l.root].initial);
  s.lastWriter.resize(P.locations.size(), None);
  for (const Location &l : P.locations) {
    const MbarrierSetup &m = l.mbarrier;
    s.mbarriers.push_back({m.arrivals, m.arrivals, m.completedPhases, m.bytes});
  }
  for (const Launch &l : P.launches)
    s.started.push_back(!l.byThread);
  runLocal(s);
  return s;
}

int64_t Machine::evaluate(const ThreadState &t, const Expr &e) const {
  auto value = [&](const Operand &o) { return o.isConstant() ? o.value : t.registers[o.reg]; };
  int64_t a = value(e.a);
  return e.op == '+' ? a + value(e.b) : e.op == '-' ? a - value(e.b) : a;
}

const Instr *Machine::next(const State &s, uint32_t thread) const {
  const ThreadState &t = s.threads[thread];
  const std::vector<Instr> &code = P.threads[thread].code;
  return t.status == ThreadStatus::Ready && t.pc < code.size() ? &code[t.pc] : nullptr;
}
bool Machine::visible(const Instr &i) const {
  return i.isMemory() || i.usesMbarrier() || i.verb == Verb::AsyncCopy ||
         (i.verb == Verb::BlockBarrier && OrderedBarriers);
}

// ---------------------------------------------------------------------------- visible steps

bool Machine::enabled(const State &s, uint32_t thread) const {
  const Instr *i = next(s, thread);
  if (i && i->verb == Verb::MbarWait &&
      (s.mbarriers[i->location].phase & 1) == (i->async.parity & 1))
    return false;
  return i && visible(*i) && !(HasLoop[thread] && repeatsTooOften(s, thread));
}

/// Executes the thread's next access on a copy, up to its next visible step.
bool Machine::repeatsTooOften(const State &s, uint32_t thread) const {
  ThreadState t = s.threads[thread];
  const std::vector<Instr> &code = P.threads[thread].code;
  const Instr &first = code[t.pc];
  if (first.isMemory() && first.dst != None)
    t.registers[first.dst] = s.memory[P.root(first.location)];
  for (++t.pc; t.pc < code.size() && !visible(code[t.pc]);) {
    const Instr &i = code[t.pc];
    if (i.verb == Verb::Assign) {
      t.registers[i.dst] = evaluate(t, i.value);
    } else if (i.verb == Verb::Branch) {
      if (!branch(t, t.pc, i))
        return true;
      continue;
    } else if (i.verb != Verb::Fence && i.verb != Verb::ProxyFence && i.verb != Verb::Nop) {
      return false; // may wait
    }
    ++t.pc;
  }
  return false;
}

void Machine::step(State &s, uint32_t thread) const {
  const Instr &i = *next(s, thread);
  if (i.isMemory())
    memoryStep(s, thread, i);
  else if (i.usesMbarrier())
    mbarrierStep(s, thread, i);
  else if (i.verb == Verb::AsyncCopy)
    copyStep(s, thread, i);
  else
    arrive(s, thread, i);
  runLocal(s);
}

void Machine::memoryStep(State &s, uint32_t thread, const Instr &i) const {
  ThreadState &t = s.threads[thread];
  uint32_t root = P.root(i.location);
  Step step{thread, t.pc};
  if (i.reads()) {
    step.read = s.memory[root];
    step.from = s.lastWriter[root];
  }
  if (i.verb == Verb::Store) {
    step.wrote = true;
    step.written = evaluate(t, i.value);
  } else if (i.verb == Verb::Rmw) {
    step.wrote = i.rmw != RmwKind::CompareExchange || step.read == evaluate(t, i.compare);
    step.written = applyRmw(i.rmw, step.read, evaluate(t, i.value));
  }
  if ((i.expect.reads && *i.expect.reads != step.read) ||
      (i.expect.succeeds && *i.expect.succeeds != step.wrote) ||
      (i.expect.fromOtherThread && (step.from == None || s.steps[step.from].thread == thread)))
    s.refuted = true;
  if (i.dst != None) {
    t.registers[i.dst] = step.read;
    t.assigned[i.dst] = true;
  }
  if (step.wrote) {
    s.memory[root] = step.written;
    s.lastWriter[root] = uint32_t(s.steps.size());
  }
  s.steps.push_back(step);
  ++t.pc;
}

namespace {
void completePhase(MbarrierState &m) {
  if (m.pending || m.bytes)
    return;
  ++m.phase;
  m.pending = m.expected;
}
} // namespace

void Machine::mbarrierStep(State &s, uint32_t thread, const Instr &i) const {
  MbarrierState &m = s.mbarriers[i.location];
  if (i.verb == Verb::MbarArrive) {
    if (i.async.expectsBytes)
      for (const ThreadCode &t : P.threads)
        for (const Instr &x : t.code)
          if (x.verb == Verb::AsyncCopy && x.async.mbarrier == i.location)
            m.bytes += CopyBytes;
    m.pending -= m.pending != 0;
    completePhase(m);
  }
  s.steps.push_back(Step{thread, s.threads[thread].pc++});
}

/// A copy happens at once: whoever is not ordered after its completion races with it anyway.
void Machine::copyStep(State &s, uint32_t thread, const Instr &i) const {
  Step step{thread, s.threads[thread].pc++};
  uint32_t to = i.async.destination;
  if (to != None) {
    if (i.async.source != None)
      s.memory[P.root(to)] = s.memory[P.root(i.async.source)];
    s.lastWriter[P.root(to)] = uint32_t(s.steps.size());
    step.wrote = true;
  }
  if (i.async.mbarrier != None) {
    MbarrierState &m = s.mbarriers[i.async.mbarrier];
    m.bytes -= CopyBytes;
    completePhase(m);
  }
  s.steps.push_back(step);
}

bool Machine::independent(const State &s, uint32_t a, uint32_t b) const {
  const Instr *x = next(s, a), *y = next(s, b);
  if (!x || !y)
    return false;
  if (x->verb == Verb::BlockBarrier || y->verb == Verb::BlockBarrier)
    return x->verb != y->verb || !P.sameBlock(a, b);
  auto touches = [&](const Instr &i, auto f) {
    if (i.verb == Verb::AsyncCopy) {
      for (uint32_t l : {i.async.destination, i.async.mbarrier})
        if (l != None)
          f(P.root(l), true);
      if (i.async.source != None)
        f(P.root(i.async.source), false);
    } else {
      f(P.root(i.location), i.writes() || i.usesMbarrier());
    }
  };
  bool conflict = false;
  touches(*x, [&](uint32_t l, bool w) {
    touches(*y, [&](uint32_t k, bool v) { conflict |= l == k && (w || v); });
  });
  return !conflict;
}

// ---------------------------------------------------------------------------- local steps

/// False: the branch jumped back more often than allowed.
bool Machine::branch(ThreadState &t, uint32_t pc, const Instr &i) const {
  if (!compare(i.cmp, evaluate(t, i.lhs), evaluate(t, i.rhs))) {
    ++t.pc;
    return true;
  }
  t.pc = i.target;
  return i.target > pc || ++t.backJumps[pc] <= P.maxLoop;
}

/// Executes the next instruction if it is local and need not wait.
bool Machine::localStep(State &s, uint32_t thread) const {
  const Instr *i = next(s, thread);
  ThreadState &t = s.threads[thread];
  if (!i) {
    if (t.status != ThreadStatus::Ready)
      return false;
    t.status = ThreadStatus::Done;
    return true;
  }
  if (visible(*i))
    return false;
  switch (i->verb) {
  case Verb::Branch:
    if (!branch(t, t.pc, *i)) // loops that access nothing; `enabled` watches over the others
      t.status = ThreadStatus::Looping;
    return true;
  case Verb::Assign:
    t.registers[i->dst] = evaluate(t, i->value);
    t.assigned[i->dst] = true;
    ++t.pc;
    return true;
  case Verb::BlockBarrier:
  case Verb::WarpBarrier:
    arrive(s, thread, *i);
    return true;
  case Verb::ClusterArrive:
    arrive(s, thread, *i);
    return true;
  case Verb::ClusterWait:
    if (!clusterWaitOver(s, thread))
      return false;
    break;
  case Verb::Exit:
    t.status = ThreadStatus::Done;
    break;
  case Verb::Launch:
    s.started[i->target] = true;
    break;
  case Verb::Sync:
    for (uint32_t l : i->launches)
      if (!launchComplete(s, l))
        return false;
    break;
  case Verb::GridWait:
    for (uint32_t l : P.launches[P.threads[thread].at.launch].programmatic)
      if (!launchComplete(s, l))
        return false;
    break;
  case Verb::LaunchDependents:
    t.triggered = true;
    break;
  default:
    break;
  }
  s.steps.push_back(Step{thread, t.pc});
  ++t.pc;
  return true;
}

/// The phase that the thread arrived in last is complete.
bool Machine::clusterWaitOver(const State &s, uint32_t thread) const {
  for (size_t k = s.steps.size(); k-- > 0;)
    if (s.steps[k].thread == thread && s.steps[k].group != None &&
        s.groups[s.steps[k].group].key.kind == BarrierKey::Cluster)
      return s.groups[s.steps[k].group].complete;
  return false;
}

void Machine::runLocal(State &s) const {
  for (bool progress = true; progress;) {
    progress = startThreads(s);
    for (uint32_t t = 0; t < P.threads.size(); ++t)
      while (localStep(s, t))
        progress = true;
    progress |= completeGroups(s);
  }
}

bool Machine::startThreads(State &s) const {
  bool any = false;
  for (uint32_t t = 0; t < P.threads.size(); ++t)
    if (s.threads[t].status == ThreadStatus::NotStarted &&
        launchMayStart(s, P.threads[t].at.launch)) {
      s.threads[t].status = ThreadStatus::Ready;
      any = true;
    }
  return any;
}
bool Machine::launchComplete(const State &s, uint32_t launch) const {
  if (!s.started[launch])
    return false;
  for (uint32_t t = 0; t < P.threads.size(); ++t)
    if (P.threads[t].at.launch == launch && s.threads[t].status != ThreadStatus::Done)
      return false;
  for (uint32_t child : P.launches[launch].before)
    if (!launchComplete(s, child))
      return false;
  return true;
}
bool Machine::launchMayStart(const State &s, uint32_t launch) const {
  if (!s.started[launch])
    return false;
  for (uint32_t l : P.launches[launch].after)
    if (!launchComplete(s, l))
      return false;
  for (uint32_t l : P.launches[launch].programmatic)
    for (uint32_t t = 0; t < P.threads.size(); ++t)
      if (P.threads[t].at.launch == l && !s.threads[t].triggered &&
          s.threads[t].status != ThreadStatus::Done)
        return false;
  return true;
}

// ---------------------------------------------------------------------------- ends

bool Machine::allDone(const State &s) const {
  for (const ThreadState &t : s.threads)
    if (t.status != ThreadStatus::Done)
      return false;
  return true;
}
bool Machine::stuckAtBarriers(const State &s) const {
  for (uint32_t t = 0; t < s.threads.size(); ++t) {
    const Instr *i = next(s, t);
    if (s.threads[t].status == ThreadStatus::Looping || (i && visible(*i)))
      return false;
  }
  return true;
}

bool Machine::onlyLoops(const State &s) const {
  for (uint32_t t = 0; t < s.threads.size(); ++t)
    if (s.threads[t].status == ThreadStatus::Waiting ||
        (s.threads[t].status == ThreadStatus::Ready && !HasLoop[t]))
      return false;
  return true;
}

bool Machine::holds(const State &end, const Condition &c) const {
  switch (c.kind) {
  case Condition::Kind::True:
    return true;
  case Condition::Kind::And:
    for (const Condition &p : c.parts)
      if (!holds(end, p))
        return false;
    return true;
  case Condition::Kind::Or:
    for (const Condition &p : c.parts)
      if (holds(end, p))
        return true;
    return false;
  case Condition::Kind::Not:
    return !holds(end, c.parts[0]);
  case Condition::Kind::Register: {
    const ThreadState &t = end.threads[c.thread];
    return (t.status == ThreadStatus::Done || t.assigned[c.reg]) &&
           compare(c.cmp, t.registers[c.reg], c.value);
  }
  case Condition::Kind::Final:
    return compare(c.cmp, end.memory[P.root(c.location)], c.value);
  case Condition::Kind::ReadsOf:
    for (const Step &s : end.steps) {
      const Instr &i = P.threads[s.thread].code[s.instr];
      if (i.isMemory() && i.reads() && i.isStrong() && P.root(i.location) == P.root(c.location) &&
          !compare(c.cmp, s.read, c.value))
        return false;
    }
    return true;
  }
  return false;
}

bool Machine::satisfies(const State &end, const Guard &g) const {
  if (g.strongLoadsSeeNonInitial)
    for (const Step &s : end.steps) {
      const Instr &i = P.threads[s.thread].code[s.instr];
      if (i.verb == Verb::Load && i.isStrong() && s.read == P.locations[P.root(i.location)].initial)
        return false;
    }
  return holds(end, g.condition);
}

} // namespace scopesan::litmus
