#include "nodes.h"

namespace scopesan::host {

void NodeRegistry::addLaunch(const LaunchRecord &launch) {
  ++launchCount;
  nodes[launch.node.value] = {intern(launch.kernel), true,         launch.firstBlock,
                              launch.grid,           launch.block, launch.index,
                              launch.stream,         launch.device};
}

void NodeRegistry::addApi(core::NodeId node, const std::string &api, uint32_t stream) {
  Node entry;
  entry.name = intern(api);
  entry.stream = stream;
  nodes[node.value] = entry;
}

const NodeRegistry::Node *NodeRegistry::find(core::NodeId node) const {
  auto it = nodes.find(node.value);
  return it == nodes.end() ? nullptr : &it->second;
}

} // namespace scopesan::host
