#include "Elide.h"

#include "AddressSpaces.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace scopesan::pass {
namespace {

bool isPrivateOrConstantObject(const Value *Object) {
  if (!Object->getType()->isPointerTy())
    return false;
  switch (Object->getType()->getPointerAddressSpace()) {
  case ConstAddressSpace:
  case LocalAddressSpace:
  case ParamAddressSpace:
    return true;
  default:
    break;
  }
  if (isa<AllocaInst>(Object))
    return true;
  if (auto *A = dyn_cast<Argument>(Object))
    return A->hasByValAttr();
  if (auto *G = dyn_cast<GlobalVariable>(Object))
    return G->isConstant();
  return false;
}

bool isHostWrittenObject(const Value *Object) {
  if (!Object->getType()->isPointerTy())
    return false;
  bool InConstantMemory = Object->getType()->getPointerAddressSpace() == ConstAddressSpace;
  if (auto *G = dyn_cast<GlobalVariable>(Object))
    return (G->isConstant() || InConstantMemory) &&
           (G->isExternallyInitialized() || G->isDeclaration());
  return InConstantMemory && !isa<Constant>(Object);
}

} // namespace

bool isPrivateOrConstant(const Value *Pointer) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Pointer, Objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  return all_of(Objects, isPrivateOrConstantObject);
}

bool mayBeHostWritten(const Value *Pointer) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Pointer, Objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  return any_of(Objects, isHostWrittenObject);
}

} // namespace scopesan::pass
