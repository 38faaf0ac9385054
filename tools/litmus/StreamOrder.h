// Streams and events of a row (S14): which launches an operation on a stream comes after.
//
// Sets are closed: whoever is in one brings everything that completes before it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace scopesan::litmus {

using LaunchSet = std::set<uint32_t>;

class StreamOrder {
public:
  /// Blocking streams and the legacy stream wait for each other.
  explicit StreamOrder(bool joinLegacy) : JoinLegacy(joinLegacy) {}

  /// What an operation comes after, and which kernels a programmatic launch may overlap.
  struct Place {
    LaunchSet after, primaries;
  };
  Place launch(uint32_t l, const std::string &stream, bool programmatic) {
    Stream &s = Streams[stream];
    LaunchSet after = pastOf(stream);
    Place place{after, {}};
    if (programmatic && !s.chain.empty())
      place = overlapping(stream);
    else
      s.chain.clear();
    if (s.chain.empty())
      s.root = after;
    s.done = after;
    s.done.insert(l);
    s.chain.insert(l);
    s.launched = true;
    return place;
  }
  void record(const std::string &event, const std::string &stream) { Events[event] = mark(stream); }
  /// A wait for an event that was never recorded returns at once.
  void wait(const std::string &stream, const std::string &event) {
    auto it = Events.find(event);
    Streams[stream];
    if (it == Events.end())
      return;
    mark(stream);
    Streams[stream].done.insert(it->second.begin(), it->second.end());
  }

  bool knows(const std::string &stream) const { return Streams.count(stream) != 0; }
  const LaunchSet &done(const std::string &stream) const { return Streams.at(stream).done; }
  /// Empty when the event was never recorded.
  LaunchSet recorded(const std::string &event) const {
    auto it = Events.find(event);
    return it == Events.end() ? LaunchSet() : it->second;
  }
  std::optional<std::string> onlyEvent() const {
    return Events.size() == 1 ? std::optional(Events.begin()->first) : std::nullopt;
  }
  bool hasEvents() const { return !Events.empty(); }
  uint32_t streamsWithLaunches() const {
    uint32_t n = 0;
    for (auto &[name, s] : Streams)
      n += s.launched;
    return n;
  }

private:
  struct Stream {
    LaunchSet done;  ///< complete when the stream is drained
    LaunchSet root;  ///< what the first kernel of `chain` came after
    LaunchSet chain; ///< kernels at the end that a programmatic launch may overlap
    bool launched = false;
  };

  LaunchSet joined(const std::string &stream) const {
    LaunchSet out;
    if (JoinLegacy)
      for (auto &[name, s] : Streams)
        if (name != stream && (name == "legacy" || stream == "legacy"))
          out.insert(s.done.begin(), s.done.end());
    return out;
  }
  LaunchSet pastOf(const std::string &stream) {
    LaunchSet past = joined(stream);
    const LaunchSet &own = Streams[stream].done;
    past.insert(own.begin(), own.end());
    return past;
  }
  Place overlapping(const std::string &stream) {
    Place place{joined(stream), Streams[stream].chain};
    place.after.insert(Streams[stream].root.begin(), Streams[stream].root.end());
    return place;
  }
  /// An operation other than a kernel: nothing overlaps what comes before it.
  LaunchSet mark(const std::string &stream) {
    Stream &s = Streams[stream];
    s.done = pastOf(stream);
    s.chain.clear();
    return s.done;
  }

  bool JoinLegacy;
  std::map<std::string, Stream> Streams;
  std::map<std::string, LaunchSet> Events;
};

} // namespace scopesan::litmus
