// Waits for a block or a kernel that starts later (D12, kind (b)).
//
// That a loop leaves by the value it reads and does nothing else, the compiler says
// (Op::isOnlyWayOut). That nobody else could have ended the wait shows when the run is over: each
// thread that wrote the location afterwards, or tried to, might have been the one.
#pragma once

#include "scopesan/core/context.h"

namespace scopesan::core {

class LateWaits {
public:
  explicit LateWaits(Context &c) : C(c) {}

  /// The wait of `t` ended with the value that `o` has now, by a thread that nothing promised to
  /// run.
  void mayBeLate(Thread &t, SyncObject &o) {
    EndedWait &w = t.sync().ended;
    if (!w.reader.op.isOnlyWayOut() || t.blocks.knows(o.lastWrite.place.block) ||
        !startsLater(w.reader.place, w.writer.place))
      return;
    o.awaited = true;
    w.isLate = true;
    w.from = Attempts[o.address].size();
    w.seen = t.seen;
    w.blocks = t.blocks;
    w.nodes = t.nodes;
  }
  void attempted(const Thread &t, uint64_t address) {
    Attempt by{t.block->place, t.index};
    Vec<Attempt> &all = Attempts[address];
    if (all.size() < Most && (all.empty() || all.back() != by))
      all.push(by);
  }
  void add(const EndedWait &w, uint64_t address) { Ended.push(Late{w, address}); }

  /// D12: calls f(wait, address, whether it is a finding) for all waits that ended since the last
  /// call.
  template <class F> void d12Backward(F f) {
    for (const Late &l : Ended)
      f(l.wait, l.address, !othersCouldEnd(l));
    Ended.clear();
  }

private:
  static constexpr uint32_t Most = 4096; ///< attempts kept of one location
  struct Attempt {
    Place place;
    ThreadIndex thread;
    bool operator==(const Attempt &) const = default;
  };
  struct Late {
    EndedWait wait;
    uint64_t address;
  };
  /// Blocks of a grid start in the order of their numbers, a device's kernels in that of their
  /// launches. Those of one graph are launched at once.
  bool startsLater(const Place &waiter, const Place &writer) const {
    if (waiter.host || writer.host || waiter.device != writer.device)
      return false;
    if (waiter.node == writer.node)
      return waiter.block < writer.block;
    const LaunchNode &a = C.order.node(waiter.node), &b = C.order.node(writer.node);
    return a.kind == NodeKind::Kernel && b.kind == NodeKind::Kernel && waiter.node < writer.node &&
           !(a.facts.inGraph && b.facts.inGraph);
  }
  bool othersCouldEnd(const Late &l) const {
    const EndedWait &w = l.wait;
    const Vec<Attempt> &all = *Attempts.find(l.address);
    if (all.size() == Most) // perhaps somebody who is not kept
      return true;
    for (uint32_t i = w.from; i < all.size(); ++i) {
      const Place &by = all[i].place;
      bool isWaiter = by.block == w.reader.place.block && all[i].thread == w.reader.thread;
      if (!isWaiter && by.block != w.writer.place.block &&
          (!startsLater(w.reader.place, by) || w.blocks.knows(by.block) ||
           C.promisedToRun({w.reader.place, false, w.nodes, w.seen}, by)))
        return true;
    }
    return false;
  }

  Context &C;
  HashMap<Vec<Attempt>> Attempts; ///< by location, since a wait for it ended
  Vec<Late> Ended;
};

} // namespace scopesan::core
