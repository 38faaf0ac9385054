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

void scopesan::retarget::closeModule(Module &M, Engine &E) {
  for (Function &F : make_early_inc_range(M)) {
    if (!F.isDeclaration() || F.isIntrinsic())
      continue;
    if (F.use_empty()) {
      F.eraseFromParent();
      continue;
    }
    if (isResolvedAtLoad(F.getName())) {
      F.setDSOLocal(false);
      // Call through the GOT; the library is bound when it is loaded.
      F.addFnAttr(Attribute::NonLazyBind);
      continue;
    }
    std::string Name = F.getName().str();
    F.setLinkage(GlobalValue::InternalLinkage);
    F.setAttributes({});
    IRBuilder<> B(BasicBlock::Create(M.getContext(), "", &F));
    E.unsupported(B, "call of the undefined device function " + Name);
    B.CreateUnreachable();
  }
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
