#include "gpu/order.h"

namespace scopesan::gpu {

Stream &Order::add(Key key, bool blocking, const void *context) {
  auto *s = new Stream;
  s->ordinal = Created++;
  s->blocking = blocking;
  s->context = context;
  s->timeline = D.newTimeline();
  Streams[key] = s;
  return *s;
}

Stream &Order::stream(const void *handle, bool perThread, const void *context) {
  static thread_local char Own; // its address stands for the thread's default stream
  auto raw = reinterpret_cast<uintptr_t>(handle);
  Key key{handle, nullptr};
  if (raw == PerThreadHandle || (!raw && perThread))
    key = {&Own, context};
  else if (!raw || raw == LegacyHandle)
    key = {nullptr, context};
  auto s = Streams.find(key);
  if (s != Streams.end())
    return *s->second;
  if (!key.handle && !Streams.empty())
    if (Stream *unbound = legacyOf(nullptr)) { // the first context takes over what began before it
      Streams.erase({nullptr, nullptr});
      unbound->context = context;
      return *(Streams[key] = unbound);
    }
  return add(key, true, context);
}

core::NodeId Order::launch(Stream &s, const core::LaunchFacts &facts, bool programmatic) {
  if (!programmatic || !s.tailIsKernel) {
    core::NodeId n = enqueue(
        s, {}, [&](auto *after, uint32_t n) { return D.launch(s.timeline, after, n, facts); });
    s.tailIsKernel = true;
    return n;
  }
  // A line of its own: the kernel does not follow those that it may overlap.
  Place p{lineBeside(s, s.tail.size() - 1), crossDependencies(s), s.tail};
  p.after.insert(p.after.end(), s.root.begin(), s.root.end());
  p.after.push_back(host());
  core::NodeId n = launchAt(p, facts);
  s.tail.push_back(n);
  return n;
}

void Order::destroyed(const void *handle) {
  auto s = Streams.find({handle, nullptr});
  if (s == Streams.end() || !handle)
    return;
  for (core::NodeId n : s->second->tail)
    Orphans.push_back({n, s->second->blocking, s->second->context});
  Streams.erase(s);
}

void Order::contextDestroyed(const void *context) {
  hostAfterAll(context);
  std::erase_if(Streams, [&](auto &entry) { return entry.second->context == context; });
}

Nodes Order::crossDependencies(Stream &s) {
  Nodes result;
  Stream *legacy = legacyOf(s.context);
  if (&s == legacy) {
    for (auto &[key, other] : Streams)
      if (other != legacy && other->blocking && other->context == s.context)
        result.insert(result.end(), other->tail.begin(), other->tail.end());
    for (const Orphan &o : Orphans)
      if (o.blocking && o.context == s.context)
        result.push_back(o.node);
  } else if (s.blocking && legacy) {
    result = legacy->tail;
  }
  return result;
}

core::NodeId Order::markerAfterAll(Stream &s) {
  Nodes after;
  for (auto &[key, other] : Streams)
    after.insert(after.end(), other->tail.begin(), other->tail.end());
  for (const Orphan &o : Orphans)
    after.push_back(o.node);
  return marker(s, after);
}

void Order::hostAfterStream(Stream &s) {
  if (isLegacy(s))
    return hostAfter(marker(s)); // comes after the blocking streams' work
  if (s.tail.empty() || s.hostKnows == s.last())
    return;
  s.hostKnows = HasHostCode ? core::NodeId{} : s.last(); // threads know different things
  hostAfter(s.tail);
}

void Order::hostAfterAll(const void *context) {
  Nodes nodes;
  for (auto &[key, s] : Streams)
    if ((!context || s->context == context) && !s->tail.empty() && s->hostKnows != s->last()) {
      s->hostKnows = HasHostCode ? core::NodeId{} : s->last();
      nodes.insert(nodes.end(), s->tail.begin(), s->tail.end());
    }
  std::erase_if(Orphans, [&](const Orphan &o) {
    if (context && o.context != context)
      return false;
    nodes.push_back(o.node);
    return !HasHostCode;
  });
  if (!nodes.empty())
    hostAfter(nodes);
}

// ---------------------------------------------------------------- host threads

void Order::hostAfter(const Nodes &nodes) {
  if (HasHostCode)
    D.hosts().step(self(), nodes.data(), uint32_t(nodes.size()));
  else
    HostNode = D.hostStep(Host, nodes.data(), uint32_t(nodes.size()));
}

core::NodeId Order::hostFree() {
  if (!HasHostCode)
    return HostNode = D.freeNode(Host, nullptr, 0);
  core::HostId me = self();
  while (FreeLines.size() < me.value)
    FreeLines.push_back(D.newTimeline());
  core::NodeId past = D.hosts().past(me);
  core::NodeId node = D.freeNode(FreeLines[me.value - 1], &past, 1);
  D.hosts().step(me, &node, 1);
  return node;
}

void Order::hostCodeIsInstrumented() {
  if (HasHostCode)
    return;
  HasHostCode = true;
  Threads = 1;
  Self = D.hosts().create({}, core::HostCode::Instrumented);
  D.hosts().step(Self, &HostNode, 1);
}

core::HostId Order::createThread() {
  ++Threads;
  return D.hosts().create(self(), core::HostCode::Instrumented);
}

core::HostId Order::self() {
  if (!Self.value) {
    ++Threads;
    Self = D.hosts().create({}, core::HostCode::Opaque);
  }
  return Self;
}

} // namespace scopesan::gpu
