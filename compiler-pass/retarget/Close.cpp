// Linking of support/ and closing of the module.
#include "Steps.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Linker/Linker.h"

using namespace llvm;
using namespace scopesan::retarget;

// Bitcode of support/*.c, embedded by SupportBitcode.cpp.
extern "C" const char scopesan_support_begin[], scopesan_support_end[];

static bool isCodeGenRoutine(const Function &F) {
  return !F.isDeclaration() && F.getName().starts_with("__trunc");
}

/// Whether the code generator may need a routine to narrow to half or bfloat.
static bool usesHalves(const Module &M) {
  for (const Function &F : M)
    for (const Instruction &I : instructions(F)) {
      const Type *T = I.getType()->getScalarType();
      if (T->isHalfTy() || T->isBFloatTy())
        return true;
    }
  return false;
}

Error scopesan::retarget::linkSupport(Module &M) {
  StringRef Bitcode(scopesan_support_begin, scopesan_support_end - scopesan_support_begin);
  Expected<std::unique_ptr<Module>> Support =
      parseBitcodeFile(MemoryBufferRef(Bitcode, "support"), M.getContext());
  if (!Support)
    return Support.takeError();
  (*Support)->setTargetTriple(M.getTargetTriple());
  (*Support)->setDataLayout(M.getDataLayout());
  for (StringRef Name : {"llvm.module.flags", "llvm.ident", "llvm.errno.tbaa"})
    if (NamedMDNode *Node = (*Support)->getNamedMetadata(Name))
      (*Support)->eraseNamedMetadata(Node);
  // The code generator calls these by name after all linking: keep them, hidden.
  bool Halves = usesHalves(M);
  for (Function &F : **Support)
    if (Halves && isCodeGenRoutine(F))
      M.getOrInsertFunction(F.getName(), F.getFunctionType(), F.getAttributes());
  if (Linker::linkModules(M, std::move(*Support), Linker::LinkOnlyNeeded))
    return createStringError("could not link the support library: the build of "
                             "scopesan-cpu-codegen is broken");
  AttributeMask Target;
  for (StringRef Key : {"target-cpu", "target-features", "tune-cpu"})
    Target.addAttribute(Key);
  for (Function &F : M) {
    if (isCodeGenRoutine(F))
      F.setVisibility(GlobalValue::HiddenVisibility);
    F.removeFnAttrs(Target);
  }
  return Error::success();
}

/// The functions that generated libraries may leave undefined: the pass's and the engine's.
static bool isResolvedAtLoad(StringRef Name) {
  static const StringSet<> AbiNames = {
#define SCOPESAN_ABI(Name, Result, Parameters) #Name,
#include "scopesan/abi.def"
  };
  return AbiNames.contains(Name) || Name.starts_with("__scopesan_cpu_");
}

/// Calls go through the GOT, which is filled when the library is loaded.
static void bindAtLoad(Function &F) {
  F.setDSOLocal(false);
  F.addFnAttr(Attribute::NonLazyBind);
}

/// Body of a function that no one defines. The allocation operators of C++ are the device heap's.
static void defineMissing(Function &F, Engine &E) {
  std::string Name = F.getName().str();
  StringRef Symbol = Name;
  F.setLinkage(GlobalValue::InternalLinkage);
  F.setAttributes({});
  IRBuilder<> B(BasicBlock::Create(F.getContext(), "", &F));
  if (Symbol == "_Znwm" || Symbol == "_Znam") {
    B.CreateRet(E.call(B, "__scopesan_cpu_malloc", B.getPtrTy(), {F.getArg(0)}));
    return;
  }
  if (Symbol.starts_with("_ZdlPv") || Symbol.starts_with("_ZdaPv")) {
    E.call(B, "__scopesan_cpu_free", B.getVoidTy(), {F.getArg(0)});
    B.CreateRetVoid();
    return;
  }
  E.unsupported(B, "call of the undefined device function " + Name);
  B.CreateUnreachable();
}

void scopesan::retarget::closeModule(Module &M, Engine &E) {
  SmallVector<Function *> Missing;
  for (Function &F : make_early_inc_range(M)) {
    if (!F.isDeclaration())
      continue;
    if (F.use_empty()) {
      F.eraseFromParent();
      continue;
    }
    if (F.isIntrinsic() || isResolvedAtLoad(F.getName()))
      continue;
    Missing.push_back(&F);
  }
  // Their bodies declare engine functions, which need the treatment above.
  for (Function *F : Missing)
    defineMissing(*F, E);
  for (Function &F : M)
    if (F.isDeclaration() && isResolvedAtLoad(F.getName()))
      bindAtLoad(F);
  for (GlobalVariable &G : M.globals()) {
    if (!G.isDeclaration())
      continue;
    if (G.getName() == "__scopesan_cpu_current") {
      G.setDSOLocal(false);
      continue;
    }
    G.setInitializer(Constant::getNullValue(G.getValueType()));
  }
}
