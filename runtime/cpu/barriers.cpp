// Block barriers (S7) and cluster barriers (S9).
//
// A block barrier completes when all live threads of the block arrived (count 0), or when `count`
// arrived. With an explicit count the hardware counts whole warps: the lanes of an arriving warp
// that do not exist or have exited count as arrived.
#include "cpu/engine.h"

#include <algorithm>
#include <string.h>

using namespace scopesan;
using namespace scopesan::cpu;

static constexpr uint32_t AllPredicates = 1u << 31;

static bool complete(const Block &B, const BlockBarrier &Barrier) {
  return Barrier.Arrived >= (Barrier.Count ? Barrier.Count : B.LiveThreads);
}

static void arrive(Block &B, BlockBarrier &Barrier, const Thread &T, uint32_t Count) {
  Count = wholeWarps(Count);
  if (!Barrier.Arrived) {
    Barrier.Count = Count;
    if (Count)
      memset(Barrier.LaneMask, 0, sizeof Barrier.LaneMask);
  }
  ++Barrier.Arrived;
  if (!Barrier.Count)
    return;
  uint32_t &Lanes = Barrier.LaneMask[T.warpid];
  if (!Lanes)
    Barrier.Arrived += 32 - uint32_t(__builtin_popcount(B.Warps[T.warpid].Live));
  Lanes |= 1u << T.laneid;
}

/// Ends the generation: hands out the reduction and wakes the waiters.
static uint32_t finish(BlockBarrier &Barrier) {
  uint32_t Result = Barrier.Popcount;
  if (Barrier.Popcount == Barrier.Sources)
    Result |= AllPredicates;
  for (Thread *Waiter : Barrier.Waiters) {
    Waiter->BarrierResult = Result;
    TheEngine.Sched.wake(Waiter);
  }
  Barrier.Waiters.clear();
  Barrier.Arrived = Barrier.Popcount = Barrier.Sources = 0;
  return Result;
}

static BlockBarrier &barrierOf(Thread &T, uint32_t Id) {
  if (Id >= Block::BarrierCount)
    TheEngine.failFromFiber(FailureCode::LaunchFailure,
                            "barrier id " + std::to_string(Id) + ", which is not in 0-15,", T,
                            T.Site);
  return T.Owner->Barriers[Id];
}

void scopesan::cpu::barriersAfterExit(Thread &T) {
  Block &B = *T.Owner;
  for (BlockBarrier &Barrier : B.Barriers) {
    if (!Barrier.Arrived)
      continue;
    uint32_t Lanes = Barrier.Count ? Barrier.LaneMask[T.warpid] : 0;
    if (Lanes && !(Lanes >> T.laneid & 1))
      ++Barrier.Arrived; // the rest of its warp has arrived: it counts with them
    if (complete(B, Barrier))
      finish(Barrier);
  }
}

static void completeIfReady(Cluster &C) {
  if (!C.Arrived || C.Arrived < C.LiveThreads)
    return;
  C.Arrived = 0;
  ++C.Phase;
  for (Thread *Waiter : C.Waiters)
    TheEngine.Sched.wake(Waiter);
  C.Waiters.clear();
}

void scopesan::cpu::clusterAfterExit(Thread &T) {
  Cluster &C = *T.Owner->Peers;
  if (T.ClusterArrived && T.ClusterPhase == C.Phase)
    --C.Arrived; // it counts neither as live nor as arrived
  completeIfReady(C);
}

extern "C" {
#pragma GCC visibility push(default)

uint32_t __scopesan_cpu_bar_sync(uint32_t Id, uint32_t Count, uint32_t Red, uint32_t Predicate) {
  Thread &T = *Engine::current();
  BlockBarrier &Barrier = barrierOf(T, Id);
  arrive(*T.Owner, Barrier, T, Count);
  if (Red) {
    ++Barrier.Sources;
    Barrier.Popcount += Predicate != 0;
  }
  uint32_t Result;
  if (complete(*T.Owner, Barrier)) {
    Result = finish(Barrier);
    TheEngine.Sched.syncPoint(); // the last to arrive need not be the first to leave
  } else {
    Barrier.Waiters.push_back(&T);
    TheEngine.Sched.block(Wait::BlockBarrier, Id);
    Result = T.BarrierResult;
  }
  switch (Red) {
  case 1:
    return Result & ~AllPredicates;
  case 2:
    return (Result & AllPredicates) != 0;
  case 3:
    return (Result & ~AllPredicates) != 0;
  default:
    return 0;
  }
}

void __scopesan_cpu_bar_arrive(uint32_t Id, uint32_t Count) {
  Thread &T = *Engine::current();
  BlockBarrier &Barrier = barrierOf(T, Id);
  arrive(*T.Owner, Barrier, T, Count);
  if (complete(*T.Owner, Barrier))
    finish(Barrier);
}

void __scopesan_cpu_cluster_arrive(void) {
  Thread &T = *Engine::current();
  Cluster &C = *T.Owner->Peers;
  T.ClusterPhase = C.Phase;
  T.ClusterArrived = true;
  ++C.Arrived;
  completeIfReady(C);
}

void __scopesan_cpu_cluster_wait(void) {
  Thread &T = *Engine::current();
  Cluster &C = *T.Owner->Peers;
  if (C.Phase != T.ClusterPhase)
    return;
  C.Waiters.push_back(&T);
  TheEngine.Sched.block(Wait::Cluster, 0);
}

#pragma GCC visibility pop
}
