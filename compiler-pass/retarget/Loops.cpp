// Loops that may never end and call nothing that switches threads: the guide's Device.1-4 kind
// (D12). On a GPU the other threads run on; here the loop must let them.
#include "Steps.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace scopesan::retarget;

namespace {

/// Functions outside the module that return at once.
bool computesOnly(StringRef Name) {
  return Name.starts_with("__scopesan_ptx_") || Name == "__scopesan_cpu_sreg" ||
         Name == "__scopesan_cpu_isspacep" || Name == "__scopesan_cpu_warp_predicate";
}

/// Functions in which a thread may be switched.
class Switching {
public:
  explicit Switching(Module &M) {
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (Function &F : M)
        if (!F.isDeclaration() && !Functions.contains(&F) && mayBody(F))
          Changed |= Functions.insert(&F).second;
    }
  }
  bool may(const Instruction &I) const {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || Call->isInlineAsm())
      return false;
    const Function *Callee = Call->getCalledFunction();
    if (!Callee)
      return true;
    if (Callee->isDeclaration())
      return !Callee->isIntrinsic() && !computesOnly(Callee->getName());
    return Functions.contains(Callee);
  }

private:
  bool mayBody(const Function &F) const {
    return any_of(instructions(F), [&](const Instruction &I) { return may(I); });
  }
  SmallPtrSet<const Function *, 32> Functions;
};

/// Nothing in the loop but what other threads or the hardware do can end it, as far as the compiler
/// may tell: no exit at all, or a condition that is read anew each time.
bool mayBeEndless(const Loop &L) {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  if (Exiting.empty())
    return true;
  for (const BasicBlock *Block : L.blocks())
    for (const Instruction &I : *Block)
      if (I.isVolatile() || I.isAtomic())
        return true;
  return false;
}

} // namespace

void scopesan::retarget::yieldInEndlessLoops(Module &M, Engine &E) {
  Switching Calls(M);
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    DominatorTree Dominators(F);
    LoopInfo Loops(Dominators);
    for (Loop *L : Loops.getLoopsInPreorder()) {
      bool Switches = any_of(L->blocks(), [&](const BasicBlock *Block) {
        return any_of(*Block, [&](const Instruction &I) { return Calls.may(I); });
      });
      if (Switches || !mayBeEndless(*L))
        continue;
      SmallVector<BasicBlock *, 4> Latches;
      L->getLoopLatches(Latches);
      for (BasicBlock *Latch : Latches) {
        IRBuilder<> B(Latch->getTerminator());
        E.yield(B);
      }
    }
  }
}
