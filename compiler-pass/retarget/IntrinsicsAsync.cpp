// NVVM intrinsics: mbarrier, asynchronous copies, dependent launches; executed by the engine.
#include "Intrinsics.h"

#include "llvm/IR/Constants.h"

using namespace llvm;
using namespace scopesan;
using namespace scopesan::retarget;

/// mbarrier.{init,inval,arrive,expect.tx,...}; operands: barrier, then count, bytes or state.
std::optional<Value *> IntrinsicLowering::mbarrier() {
  StringRef Kind = Mods[1];
  Type *Void = B.getVoidTy(), *I32 = B.getInt32Ty(), *I64 = B.getInt64Ty();
  if (Kind == "pending")
    return E.call(B, "__scopesan_cpu_mbarrier_pending", I32, {arg(0)});
  if (Kind == "inval")
    return nullptr;
  Value *Barrier = flat(arg(0));
  if (Kind == "init" || Kind == "complete" || (Kind == "expect" && Mods[2] == "tx")) {
    StringRef Name = Kind == "init"     ? "__scopesan_cpu_mbarrier_init"
                     : Kind == "expect" ? "__scopesan_cpu_mbarrier_expect"
                                        : "__scopesan_cpu_mbarrier_complete";
    E.call(B, Name, Void, {Barrier, arg(1)});
    return nullptr;
  }
  if (Kind == "arrive") {
    bool Bytes = Mods.has("expect"), Drop = Mods[2] == "drop";
    Value *Given = Call.arg_size() > 1 ? arg(1) : B.getInt32(1);
    Value *State = E.call(
        B, "__scopesan_cpu_mbarrier_arrive", I64,
        {Barrier, Bytes ? B.getInt32(1) : Given, Bytes ? Given : B.getInt32(0), B.getInt32(Drop)});
    return T->isVoidTy() ? nullptr : State;
  }
  if ((Kind == "test" || Kind == "try") && Mods[2] == "wait") {
    Value *State = B.CreateZExtOrTrunc(arg(1), I64);
    Value *Done = E.call(B, "__scopesan_cpu_mbarrier_wait", I32, {Barrier, State});
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
  E.call(B, "__scopesan_cpu_cp_async", B.getVoidTy(),
         {flat(arg(0)), flat(arg(1)), B.getInt32(Bytes), Source});
  return nullptr;
}

std::optional<Value *> IntrinsicLowering::copyArrive() {
  E.call(B, "__scopesan_cpu_cp_async_mbarrier_arrive", B.getVoidTy(),
         {flat(arg(0)), B.getInt32(Mods.has("noinc"))});
  return nullptr;
}

/// cp.async{.bulk}.{commit.group,wait.group{.read}}, cp.async.wait.all
std::optional<Value *> IntrinsicLowering::copyGroup() {
  bool Bulk = Mods.has("bulk");
  Type *Void = B.getVoidTy();
  if (Mods.has("commit"))
    E.call(B, Bulk ? "__scopesan_cpu_bulk_commit" : "__scopesan_cpu_cp_async_commit", Void, {});
  else if (Bulk)
    E.call(B, "__scopesan_cpu_bulk_wait", Void, {arg(0), B.getInt32(Mods.has("read"))});
  else
    E.call(B, "__scopesan_cpu_cp_async_wait", Void,
           {Mods.has("all") ? B.getInt32(abi::WaitAll) : arg(0)});
  return nullptr;
}

/// (to, barrier, from, bytes, receivers, policy, is multicast, has policy), or without receivers
std::optional<Value *> IntrinsicLowering::copyBulk() {
  bool Multicast = Call.arg_size() == 8 && argIsTrue(6);
  Value *Masks = Multicast ? B.CreateZExt(arg(4), B.getInt32Ty()) : B.getInt32(0);
  E.call(B, "__scopesan_cpu_bulk_copy", B.getVoidTy(),
         {flat(arg(0)), flat(arg(2)), B.CreateZExt(arg(3), B.getInt64Ty()), flat(arg(1)),
          B.getInt32(0), Masks});
  return nullptr;
}

/// (to, from, bytes, policy, has policy {, byte mask})
std::optional<Value *> IntrinsicLowering::copyBulkOut() {
  Value *Masks = B.getInt32(0);
  if (Mods.has("bytemask"))
    Masks = B.CreateShl(B.CreateNot(B.CreateZExt(arg(5), B.getInt32Ty())), 16);
  E.call(B, "__scopesan_cpu_bulk_copy", B.getVoidTy(),
         {flat(arg(0)), flat(arg(1)), B.CreateZExt(arg(2), B.getInt64Ty()),
          ConstantPointerNull::get(B.getPtrTy()), B.getInt32(0), Masks});
  return nullptr;
}

std::optional<Value *> IntrinsicLowering::dependentLaunch() {
  bool Wait = Mods.has("wait");
  E.call(B, Wait ? "__scopesan_cpu_griddep_wait" : "__scopesan_cpu_griddep_launch", B.getVoidTy(),
         {});
  return nullptr;
}
