#include "ConstantUse.h"

#include "Elide.h"

#include "scopesan/gpu_abi.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace scopesan::pass {
namespace {

/// Functions of the CUDA runtime on the device and of ours: none reads the program's constants.
bool isHarmless(StringRef Name) {
  return Name.starts_with("__scopesan") || Name.starts_with("__nv") || Name.starts_with("cuda") ||
         StringSwitch<bool>(Name)
             .Cases({"vprintf", "malloc", "free", "__assertfail"}, true)
             .Default(false);
}

} // namespace

ConstantUse::ConstantUse(Module &M) {
  for (GlobalVariable &G : M.globals())
    if (mayBeHostWritten(&G))
      uses(G, gpu::constantBit(G.getName().data(), G.getName().size()));
}

void ConstantUse::uses(Constant &C, uint32_t Bit) {
  for (const User *U : C.users())
    if (auto *I = dyn_cast<Instruction>(U))
      Own[I->getFunction()] |= Bit;
    else if (auto *Outer = dyn_cast<Constant>(const_cast<User *>(U));
             Outer && !isa<GlobalValue>(Outer))
      uses(*Outer, Bit);
}

uint32_t ConstantUse::of(Function &Kernel) const {
  uint32_t Bits = 0;
  SmallVector<const Function *, 8> Work = {&Kernel};
  SmallPtrSet<const Function *, 16> Seen;
  while (!Work.empty()) {
    const Function *F = Work.pop_back_val();
    if (!Seen.insert(F).second || F->isIntrinsic())
      continue;
    if (F->isDeclaration() && !isHarmless(F->getName()))
      return gpu::AnyConstant;
    Bits |= Own.lookup(F);
    for (const Instruction &I : instructions(*F))
      if (auto *C = dyn_cast<CallBase>(&I); C && !C->isInlineAsm()) {
        auto *Callee = dyn_cast<Function>(C->getCalledOperand()->stripPointerCasts());
        if (!Callee)
          return gpu::AnyConstant;
        Work.push_back(Callee);
      }
  }
  return Bits;
}

} // namespace scopesan::pass
