#include "SharedFrame.h"

#include "AddressSpaces.h"

#include "scopesan/gpu_abi.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Support/Alignment.h"

using namespace llvm;

namespace scopesan::pass {
namespace {

const Align FrameAlign = Align::Constant<16>();

void collect(const Value *V, SetVector<GlobalVariable *> &Found) {
  if (auto *G = dyn_cast<GlobalVariable>(V)) {
    if (G->getAddressSpace() == SharedAddressSpace)
      Found.insert(const_cast<GlobalVariable *>(G));
  } else if (auto *E = dyn_cast<ConstantExpr>(V)) {
    for (const Value *Operand : E->operands())
      collect(Operand, Found);
  }
}

Align alignOf(const GlobalVariable &G) {
  return G.getAlign().value_or(G.getDataLayout().getPrefTypeAlign(G.getValueType()));
}

/// Offsets of the variables, and the end.
SmallVector<uint64_t, 8> offsetsOf(ArrayRef<GlobalVariable *> Variables) {
  SmallVector<uint64_t, 8> Offsets;
  uint64_t At = 0;
  for (const GlobalVariable *G : Variables) {
    Offsets.push_back(At = alignTo(At, alignOf(*G)));
    At += G->getDataLayout().getTypeAllocSize(G->getValueType());
  }
  Offsets.push_back(alignTo(At, FrameAlign));
  return Offsets;
}

} // namespace

SetVector<GlobalVariable *> sharedVariablesOf(const Function &F) {
  SetVector<GlobalVariable *> Found;
  for (const Instruction &I : instructions(F))
    for (const Value *Operand : I.operands())
      collect(Operand, Found);
  return Found;
}

SharedFrame frameOf(Function &F) {
  SharedFrame Frame;
  for (GlobalVariable *G : sharedVariablesOf(F)) {
    // Dynamic shared memory lies behind all others, and only the launch knows its size.
    if (G->isDeclaration() || !F.getDataLayout().getTypeAllocSize(G->getValueType()) ||
        alignOf(*G) > FrameAlign || G->isExternallyInitialized())
      return {};
    Frame.Variables.push_back(G);
  }
  if (Frame.Variables.empty())
    return {};
  uint64_t Bytes = offsetsOf(Frame.Variables).back();
  if (Bytes > gpu::MostBlockBytes)
    return {};
  Frame.Bytes = Bytes;
  Type *T = ArrayType::get(Type::getInt64Ty(F.getContext()), Bytes / 4);
  Frame.Cells = new GlobalVariable(
      *F.getParent(), T, /*isConstant=*/false, GlobalValue::InternalLinkage, UndefValue::get(T),
      F.getName() + "_cells", nullptr, GlobalValue::NotThreadLocal, SharedAddressSpace);
  Frame.Cells->setAlignment(FrameAlign);
  return Frame;
}

void layOut(Function &F, const SharedFrame &Frame) {
  SmallVector<GlobalVariable *, 8> Parts(Frame.Variables.begin(), Frame.Variables.end());
  SmallVector<uint64_t, 8> Offsets = offsetsOf(Parts);
  Parts.push_back(Frame.Cells);
  LLVMContext &C = F.getContext();
  Type *I8 = Type::getInt8Ty(C);
  Type *T = ArrayType::get(I8, Frame.Bytes * 3);
  auto *Whole = new GlobalVariable(
      *F.getParent(), T, /*isConstant=*/false, GlobalValue::InternalLinkage, UndefValue::get(T),
      F.getName() + "_shared", nullptr, GlobalValue::NotThreadLocal, SharedAddressSpace);
  Whole->setAlignment(FrameAlign);
  SmallVector<Constant *, 8> Constants(Parts.begin(), Parts.end());
  convertUsersOfConstantsToInstructions(Constants, &F);
  for (auto [G, Offset] : zip(Parts, Offsets)) {
    Constant *At = ConstantExpr::getInBoundsGetElementPtr(
        I8, Whole, ConstantInt::get(Type::getInt64Ty(C), Offset));
    G->replaceUsesWithIf(At, [&](Use &U) {
      auto *I = dyn_cast<Instruction>(U.getUser());
      return I && I->getFunction() == &F;
    });
    G->removeDeadConstantUsers();
    if (G->use_empty() && G->hasLocalLinkage())
      G->eraseFromParent();
  }
}

} // namespace scopesan::pass
