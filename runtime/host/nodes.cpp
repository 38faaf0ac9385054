#include "nodes.h"

namespace scopesan::host {

void NodeRegistry::addLaunch(const LaunchRecord &launch) {
  ++launchCount;
  nodes[launch.node.value] = {intern(launch.kernel), true,         launch.firstBlock, launch.grid,
                              launch.block,          launch.index, launch.origin};
}

void NodeRegistry::addApi(core::NodeId node, const std::string &api, const Origin &origin) {
  Node entry;
  entry.name = intern(api);
  entry.origin = origin;
  nodes[node.value] = entry;
}

const NodeRegistry::Node *NodeRegistry::find(core::NodeId node) const {
  auto it = nodes.find(node.value);
  return it == nodes.end() ? nullptr : &it->second;
}

} // namespace scopesan::host
