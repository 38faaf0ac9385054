#include "cpu/mbarriers.h"

#include "cpu/async_copies.h"
#include "cpu/engine.h"

using namespace scopesan;
using namespace scopesan::cpu;

void scopesan::cpu::checkMbarrier(const Thread &T, const void *Barrier) {
  auto Address = reinterpret_cast<uint64_t>(Barrier);
  checkAligned(T, Barrier, alignof(MbarrierObject), "mbarrier object", T.Site);
  if (sharedOwner(T, Address))
    return;
  TheEngine.failFromFiber(FailureCode::IllegalAddress,
                          "an mbarrier object outside of the shared memory of the cluster", T,
                          T.Site);
}

static MbarrierObject &checked(void *Barrier) {
  checkMbarrier(*Engine::current(), Barrier);
  return mbarrierAt(Barrier);
}

extern "C" {
#pragma GCC visibility push(default)

void __scopesan_cpu_mbarrier_init(void *Barrier, uint32_t Count) {
  checked(Barrier).init(Count);
  TheEngine.Sched.noteProgress();
}

uint64_t __scopesan_cpu_mbarrier_arrive(void *Barrier, uint32_t Count, uint32_t Bytes,
                                        uint32_t Drop) {
  MbarrierObject &B = checked(Barrier);
  uint64_t State = B.state();
  B.Bytes += Bytes;
  B.arrive(Count, Drop);
  TheEngine.Sched.noteProgress();
  return State;
}

void __scopesan_cpu_mbarrier_expect(void *Barrier, uint32_t Bytes) {
  checked(Barrier).Bytes += Bytes;
}

void __scopesan_cpu_mbarrier_complete(void *Barrier, uint32_t Bytes) {
  checked(Barrier).complete(Bytes);
  TheEngine.Sched.noteProgress();
}

uint32_t __scopesan_cpu_mbarrier_wait(void *Barrier, uint64_t State) {
  MbarrierObject &B = checked(Barrier);
  Thread &T = *Engine::current();
  if (!B.phaseOver(State)) {
    T.Mbarrier = Barrier;
    T.MbarrierSite = T.Site;
    TheEngine.Sched.yield(true);
  }
  if (!B.phaseOver(State))
    return 0;
  T.Mbarrier = nullptr;
  return 1;
}

uint32_t __scopesan_cpu_mbarrier_pending(uint64_t State) {
  return uint32_t(MbarrierObject::of(State).Pending);
}

#pragma GCC visibility pop
}
