// Barriers of the machine: which arrivals form a generation and when it is complete.
#include "Machine.h"

namespace scopesan::litmus {

BarrierKey Machine::keyOf(const State &s, uint32_t thread, const Instr &i) const {
  const Position &at = P.threads[thread].at;
  BarrierKey k{at.launch, at.cluster, at.block};
  if (i.verb == Verb::ClusterArrive) {
    k.block = 0;
    k.kind = BarrierKey::Cluster;
    return k;
  }
  if (i.verb == Verb::WarpBarrier) {
    k.kind = BarrierKey::Warp;
    k.id = at.warp;
  } else {
    k.kind = i.allThreads ? BarrierKey::WholeBlock : BarrierKey::Block;
    k.id = evaluate(s.threads[thread], i.barrier);
    k.logical = evaluate(s.threads[thread], i.logicalBarrier);
  }
  return k;
}

void Machine::arrive(State &s, uint32_t thread, const Instr &i) const {
  ThreadState &t = s.threads[thread];
  BarrierKey key = keyOf(s, thread, i);
  auto [it, fresh] = s.open.try_emplace(key, uint32_t(s.groups.size()));
  uint32_t group = it->second;
  if (fresh) {
    BarrierGroup &g = s.groups.emplace_back();
    g.key = key;
    if (i.count && !i.allThreads)
      g.expected = uint32_t(evaluate(t, *i.count));
    if (i.othersArrive) {
      uint32_t here = 0;
      for (uint32_t u = 0; u < P.threads.size(); ++u)
        here += mayArrive(s, u, key);
      g.expected = g.expected < here ? g.expected : 0;
    }
  }
  s.groups[group].arrived.push_back(thread);
  Step step{thread, t.pc};
  step.group = group;
  s.steps.push_back(step);
  ++t.pc;
  if (!i.arriveOnly && i.verb != Verb::ClusterArrive) {
    t.status = ThreadStatus::Waiting;
    t.group = group;
  }
}

bool Machine::mayMatch(const State &s, uint32_t thread, const Instr &i,
                       const BarrierKey &key) const {
  if (i.verb != (key.kind == BarrierKey::Warp ? Verb::WarpBarrier : Verb::BlockBarrier))
    return false;
  if (key.kind == BarrierKey::Warp || i.allThreads != (key.kind == BarrierKey::WholeBlock))
    return i.allThreads == (key.kind == BarrierKey::WholeBlock);
  auto equal = [&](const Expr &e, int64_t v) {
    bool reached = s.threads[thread].pc < P.threads[thread].code.size() &&
                   &P.threads[thread].code[s.threads[thread].pc] == &i;
    return (!e.a.isConstant() && !reached) || evaluate(s.threads[thread], e) == v;
  };
  return equal(i.barrier, key.id) && equal(i.logicalBarrier, key.logical);
}

/// The thread has a barrier ahead of it that may be `key`.
bool Machine::mayArrive(const State &s, uint32_t thread, const BarrierKey &key) const {
  const Position &at = P.threads[thread].at;
  const ThreadState &t = s.threads[thread];
  if (at.launch != key.launch || at.cluster != key.cluster || at.host ||
      (key.kind != BarrierKey::Cluster && at.block != key.block) ||
      t.status == ThreadStatus::Done ||
      (key.kind == BarrierKey::Warp && at.warp != uint32_t(key.id)))
    return false;
  if (key.kind != BarrierKey::Block)
    return true; // whoever has not exited counts (S7, S8)
  const std::vector<Instr> &code = P.threads[thread].code;
  for (uint32_t pc = t.pc; pc < code.size(); ++pc)
    if (mayMatch(s, thread, code[pc], key))
      return true;
  return false;
}

bool Machine::groupIsFull(const State &s, const BarrierGroup &g) const {
  if (g.expected)
    return g.arrived.size() >= g.expected;
  for (uint32_t t = 0; t < P.threads.size(); ++t) {
    bool here = false;
    for (uint32_t a : g.arrived)
      here |= a == t;
    if (!here && mayArrive(s, t, g.key))
      return false;
  }
  return true;
}

bool Machine::completeGroups(State &s) const {
  bool any = false;
  for (auto it = s.open.begin(); it != s.open.end();) {
    BarrierGroup &g = s.groups[it->second];
    if (!groupIsFull(s, g)) {
      ++it;
      continue;
    }
    g.complete = any = true;
    g.completedBefore = uint32_t(s.steps.size());
    for (ThreadState &t : s.threads)
      if (t.status == ThreadStatus::Waiting && t.group == it->second)
        t.status = ThreadStatus::Ready;
    it = s.open.erase(it);
  }
  return any;
}

} // namespace scopesan::litmus
