// mbarrier and asynchronous copies (PTX ISA 9.7.9.25, 9.7.13.15); semantics in support/async.c.
#include "Asm.h"

#include "llvm/IR/Constants.h"

using namespace llvm;
using namespace scopesan::retarget;
using scopesan::ptx::OperandKind;

/// mbarrier.arrive{_drop}{.expect_tx}{...} {state | _}, [barrier] {, count or bytes}
bool AsmLowering::mbarrierArrive(bool Drop) {
  unsigned At = operand(0) && operand(0)->is(OperandKind::Memory) ? 0 : 1;
  if (!operand(At))
    return false;
  bool Bytes = Mods.has("expect_tx");
  Value *Given = operand(At + 1) ? in32(At + 1) : B.getInt32(Bytes ? 0 : 1);
  // expect_tx arrives once, or as often as a fourth operand says.
  Value *Count = Bytes ? (operand(At + 2) ? in32(At + 2) : B.getInt32(1)) : Given;
  Value *State = E.supportMemory(
      B, "mbarrier_arrive", B.getInt64Ty(),
      {address(*operand(At)), Count, Bytes ? Given : B.getInt32(0), B.getInt32(Drop)});
  return At == 0 || out(State, false);
}

/// mbarrier.{test,try}_wait{.parity} p, [barrier], state {, time}
bool AsmLowering::mbarrierWait(bool Try) {
  if (!operand(2))
    return false;
  Value *State = in(2, B.getInt64Ty());
  Value *Done = E.supportMemory(B, Try ? "mbarrier_try" : "mbarrier_test", B.getInt32Ty(),
                                {address(*operand(1)), State});
  return out(B.CreateICmpNE(Done, B.getInt32(0)), false);
}

bool AsmLowering::mbarrier() {
  StringRef Kind = Mods[1];
  if (!operand(0))
    return false;
  if (Kind == "arrive" || Kind == "arrive_drop")
    return mbarrierArrive(Kind == "arrive_drop");
  if (Kind == "test_wait" || Kind == "try_wait")
    return mbarrierWait(Kind == "try_wait");
  if (Kind == "pending_count")
    return out(E.support(B, "mbarrier_pending", B.getInt32Ty(), {in(1, B.getInt64Ty())}), false);
  if (Kind == "inval")
    return true;
  StringRef Name = Kind == "init"          ? "mbarrier_init"
                   : Kind == "expect_tx"   ? "mbarrier_expect"
                   : Kind == "complete_tx" ? "mbarrier_complete"
                                           : "";
  if (Name.empty())
    return false;
  E.supportMemory(B, Name, B.getVoidTy(), {address(*operand(0)), in32(1)});
  return true;
}

/// cp.async.{ca,cg}.shared.global [to], [from], bytes {, source bytes or ignore predicate}
bool AsmLowering::copyAsync() {
  if (!operand(2) || !operand(0)->is(OperandKind::Memory))
    return false;
  Value *Bytes = in32(2), *Source = Bytes;
  if (const Operand *Fourth = operand(3)) {
    AllocaInst *Variable = variable(*Fourth);
    bool Ignore = Variable && Variable->getAllocatedType()->isIntegerTy(1);
    Source = Ignore ? B.CreateSelect(inPredicate(3), B.getInt32(0), Bytes) : in32(3);
  }
  E.supportMemory(B, "copy_async", B.getVoidTy(),
                  {address(*operand(0)), address(*operand(1)), Bytes, Source});
  return true;
}

/// cp.async.bulk.* [to], [from], bytes {, [barrier]}
bool AsmLowering::copyBulk() {
  if (Mods.hasAny("tensor", "reduce", "multicast::cluster", "cp_mask") || !operand(2) ||
      !operand(0)->is(OperandKind::Memory))
    return false;
  const Operand *Barrier = operand(3);
  Value *BarrierAddress = Barrier && Barrier->is(OperandKind::Memory)
                              ? address(*Barrier)
                              : ConstantPointerNull::get(B.getPtrTy());
  E.supportMemory(B, "copy_bulk", B.getVoidTy(),
                  {address(*operand(0)), address(*operand(1)), in32(2), BarrierAddress});
  return true;
}

bool AsmLowering::copy() {
  if (Mods[1] != "async")
    return false;
  if (Mods.hasAny("commit_group", "wait_group", "wait_all", "prefetch"))
    return true;
  if (Mods[2] == "mbarrier") {
    // Without .noinc the arrival was not counted when the barrier was initialised: the pending
    // count is raised first, so that nothing changes here, where the copies have already happened.
    if (Mods.has("noinc"))
      E.supportMemory(B, "mbarrier_arrive", B.getInt64Ty(),
                      {address(*operand(0)), B.getInt32(1), B.getInt32(0), B.getInt32(0)});
    return true;
  }
  return Mods.has("bulk") ? copyBulk() : copyAsync();
}

/// st.async{.weak}.shared::cluster.mbarrier::complete_tx::bytes{.vec}.type [a], b, [barrier]
bool AsmLowering::storeAsync() {
  if (!operand(2) || !operand(2)->is(OperandKind::Memory))
    return false;
  Value *Address = address(*operand(0));
  ArrayRef<Operand> Sources = elements(*operand(1));
  for (unsigned I = 0; I < Sources.size(); ++I)
    B.CreateStore(read(Sources[I], T.Ty), B.CreateConstGEP1_64(T.Ty, Address, I));
  Value *Bytes = B.getInt32(Sources.size() * T.bits() / 8);
  E.supportMemory(B, "mbarrier_complete", B.getVoidTy(), {address(*operand(2)), Bytes});
  return true;
}
