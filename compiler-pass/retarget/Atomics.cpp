// Atomic instructions. Threads of the CPU backend take turns on one OS thread, so only the host can
// run at the same time: relaxed machine atomics are enough for it, whatever the scope.
#include "Steps.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;
using namespace scopesan::retarget;

static bool machineWidth(const DataLayout &DL, Type *T) {
  uint64_t Bits = DL.getTypeSizeInBits(T);
  return Bits >= 8 && Bits <= 128 && isPowerOf2_64(Bits);
}

static Align naturalAlign(const DataLayout &DL, Type *T) { return Align(DL.getTypeStoreSize(T)); }

static bool nativeRmw(const AtomicRMWInst &I) {
  Type *T = I.getType();
  if (I.getOperation() == AtomicRMWInst::Xchg)
    return T->isIntegerTy() || T->isPointerTy();
  return T->isIntegerTy() && T->getIntegerBitWidth() <= 64;
}

/// The operation on a value no instruction handles (halves, packed halves, 128 bits). No other
/// thread can come between, and no host atomic exists for these types.
static void expandRmw(AtomicRMWInst &I, const DataLayout &DL) {
  IRBuilder<> B(&I);
  Align A = naturalAlign(DL, I.getType());
  Value *Old = B.CreateAlignedLoad(I.getType(), I.getPointerOperand(), A, true);
  Value *New = buildAtomicRMWValue(I.getOperation(), B, Old, I.getValOperand());
  B.CreateAlignedStore(New, I.getPointerOperand(), A, true);
  I.replaceAllUsesWith(Old);
  I.eraseFromParent();
}

static void relaxRmw(AtomicRMWInst &I, const DataLayout &DL) {
  bool FloatWord = I.getType()->isFloatTy() || I.getType()->isDoubleTy();
  if (!nativeRmw(I) && !FloatWord)
    return expandRmw(I, DL);
  I.setOrdering(AtomicOrdering::Monotonic);
  I.setSyncScopeID(SyncScope::System);
  I.setAlignment(naturalAlign(DL, I.getType()));
}

static void relax(Instruction &I, const DataLayout &DL) {
  if (auto *Rmw = dyn_cast<AtomicRMWInst>(&I))
    return relaxRmw(*Rmw, DL);
  if (auto *Cas = dyn_cast<AtomicCmpXchgInst>(&I)) {
    Cas->setSuccessOrdering(AtomicOrdering::Monotonic);
    Cas->setFailureOrdering(AtomicOrdering::Monotonic);
    Cas->setSyncScopeID(SyncScope::System);
    Cas->setAlignment(naturalAlign(DL, Cas->getCompareOperand()->getType()));
    return;
  }
  if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->isAtomic()) {
    bool Machine = machineWidth(DL, Load->getType());
    Load->setAtomic(Machine ? AtomicOrdering::Monotonic : AtomicOrdering::NotAtomic);
    Load->setAlignment(naturalAlign(DL, Load->getType()));
    return;
  }
  if (auto *Store = dyn_cast<StoreInst>(&I); Store && Store->isAtomic()) {
    Type *T = Store->getValueOperand()->getType();
    Store->setAtomic(machineWidth(DL, T) ? AtomicOrdering::Monotonic : AtomicOrdering::NotAtomic);
    Store->setAlignment(naturalAlign(DL, T));
    return;
  }
  if (auto *Fence = dyn_cast<FenceInst>(&I))
    Fence->setSyncScopeID(SyncScope::System);
}

void scopesan::retarget::lowerAtomics(Module &M) {
  for (Function &F : M)
    for (Instruction &I : make_early_inc_range(instructions(F)))
      relax(I, M.getDataLayout());
}
