#include "ToolkitInline.h"

#include "SiteTable.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace scopesan::pass {
namespace {

/// Instructions of a function with all that is inlined into it. An atomic of libcu++ at -O0 has a
/// few thousand, a block-wide sort of CUB many times that.
constexpr unsigned LargestInlined = 20000;

bool isUnoptimisedToolkit(const Function &F) {
  return !F.isDeclaration() && F.hasOptNone() && F.getCallingConv() != CallingConv::PTX_Kernel &&
         !F.isVarArg() && isToolkitFunction(F);
}

} // namespace

void inlineToolkitFunctions(Module &M) {
  CallGraph Calls(M);
  DenseMap<const Function *, unsigned> Size; // of those to inline
  for (auto Component = scc_begin(&Calls); !Component.isAtEnd(); ++Component) {
    Function *F = Component->front()->getFunction();
    if (Component->size() > 1 || Component.hasCycle() || !F || !isUnoptimisedToolkit(*F))
      continue;
    unsigned Count = F->getInstructionCount();
    for (const CallGraphNode::CallRecord &Call : *Component->front())
      if (Call.first)
        Count += Size.lookup(Call.second->getFunction());
    if (Count > LargestInlined)
      continue;
    Size[F] = Count;
    F->removeFnAttr(Attribute::NoInline);
    F->removeFnAttr(Attribute::OptimizeNone);
    F->addFnAttr(Attribute::AlwaysInline);
  }
}

static constexpr StringLiteral GridBarrierMark = "// ScopeSan: the grid has passed a barrier";

void markGridBarriers(Module &M) {
  for (Function &F : M) {
    if (F.isDeclaration() || !F.getName().contains("cooperative_groups"))
      continue;
    std::string Name = demangle(F.getName());
    // grid_group::sync() calls it; arriving and waiting apart say less.
    if (!StringRef(Name).contains("::details::grid::sync("))
      continue;
    for (BasicBlock &B : F)
      if (auto *Return = dyn_cast<ReturnInst>(B.getTerminator())) {
        IRBuilder<> Builder(Return);
        auto *Type = FunctionType::get(Builder.getVoidTy(), false);
        CallInst *Mark = Builder.CreateCall(
            InlineAsm::get(Type, GridBarrierMark, "~{memory}", /*hasSideEffects=*/true));
        Mark->addFnAttr(Attribute::Convergent);
        Mark->setDebugLoc(Return->getDebugLoc());
      }
  }
}

bool isGridBarrierMark(const Instruction &I) {
  auto *C = dyn_cast<CallBase>(&I);
  return C && C->isInlineAsm() &&
         cast<InlineAsm>(C->getCalledOperand())->getAsmString() == GridBarrierMark;
}

} // namespace scopesan::pass
