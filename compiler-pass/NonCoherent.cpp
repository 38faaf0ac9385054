#include "NonCoherent.h"

#include "AddressSpaces.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace scopesan::pass {
namespace {

/// NVPTXLowerAggrCopies: copies of fewer bytes become plain loads and stores.
constexpr uint64_t LoopBytes = 128;

bool isKernelArgument(const Value *V) {
  auto *A = dyn_cast<Argument>(V);
  return A && A->getParent()->getCallingConv() == CallingConv::PTX_Kernel;
}

} // namespace

bool isKnownGlobal(const Value *Object) {
  if (!Object->getType()->isPointerTy())
    return false;
  if (Object->getType()->getPointerAddressSpace() == GlobalAddressSpace)
    return true;
  if (isKernelArgument(Object))
    return !cast<Argument>(Object)->hasByValAttr();
  // A pointer inside of a struct that the kernel takes.
  auto *L = dyn_cast<LoadInst>(Object);
  if (!L)
    return false;
  const Value *From = getUnderlyingObject(L->getPointerOperand());
  return isKernelArgument(From) && cast<Argument>(From)->hasByValAttr();
}

namespace {

/// Objects that nobody writes while the kernel runs, as the program promises.
bool isPromisedConstant(const Value *Object) {
  if (auto *G = dyn_cast<GlobalVariable>(Object))
    return G->isConstant();
  auto *A = dyn_cast<Argument>(Object);
  return A && isKernelArgument(A) && A->onlyReadsMemory() && A->hasNoAliasAttr();
}

/// `Invariant`: the access carries !invariant.load.
bool isNonCoherent(const Value *Pointer, bool Invariant, const Function &F) {
  unsigned AS = Pointer->getType()->getPointerAddressSpace();
  if (AS == GlobalAddressSpace && Invariant)
    return true;
  // Without optimization the back end infers nothing.
  if ((AS != GlobalAddressSpace && AS != GenericAddressSpace) || F.hasOptNone())
    return false;
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Pointer, Objects);
  return (AS == GlobalAddressSpace || all_of(Objects, isKnownGlobal)) &&
         (Invariant || all_of(Objects, isPromisedConstant));
}

} // namespace

bool isNonCoherent(const LoadInst &L) {
  if (L.isVolatile() || L.isAtomic())
    return false;
  // Large aggregates are copied by a loop that drops what was known.
  if (L.getType()->isAggregateType() &&
      L.getDataLayout().getTypeStoreSize(L.getType()).getFixedValue() >= LoopBytes)
    return false;
  return isNonCoherent(L.getPointerOperand(), L.hasMetadata(LLVMContext::MD_invariant_load),
                       *L.getFunction());
}

bool isNonCoherent(const MemTransferInst &C) {
  auto *Fixed = dyn_cast<ConstantInt>(C.getLength());
  if (Fixed && Fixed->getValue().ult(LoopBytes))
    return false;
  return isNonCoherent(C.getSource(), /*Invariant=*/false, *C.getFunction());
}

} // namespace scopesan::pass
