// Streams, events and the host as the driver's API orders them (S14). Knows no CUDA header: handles
// are addresses.
#pragma once

#include "scopesan/core/detector.h"

#include <map>
#include <unordered_map>
#include <vector>

namespace scopesan::gpu {

using Nodes = std::vector<core::NodeId>;

struct Stream {
  uint32_t ordinal = 0;
  bool blocking = true; ///< synchronizes with its context's legacy default stream
  const void *context = nullptr;
  core::TimelineId timeline;
  /// What the next operation follows. Several kernels where programmatic launches overlap.
  Nodes tail;
  Nodes root; ///< what the tail's first kernel follows
  bool tailIsKernel = false;
  std::vector<core::TimelineId> sideLines; ///< of work that overlaps
  core::NodeId hostKnows;                  ///< end of the tail that the host waited for

  core::NodeId last() const { return tail.empty() ? core::NodeId{} : tail.back(); }
};

/// Where an operation goes that is not simply next in a stream.
struct Place {
  core::TimelineId line; ///< operations of one line follow each other
  Nodes after;
  Nodes primaries; ///< programmatic: may still run, griddepcontrol.wait waits for them
};

class Order {
public:
  explicit Order(core::Detector &d) : D(d) {
    Host = D.newTimeline();
    HostNode = D.hostStep(Host, nullptr, 0);
    stream(nullptr, false);
  }

  /// `perThread`: a null handle is the calling thread's own default stream. Default streams belong
  /// to a context.
  Stream &stream(const void *handle, bool perThread, const void *context = nullptr);
  void created(const void *handle, bool blocking, const void *context = nullptr) {
    add({handle, nullptr}, blocking, context);
  }
  void destroyed(const void *handle);
  /// All streams of the context end; their work counts as waited for.
  void contextDestroyed(const void *context);
  bool isLegacy(const Stream &s) const { return legacyOf(s.context) == &s; }

  /// `programmatic`: the kernel may overlap the kernels before it (programmatic dependent launch).
  core::NodeId launch(Stream &s, const core::LaunchFacts &facts, bool programmatic = false);
  core::NodeId copy(Stream &s) {
    return enqueue(s, {},
                   [&](auto *after, uint32_t n) { return D.copyNode(s.timeline, after, n); });
  }
  /// Stream-ordered memory becomes alive, or ends.
  core::NodeId allocation(Stream &s) {
    return enqueue(s, {},
                   [&](auto *after, uint32_t n) { return D.allocNode(s.timeline, after, n); });
  }
  core::NodeId release(Stream &s) {
    return enqueue(s, {},
                   [&](auto *after, uint32_t n) { return D.freeNode(s.timeline, after, n); });
  }
  core::NodeId marker(Stream &s, const Nodes &extra = {}) {
    return enqueue(s, extra,
                   [&](auto *after, uint32_t n) { return D.marker(s.timeline, after, n); });
  }
  core::NodeId marker(Stream &s, core::NodeId extra) { return marker(s, Nodes{extra}); }

  // ---- off the stream's own line
  core::NodeId launchAt(const Place &p, const core::LaunchFacts &facts) {
    core::NodeId n = D.launch(p.line, p.after.data(), uint32_t(p.after.size()), facts);
    for (core::NodeId primary : p.primaries)
      D.programmatic(n, primary);
    return n;
  }
  core::NodeId copyAt(const Place &p) {
    return D.copyNode(p.line, p.after.data(), uint32_t(p.after.size()));
  }
  core::NodeId markerAt(const Place &p) {
    return D.marker(p.line, p.after.data(), uint32_t(p.after.size()));
  }
  core::TimelineId newLine() { return D.newTimeline(); }
  /// A line beside the stream's own, for work between two of its operations.
  core::TimelineId lineBeside(Stream &s, size_t index) {
    while (s.sideLines.size() <= index)
      s.sideLines.push_back(D.newTimeline());
    return s.sideLines[index];
  }

  /// A point after everything that any stream was given so far: for waits that are not modelled.
  core::NodeId markerAfterAll(Stream &s);

  void recorded(const void *event, Stream &s) { Events[event] = marker(s); }
  /// The event was recorded where `node` is.
  void recordedAt(const void *event, core::NodeId node) { Events[event] = node; }
  void forgetEvent(const void *event) { Events.erase(event); }
  /// The latest record at this call; null = none.
  core::NodeId recordOf(const void *event) const {
    auto e = Events.find(event);
    return e == Events.end() ? core::NodeId{} : e->second;
  }

  // ---- the host goes on after something
  /// What work that the calling thread enqueues now comes after.
  core::NodeId host() { return HasHostCode ? D.hosts().past(self()) : HostNode; }
  /// A point that all further work of the host comes after, whatever its threads are.
  core::NodeId hostForAll() { return HasHostCode && Threads > 1 ? HostNode : host(); }
  void hostAfter(core::NodeId n) {
    if (n.value)
      hostAfter(Nodes{n});
  }
  void hostAfter(const Nodes &nodes);
  void hostAfterStream(Stream &s);
  /// All work of a context; null = of all.
  void hostAfterAll(const void *context = nullptr);
  /// A call of the host ends the life of memory.
  core::NodeId hostFree();

  // ---- host threads of a program whose host code is instrumented (S15). Otherwise all of the host
  // is one actor.
  /// The calling thread is the first one.
  void hostCodeIsInstrumented();
  bool hasHostCode() const { return HasHostCode; }
  /// Has somebody told of the calling thread?
  static bool isKnownThread() { return Self.value; }
  core::HostId createThread();
  static void beginThread(core::HostId id) { Self = id; }
  /// The calling thread; one that nobody announced is opaque.
  core::HostId self();

private:
  static constexpr uintptr_t LegacyHandle = 1, PerThreadHandle = 2;
  /// Explicit streams have no context in their key: handles are unique.
  struct Key {
    const void *handle, *context;
    auto operator<=>(const Key &) const = default;
  };
  struct Orphan {
    core::NodeId node;
    bool blocking;
    const void *context;
  };

  Stream &add(Key key, bool blocking, const void *context);
  Stream *legacyOf(const void *context) const {
    auto s = Streams.find({nullptr, context});
    return s == Streams.end() ? nullptr : s->second;
  }
  Nodes crossDependencies(Stream &s);
  template <typename MakeNode> core::NodeId enqueue(Stream &s, const Nodes &extra, MakeNode make) {
    Nodes after = crossDependencies(s);
    after.insert(after.end(), s.tail.begin(), s.tail.end());
    after.push_back(host());
    after.insert(after.end(), extra.begin(), extra.end());
    core::NodeId node = make(after.data(), uint32_t(after.size()));
    s.root = std::move(after);
    s.tail = {node};
    s.tailIsKernel = false;
    return node;
  }

  core::Detector &D;
  core::TimelineId Host;
  core::NodeId HostNode;
  bool HasHostCode = false;
  uint32_t Threads = 0;                    ///< of the host
  std::vector<core::TimelineId> FreeLines; ///< by host thread, less 1
  inline static thread_local core::HostId Self;
  std::map<Key, Stream *> Streams; ///< records are never freed
  std::unordered_map<const void *, core::NodeId> Events;
  std::vector<Orphan> Orphans; ///< last nodes of destroyed streams
  uint32_t Created = 0;
};

} // namespace scopesan::gpu
