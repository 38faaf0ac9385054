#include "nodes.h"

namespace scopesan::host {

template <class Map> static auto *pick(const Map &map, uint32_t key) {
  auto it = map.find(key);
  return it == map.end() ? nullptr : &it->second;
}

void NodeRegistry::addLaunch(const LaunchRecord &launch) {
  ++launchCount;
  Node entry;
  entry.name = intern(launch.kernel);
  entry.isLaunch = true;
  entry.firstBlock = launch.firstBlock;
  entry.grid = launch.grid;
  entry.block = launch.block;
  entry.index = launch.index;
  entry.domain = launch.domain;
  entry.origin = launch.origin;
  nodes[launch.node.value] = entry;
}

void NodeRegistry::addHostFunction(core::HostId thread, const std::string &api,
                                   const Origin &origin) {
  Node entry;
  entry.name = intern(api);
  entry.origin = origin;
  hostFunctions[thread.value] = entry;
}

const NodeRegistry::Node *NodeRegistry::findHostFunction(core::HostId thread) const {
  return pick(hostFunctions, thread.value);
}

const StreamFacts *NodeRegistry::findStream(uint32_t number) const { return pick(streams, number); }

void NodeRegistry::addApi(core::NodeId node, const std::string &api, const Origin &origin) {
  Node entry;
  entry.name = intern(api);
  entry.origin = origin;
  nodes[node.value] = entry;
}

const NodeRegistry::Node *NodeRegistry::find(core::NodeId node) const {
  return pick(nodes, node.value);
}

} // namespace scopesan::host
