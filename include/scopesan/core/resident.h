// The blocks that are resident, and the stand-ins of what is no block: copies, fills, host steps.
#pragma once

#include "scopesan/core/cluster.h"
#include "scopesan/core/progress.h"

namespace scopesan::core {

class ResidentBlocks {
public:
  ResidentBlocks(Context &c, ClusterRules &clusters) : C(c), Clusters(clusters) {}
  ResidentBlocks(const ResidentBlocks &) = delete;
  ~ResidentBlocks() {
    for (Block *b : All) {
      b->~Block();
      deallocate(b);
    }
  }

  /// Makes block `linear` of the launch resident with all its threads.
  Block *begin(NodeId launch, uint64_t linear) {
    C.order.begin(launch);
    const LaunchNode &n = C.order.node(launch);
    uint32_t threads = n.kind == NodeKind::Kernel ? uint32_t(n.facts.block.count()) : 1;
    return initialise(n, launch, {n.firstBlock.value + uint32_t(linear)}, threads);
  }
  void end(Block *b, bool ran = true) {
    Clusters.end(*b, ran);
    b->nextFree = Free;
    Free = b;
  }
  /// A block that belongs to no launch yet.
  Block *create() { return All.push(new (allocate(sizeof(Block)), PlacementTag{}) Block()); }
  /// O7: the single thread that stands for a copy, fill or host step.
  Thread &o7Actor(NodeId n) {
    if (!ActorBlock || ActorNode != n) {
      if (ActorBlock)
        end(ActorBlock);
      ActorBlock = begin(n, 0);
      ActorNode = n;
    }
    return ActorBlock->threads[0];
  }
  /// S6 over S14: what the thread learned of other launches passes on at the grid's end.
  void s6AtGridEnd(const Thread &t) {
    NodeId node = t.block->place.node;
    if (!t.foreign ||
        (node == EndedNode && t.blocks.sameAs(EndedBlocks) && t.nodes.sameAs(EndedNodes)))
      return;
    LaunchNode &n = C.order.node(node);
    n.endBlocks.join(t.blocks);
    n.endNodes.join(t.nodes);
    EndedNode = node;
    EndedBlocks = t.blocks;
    EndedNodes = t.nodes;
  }

private:
  Block *initialise(const LaunchNode &n, NodeId node, BlockId id, uint32_t threads) {
    Block *b = Free;
    if (b)
      Free = b->nextFree;
    else
      b = create();
    b->id = id;
    b->place = C.order.placeOf(id);
    b->place.node = node;
    b->orderedBelow = n.orderedBelow;
    b->cooperative = n.facts.cooperative;
    b->live = threads;
    b->dirtyExits = 0;
    for (BarrierState &bar : b->barriers) {
      bar.waiting.clear();
      bar.sources.clear();
    }
    b->cluster = nullptr;
    b->sharedAddress = b->sharedBytes = 0;
    b->peerAccesses.clear();
    b->prunePeersAt = 64;
    b->exitKnowledge = BlockClock();
    if (n.kind == NodeKind::Kernel && n.facts.cluster.count() > 1)
      Clusters.begin(*b, n.facts);
    uint32_t warps = (threads + WarpSize - 1) / WarpSize;
    if (b->meetings.size() < warps)
      b->meetings.resize(warps);
    for (Vec<WarpMeeting> &m : b->meetings)
      m.clear();
    StepSet seen;
    seen.add(id);
    b->threads.resize(threads);
    for (uint32_t i = 0; i < threads; ++i)
      start(b->threads[i], b, {i}, n, seen);
    return b;
  }
  static void start(Thread &t, Block *b, ThreadIndex i, const LaunchNode &n, const StepSet &seen) {
    t.block = b;
    t.index = i;
    t.exited = t.foreign = t.clusterArrived = false;
    t.time = t.base = t.warpBase = LocalTime{1};
    t.lastAccess = LocalTime{0};
    t.blocks = n.pastBlocks;
    t.nodes = n.past;
    t.proxies = ProxyClocks();
    t.seen = seen;
    t.dropSync();
  }

  Context &C;
  ClusterRules &Clusters;
  Vec<Block *> All;
  Block *Free = nullptr;
  Block *ActorBlock = nullptr;
  NodeId ActorNode;
  // The last thread that ended: its neighbours mostly know the same.
  NodeId EndedNode;
  BlockClock EndedBlocks;
  NodeClock EndedNodes;
};

} // namespace scopesan::core
