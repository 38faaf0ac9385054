// Waits that nothing promises to end (A1 progress-not-promised, D12).
//
// A wait is a loop that reads one location at one place in the code and at least once finds nothing
// new. It ends when the thread does something else after having read a new value. The wait was
// promised when the writer shares the waiter's cluster or cooperative grid, belongs to a launch the
// waiter depends on, or was already known to have executed a step.
#pragma once

#include "scopesan/core/late_waits.h"

namespace scopesan::core {

class ProgressRules {
public:
  explicit ProgressRules(Context &c) : C(c), Late(c) {}

  /// A strong read by `t`; `o` is null where nothing strong was ever written. A compare-exchange
  /// (`attempt`) waits for whoever holds what it wants: the owner wrote the value that it reads
  /// again and again, so it has executed a step, whoever has it in between.
  [[gnu::always_inline]] void read(Thread &t, SyncObject *o, uint64_t address, uint32_t bytes,
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
  /// `t` wrote, or tried to write, a location for which a wait ended unpromised (D12).
  void mayEndWaits(const Thread &t, uint64_t address) { Late.attempted(t, address); }

  /// The thread does something else: a wait that just ended is judged.
  [[gnu::always_inline]] void leave(Thread &t) {
    if (t.wait.unpromised) [[unlikely]]
      ended(t.sync().ended, t.wait.address);
    t.wait.address = 0;
    t.wait.unpromised = false;
  }
  /// The run is over: who else could have ended a wait is known.
  void finish() {
    Late.d12Backward(
        [&](const EndedWait &w, uint64_t address, bool fails) { report(w, address, fails); });
  }

private:
  [[gnu::noinline]] void again(Thread &t, SyncObject *o, uint32_t version, uint32_t bytes,
                               StrongOp r, bool attempt) {
    Wait &w = t.wait;
    w.unpromised = false; // the loop went on
    if (version == w.version) {
      ++w.repeats;
      w.ownerHasRun |= attempt && o && o->written;
      return;
    }
    uint32_t writes = version - w.version;
    w.version = version;
    if (w.repeats && !w.ownerHasRun && o->written && !a1Promised(t, o->lastWrite)) {
      w.unpromised = true;
      EndedWait &e = t.sync().ended;
      e.writer = o->lastWrite;
      e.reader = r.by(t);
      e.bytes = bytes;
      e.isLate = false;
      if (writes == 1) // else others than the last writer may have ended it, unseen
        Late.mayBeLate(t, *o);
    }
  }
  /// D12: a host thread must ask the API in every iteration (the guide's API.2 and API.3); a loop
  /// that only reads memory is a finding and not just advice.
  static bool d12HostLoop(const Place &reader) { return reader.host; }
  /// A1: the writer shares the waiter's cluster or cooperative grid, belongs to a launch that it
  /// depends on, or was known to have executed a step.
  bool a1Promised(const Thread &t, const SyncOp &writer) const {
    return C.promisedToRun({t.block->place, t.block->cooperative, t.nodes, t.seen}, writer.place);
  }
  void ended(const EndedWait &w, uint64_t address) {
    if (w.isLate)
      return Late.add(w, address);
    report(w, address, d12HostLoop(w.reader.place));
  }
  [[gnu::noinline]] void report(const EndedWait &w, uint64_t address, bool fails) {
    Finding f;
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
  LateWaits Late;
};

} // namespace scopesan::core
