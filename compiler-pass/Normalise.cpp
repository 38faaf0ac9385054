#include "Normalise.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace scopesan::pass {
namespace {

constexpr const char AsWritten[] = "scopesan.as-written";

template <typename InstructionT, typename CallableT> void forEach(Module &M, CallableT Visit) {
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Found = dyn_cast<InstructionT>(&I))
        Visit(*Found);
}

bool isSeqCst(const AtomicCmpXchgInst &C) {
  return C.getSuccessOrdering() == AtomicOrdering::SequentiallyConsistent &&
         C.getFailureOrdering() == AtomicOrdering::SequentiallyConsistent;
}

bool readsSuccessFlag(const AtomicCmpXchgInst &C) {
  return !all_of(C.users(), [](const User *U) {
    auto *E = dyn_cast<ExtractValueInst>(U);
    return E && E->getIndices()[0] == 0;
  });
}

/// Forms for which NVPTX has an instruction; its selection ignores order and scope.
bool isNative(const AtomicRMWInst &R) {
  Type *T = R.getType();
  switch (R.getOperation()) {
  case AtomicRMWInst::FAdd:
    return T->isHalfTy() || T->isBFloatTy() || T->isFloatTy() || T->isDoubleTy();
  case AtomicRMWInst::Xchg:
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
  case AtomicRMWInst::And:
  case AtomicRMWInst::Or:
  case AtomicRMWInst::Xor:
  case AtomicRMWInst::Max:
  case AtomicRMWInst::Min:
  case AtomicRMWInst::UMax:
  case AtomicRMWInst::UMin:
    return T->getPrimitiveSizeInBits() == 32 || T->getPrimitiveSizeInBits() == 64 ||
           T->isPointerTy();
  case AtomicRMWInst::UIncWrap:
  case AtomicRMWInst::UDecWrap:
    return T->isIntegerTy(32);
  default:
    return false;
  }
}

} // namespace

void markWrittenCompareExchanges(Module &M) {
  SyncScope::ID Marked = M.getContext().getOrInsertSyncScopeID(AsWritten);
  forEach<AtomicCmpXchgInst>(M, [&](AtomicCmpXchgInst &C) {
    if (isSeqCst(C) && C.getSyncScopeID() == SyncScope::System && readsSuccessFlag(C))
      C.setSyncScopeID(Marked);
  });
}

void normaliseCompareExchanges(Module &M) {
  SyncScope::ID Marked = M.getContext().getOrInsertSyncScopeID(AsWritten);
  SyncScope::ID Device = M.getContext().getOrInsertSyncScopeID("device");
  forEach<AtomicCmpXchgInst>(M, [&](AtomicCmpXchgInst &C) {
    if (C.getSyncScopeID() == Marked) {
      C.setSyncScopeID(SyncScope::System);
    } else if (isSeqCst(C) && C.getSyncScopeID() == SyncScope::System) {
      C.setSyncScopeID(Device);
      C.setSuccessOrdering(AtomicOrdering::Monotonic);
      C.setFailureOrdering(AtomicOrdering::Monotonic);
    }
  });
}

void normaliseReadModifyWrites(Module &M) {
  SyncScope::ID Device = M.getContext().getOrInsertSyncScopeID("device");
  forEach<AtomicRMWInst>(M, [&](AtomicRMWInst &R) {
    if (!isNative(R))
      return;
    R.setOrdering(AtomicOrdering::Monotonic);
    R.setSyncScopeID(Device);
  });
}

void defineMissingFunctions(Module &M) {
  for (const char *Name : {"__cxa_pure_virtual", "__cxa_deleted_virtual"}) {
    Function *F = M.getFunction(Name);
    if (!F || !F->isDeclaration())
      continue;
    F->setLinkage(GlobalValue::WeakAnyLinkage); // each unit of a program may have one
    IRBuilder<> B(BasicBlock::Create(M.getContext(), "entry", F));
    B.CreateIntrinsic(Intrinsic::trap, {});
    B.CreateUnreachable();
  }
}

} // namespace scopesan::pass
