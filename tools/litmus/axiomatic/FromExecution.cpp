#include "FromExecution.h"

namespace scopesan::litmus {

void appendEvents(Candidate &c, uint32_t thread, uint32_t instr, bool wrote) {
  const Program &p = *c.program;
  const Instr &i = p.threads[thread].code[instr];
  Event e;
  e.thread = thread;
  e.instr = instr;
  e.order = i.order;
  e.scope = i.scope;
  e.proxy = i.proxy;
  e.aliasFence = i.aliasFence;
  e.arriveOnly = i.arriveOnly;
  e.isVolatile = i.isVolatile;
  if (i.isMemory()) {
    e.location = p.root(i.location);
    e.address = p.locations[i.location].distinctAddress ? i.location : e.location;
    if (i.reads()) {
      e.kind = EventKind::Read;
      e.isRed = i.verb == Verb::Rmw && !i.returns;
      c.events.push_back(e);
    }
    if (i.writes() && wrote) {
      e.kind = EventKind::Write;
      e.isRed = false;
      c.events.push_back(e);
    }
    return;
  }
  e.kind = i.verb == Verb::Fence        ? EventKind::Fence
           : i.verb == Verb::ProxyFence ? EventKind::ProxyFence
                                        : EventKind::Barrier;
  if (i.verb == Verb::Fence || i.verb == Verb::ProxyFence || i.verb == Verb::BlockBarrier ||
      i.verb == Verb::WarpBarrier || i.verb == Verb::ClusterArrive || i.verb == Verb::ClusterWait)
    c.events.push_back(e);
}

namespace {

/// `a` has ended before `b` starts (S14).
bool launchPrecedes(const Program &p, uint32_t a, uint32_t b) {
  for (uint32_t l : p.launches[b].after)
    if (l == a || launchPrecedes(p, a, l))
      return true;
  return false;
}
/// S9: an arrival, or the release fences of cluster scope or wider before a relaxed one, to the
/// waits of its phase.
void addClusterBarriers(Candidate &c, const State &end, const std::vector<uint32_t> &first) {
  const Program &p = *c.program;
  std::vector<uint32_t> phase(p.threads.size(), None); // of each thread's latest arrival
  std::vector<uint32_t> waits(end.steps.size(), None);
  for (uint32_t s = 0; s < end.steps.size(); ++s) {
    const Step &step = end.steps[s];
    Verb v = p.threads[step.thread].code[step.instr].verb;
    if (v == Verb::ClusterArrive)
      phase[step.thread] = step.group;
    else if (v == Verb::ClusterWait)
      waits[s] = phase[step.thread];
  }
  for (uint32_t a = 0; a < end.steps.size(); ++a) {
    const Step &arrival = end.steps[a];
    const Instr &i = p.threads[arrival.thread].code[arrival.instr];
    if (i.verb != Verb::ClusterArrive)
      continue;
    for (uint32_t w = 0; w < end.steps.size(); ++w) {
      if (waits[w] != arrival.group)
        continue;
      if (i.order != MemoryOrder::Relaxed)
        c.barriers.add(first[a], first[w]);
      for (uint32_t f = 0; f < first[a]; ++f)
        if (c.events[f].kind == EventKind::Fence && c.po.has(f, first[a]) &&
            c.events[f].scope >= Scope::Cluster && c.events[f].order != MemoryOrder::Acquire)
          c.barriers.add(f, first[w]);
    }
  }
}
} // namespace

void addLaunchOrder(Candidate &c) {
  const Program &p = *c.program;
  for (uint32_t i = 0; i < c.size(); ++i)
    for (uint32_t j = 0; j < c.size(); ++j)
      if (!c.events[i].initial && !c.events[j].initial &&
          launchPrecedes(p, p.threads[c.events[i].thread].at.launch,
                         p.threads[c.events[j].thread].at.launch))
        c.barriers.add(i, j);
}

std::optional<Candidate> candidateOf(const Program &p, const State &end, bool scFences) {
  Candidate c(p);
  std::vector<uint32_t> first, readOf(end.steps.size(), None), writeOf(end.steps.size(), None);
  for (uint32_t s = 0; s < end.steps.size(); ++s) {
    const Step &step = end.steps[s];
    uint32_t before = c.size();
    appendEvents(c, step.thread, step.instr, step.wrote);
    first.push_back(before);
    for (uint32_t e = before; e < c.size(); ++e)
      (c.events[e].kind == EventKind::Write ? writeOf : readOf)[s] = e;
    if (c.size() > MaxEvents)
      return std::nullopt;
  }
  uint32_t n = c.size();
  c.po = c.rmw = c.rf = c.co = c.barriers = c.scFences = Relation(n);
  for (uint32_t i = 0; i < n; ++i)
    for (uint32_t j = i + 1; j < n; ++j) {
      const Event &a = c.events[i], &b = c.events[j];
      if (a.thread == b.thread)
        c.po.add(i, j);
      if (a.kind == EventKind::Write && b.kind == EventKind::Write && a.location == b.location)
        c.co.add(i, j);
      if (scFences && a.kind == EventKind::Fence && b.kind == EventKind::Fence &&
          a.order == MemoryOrder::SeqCst && b.order == MemoryOrder::SeqCst &&
          (a.thread == b.thread || (scopeIncludes(p, a.scope, a.thread, b.thread) &&
                                    scopeIncludes(p, b.scope, b.thread, a.thread))))
        c.scFences.add(i, j);
    }
  addLaunchOrder(c);
  addClusterBarriers(c, end, first);
  for (uint32_t s = 0; s < end.steps.size(); ++s) {
    const Step &step = end.steps[s];
    if (readOf[s] != None && writeOf[s] != None)
      c.rmw.add(readOf[s], writeOf[s]);
    if (readOf[s] != None && step.from != None)
      c.rf.add(writeOf[step.from], readOf[s]);
    if (step.group == None || !end.groups[step.group].complete ||
        end.groups[step.group].key.kind == BarrierKey::Cluster)
      continue;
    for (uint32_t u = 0; u < end.steps.size(); ++u)
      if (u != s && end.steps[u].group == step.group && !c.events[first[u]].arriveOnly)
        c.barriers.add(first[s], first[u]);
  }
  return c;
}

} // namespace scopesan::litmus
