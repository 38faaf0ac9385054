// Warp rendezvous: the lanes of a mask meet, then the last one computes everybody's result.
//
// Keyed by the mask, not by the program point, so generated code may have been restructured as long
// as each lane still makes the call. Lanes that exited do not count. Shuffles, votes and the others
// order nothing (S8); only Sync does, and the detector hears of it through the ABI hooks.
#include "cpu/collective.h"
#include "cpu/engine.h"

#include <algorithm>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

/// Calls F(lane) for each set bit of Mask, lowest first.
template <typename Function> void forLanes(uint32_t Mask, Function F) {
  for (; Mask; Mask &= Mask - 1)
    F(uint32_t(__builtin_ctz(Mask)));
}

uint32_t reduce(WarpOp Op, uint32_t A, uint32_t B) {
  switch (Op) {
  case WarpOp::ReduxAdd:
    return A + B;
  case WarpOp::ReduxMin:
    return uint32_t(std::min(int32_t(A), int32_t(B)));
  case WarpOp::ReduxMax:
    return uint32_t(std::max(int32_t(A), int32_t(B)));
  case WarpOp::ReduxUmin:
    return std::min(A, B);
  case WarpOp::ReduxUmax:
    return std::max(A, B);
  case WarpOp::ReduxAnd:
    return A & B;
  case WarpOp::ReduxOr:
    return A | B;
  default:
    return A ^ B;
  }
}

void shuffle(Warp &W, uint32_t Need, uint32_t Lane) {
  // PTX ISA 9.7.9.6: c holds the clamp value (bits 0-4) and the segment mask (bits 8-12).
  WarpLane &L = W.Lanes[Lane];
  uint32_t Segment = L.C >> 8 & 31, Clamp = L.C & 31, Delta = L.B & 31;
  int32_t Max = int32_t((Lane & Segment) | (Clamp & ~Segment & 31)), Min = int32_t(Lane & Segment);
  int32_t Source;
  bool Valid;
  switch (WarpOp(L.Op)) {
  case WarpOp::ShflUp:
    Source = int32_t(Lane) - int32_t(Delta);
    Valid = Source >= Max;
    break;
  case WarpOp::ShflDown:
    Source = int32_t(Lane + Delta);
    Valid = Source <= Max;
    break;
  case WarpOp::ShflBfly:
    Source = int32_t(Lane ^ Delta);
    Valid = Source <= Max;
    break;
  default:
    Source = Min | int32_t(Delta & ~Segment & 31);
    Valid = Source <= Max;
  }
  if (!Valid)
    Source = int32_t(Lane);
  L.Predicate = Valid;
  // Reading a lane outside the mask is undefined; make it visible.
  L.Result = Need >> (Source & 31) & 1 ? W.Lanes[Source & 31].Value : 0xDEADBEEF;
}

void shuffleAll(Warp &W, uint32_t Need) {
  forLanes(Need, [&](uint32_t Lane) { shuffle(W, Need, Lane); });
}

void vote(Warp &W, uint32_t Need, WarpOp Op) {
  uint32_t Ballot = 0;
  forLanes(Need, [&](uint32_t Lane) { Ballot |= uint32_t(W.Lanes[Lane].Value != 0) << Lane; });
  uint64_t Result = Ballot;
  if (Op == WarpOp::VoteAny)
    Result = Ballot != 0;
  else if (Op == WarpOp::VoteAll)
    Result = Ballot == Need;
  else if (Op == WarpOp::VoteUni)
    Result = Ballot == Need || !Ballot;
  forLanes(Need, [&](uint32_t Lane) {
    W.Lanes[Lane].Result = Result;
    W.Lanes[Lane].Predicate = Result != 0;
  });
}

void matchAny(Warp &W, uint32_t Need) {
  forLanes(Need, [&](uint32_t Lane) {
    uint32_t Equal = 0;
    forLanes(Need, [&](uint32_t Other) {
      Equal |= uint32_t(W.Lanes[Other].Value == W.Lanes[Lane].Value) << Other;
    });
    W.Lanes[Lane].Result = Equal;
    W.Lanes[Lane].Predicate = 0;
  });
}

void matchAll(Warp &W, uint32_t Need, uint32_t Mask) {
  uint64_t First = W.Lanes[__builtin_ctz(Need)].Value;
  bool Equal = true;
  forLanes(Need, [&](uint32_t Lane) { Equal &= W.Lanes[Lane].Value == First; });
  forLanes(Need, [&](uint32_t Lane) {
    W.Lanes[Lane].Result = Equal ? Mask : 0;
    W.Lanes[Lane].Predicate = Equal;
  });
}

void elect(Warp &W, uint32_t Need) {
  uint32_t Leader = uint32_t(__builtin_ctz(Need));
  forLanes(Need, [&](uint32_t Lane) {
    W.Lanes[Lane].Result = Leader;
    W.Lanes[Lane].Predicate = Lane == Leader;
  });
}

void reduceAll(Warp &W, uint32_t Need, WarpOp Op) {
  uint32_t First = uint32_t(__builtin_ctz(Need));
  uint32_t Value = uint32_t(W.Lanes[First].Value);
  forLanes(Need & ~(1u << First),
           [&](uint32_t Lane) { Value = reduce(Op, Value, uint32_t(W.Lanes[Lane].Value)); });
  forLanes(Need, [&](uint32_t Lane) { W.Lanes[Lane].Result = Value; });
}

void collective(Block &B, Warp &W, uint32_t WarpId, uint32_t Need) {
  CollectiveCall *Lanes[32] = {};
  forLanes(Need, [&](uint32_t Lane) {
    Lanes[Lane] = reinterpret_cast<CollectiveCall *>(W.Lanes[Lane].Value);
  });
  Lanes[__builtin_ctz(Need)]->Run(B, WarpId, Need, Lanes);
}

void evaluate(Block &B, Warp &W, uint32_t WarpId, WarpOp Op, uint32_t Need, uint32_t Mask) {
  switch (Op) {
  case WarpOp::Collective:
    return collective(B, W, WarpId, Need);
  case WarpOp::Sync:
    return;
  case WarpOp::ShflUp:
  case WarpOp::ShflDown:
  case WarpOp::ShflBfly:
  case WarpOp::ShflIdx:
    return shuffleAll(W, Need);
  case WarpOp::VoteAny:
  case WarpOp::VoteAll:
  case WarpOp::VoteUni:
  case WarpOp::VoteBallot:
    return vote(W, Need, Op);
  case WarpOp::MatchAny:
    return matchAny(W, Need);
  case WarpOp::MatchAll:
    return matchAll(W, Need, Mask);
  case WarpOp::Elect:
    return elect(W, Need);
  default:
    return reduceAll(W, Need, Op);
  }
}

/// True when every live lane of Mask waits with that mask and the same operation.
bool assembled(const Warp &W, uint32_t Need, uint32_t Mask, uint32_t Op) {
  if ((W.Meeting & Need) != Need)
    return false;
  bool Same = true;
  forLanes(Need,
           [&](uint32_t Lane) { Same &= W.Lanes[Lane].Mask == Mask && W.Lanes[Lane].Op == Op; });
  return Same;
}

/// Completes the rendezvous of Mask if it can; wakes all its lanes but `Self`.
bool tryMeet(Block &B, Warp &W, uint32_t WarpId, uint32_t Mask, uint32_t Op, const Thread *Self) {
  uint32_t Need = Mask & W.Live;
  if (!Need || !assembled(W, Need, Mask, Op))
    return false;
  evaluate(B, W, WarpId, WarpOp(Op), Need, Mask);
  W.Meeting &= ~Need;
  forLanes(Need, [&](uint32_t Lane) {
    Thread *T = &B.Threads[WarpId * 32 + Lane];
    if (T != Self)
      TheEngine.Sched.wake(T);
  });
  return true;
}

/// Lets all lanes that gather at `Site` leave activemask together.
uint32_t releaseGathering(Warp &W, uint32_t Site) {
  uint32_t Here = 0;
  forLanes(W.Gathering, [&](uint32_t Lane) {
    if (W.Lanes[Lane].Mask == Site)
      Here |= 1u << Lane;
  });
  forLanes(Here, [&](uint32_t Lane) { W.Lanes[Lane].Result = Here; });
  W.Gathering &= ~Here;
  return Here;
}

} // namespace

void scopesan::cpu::warpAfterExit(Thread &T) {
  Warp &W = T.Owner->Warps[T.warpid];
  W.Live &= ~(1u << T.laneid);
  uint32_t Pending = W.Meeting;
  while (Pending) {
    WarpLane &L = W.Lanes[__builtin_ctz(Pending)];
    uint32_t Mask = L.Mask;
    tryMeet(*T.Owner, W, T.warpid, Mask, L.Op, nullptr);
    Pending &= ~(Mask | (1u << __builtin_ctz(Pending)));
  }
}

void scopesan::cpu::meetWarp(CollectiveCall &Call, const char *Name) {
  __scopesan_cpu_warp(uint32_t(WarpOp::Collective), ~0u, reinterpret_cast<uint64_t>(&Call), 0, 0);
  if (!Call.Error.empty())
    TheEngine.failFromFiber(FailureCode::LaunchFailure, std::string(Name) + " (" + Call.Error + ")",
                            *Engine::current(), Engine::current()->Site);
}

extern "C" {
#pragma GCC visibility push(default)

uint64_t __scopesan_cpu_warp(uint32_t Op, uint32_t Mask, uint64_t Value, uint32_t B, uint32_t C) {
  Thread &T = *Engine::current();
  Warp &W = T.Owner->Warps[T.warpid];
  uint32_t Bit = 1u << T.laneid;
  if (!(Mask & Bit)) {
    if (WarpOp(Op) != WarpOp::Elect)
      TheEngine.failFromFiber(FailureCode::LaunchFailure,
                              "a warp operation's mask does not contain the calling lane,", T,
                              T.Site);
    Mask |= Bit;
  }
  WarpLane &L = W.Lanes[T.laneid];
  L.Op = Op;
  L.Mask = Mask;
  L.Value = Value;
  L.B = B;
  L.C = C;
  W.Meeting |= Bit;
  if (!tryMeet(*T.Owner, W, T.warpid, Mask, Op, &T))
    TheEngine.Sched.block(Wait::Warp, Mask);
  return L.Result;
}

uint32_t __scopesan_cpu_warp_predicate(void) {
  Thread &T = *Engine::current();
  return T.Owner->Warps[T.warpid].Lanes[T.laneid].Predicate;
}

/// Lanes that reach the same site while the rest of the warp settles (waits or exits) are reported
/// as active together. A few turns are enough: convergence is never promised.
uint32_t __scopesan_cpu_activemask(uint32_t Site) {
  constexpr int Turns = 4;
  Thread &T = *Engine::current();
  Warp &W = T.Owner->Warps[T.warpid];
  uint32_t Bit = 1u << T.laneid;
  W.Lanes[T.laneid].Mask = Site;
  W.Gathering |= Bit;
  for (int Turn = 0; W.Gathering & Bit; ++Turn) {
    bool Settled = true;
    forLanes(W.Live & ~W.Gathering, [&](uint32_t Lane) {
      Settled &= T.Owner->Threads[T.warpid * 32 + Lane].Waiting != Wait::None;
    });
    if (Settled || Turn == Turns) {
      releaseGathering(W, Site);
      break;
    }
    TheEngine.Sched.yield(false);
  }
  return uint32_t(W.Lanes[T.laneid].Result);
}

#pragma GCC visibility pop
}
