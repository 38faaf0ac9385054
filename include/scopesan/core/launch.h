// The order of launches, copies and host steps (S14): a partial order of nodes.
//
// A node follows the previous node of its timeline (stream or host thread) and every node it is
// created after. Order is decided by vector clocks over timelines; blocks belong to nodes.
//
// Nodes are created when they are enqueued. What their predecessors learn while they run is added
// when the node begins; by then they have ended.
#pragma once

#include "scopesan/core/clock.h"
#include "scopesan/core/scope.h"

namespace scopesan::core {

/// Alloc and Free: memory becomes alive, or ends (D8). They are ordered like copies.
enum class NodeKind : uint8_t { HostStep, Kernel, Copy, Marker, Alloc, Free };

/// Shape and placement of a kernel launch. Sizes in threads and blocks.
struct LaunchFacts {
  Dim3 grid, block;
  Dim3 cluster;
  bool cooperative = false;
  bool inGraph = false; ///< kernels that one graph launches are launched in no order
  DeviceId device;
  DomainId domain;
};

struct LaunchNode {
  NodeKind kind = NodeKind::Marker;
  TimelineId timeline;
  uint32_t sequence = 0;
  NodeClock past;        ///< nodes that precede this one
  BlockClock pastBlocks; ///< blocks of unfinished launches known through those nodes (S6 over S14)
  NodeClock endNodes;    ///< what the node's own threads learned from concurrent launches
  BlockClock endBlocks;  ///< likewise
  BlockId firstBlock;
  uint32_t blockCount = 0;
  BlockId orderedBelow; ///< all blocks with a smaller id precede this node
  LaunchFacts facts;
  HostId host;      ///< host thread whose step this is (S15)
  BlockId identity; ///< of that thread: the block of its first step
  bool begun = false;
  Vec<NodeId> after; ///< direct predecessors
  Vec<NodeId>
      children; ///< within the node (dynamic parallelism, host functions): end before it does
  Vec<NodeId> primaries; ///< programmatic: known after griddepcontrol.wait, not before
};

class LaunchOrder {
public:
  LaunchOrder() { Nodes.push(LaunchNode()); } // id 0 = none

  TimelineId newTimeline() {
    Timelines.push(Vec<NodeId>());
    return {Timelines.size() - 1};
  }

  /// Adds a node after the timeline's previous node and `after[0..n)`; null ids are ignored.
  NodeId add(NodeKind kind, TimelineId timeline, const NodeId *after, uint32_t n,
             const LaunchFacts &facts, uint32_t blockCount) {
    NodeId id{Nodes.size()};
    Nodes.push(LaunchNode());
    LaunchNode &node = Nodes.back();
    node.kind = kind;
    node.timeline = timeline;
    node.facts = facts;
    Vec<NodeId> &line = Timelines[timeline.value];
    node.sequence = line.size();
    if (!line.empty())
      s14Precede(node, line.back());
    for (uint32_t i = 0; i < n; ++i)
      if (after[i].value)
        s14Precede(node, after[i]);
    node.blockCount = blockCount;
    node.firstBlock = blockCount ? p2Identities(blockCount, id, {}) : NextBlock;
    OutsideFirstDomain += facts.domain != DomainId{}; // P6: physicalDomain, DomainChoice
    line.push(id);
    node.orderedBelow = orderedBelow(node);
    if (kind == NodeKind::HostStep) // created when it executes
      begin(id);
    return id;
  }

  /// The node starts to execute: all its predecessors have ended. Those that execute nothing
  /// themselves (markers) begin with it, oldest first.
  void begin(NodeId id) {
    struct Frame {
      NodeId node;
      uint32_t next;
    };
    if (Nodes[id.value].begun)
      return;
    Vec<Frame> stack;
    auto enter = [&](NodeId n) {
      Nodes[n.value].begun = true;
      stack.push(Frame{n, 0});
    };
    for (enter(id); !stack.empty();) {
      Frame &f = stack.back();
      LaunchNode &n = Nodes[f.node.value];
      if (f.next < n.after.size()) {
        NodeId p = n.after[f.next++];
        if (!Nodes[p.value].begun && Nodes[p.value].kind != NodeKind::Kernel)
          enter(p);
        continue;
      }
      for (NodeId p : n.after)
        s14Follow(n.past, n.pastBlocks, p);
      stack.pop();
    }
  }

  /// `node` may start before `primary` has ended; its griddepcontrol.wait orders the two.
  void addProgrammatic(NodeId node, NodeId primary) { Nodes[node.value].primaries.push(primary); }
  bool isPrimaryOf(NodeId primary, NodeId node) const {
    for (NodeId p : Nodes[node.value].primaries)
      if (p == primary)
        return true;
    return false;
  }
  /// S14: griddepcontrol.wait of `node` returned to a thread that knows `nodes` and `blocks`: all
  /// prerequisite grids have ended. Returns whether there are any.
  bool s14Programmatic(NodeId node, NodeClock &nodes, BlockClock &blocks) const {
    for (NodeId primary : Nodes[node.value].primaries)
      s14Follow(nodes, blocks, primary);
    return !Nodes[node.value].primaries.empty();
  }
  /// `child` ends before `parent` does: launched by one of its threads, or a host function's step.
  void addChild(NodeId parent, NodeId child) { Nodes[parent.value].children.push(child); }

  /// S14: `id` has ended: adds all that it knew and did.
  void s14Follow(NodeClock &nodes, BlockClock &blocks, NodeId id) const {
    const LaunchNode &before = Nodes[id.value];
    nodes.join(before.past);
    nodes.join(before.endNodes);
    nodes.raise(before.timeline, before.sequence + 1);
    blocks.join(before.pastBlocks);
    blocks.join(before.endBlocks);
    for (NodeId child : before.children)
      s14Follow(nodes, blocks, child);
  }

  /// The thread that issued an actor, or nobody when `block` is not one.
  struct Issuer {
    BlockId block;
    ThreadIndex thread;
  };
  /// A new asynchronous actor issued by a thread of a launch (S12): a block of its own in time, at
  /// the issuer's place.
  BlockId newActor(NodeId node, BlockId issuer, ThreadIndex thread) {
    return p2Identities(1, node, {issuer, thread});
  }
  /// The actor that completes `copy` on an mbarrier, at the place of that mbarrier's block.
  BlockId newSignal(NodeId node, BlockId owner, ThreadIndex thread, BlockId copy) {
    return p2Identities(1, node, {owner, thread}, copy);
  }
  /// The actor of an mbarrier.init (S9): in findings, the thread itself.
  BlockId newInit(NodeId node, BlockId by, ThreadIndex thread) {
    return p2Identities(1, node, {by, thread}, by);
  }
  Issuer issuerOf(BlockId block) const {
    const Range &r = rangeOf(block);
    return {r.actorOf, r.thread};
  }
  bool isActor(BlockId block) const { return rangeOf(block).actorOf.value != 0; }
  /// An actor that reads the source or writes the destination of a copy.
  bool isCopy(BlockId block) const { return isActor(block) && !rangeOf(block).signalOf.value; }
  /// The copy whose completion `block` signals; else `block` itself.
  BlockId copyOf(BlockId block) const {
    BlockId copy = rangeOf(block).signalOf;
    return copy.value ? copy : block;
  }

  NodeId last(TimelineId t) const {
    const Vec<NodeId> &line = Timelines[t.value];
    return line.empty() ? NodeId{} : line.back();
  }
  LaunchNode &node(NodeId id) { return Nodes[id.value]; }
  const LaunchNode &node(NodeId id) const { return Nodes[id.value]; }

  /// S14: direct predecessors of all nodes so far.
  uint64_t edges() const { return Edges; }
  /// P2: launches, host steps, copies and actors so far.
  uint64_t identities() const { return Ranges.size(); }
  /// P6: nodes so far outside of their device's first domain.
  uint64_t outsideFirstDomain() const { return OutsideFirstDomain; }
  /// S14: `a` is complete before `b` starts.
  bool precedes(NodeId a, NodeId b) const { return precedes(a, Nodes[b.value].past); }
  bool precedes(NodeId a, const NodeClock &past) const {
    const LaunchNode &n = Nodes[a.value];
    return past.covers(n.timeline, n.sequence);
  }
  bool precedesSoftly(NodeId a, const NodeClock &past) const {
    const LaunchNode &n = Nodes[a.value];
    return past.coversSoftly(n.timeline, n.sequence);
  }
  /// Number of blocks and actors so far, and one.
  BlockId nextBlock() const { return NextBlock; }

  /// `block` is the end or the beginning of memory's life rather than an access.
  bool isLifetime(BlockId block) const {
    NodeKind k = Nodes[nodeOf(block).value].kind;
    return k == NodeKind::Alloc || k == NodeKind::Free;
  }

  /// The node that `block` belongs to.
  NodeId nodeOf(BlockId block) const { return rangeOf(block).node; }
  /// An actor sits where its issuer does.
  Place placeOf(BlockId block) const {
    const Range &r = rangeOf(block);
    if (r.actorOf.value)
      return placeOf(r.actorOf);
    const LaunchNode &n = Nodes[r.node.value];
    Place p;
    p.block = n.identity.value ? n.identity : block; // a host thread is one in all its steps
    p.node = r.node;
    p.device = n.facts.device;
    p.domain = n.facts.domain;
    p.host = n.kind == NodeKind::HostStep;
    p.cluster = clusterIndex(n.facts, block.value - n.firstBlock.value);
    return p;
  }

private:
  struct Range {
    BlockId first;
    NodeId node;
    BlockId actorOf;    ///< issuer's block when the range is one asynchronous actor
    ThreadIndex thread; ///< issuer
    BlockId signalOf;   ///< the copy, when the actor signals its completion
  };
  const Range &rangeOf(BlockId block) const {
    uint32_t lo = 0, hi = Ranges.size();
    while (hi - lo > 1) {
      uint32_t mid = (lo + hi) / 2;
      (Ranges[mid].first.value <= block.value ? lo : hi) = mid;
    }
    return Ranges[lo];
  }

  /// P2: `count` new blocks of the node, or an actor of `issuer`'s. No number comes back, whatever
  /// hardware a block or thread runs on.
  BlockId p2Identities(uint32_t count, NodeId node, Issuer issuer, BlockId signalOf = {}) {
    BlockId first = NextBlock;
    Ranges.push({first, node, issuer.block, issuer.thread, signalOf});
    NextBlock.value += count;
    return first;
  }
  /// S14: `node` starts after `id` has ended.
  void s14Precede(LaunchNode &node, NodeId id) {
    ++Edges;
    node.after.push(id);
    s14Follow(node.past, node.pastBlocks, id);
  }
  BlockId orderedBelow(const LaunchNode &node) const {
    BlockId bound = node.firstBlock;
    for (uint32_t t = 0; t < Timelines.size(); ++t) {
      uint32_t known = node.past.known({t});
      if (known < Timelines[t].size())
        bound.value = minOf(bound.value, Nodes[Timelines[t][known].value].firstBlock.value);
    }
    return bound;
  }
  static uint32_t clusterIndex(const LaunchFacts &f, uint32_t linear) {
    if (f.cluster == Dim3())
      return linear;
    uint32_t x = linear % f.grid.x, y = linear / f.grid.x % f.grid.y,
             z = uint32_t(linear / (uint64_t(f.grid.x) * f.grid.y));
    uint32_t cx = f.grid.x / f.cluster.x, cy = f.grid.y / f.cluster.y;
    return x / f.cluster.x + cx * (y / f.cluster.y + cy * (z / f.cluster.z));
  }

  Vec<LaunchNode> Nodes;
  Vec<Vec<NodeId>> Timelines;
  Vec<Range> Ranges;
  uint64_t Edges = 0, OutsideFirstDomain = 0;
  BlockId NextBlock{1};
};

} // namespace scopesan::core
