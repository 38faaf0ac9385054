#include "cpu/scheduler.h"

#include "cpu/engine.h"

#include <algorithm>

using namespace scopesan;
using namespace scopesan::cpu;

void Scheduler::configure(uint64_t Seed, uint32_t PreemptionInterval) {
  Chance = Random(Seed);
  Interval = PreemptionInterval;
  clear();
}

void Scheduler::clear() {
  Head = Count = RoundLeft = 0;
  Quiet = 0;
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

Thread *Scheduler::pop() {
  if (!RoundLeft || RoundLeft > Count)
    RoundLeft = Count;
  if (RoundLeft > 1) {
    uint32_t Chosen = (Head + Chance.below(RoundLeft)) & Mask;
    std::swap(Ring[Head & Mask], Ring[Chosen]);
  }
  --RoundLeft;
  --Count;
  Thread *T = Ring[Head];
  Head = (Head + 1) & Mask;
  return T;
}

void Scheduler::drawCountdown() {
  // Uniform with the given mean. Interval 0: weak accesses never switch.
  Countdown = Interval ? int64_t(Chance.below(2 * Interval)) : INT64_MAX;
}

void Scheduler::preempt() {
  drawCountdown();
  // A weak access is work, not waiting: a correct program does not wait on one.
  Quiet = 0;
  yield(false);
}

void Scheduler::syncPoint() {
  if (Chance.coin())
    yield(true);
}

uint64_t Scheduler::quietLimit() const {
  return std::max<uint64_t>(2'000'000, uint64_t(20'000) * (Count + 1));
}

void Scheduler::runCopies() {
  if (__builtin_expect(TheEngine.Copies.due(Slices), 0))
    TheEngine.Copies.runDue(Slices);
}

void Scheduler::yield(bool MayBeSpin) {
  runCopies();
  if (MayBeSpin && ++Quiet >= 2'000'000 && livelocked())
    Budget = 0;
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
  dispatch();
}

void Scheduler::wake(Thread *T) {
  T->Waiting = Wait::None;
  Quiet = 0;
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
