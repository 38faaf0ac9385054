// Mixed kernels: their synchronization is in the log, their barriers of the block and most of their
// accesses are not. The marks of such an access say how many times its thread had synchronized
// (tick) in the phase; what that is on the detector's clock is noted here.
#include "gpu/replay.h"

#include <algorithm>

namespace scopesan::gpu {

using core::LocalTime;
using core::ThreadIndex;

/// Tick of a synchronization; EndOfPhase for every other record.
uint32_t Replay::tickOf(const Record &r) {
  switch (r.kind()) {
  case EventKind::Fence:
    return r.low;
  case EventKind::AtomicBefore:
    return r.low >> 8;
  case EventKind::WarpArrive:
    return uint32_t(r.value);
  default:
    return EndOfPhase;
  }
}

/// What the thread did at `tick` and has no time yet was at its present time. A thread that did not
/// release in between may have had an earlier time at the same tick: whoever knows the one knows
/// the other.
void Replay::noteStep(BlockState &b, uint32_t thread, uint32_t tick) {
  std::vector<Step> &steps = L->steps[key(b.index, thread)];
  if (steps.empty() || steps.back().phase != b.phase || steps.back().tick < tick)
    steps.push_back({b.phase, tick, D.thread(b.detect, ThreadIndex{thread})->time});
}

/// The whole block passed its barriers (S7). Where nobody did anything between two of them, only
/// time passes.
void Replay::passBarriers(BlockState &b, uint32_t ahead) {
  auto threads = uint32_t(b.threads.size());
  if (b.live != threads)
    host::incomplete("threads of the GPU ended before others of their block passed a barrier: what "
                     "orders their accesses was not checked");
  for (; ahead; --ahead) {
    for (uint32_t i = 0; i < threads; ++i) {
      settle(b.threads[i]);
      if (auto s = L->steps.find(key(b.index, i));
          s != L->steps.end() && s->second.back().phase == b.phase)
        noteStep(b, i, EndOfPhase);
    }
    for (uint32_t i = 0; i < threads; ++i)
      if (!b.threads[i].exited)
        D.blockBarrierArrive(*D.thread(b.detect, ThreadIndex{i}), abi::BarrierKind::Sync, 0, 0, {});
    std::vector<LocalTime> &times = L->phaseTimes[b.index];
    times.push_back(D.thread(b.detect, ThreadIndex{0})->time);
    ++b.phase;
    if (ahead == 1 || b.live != threads)
      continue;
    for (; ahead > 1; --ahead, ++b.phase)
      times.push_back(times.back().next());
    D.passBarrier(b.detect, times.back());
  }
}

/// Lanes arrive at a barrier of the warp (S8), all at the same tick.
void Replay::warpArrive(BlockState &b, const Record &r) {
  for (uint32_t rest = r.extra; rest; rest &= rest - 1) {
    uint32_t i = r.thread() / core::WarpSize * core::WarpSize + uint32_t(__builtin_ctz(rest));
    if (i >= b.threads.size())
      return;
    settle(b.threads[i]);
    noteStep(b, i, uint32_t(r.value));
  }
  for (uint32_t rest = r.extra; rest; rest &= rest - 1) {
    uint32_t i = r.thread() / core::WarpSize * core::WarpSize + uint32_t(__builtin_ctz(rest));
    D.warpBarrierArrive(*D.thread(b.detect, ThreadIndex{i}), r.low, {r.high});
  }
}

void Replay::exitLanes(BlockState &b, uint32_t thread, uint32_t lanes) {
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    uint32_t i = thread / core::WarpSize * core::WarpSize + uint32_t(__builtin_ctz(rest));
    if (i >= b.threads.size())
      return;
    settle(b.threads[i]);
    if (L->steps.count(key(b.index, i)))
      noteStep(b, i, EndOfPhase);
    exitThread(b, i);
  }
}

/// When a thread of this launch made a mark.
LocalTime Replay::timeOf(uint32_t block, uint32_t thread, uint32_t phase, uint32_t tick) {
  auto times = L->phaseTimes.find(block);
  if (times == L->phaseTimes.end()) {
    this->block(block);
    times = L->phaseTimes.find(block);
  }
  auto b = L->blocks.find(block);
  // All records of the block's earlier phases have been judged: the mark came after them.
  if (b != L->blocks.end() && phase > b->second->phase)
    enterPhase(*b->second, phase & 0xffff);
  auto known = L->steps.find(key(block, thread));
  if (known != L->steps.end()) {
    const std::vector<Step> &steps = known->second;
    auto at = std::lower_bound(steps.begin(), steps.end(), Step{phase, tick, {}},
                               [](const Step &x, const Step &y) {
                                 return x.phase != y.phase ? x.phase < y.phase : x.tick < y.tick;
                               });
    if (at != steps.end() && at->phase == phase)
      return at->time;
    if (at == steps.end() && b != L->blocks.end() && b->second->phase == phase &&
        thread < b->second->threads.size()) {
      ThreadState &t = b->second->threads[thread];
      if (t.pending && t.pending->isStore())
        settle(t); // it went on
      return D.thread(b->second->detect, ThreadIndex{thread})->time;
    }
  }
  // It had not synchronized in this phase.
  size_t last = times->second.size() - 1;
  return times->second[std::min<size_t>(phase, last)];
}

} // namespace scopesan::gpu
