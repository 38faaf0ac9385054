#include "gpu/order.h"

namespace scopesan::gpu {

Stream &Order::add(const void *handle, bool blocking) {
  auto *s = new Stream;
  s->ordinal = Created++;
  s->blocking = blocking;
  s->timeline = D.newTimeline();
  Streams[handle] = s;
  return *s;
}

Stream &Order::stream(const void *handle, bool perThread) {
  static thread_local char Own; // its address stands for the thread's default stream
  auto raw = reinterpret_cast<uintptr_t>(handle);
  if (raw == PerThreadHandle || (!raw && perThread)) {
    handle = &Own;
  } else if (!raw || raw == LegacyHandle) {
    if (!Legacy)
      Legacy = &add(nullptr, true);
    return *Legacy;
  }
  auto s = Streams.find(handle);
  return s != Streams.end() ? *s->second : add(handle, true);
}

void Order::destroyed(const void *handle) {
  auto s = Streams.find(handle);
  if (s == Streams.end())
    return;
  if (s->second->last.value)
    (s->second->blocking ? Orphans : UnboundOrphans).push_back(s->second->last);
  Streams.erase(s);
}

std::vector<core::NodeId> Order::crossDependencies(Stream &s) {
  std::vector<core::NodeId> result;
  if (&s == Legacy) {
    for (auto &[handle, other] : Streams)
      if (other != Legacy && other->blocking && other->last.value)
        result.push_back(other->last);
    result.insert(result.end(), Orphans.begin(), Orphans.end());
  } else if (s.blocking && Legacy && Legacy->last.value) {
    result.push_back(Legacy->last);
  }
  return result;
}

core::NodeId Order::markerAfterAll(Stream &s) {
  std::vector<core::NodeId> after{HostNode};
  for (auto &[handle, other] : Streams)
    after.push_back(other->last);
  after.insert(after.end(), Orphans.begin(), Orphans.end());
  after.insert(after.end(), UnboundOrphans.begin(), UnboundOrphans.end());
  return s.last = D.marker(s.timeline, after.data(), uint32_t(after.size()));
}

void Order::hostAfterStream(Stream &s) {
  if (&s == Legacy)
    return hostAfter(marker(s)); // comes after the blocking streams' work
  if (s.hostKnows != s.last) {
    s.hostKnows = s.last;
    hostAfter(s.last);
  }
}

void Order::hostAfterAll() {
  std::vector<core::NodeId> nodes;
  for (auto &[handle, s] : Streams)
    if (s->last.value && s->hostKnows != s->last) {
      s->hostKnows = s->last;
      nodes.push_back(s->last);
    }
  nodes.insert(nodes.end(), Orphans.begin(), Orphans.end());
  nodes.insert(nodes.end(), UnboundOrphans.begin(), UnboundOrphans.end());
  Orphans.clear();
  UnboundOrphans.clear();
  if (!nodes.empty())
    HostNode = D.hostStep(Host, nodes.data(), uint32_t(nodes.size()));
}

} // namespace scopesan::gpu
