// Waits that nothing promises to end (A1 progress-not-promised; D12 where the host waits).
//
// A wait is a loop that reads one location at one place in the code and at least once finds nothing
// new. It ends when the thread does something else after having read a new value. The wait was
// promised when the writer shares the waiter's cluster or cooperative grid, belongs to a launch the
// waiter depends on, or was already known to have executed a step.
#pragma once

#include "scopesan/core/context.h"

namespace scopesan::core {

class ProgressRules {
public:
  explicit ProgressRules(Context &c) : C(c) {}

  /// A strong read by `t`; `o` is null where nothing strong was ever written. A compare-exchange
  /// (`attempt`) waits for whoever holds what it wants: the owner wrote the value that it reads
  /// again and again, so it has executed a step, whoever has it in between.
  [[gnu::always_inline]] void read(Thread &t, const SyncObject *o, uint64_t address, uint32_t bytes,
                                   StrongOp r, bool attempt) {
    Wait &w = t.wait;
    uint32_t version = o ? o->version : 0;
    if (w.address == address && w.site == r.site)
      return again(t, o, version, bytes, r, attempt);
    leave(t);
    w = Wait{address, r.site, version};
  }

  /// What the writer of the value that `t` read knew to have run, `t` now knows too.
  void observe(Thread &t, const SyncObject &o) {
    if (o.written)
      t.seen.join(o.writerSaw);
  }

  /// The thread does something else: a wait that just ended is judged.
  [[gnu::always_inline]] void leave(Thread &t) {
    if (t.wait.unpromised) [[unlikely]]
      report(t.sync().ended, t.wait.address);
    t.wait.address = 0;
    t.wait.unpromised = false;
  }

private:
  [[gnu::noinline]] void again(Thread &t, const SyncObject *o, uint32_t version, uint32_t bytes,
                               StrongOp r, bool attempt) {
    Wait &w = t.wait;
    w.unpromised = false; // the loop went on
    if (version == w.version) {
      ++w.repeats;
      w.ownerHasRun |= attempt && o && o->written;
      return;
    }
    w.version = version;
    if (w.repeats && !w.ownerHasRun && o->written && !a1Promised(t, o->lastWrite)) {
      w.unpromised = true;
      t.sync().ended = {o->lastWrite, r.by(t), bytes};
    }
  }
  /// D12: a host thread must ask the API in every iteration (the guide's API.2 and API.3); a loop
  /// that only reads memory is a finding and not just advice.
  static bool d12HostLoop(const Place &reader) { return reader.host; }
  /// A1: the writer shares the waiter's cluster or cooperative grid, belongs to a launch that it
  /// depends on, or was known to have executed a step.
  bool a1Promised(const Thread &t, const SyncOp &writer) const {
    const Place &a = t.block->place, &b = writer.place;
    if (b.host || a.block == b.block || p4Includes(Scope::Cluster, a, b) ||
        (a.node == b.node && t.block->cooperative) || C.order.precedes(b.node, t.nodes))
      return true;
    return t.seen.contains(b.block);
  }
  [[gnu::noinline]] void report(const EndedWait &w, uint64_t address) {
    Finding f;
    bool fails = d12HostLoop(w.reader.place);
    C.counters.hit(fails ? RuleCounters::D12 : RuleCounters::A1Wait);
    f.rule = fails ? Rule::ForwardProgress : Rule::ProgressNotPromised;
    f.hazard = Hazard::ReadAfterWrite;
    f.distance = w.reader.place.host                          ? Distance::HostDevice
                 : w.writer.place.node == w.reader.place.node ? Distance::SameGrid
                                                              : Distance::BetweenKernels;
    f.first = record(w.writer, address, w.bytes);
    f.second = record(w.reader, address, w.bytes);
    C.sink.report(f);
  }
  AccessRecord record(const SyncOp &o, uint64_t address, uint32_t bytes) const {
    return {o.site,   o.op,    o.place.node, o.place.block,
            o.thread, address, bytes,        C.order.node(o.place.node).host};
  }
  Context &C;
};

} // namespace scopesan::core
