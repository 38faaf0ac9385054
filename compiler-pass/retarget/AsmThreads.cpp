// Warp operations, barriers and control (PTX ISA 9.7.12, 9.7.13).
#include "Asm.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"

using namespace llvm;
using namespace scopesan::retarget;
using scopesan::cpu::WarpOp;

/// Operand `I` is the mask of a .sync form; other forms mean the active lanes.
Value *AsmLowering::warpMask(unsigned I) {
  return Mods.has("sync") && operand(I) ? in32(I) : E.activeMask(B);
}

/// shfl.sync.mode.b32 d|p, a, b, c, mask
bool AsmLowering::shuffle() {
  WarpOp Op = Mods.has("up")     ? WarpOp::ShflUp
              : Mods.has("down") ? WarpOp::ShflDown
              : Mods.has("bfly") ? WarpOp::ShflBfly
                                 : WarpOp::ShflIdx;
  Value *V = in32(1), *Source = in32(2), *Clamp = in32(3);
  WarpResult R = E.warp(B, Op, warpMask(4), V, Source, Clamp, true);
  outSecond(R.Predicate);
  return out(A.asInt32(R.Value), false);
}

/// vote.sync.mode.type d, p, mask; older spelling vote.mode.sync
bool AsmLowering::vote() {
  WarpOp Op = Mods.has("ballot") ? WarpOp::VoteBallot
              : Mods.has("any")  ? WarpOp::VoteAny
              : Mods.has("all")  ? WarpOp::VoteAll
                                 : WarpOp::VoteUni;
  Value *Predicate = inPredicate(1);
  Value *Answer = E.warp(B, Op, warpMask(2), Predicate).Value;
  if (Op == WarpOp::VoteBallot)
    return out(A.asInt32(Answer), false);
  return out(B.CreateICmpNE(Answer, B.getInt64(0)), false);
}

bool AsmLowering::match() {
  WarpOp Op = Mods.has("any") ? WarpOp::MatchAny : WarpOp::MatchAll;
  Value *V = in(1);
  WarpResult R = E.warp(B, Op, warpMask(2), V, nullptr, nullptr, true);
  outSecond(R.Predicate);
  return out(A.asInt32(R.Value), false);
}

bool AsmLowering::redux() {
  if (!T || T.isFloat())
    return false;
  WarpOp Op = Mods.has("add")   ? WarpOp::ReduxAdd
              : Mods.has("and") ? WarpOp::ReduxAnd
              : Mods.has("or")  ? WarpOp::ReduxOr
              : Mods.has("xor") ? WarpOp::ReduxXor
              : Mods.has("min") ? (T.Signed ? WarpOp::ReduxMin : WarpOp::ReduxUmin)
                                : (T.Signed ? WarpOp::ReduxMax : WarpOp::ReduxUmax);
  Value *V = in32(1);
  return out(A.asInt32(E.warp(B, Op, warpMask(2), V).Value), false);
}

/// elect.sync d|p, mask
bool AsmLowering::elect() {
  WarpResult R = E.warp(B, WarpOp::Elect, warpMask(1), B.getInt32(0), nullptr, nullptr, true);
  outSecond(R.Predicate);
  return out(A.asInt32(R.Value), false);
}

bool AsmLowering::activeMask() { return out(E.activeMask(B), false); }

/// bar{.cta}.{sync,arrive} a{, b}; bar{.cta}.red.op.type d, a{, b}, c; bar.warp.sync mask;
/// barrier.cluster.{arrive,wait}
bool AsmLowering::barrier() {
  if (Mods.has("warp")) {
    E.warp(B, WarpOp::Sync, in32(0), B.getInt32(0));
    return true;
  }
  if (Mods.has("cluster")) {
    StringRef Name =
        Mods.has("arrive") ? "__scopesan_cpu_cluster_arrive" : "__scopesan_cpu_cluster_wait";
    E.call(B, Name, B.getVoidTy(), {});
    return true;
  }
  Value *Everyone = B.getInt32(0);
  if (Mods.has("red")) {
    bool Counted = Current->Operands.size() > 3;
    uint32_t Kind = Mods.has("popc") ? 1 : Mods.has("and") ? 2 : 3;
    Value *Id = in32(1), *Count = Counted ? in32(2) : Everyone;
    Value *R = E.barrierSync(B, Id, Count, Kind, inPredicate(Counted ? 3 : 2));
    return out(Kind == 1 ? R : B.CreateICmpNE(R, Everyone), false);
  }
  Value *Id = in32(0), *Count = operand(1) ? in32(1) : Everyone;
  if (Mods.has("arrive"))
    E.barrierArrive(B, Id, Count);
  else if (Mods.has("sync"))
    E.barrierSync(B, Id, Count);
  else
    return false;
  return true;
}

bool AsmLowering::nanosleep() {
  E.yield(B);
  return true;
}

bool AsmLowering::branch() {
  const Operand *Target = operand(0);
  if (!Target || Target->Name.empty())
    return false;
  B.CreateBr(labelBlock(Target->Name));
  B.SetInsertPoint(newBlock("ptx.unreached"));
  return true;
}

bool AsmLowering::exit() {
  E.callNoReturn(B, "__scopesan_cpu_exit", {});
  return true;
}

bool AsmLowering::trap() {
  E.callNoReturn(B, "__scopesan_cpu_trap", {});
  return true;
}
