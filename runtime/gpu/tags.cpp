#include "gpu/tags.h"

namespace scopesan::gpu {

void Frontier::add(core::NodeId node) {
  std::erase_if(Last, [&](core::NodeId n) { return D.precedes(n, node); });
  Last.push_back(node);
}

bool Frontier::missing(core::NodeId node, core::NodeId host) {
  std::erase_if(Last, [&](core::NodeId n) { return D.precedes(n, host); });
  for (core::NodeId n : Last)
    if (n != node && !D.precedes(n, node))
      return true;
  return false;
}

LaunchTags::Assigned LaunchTags::assign(const MarkSource &launch) {
  Assigned a;
  a.tag = unsigned(Used.size());
  a.ordered = 1; // no access
  unsigned lowest = a.tag;
  for (unsigned t = a.tag; t-- > First;) {
    if (D.precedes(Used[t].node, launch.node))
      a.ordered |= uint64_t(1) << t;
    else
      lowest = t;
  }
  a.oldest = uint64_t(lowest) << mark::TagShift;
  Used.push_back(launch);
  return a;
}

LaunchTags::Remap LaunchTags::sweep(core::NodeId next, core::NodeId host) {
  std::vector<bool> drop(Used.size());
  size_t left = Used.size() - 1;
  auto dropWhere = [&](auto condition) {
    for (unsigned t = First; t < Used.size() && left; ++t)
      if (!drop[t] && condition(Used[t].node)) {
        drop[t] = true;
        --left;
      }
  };
  dropWhere([&](core::NodeId n) { return D.precedes(n, host); });
  if (left > Kept)
    dropWhere([&](core::NodeId n) { return D.precedes(n, next); });
  if (left > Kept)
    dropWhere([&](core::NodeId) { return left > Kept; });
  Remap remap{};
  remap[Special] = Special;
  std::vector<MarkSource> kept{1};
  for (unsigned t = First; t < Used.size(); ++t) {
    if (!drop[t]) {
      remap[t] = uint8_t(kept.size());
      kept.push_back(Used[t]);
    } else if (!D.precedes(Used[t].node, host)) {
      forget(Used[t].node);
    }
  }
  Used = std::move(kept);
  return remap;
}

void LaunchTags::clear() {
  Used.resize(1);
  Forgotten.clear();
}

} // namespace scopesan::gpu
