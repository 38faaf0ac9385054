#include "GpuMode.h"

#include "AddressSpaces.h"
#include "Elide.h"
#include "LinkRuntime.h"
#include "NonCoherent.h"
#include "Options.h"
#include "Semantics.h"
#include "ToolkitInline.h"
#include "Uniform.h"

#include "Effects.h"
#include "Parser.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using scopesan::abi::AccessKind;
using scopesan::abi::MemoryOrder;
using scopesan::abi::Scope;

namespace scopesan::pass {
namespace {

/// Instructions of a kernel with all that is inlined into it, and its accesses. Each hook is some
/// 50 instructions: where there are many, they are called, and the thread's state lies in memory.
constexpr unsigned LargestInlined = 6000, MostInlined = 256;
constexpr unsigned LargestFast = 60000, MostOperations = 4000;

/// Functions of the system that neither synchronize nor keep the program's memory. A failing assert
/// ends the context and what the device counted with it: such kernels are logged.
bool isHarmlessExternal(const Function &F) { return F.getName() == "vprintf"; }

/// What a kernel does, with all functions that it calls.
class Census {
public:
  /// `Unchecked`: accesses that are not looked at.
  explicit Census(const DenseSet<const Instruction *> *Unchecked = nullptr)
      : Unchecked(Unchecked) {}
  /// False when the fast form cannot take it.
  bool add(Function &F) {
    if (F.hasOptNone() || F.isVarArg() || is_contained(Stack, &F))
      return false;
    Stack.push_back(&F);
    for (Instruction &I : instructions(F)) {
      ++Instructions;
      if (!instruction(I))
        return false;
    }
    Stack.pop_back();
    return Instructions <= LargestFast && Operations <= MostOperations;
  }
  bool UsesShared = false, HasBarrier = false, HasExit = false;
  /// There is synchronization other than barriers of the whole block.
  bool Mixed = false;
  bool HasGridBarrier = false;
  /// All accesses that may be to shared memory are of whole words.
  bool SharedInWords = true;
  /// At most as many sites.
  unsigned Sites = 0;
  bool isLarge() const { return Instructions > LargestInlined || Operations > MostInlined; }

private:
  bool instruction(Instruction &I) {
    if (isa<IndirectBrInst>(I) || isa<CallBrInst>(I))
      return false;
    auto *C = dyn_cast<CallBase>(&I);
    if (C && !C->isInlineAsm()) {
      Function *Callee = C->getCalledFunction();
      if (!Callee)
        return false;
      if (!Callee->isDeclaration())
        return Callee->getCallingConv() != CallingConv::PTX_Kernel && add(*Callee);
      if (!Callee->isIntrinsic())
        return isHarmlessExternal(*Callee);
      StringRef Name = Callee->getName();
      if (Name == "llvm.nvvm.exit")
        HasExit = true;
      if (Name.contains("mapa") || Name.contains("cluster"))
        return false;
    }
    if (isGridBarrierMark(I))
      return HasGridBarrier = true;
    if (Unchecked && Unchecked->contains(&I))
      return true;
    Operation O = classify(I);
    Sites += O.Kind != OperationKind::None;
    switch (O.Kind) {
    case OperationKind::None:
      return true;
    case OperationKind::Weak:
    case OperationKind::Range:
      return access(O, I);
    case OperationKind::Strong:
      if (!isPlainRmw(O, I))
        Mixed = true;
      return access(O, I);
    case OperationKind::BlockBarrier: {
      auto *Id = dyn_cast<ConstantInt>(O.Id);
      HasBarrier = true;
      return Id && Id->isZero() && !O.Count && O.Barrier != abi::BarrierKind::Arrive;
    }
    case OperationKind::InlineAsm:
      return text(cast<InlineAsm>(C->getCalledOperand())->getAsmString());
    case OperationKind::Ptx:
      return text(O.Ptx);
    case OperationKind::Fence:
    case OperationKind::WarpBarrier:
      return Mixed = true;
    case OperationKind::Unmodelled:
      return false;
    }
    return false;
  }
  bool access(const Operation &O, const Instruction &I) {
    ++Operations;
    uint64_t Bytes =
        O.ValueType ? I.getDataLayout().getTypeStoreSize(O.ValueType).getFixedValue() : 0;
    for (const Value *Address : {O.Address, O.Source})
      if (Address && !isPrivateOrConstant(Address) && windowOf(Address) != Window::Global)
        shared(O.Kind == OperationKind::Range ? 0 : Bytes);
    return true;
  }
  void shared(uint64_t Bytes) {
    UsesShared = true;
    SharedInWords &= Bytes == 4 || Bytes == 8 || Bytes == 16;
  }
  /// Relaxed, wide enough for every thread that can have the word, one size in the kernel: such
  /// operations are morally strong with each other.
  bool isPlainRmw(const Operation &O, const Instruction &I) {
    if (isPrivateOrConstant(O.Address))
      return true;
    if (O.FenceBefore || O.Op.order() != MemoryOrder::Relaxed || O.Op.isVolatile() ||
        (O.Op.kind() != AccessKind::Rmw && O.Op.kind() != AccessKind::Red))
      return false;
    Scope Needed = windowOf(O.Address) == Window::Shared ? Scope::Block : Scope::Device;
    uint64_t Bytes = I.getDataLayout().getTypeStoreSize(O.ValueType).getFixedValue();
    // The host may see by it what the kernel did (S16): its value must be known.
    if (Host && O.Op.scope() == Scope::System)
      return false;
    if (O.Op.scope() < Needed || (Bytes != 4 && Bytes != 8) || O.ValueType->isVectorTy())
      return false;
    if (!RmwBytes)
      RmwBytes = Bytes;
    return RmwBytes == Bytes;
  }
  bool text(StringRef Text) {
    if (Text.contains("exit"))
      return false;
    std::string Error;
    std::optional<ptx::Program> P = ptx::parse(Text, Error);
    if (!P)
      return false;
    for (const ptx::Effect &E : ptx::effects(*P)) {
      if (E.Kind == ptx::EffectKind::Fence || E.Kind == ptx::EffectKind::WarpBarrier ||
          (E.Kind == ptx::EffectKind::Access && E.Op.isStrong()))
        Mixed = true;
      else if (E.Kind != ptx::EffectKind::Access)
        return false;
      if (E.Kind != ptx::EffectKind::Access)
        continue;
      ++Operations, ++Sites;
      if (E.Op.space() != abi::Space::Global && E.Op.space() != abi::Space::Const)
        shared(E.bytes());
    }
    return true;
  }

  const DenseSet<const Instruction *> *Unchecked;
  SmallVector<Function *, 8> Stack;
  unsigned Instructions = 0, Operations = 0;
  uint64_t RmwBytes = 0;
};

/// Inlines every call of a function that has a body.
bool inlineAll(Function &F) {
  for (bool Again = true; Again;) {
    Again = false;
    SmallVector<CallBase *, 16> Calls;
    for (Instruction &I : instructions(F))
      if (auto *C = dyn_cast<CallBase>(&I))
        if (Function *Callee = C->getCalledFunction(); Callee && !Callee->isDeclaration())
          Calls.push_back(C);
    for (CallBase *C : Calls) {
      if (!C->getDebugLoc() && F.getSubprogram())
        C->setDebugLoc(DILocation::get(F.getContext(), 0, 0, F.getSubprogram()));
      InlineFunctionInfo Info;
      if (!InlineFunction(*C, Info, /*MergeAttributes=*/true).isSuccess())
        return false;
      Again = true;
    }
  }
  return true;
}

/// The hooks of accesses and synchronization are not inlined.
void keepCalls(Function &F) {
  for (Instruction &I : instructions(F))
    if (auto *C = dyn_cast<CallBase>(&I))
      if (Function *Callee = C->getCalledFunction();
          Callee && Callee->hasFnAttribute(Attribute::AlwaysInline) &&
          Callee->getName().starts_with("__scopesan_fast_") &&
          Callee->getName() != "__scopesan_fast_enter")
        C->addFnAttr(Attribute::NoInline);
}

bool isBlockBarrier(Instruction &I) { return classify(I).Kind == OperationKind::BlockBarrier; }

bool hasAtomicsOf128Bits(const Function &F) { return computeCapability(F) >= 90; }

} // namespace

Window windowOf(const Value *Pointer) {
  unsigned Space = Pointer->getType()->getPointerAddressSpace();
  if (Space == GlobalAddressSpace)
    return Window::Global;
  if (Space == SharedAddressSpace)
    return Window::Shared;
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Pointer, Objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  auto IsShared = [](const Value *V) {
    return V->getType()->isPointerTy() &&
           V->getType()->getPointerAddressSpace() == SharedAddressSpace;
  };
  if (all_of(Objects, isKnownGlobal))
    return Window::Global;
  return all_of(Objects, IsShared) ? Window::Shared : Window::Any;
}

KernelPlans planKernels(Module &M, ModuleAnalysisManager &MAM) {
  KernelPlans Plans;
  if (GpuMode == "logged")
    return Plans;
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  SmallVector<Function *, 8> Kernels;
  for (Function &F : M)
    if (!F.isDeclaration() && F.getCallingConv() == CallingConv::PTX_Kernel)
      Kernels.push_back(&F);
  for (Function *F : Kernels) {
    Census Seen;
    if (!hasAtomicsOf128Bits(*F) || !Seen.add(*F) || (Seen.HasBarrier && Seen.HasExit) ||
        ((Seen.Mixed || Seen.isLarge()) && GpuMode != "mixed") || !inlineAll(*F))
      continue;
    FAM.invalidate(*F, PreservedAnalyses::none());
    bool Proven = true;
    if (Seen.HasBarrier) {
      auto IsBarrier = [](const BasicBlock &B) {
        return any_of(const_cast<BasicBlock &>(B), isBlockBarrier);
      };
      Proven = isUniformlyExecuted(*F, FAM.getResult<UniformityInfoAnalysis>(*F), IsBarrier);
      // Where the log tells which threads have ended, it is found out while the kernel runs.
      if (!Proven && (!Seen.Mixed || !isLikelyUniform(*F, IsBarrier)))
        continue;
    }
    KernelPlan &Plan = Plans[F];
    Plan.TrustsBarriers = !Proven;
    Plan.CallsHooks = Seen.isLarge();
    Plan.Mode = Seen.Mixed ? gpu::KernelMode::Mixed : gpu::KernelMode::Syncless;
    if (Seen.UsesShared && Proven)
      Plan.Elided = elideByPhases(*F, FAM.getResult<ScalarEvolutionAnalysis>(*F), Seen.Mixed);
    Census Checked(&Plan.Elided.Always);
    Checked.add(*F);
    if (Checked.UsesShared && !Seen.Mixed && Checked.SharedInWords &&
        Checked.Sites < gpu::MostBlockSites / 2)
      Plan.Frame = frameOf(*F);
    if (Checked.UsesShared && !Plan.Frame.Bytes)
      Plan.Flags = gpu::UsesShared;
    if (Seen.HasGridBarrier)
      Plan.Flags |= gpu::UsesGridBarrier;
  }
  return Plans;
}

void finishKernels(Module &M, const KernelPlans &Plans, ModuleAnalysisManager &MAM) {
  if (Plans.empty())
    return;
  for (auto &[F, Plan] : Plans)
    if (Plan.Frame.Bytes)
      layOut(*F, Plan.Frame);
  for (auto &[F, Plan] : Plans)
    if (Plan.CallsHooks)
      keepCalls(*F);
  MAM.invalidate(M, PreservedAnalyses::none());
  AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false).run(M, MAM);
  MAM.invalidate(M, PreservedAnalyses::none());
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  FunctionPassManager Clean;
  Clean.addPass(SROAPass(SROAOptions::ModifyCFG));
  Clean.addPass(DSEPass()); // of the state's fields that nobody reads
  Clean.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  Clean.addPass(SimplifyCFGPass());
  for (auto &[F, Plan] : Plans)
    Clean.run(*F, FAM);
}

} // namespace scopesan::pass
