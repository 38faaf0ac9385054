#include "Steps.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;
using namespace scopesan::retarget;

// Facts that hold on the GPU but not where calls may switch to another thread or stop the kernel.
static AttributeMask staleAttributes() {
  AttributeMask Mask;
  for (Attribute::AttrKind Kind :
       {Attribute::Memory, Attribute::NoSync, Attribute::WillReturn, Attribute::NoFree,
        Attribute::NoRecurse, Attribute::MustProgress, Attribute::Speculatable, Attribute::NoInline,
        Attribute::OptimizeNone, Attribute::NoCallback, Attribute::Convergent})
    Mask.addAttribute(Kind);
  for (StringRef Key : {"target-cpu", "target-features", "frame-pointer", "tune-cpu",
                        "stack-protector-buffer-size", "uniform-work-group-size"})
    Mask.addAttribute(Key);
  return Mask;
}

/// Restrict and its kin: another thread may run at any call and change what the pointer reaches.
static AttributeMask staleParameterAttributes() {
  AttributeMask Mask;
  for (Attribute::AttrKind Kind : {Attribute::NoAlias, Attribute::Captures, Attribute::ReadOnly,
                                   Attribute::WriteOnly, Attribute::ReadNone, Attribute::NoFree,
                                   Attribute::Dereferenceable, Attribute::DereferenceableOrNull})
    Mask.addAttribute(Kind);
  return Mask;
}

static void dropStaleMetadata(Instruction &I) {
  I.setMetadata(LLVMContext::MD_noalias, nullptr);
  I.setMetadata(LLVMContext::MD_alias_scope, nullptr);
}

/// Engine function that stands in for a function of the device runtime; empty if there is none.
static StringRef engineName(StringRef Device) {
  return StringSwitch<StringRef>(Device)
      .Case("vprintf", "__scopesan_cpu_vprintf")
      .Case("malloc", "__scopesan_cpu_malloc")
      .Case("free", "__scopesan_cpu_free")
      .Case("__assertfail", "__scopesan_cpu_assertfail")
      .Default("");
}

static void normaliseFunction(Function &F, const AttributeMask &Stale,
                              const AttributeMask &StaleParameter) {
  F.setCallingConv(CallingConv::C);
  F.removeFnAttrs(Stale);
  F.setComdat(nullptr);
  F.setVisibility(GlobalValue::DefaultVisibility);
  F.setSection("");
  if (F.isDeclaration()) {
    // Pointers handed to the engine may be read, written and remembered.
    F.setAttributes({});
    if (StringRef Name = engineName(F.getName()); !Name.empty())
      F.setName(Name);
    if (F.getName() == "__scopesan_cpu_assertfail")
      F.setDoesNotReturn();
    return;
  }
  F.setLinkage(GlobalValue::InternalLinkage);
  F.addFnAttr(Attribute::NoUnwind);
  // Frames larger than a page must hit the fiber's guard page, not jump over it.
  F.addFnAttr("probe-stack", "inline-asm");
  for (Argument &A : F.args())
    A.removeAttrs(StaleParameter);
  for (Instruction &I : instructions(F)) {
    dropStaleMetadata(I);
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      continue;
    Call->setCallingConv(CallingConv::C);
    Call->removeFnAttrs(Stale);
    Function *Callee = Call->getCalledFunction();
    if (Callee && Callee->isIntrinsic())
      continue;
    if (Callee && Callee->isDeclaration())
      Call->setAttributes({});
    for (unsigned I = 0; I < Call->arg_size(); ++I)
      Call->removeParamAttrs(I, StaleParameter);
  }
}

/// What nvvm.annotations say of variables outlives them as an attribute, for the module table.
static void keepManaged(Module &M) {
  NamedMDNode *Annotations = M.getNamedMetadata("nvvm.annotations");
  for (unsigned I = 0; Annotations && I < Annotations->getNumOperands(); ++I) {
    MDNode *Row = Annotations->getOperand(I);
    if (Row->getNumOperands() < 2)
      continue;
    auto *Key = dyn_cast_or_null<MDString>(Row->getOperand(1));
    auto *G = mdconst::dyn_extract_or_null<GlobalVariable>(Row->getOperand(0));
    if (G && Key && Key->getString() == "managed")
      G->addAttribute(ManagedAttribute);
  }
}

void scopesan::retarget::normalise(Module &M) {
  keepManaged(M);
  M.setModuleInlineAsm("");
  for (StringRef Name : {"nvvm.annotations", "nvvmir.version"})
    if (NamedMDNode *Node = M.getNamedMetadata(Name))
      M.eraseNamedMetadata(Node);
  for (StringRef Name : {"llvm.compiler.used", "llvm.used", "llvm.global.annotations"})
    if (GlobalVariable *List = M.getNamedGlobal(Name))
      List->eraseFromParent();
  AttributeMask Stale = staleAttributes(), StaleParameter = staleParameterAttributes();
  for (Function &F : M)
    if (!F.isIntrinsic())
      normaliseFunction(F, Stale, StaleParameter);
  for (GlobalVariable &G : M.globals()) {
    G.setComdat(nullptr);
    G.setSection("");
    G.setVisibility(GlobalValue::DefaultVisibility);
    if (G.hasAvailableExternallyLinkage())
      G.setLinkage(GlobalValue::InternalLinkage);
  }
}
