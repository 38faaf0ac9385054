#include "WaitLoops.h"

#include "Semantics.h"

#include "Effects.h"
#include "Parser.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using scopesan::abi::AccessKind;

namespace scopesan::pass {
namespace {

enum class Part : uint8_t { Harmless, Read, Other };

/// A compare-exchange that fails has read; one that succeeds ends the loop or is no wait.
Part partOf(abi::Op Op) {
  bool Reads = Op.kind() == AccessKind::Load || Op.kind() == AccessKind::Cas;
  return Reads && Op.isStrong() ? Part::Read : Part::Other;
}

/// Fences, pauses and at most one read that is always made.
Part partOfAsm(const CallBase &Call) {
  StringRef Text = cast<InlineAsm>(Call.getCalledOperand())->getAsmString();
  std::string Error;
  std::optional<ptx::Program> P = ptx::parse(Text, Error);
  if (!P)
    return Part::Other;
  Part Result = Part::Harmless;
  for (const ptx::Effect &E : ptx::effects(*P)) {
    if (E.Kind == ptx::EffectKind::Fence)
      continue;
    if (E.Kind != ptx::EffectKind::Access || E.Condition.Kind != ptx::GuardKind::Always ||
        partOf(E.Op) != Part::Read || Result == Part::Read)
      return Part::Other;
    Result = Part::Read;
  }
  // What has no effects on memory may still end the thread, or ask other lanes.
  if (Result == Part::Harmless)
    for (const ptx::Statement &S : P->Statements)
      if (S.Parts.empty() || (S.Parts[0] != "fence" && S.Parts[0] != "membar" &&
                              S.Parts[0] != "nanosleep" && S.Parts[0] != "mov"))
        return Part::Other;
  return Result;
}

Part partOf(Instruction &I) {
  Operation O = classify(I);
  switch (O.Kind) {
  case OperationKind::Strong:
    return partOf(O.Op);
  case OperationKind::InlineAsm:
    return partOfAsm(cast<CallBase>(I));
  case OperationKind::Fence:
    return Part::Harmless;
  case OperationKind::Weak:
    return O.Op.kind() == AccessKind::Load ? Part::Harmless : Part::Other;
  case OperationKind::None:
    break;
  default:
    return Part::Other;
  }
  auto *C = dyn_cast<CallBase>(&I);
  if (!C)
    return I.mayWriteToMemory() || isa<AllocaInst>(I) ? Part::Other : Part::Harmless;
  Function *Callee = C->getCalledFunction();
  if (!Callee || !Callee->isIntrinsic())
    return Part::Other;
  if (Callee->getName() == "llvm.nvvm.nanosleep" || isa<DbgInfoIntrinsic>(I) ||
      I.isLifetimeStartOrEnd())
    return Part::Harmless;
  return I.mayWriteToMemory() || C->isConvergent() ? Part::Other : Part::Harmless;
}

/// What the exits of one loop depend on.
class Exits {
public:
  Exits(const Loop &L, const Instruction &Read) : L(L), Read(Read) {}

  bool dependOnReadOnly() {
    for (const Use &U : Read.operands())
      if (!isFixed(U))
        return false;
    SmallVector<BasicBlock *, 4> Blocks;
    L.getExitingBlocks(Blocks);
    bool Depends = false;
    for (BasicBlock *B : Blocks)
      Depends |= takesPart(*B->getTerminator());
    if (!Depends || Foreign)
      return false;
    if (Merges) // which of the merged values it is, the branches before say
      for (BasicBlock *B : L.blocks())
        if (B->getTerminator()->getNumSuccessors() > 1)
          takesPart(*B->getTerminator());
    return !Foreign;
  }

private:
  /// A branch or switch whose condition depends on the value read. Sets Foreign where it depends on
  /// something else that the loop changes.
  bool takesPart(const Instruction &Terminator) {
    if (!isa<BranchInst, SwitchInst>(Terminator)) {
      Foreign = true;
      return false;
    }
    bool Condition = !isa<BranchInst>(Terminator) || cast<BranchInst>(Terminator).isConditional();
    return Condition && dependsOnRead(Terminator.getOperand(0));
  }
  bool isFixed(const Value *V) const { return L.isLoopInvariant(V); }
  bool dependsOnRead(const Value *V) {
    if (isFixed(V))
      return false;
    if (V == &Read)
      return true;
    auto [It, New] = Known.try_emplace(V, Open);
    if (!New) {
      Foreign |= It->second == Open; // what one iteration hands on to the next, a count
      return It->second == Yes;
    }
    auto *I = cast<Instruction>(V);
    auto *Phi = dyn_cast<PHINode>(I);
    if (!Phi && !isa<BinaryOperator, CmpInst, CastInst, SelectInst, ExtractValueInst, FreezeInst,
                     GetElementPtrInst>(I))
      Foreign = true;
    if (Phi && inside(*Phi) > 1)
      Merges = true;
    bool Depends = false;
    for (const Use &U : I->operands())
      Depends |= dependsOnRead(U);
    Known[V] = Depends ? Yes : No;
    return Depends;
  }
  unsigned inside(const PHINode &Phi) const {
    return unsigned(count_if(Phi.blocks(), [&](const BasicBlock *B) { return L.contains(B); }));
  }

  enum State : uint8_t { Open, Yes, No };
  const Loop &L;
  const Instruction &Read;
  DenseMap<const Value *, State> Known;
  bool Foreign = false, Merges = false;
};

/// The one read of a loop that does nothing else; null if there is none.
Instruction *readOf(const Loop &L, const DenseMap<const Instruction *, Part> &Parts) {
  Instruction *Read = nullptr;
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B) {
      Part P = Parts.lookup(&I);
      if (P == Part::Other || (P == Part::Read && Read))
        return nullptr;
      if (P == Part::Read)
        Read = &I;
    }
  return Read;
}

} // namespace

/// D12: what a loop that only waits reads.
InstructionSet onlyWaysOut(Function &F) {
  InstructionSet Result;
  DominatorTree Dominators(F);
  LoopInfo Loops(Dominators);
  if (Loops.empty())
    return Result;
  DenseMap<const Instruction *, Part> Parts;
  for (BasicBlock &B : F)
    if (Loops.getLoopFor(&B))
      for (Instruction &I : B)
        Parts[&I] = partOf(I);
  for (Loop *L : Loops.getLoopsInPreorder())
    if (Instruction *Read = readOf(*L, Parts); Read && Exits(*L, *Read).dependOnReadOnly())
      Result.insert(Read);
  return Result;
}

} // namespace scopesan::pass
