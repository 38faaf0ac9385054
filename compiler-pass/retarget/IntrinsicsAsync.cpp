// NVVM intrinsics: mbarrier and asynchronous copies; semantics in support/async.c.
#include "Intrinsics.h"

#include "llvm/IR/Constants.h"

using namespace llvm;
using namespace scopesan::retarget;

/// mbarrier.{init,inval,arrive,expect.tx,...}; operands: barrier, then count, bytes or state.
std::optional<Value *> IntrinsicLowering::mbarrier() {
  StringRef Kind = Mods[1];
  Type *Void = B.getVoidTy(), *I32 = B.getInt32Ty(), *I64 = B.getInt64Ty();
  if (Kind == "pending")
    return E.support(B, "mbarrier_pending", I32, {arg(0)});
  if (Kind == "inval")
    return nullptr;
  Value *Barrier = flat(arg(0));
  if (Kind == "init" || Kind == "complete" || (Kind == "expect" && Mods[2] == "tx")) {
    StringRef Name = Kind == "init"     ? "mbarrier_init"
                     : Kind == "expect" ? "mbarrier_expect"
                                        : "mbarrier_complete";
    E.supportMemory(B, Name, Void, {Barrier, arg(1)});
    return nullptr;
  }
  if (Kind == "arrive") {
    bool Bytes = Mods.has("expect"), Drop = Mods[2] == "drop";
    Value *Given = Call.arg_size() > 1 ? arg(1) : B.getInt32(1);
    Value *State = E.supportMemory(
        B, "mbarrier_arrive", I64,
        {Barrier, Bytes ? B.getInt32(1) : Given, Bytes ? Given : B.getInt32(0), B.getInt32(Drop)});
    return T->isVoidTy() ? nullptr : State;
  }
  if ((Kind == "test" || Kind == "try") && Mods[2] == "wait") {
    Value *State = B.CreateZExtOrTrunc(arg(1), I64);
    Value *Done =
        E.supportMemory(B, Kind == "try" ? "mbarrier_try" : "mbarrier_test", I32, {Barrier, State});
    return B.CreateICmpNE(Done, B.getInt32(0));
  }
  return std::nullopt;
}

/// cp.async.{ca,cg}.shared.global.N(to, from) and .N.s(to, from, source bytes)
std::optional<Value *> IntrinsicLowering::copyAsync() {
  unsigned Bytes;
  if (Mods[5].getAsInteger(10, Bytes))
    return std::nullopt;
  Value *Source = Call.arg_size() > 2 ? arg(2) : B.getInt32(Bytes);
  E.supportMemory(B, "copy_async", B.getVoidTy(),
                  {flat(arg(0)), flat(arg(1)), B.getInt32(Bytes), Source});
  return nullptr;
}

/// The copies have already happened: only the .noinc arrival, counted beforehand, remains.
std::optional<Value *> IntrinsicLowering::copyArrive() {
  if (Mods.has("noinc"))
    E.supportMemory(B, "mbarrier_arrive", B.getInt64Ty(),
                    {flat(arg(0)), B.getInt32(1), B.getInt32(0), B.getInt32(0)});
  return nullptr;
}

/// (to, barrier, from, bytes, ...); a multicast has its last but one flag set.
std::optional<Value *> IntrinsicLowering::copyBulk() {
  bool Multicast = Call.arg_size() == 8 && argIsTrue(6);
  if (Multicast)
    return std::nullopt;
  E.supportMemory(B, "copy_bulk", B.getVoidTy(),
                  {flat(arg(0)), flat(arg(2)), arg(3), flat(arg(1))});
  return nullptr;
}

/// (to, from, bytes, ...)
std::optional<Value *> IntrinsicLowering::copyBulkOut() {
  if (Mods.has("bytemask"))
    return std::nullopt;
  E.supportMemory(B, "copy_bulk", B.getVoidTy(),
                  {flat(arg(0)), flat(arg(1)), arg(2), ConstantPointerNull::get(B.getPtrTy())});
  return nullptr;
}
