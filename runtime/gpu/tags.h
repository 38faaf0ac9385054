// Launch tags: the six bits by which a mark in the device's shadow memory names its launch. A
// copy or fill, and the begin and end of memory, count as launches.
//
// Tags grow in the order of launches, because the read half of a cell keeps the greatest mark.
// When they are used up a sweep of the shadow drops the marks of launches that are ordered before
// what comes now, and renumbers the rest. A later launch that is not ordered after one whose
// marks were dropped can miss races with it: that is told (X1).
#pragma once

#include "gpu/replay.h"

#include <array>
#include <vector>

namespace scopesan::gpu {

/// Nodes of which nothing is remembered, by the last ones: who is not ordered after a node is not
/// ordered after what follows that node.
class Frontier {
public:
  explicit Frontier(const core::Detector &d) : D(d) {}
  void add(core::NodeId node);
  /// `node` is not ordered after all of them. `host`: where the host is now.
  bool missing(core::NodeId node, core::NodeId host);
  void clear() { Last.clear(); }

private:
  const core::Detector &D;
  std::vector<core::NodeId> Last;
};

class LaunchTags {
public:
  static constexpr unsigned First = 1, Last = mark::LaunchTags, Special = mark::SpecialTag;

  explicit LaunchTags(const core::Detector &d) : D(d), Forgotten(d) {}

  bool full() const { return Used.size() > Last; }

  /// What a launch's accesses are compared with.
  struct Assigned {
    unsigned tag = 0;
    uint64_t ordered = 0; ///< bit t: marks of tag t precede this launch; bit 0 is set
    uint64_t oldest = 0;  ///< marks below it precede this launch
  };
  /// Gives `launch` the next tag. Not when `full`.
  Assigned assign(const MarkSource &launch);
  unsigned count() const { return unsigned(Used.size()) - 1; }
  /// Null: no launch has this tag now.
  const MarkSource *find(unsigned tag) const {
    return tag >= First && tag < Used.size() ? &Used[tag] : nullptr;
  }

  /// New tag for each old one; 0 = its marks are dropped.
  using Remap = std::array<uint8_t, 64>;
  /// Makes room: `next` is the node that needs a tag, `host` where the host is now.
  Remap sweep(core::NodeId next, core::NodeId host);
  /// Marks that `node` would race with may have been dropped.
  bool missing(core::NodeId node, core::NodeId host) { return Forgotten.missing(node, host); }
  /// `node` leaves no marks, or they were dropped.
  void forget(core::NodeId node) { Forgotten.add(node); }
  /// All marks are gone.
  void clear();

private:
  /// Room that a sweep makes at least.
  static constexpr size_t Kept = 31;

  const core::Detector &D;
  std::vector<MarkSource> Used{1}; ///< by tag; 0 stands for no access
  Frontier Forgotten;
};

} // namespace scopesan::gpu
