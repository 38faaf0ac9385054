// Registry of launches, copies and host steps: node id -> who it was. Not thread-safe by itself.
#pragma once

#include "collector.h"

#include <unordered_map>
#include <unordered_set>

namespace scopesan::host {

class NodeRegistry {
public:
  /// Who executed an access: a launch, or an API call of the host (`api`).
  struct Node {
    const std::string *name = nullptr; ///< kernel or API call
    bool isLaunch = false;
    core::BlockId firstBlock;
    core::Dim3 grid, block;
    uint32_t index = 0, domain = 0;
    Origin origin;
  };

  void addLaunch(const LaunchRecord &launch);
  void addApi(core::NodeId node, const std::string &api, const Origin &origin);
  void addStream(const StreamFacts &facts) { streams[facts.number] = facts; }
  /// A host thread that only runs host functions of streams.
  void addHostFunction(core::HostId thread, const std::string &api, const Origin &origin);
  const Node *find(core::NodeId node) const;
  const Node *findHostFunction(core::HostId thread) const;
  const StreamFacts *findStream(uint32_t number) const;
  uint64_t launches() const { return launchCount; }

private:
  const std::string *intern(const std::string &name) { return &*names.insert(name).first; }

  std::unordered_map<uint32_t, Node> nodes;
  std::unordered_map<uint32_t, Node> hostFunctions; ///< by host thread
  std::unordered_map<uint32_t, StreamFacts> streams;
  std::unordered_set<std::string> names; // node-based: element addresses are stable
  uint64_t launchCount = 0;
};

/// Coordinates of linear index `i` in an extent, x fastest.
constexpr core::Dim3 unflatten(uint64_t i, core::Dim3 extent) {
  return {uint32_t(i % extent.x), uint32_t(i / extent.x % extent.y),
          uint32_t(i / (uint64_t(extent.x) * extent.y))};
}

} // namespace scopesan::host
