#include "cpu/scheduler.h"

#include "cpu/engine.h"

#include <algorithm>

using namespace scopesan;
using namespace scopesan::cpu;

/// Waiting yields after which a livelock is looked for: twice as many.
static constexpr uint64_t QuietHalf = 1'000'000;

void Scheduler::configure(uint64_t Seed, uint32_t PreemptionInterval) {
  Chance = Random(Seed);
  Interval = PreemptionInterval;
  clear();
}

void Scheduler::clear() {
  Head = Count = RoundLeft = Drawn = 0;
  noteLifetime();
  drawCountdown();
}

void Scheduler::grow() {
  std::vector<Thread *> Larger(std::max<size_t>(1024, Ring.size() * 2));
  for (uint32_t I = 0; I < Count; ++I)
    Larger[I] = Ring[(Head + I) & Mask];
  Ring.swap(Larger);
  Mask = uint32_t(Ring.size()) - 1;
  Head = 0;
}

void Scheduler::push(Thread *T) {
  if (Count == Ring.size())
    grow();
  Ring[(Head + Count++) & Mask] = T;
}

/// Gives the next places of the round to random threads of it. A switch to a thread that ran long
/// ago misses the cache at each step from thread to fiber to stack; the next threads' memory is
/// fetched one step a turn.
void Scheduler::drawAhead() {
  for (; Drawn < std::min(DrawAhead, RoundLeft); ++Drawn) {
    uint32_t Chosen = Drawn + Chance.below(RoundLeft - Drawn);
    std::swap(Ring[(Head + Drawn) & Mask], Ring[(Head + Chosen) & Mask]);
    __builtin_prefetch(waiting(Drawn));
    __builtin_prefetch(&waiting(Drawn)->Detect);
  }
  constexpr uint32_t FiberAt = DrawAhead / 2, FrameAt = DrawAhead / 4;
  if (Drawn > FiberAt)
    __builtin_prefetch(waiting(FiberAt)->Stack);
  if (Drawn > FrameAt && waiting(FrameAt)->Stack) {
    const char *Frame = static_cast<const char *>(waiting(FrameAt)->Stack->StackPointer);
    __builtin_prefetch(Frame);
    __builtin_prefetch(Frame + 64);
  }
}

Thread *Scheduler::pop() {
  if (!RoundLeft)
    RoundLeft = Count;
  drawAhead();
  Thread *T = waiting(0);
  Head = (Head + 1) & Mask;
  --Count;
  --RoundLeft;
  --Drawn;
  return T;
}

void Scheduler::drawCountdown() {
  // Uniform with the given mean. Interval 0: weak accesses never switch.
  Countdown = Interval ? int64_t(Chance.below(2 * Interval)) : INT64_MAX;
}

void Scheduler::preempt(bool Writes) {
  drawCountdown();
  // A weak access is work, not waiting: a correct program does not wait on one. But a loop that
  // waits may also read weakly, such as the value that it waits for.
  if (Writes || !Engine::current()->Polled)
    Quiet = 0;
  Engine::current()->Polled = false;
  yield(false);
}

void Scheduler::syncPoint() {
  if (Chance.coin())
    yield(true);
}

uint64_t Scheduler::quietLimit() const {
  return std::max<uint64_t>(2 * QuietHalf, uint64_t(20'000) * (Count + 1));
}

/// Every thread that can run has been waiting lately, or belongs to a block in which one has: a
/// block may wait at barriers and votes for the thread that looks. A block without such a thread
/// computes in registers.
bool Scheduler::allWait() const {
  for (uint32_t Place = 0; Place < Count; ++Place) {
    const Block &B = *waiting(Place)->Owner;
    bool Waits = std::any_of(B.Threads.begin(), B.Threads.begin() + B.ThreadCount,
                             [&](const Thread &T) { return T.WaitedAt >= QuietHalfAt; });
    if (!Waits)
      return false;
  }
  return true;
}

void Scheduler::noteWait() {
  Engine::current()->WaitedAt = Slices;
  if (++Quiet == QuietHalf)
    QuietHalfAt = Slices;
  if (Quiet < 2 * QuietHalf || !livelocked())
    return;
  if (allWait())
    Budget = 0;
  else
    Quiet = 0;
}

void Scheduler::runCopies() {
  if (__builtin_expect(TheEngine.Copies.due(Slices), 0))
    TheEngine.Copies.runDue(Slices);
}

void Scheduler::yield(bool MayBeSpin) {
  runCopies();
  if (MayBeSpin)
    noteWait();
  push(Engine::current());
  if (Count == 1 && Budget > 1) {
    // Alone: keep running, but count the slice so that the driver gets its turn.
    pop();
    noteSlice();
    return;
  }
  dispatch();
}

void Scheduler::block(Wait Reason, uint32_t Detail) {
  runCopies();
  Thread *T = Engine::current();
  T->Waiting = Reason;
  T->WaitDetail = Detail;
  T->BlockedAt = Slices;
  dispatch();
}

void Scheduler::wake(Thread *T) {
  T->Waiting = Wait::None;
  push(T);
}

void Scheduler::dispatch() {
  if (driverWanted()) {
    leaveToDriver(Engine::current()->Stack);
    return;
  }
  switchTo(pop(), Engine::current()->Stack);
}

void Scheduler::switchTo(Thread *T, Fiber *From) {
  noteSlice();
  if (!T->Stack)
    T->Stack = TheEngine.Fibers.acquire();
  __scopesan_cpu_current = T;
  Hash = (Hash ^ (T->Owner->Linear * 1024 + T->Index)) * 0x100000001b3ull;
  if (T->Stack != From)
    scopesanSwitchStack(&From->StackPointer, T->Stack->StackPointer);
}

void Scheduler::leaveToDriver(Fiber *Self) {
  __scopesan_cpu_current = nullptr;
  scopesanSwitchStack(&Self->StackPointer, DriverStack);
}

void Scheduler::enter(uint64_t SliceBudget) {
  Budget = int64_t(SliceBudget);
  Thread *T = pop();
  noteSlice();
  if (!T->Stack)
    T->Stack = TheEngine.Fibers.acquire();
  __scopesan_cpu_current = T;
  Hash = (Hash ^ (T->Owner->Linear * 1024 + T->Index)) * 0x100000001b3ull;
  scopesanSwitchStack(&DriverStack, T->Stack->StackPointer);
}
