#include "Model.h"

namespace scopesan::litmus {

bool scopeIncludes(const Program &p, Scope scope, uint32_t a, uint32_t b) {
  if (a == b || scope == Scope::System)
    return true;
  const Position &x = p.threads[a].at, &y = p.threads[b].at;
  if (scope == Scope::Thread || x.host || y.host)
    return false;
  if (x.device != y.device || x.domain != y.domain)
    return false;
  if (scope == Scope::Device)
    return true;
  if (x.launch != y.launch || x.cluster != y.cluster)
    return false;
  return scope == Scope::Cluster || x.block == y.block;
}

namespace {

bool isRelease(const Event &e) {
  return e.order == MemoryOrder::Release || e.order == MemoryOrder::AcqRel ||
         e.order == MemoryOrder::SeqCst;
}
bool isAcquire(const Event &e) {
  return e.order == MemoryOrder::Acquire || e.order == MemoryOrder::AcqRel ||
         e.order == MemoryOrder::SeqCst;
}

/// 8.7: related in program order, or both strong with mutually inclusive scopes; and the same
/// proxy; and, of two memory operations, complete overlap at one address.
bool morallyStrongPair(const Candidate &c, uint32_t i, uint32_t j) {
  const Event &a = c.events[i], &b = c.events[j];
  if (i == j || a.initial || b.initial || a.kind == EventKind::ProxyFence ||
      b.kind == EventKind::ProxyFence || a.kind == EventKind::Barrier ||
      b.kind == EventKind::Barrier)
    return false;
  bool related =
      c.po.has(i, j) || c.po.has(j, i) ||
      (a.isStrong() && b.isStrong() && scopeIncludes(*c.program, a.scope, a.thread, b.thread) &&
       scopeIncludes(*c.program, b.scope, b.thread, a.thread));
  return related && a.proxy == b.proxy && !(a.isMemory() && b.isMemory() && a.address != b.address);
}

} // namespace

StaticRelations::StaticRelations(const Candidate &c)
    : morallyStrong(c.size()), sameLocation(c.size()), sameAddress(c.size()), sameProxy(c.size()),
      sameBlock(c.size()), proxyFenceOf(c.size()) {
  for (uint32_t i = 0; i < c.size(); ++i)
    for (uint32_t j = 0; j < c.size(); ++j) {
      const Event &a = c.events[i], &b = c.events[j];
      if (morallyStrongPair(c, i, j))
        morallyStrong.add(i, j);
      if (a.isMemory() && b.isMemory()) {
        if (a.location == b.location)
          sameLocation.add(i, j);
        if (a.address == b.address)
          sameAddress.add(i, j);
        if (!a.initial && !b.initial && a.proxy == b.proxy)
          sameProxy.add(i, j);
      }
      if (a.initial || b.initial ||
          !(a.thread == b.thread || c.program->sameBlock(a.thread, b.thread)))
        continue;
      sameBlock.add(i, j);
      if (a.kind == EventKind::ProxyFence && !a.aliasFence && b.isMemory() && a.proxy == b.proxy)
        proxyFenceOf.add(i, j);
    }
  EventSet strongWrites = c.where(
      [](const Event &e) { return e.kind == EventKind::Write && !e.initial && e.isStrong(); });
  EventSet strongReads =
      c.where([](const Event &e) { return e.kind == EventKind::Read && e.isStrong() && !e.isRed; });
  EventSet releases =
      c.where([](const Event &e) { return e.kind == EventKind::Write && isRelease(e); });
  EventSet acquires =
      c.where([](const Event &e) { return e.kind == EventKind::Read && isAcquire(e) && !e.isRed; });
  EventSet releaseFences =
      c.where([](const Event &e) { return e.kind == EventKind::Fence && isRelease(e); });
  EventSet acquireFences =
      c.where([](const Event &e) { return e.kind == EventKind::Fence && isAcquire(e); });
  Relation poAddress = (c.po & sameAddress).optional();
  releasePattern =
      poAddress.restricted(releases, strongWrites) | c.po.restricted(releaseFences, strongWrites);
  acquirePattern =
      poAddress.restricted(strongReads, acquires) | c.po.restricted(strongReads, acquireFences);
}

namespace {

/// 8.9.4 proxy-preserved base causality order: paths that leave the proxy of the first operation,
/// change the address where they must, and enter the proxy of the second, in this order.
Relation proxyPreserved(const Candidate &c, const StaticRelations &s, const Relation &cb) {
  EventSet memory = c.where([](const Event &e) { return e.isMemory() && !e.initial; });
  EventSet generic = c.where(
      [](const Event &e) { return e.isMemory() && !e.initial && e.proxy == Proxy::Generic; });
  Relation out = s.sameAddress & (cb.restricted(generic, generic) |
                                  (s.sameProxy & s.sameBlock & cb).restricted(memory, memory));
  if (!c.where([](const Event &e) { return e.kind == EventKind::ProxyFence; }))
    return out;
  Relation leave = cb & s.proxyFenceOf.inverse(); // access -> its proxy's fence
  Relation enter = cb & s.proxyFenceOf;           // fence -> access
  auto linked = [&](const Relation &path) {
    return path.restricted(generic, generic) | leave.then(path).restricted(memory, generic) |
           path.then(enter).restricted(generic, memory) | leave.then(path).then(enter);
  };
  EventSet aliasFences = c.where([](const Event &e) { return e.aliasFence; });
  Relation viaAlias = cb.restricted(~EventSet(0), aliasFences).then(cb);
  return out | (s.sameAddress & linked(cb)) | (s.sameLocation & linked(viaAlias));
}

} // namespace

Derived derive(const Candidate &c, const StaticRelations &s, Observation o, bool volatiles) {
  Derived d;
  Relation seen = s.morallyStrong & c.rf, steps = seen;
  d.observation = seen.then(c.rmw.then(seen).transitive().optional());
  if (!volatiles) {
    EventSet others = c.where([](const Event &e) { return !e.isVolatile; });
    steps = steps.restricted(others, others);
  }
  Relation observed = steps.then(c.rmw.then(steps).transitive().optional());
  d.synchronizes = s.morallyStrong & s.releasePattern.then(observed).then(s.acquirePattern);
  Relation edge = (d.synchronizes | c.scFences | c.barriers).then(c.po.optional());
  d.baseCausality = c.po | c.po.optional().then(edge.transitive());
  observed = d.observation;
  if (o.strongWritesOnly)
    observed =
        observed.restricted(c.where([](const Event &e) { return e.isStrong(); }), ~EventSet(0));
  if (o.wholeRmw)
    observed = c.rmw.optional().then(observed);
  if (o.coversEarlier) {
    Relation earlier = c.po & s.sameAddress;
    for (uint32_t a = 0; a < c.size(); ++a)
      earlier.row(a) &= ~c.rmw.row(a);
    observed = earlier.optional().then(observed);
  }
  d.causality = observed.optional().then(proxyPreserved(c, s, d.baseCausality));
  return d;
}

bool consistent(const Candidate &c, const StaticRelations &s, const Derived &d) {
  if (!c.co.irreflexive()) // Coherence
    return false;
  Relation fromReads = c.rf.inverse().then(c.co);
  if (!(s.morallyStrong & fromReads).then(s.morallyStrong & c.co).intersects(c.rmw)) // Atomicity
    return fromReads.irreflexive() &&
           (c.rf | fromReads).then(d.causality).irreflexive(); // Causality, SC per location
  return false;
}

Relation races(const Candidate &c, const StaticRelations &s, const Derived &d, RaceReading r) {
  Relation out(c.size());
  const Relation &order = r == RaceReading::Ptx ? d.causality : d.baseCausality;
  for (uint32_t i = 0; i < c.size(); ++i)
    for (uint32_t j = i + 1; j < c.size(); ++j) {
      const Event &a = c.events[i], &b = c.events[j];
      if (!s.sameLocation.has(i, j) || a.initial || b.initial ||
          (a.kind == EventKind::Read && b.kind == EventKind::Read))
        continue;
      if ((r == RaceReading::Cxx && a.thread == b.thread) || s.morallyStrong.has(i, j) ||
          order.has(i, j) || order.has(j, i))
        continue;
      out.add(i, j);
    }
  return out;
}

} // namespace scopesan::litmus
