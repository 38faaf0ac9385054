// Streams, events and the host as the driver's API orders them (S14). Knows no CUDA header: handles
// are addresses.
#pragma once

#include "scopesan/core/detector.h"

#include <unordered_map>
#include <vector>

namespace scopesan::gpu {

struct Stream {
  uint32_t ordinal = 0;
  bool blocking = true; ///< synchronizes with the legacy default stream
  core::TimelineId timeline;
  core::NodeId last, hostKnows;
};

class Order {
public:
  explicit Order(core::Detector &d) : D(d) {
    Host = D.newTimeline();
    HostNode = D.hostStep(Host, nullptr, 0);
    stream(nullptr, false);
  }

  /// `perThread`: a null handle is the calling thread's own default stream.
  Stream &stream(const void *handle, bool perThread);
  void created(const void *handle, bool blocking) { add(handle, blocking); }
  void destroyed(const void *handle);
  bool isLegacy(const Stream &s) const { return &s == Legacy; }

  core::NodeId launch(Stream &s, const core::LaunchFacts &facts) {
    return enqueue(s, {},
                   [&](auto *after, uint32_t n) { return D.launch(s.timeline, after, n, facts); });
  }
  core::NodeId copy(Stream &s) {
    return enqueue(s, {},
                   [&](auto *after, uint32_t n) { return D.copyNode(s.timeline, after, n); });
  }
  core::NodeId marker(Stream &s, core::NodeId extra = {}) {
    return enqueue(s, extra,
                   [&](auto *after, uint32_t n) { return D.marker(s.timeline, after, n); });
  }

  /// A point after everything that any stream was given so far: for waits that are not modelled.
  core::NodeId markerAfterAll(Stream &s);

  void recorded(const void *event, Stream &s) { Events[event] = marker(s); }
  void forgetEvent(const void *event) { Events.erase(event); }
  /// The latest record at this call; null = none.
  core::NodeId recordOf(const void *event) const {
    auto e = Events.find(event);
    return e == Events.end() ? core::NodeId{} : e->second;
  }

  // ---- the host goes on after something
  void hostAfter(core::NodeId n) {
    if (n.value)
      HostNode = D.hostStep(Host, &n, 1);
  }
  void hostAfterStream(Stream &s);
  void hostAfterAll();

private:
  static constexpr uintptr_t LegacyHandle = 1, PerThreadHandle = 2;

  Stream &add(const void *handle, bool blocking);
  std::vector<core::NodeId> crossDependencies(Stream &s);
  template <typename MakeNode> core::NodeId enqueue(Stream &s, core::NodeId extra, MakeNode make) {
    std::vector<core::NodeId> after = crossDependencies(s);
    after.push_back(HostNode);
    after.push_back(extra);
    return s.last = make(after.data(), uint32_t(after.size()));
  }

  core::Detector &D;
  core::TimelineId Host;
  core::NodeId HostNode;
  std::unordered_map<const void *, Stream *> Streams; ///< records are never freed
  std::unordered_map<const void *, core::NodeId> Events;
  std::vector<core::NodeId> Orphans;        ///< last nodes of destroyed blocking streams
  std::vector<core::NodeId> UnboundOrphans; ///< of non-blocking ones
  Stream *Legacy = nullptr;
  uint32_t Created = 0;
};

} // namespace scopesan::gpu
