#include "Managed.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace scopesan::pass {
namespace {

constexpr const char Section[] = "scopesan_managed";
/// Of the pointer variable that holds the address, after the variable's own name. External where
/// the variable is: units linked with -fgpu-rdc share it.
constexpr const char AddressSuffix[] = ".scopesan_managed";
/// clang's names in a unit that registers its own device code.
constexpr const char Registration[] = "__cuda_register_globals";
constexpr const char FatbinHandle[] = "__cuda_gpubin_handle";

/// The variables of the section, which has done its duty.
SmallVector<GlobalVariable *> takeManagedVariables(Module &M) {
  SmallVector<GlobalVariable *> Found;
  for (GlobalVariable &G : M.globals())
    if (G.getSection() == Section) {
      G.setSection("");
      Found.push_back(&G);
    }
  return Found;
}

class Redirection {
public:
  explicit Redirection(Module &M)
      : M(M), C(M.getContext()), Pointer(PointerType::get(C, 0)),
        Handle(M.getNamedGlobal(FatbinHandle)) {}

  void run(ArrayRef<GlobalVariable *> Variables);

private:
  GlobalVariable *createSlot(GlobalVariable &Variable);
  Function *accessor();
  void registerManaged(GlobalVariable &Variable, GlobalVariable &Slot);
  void redirectInstructions(GlobalVariable &Variable, GlobalVariable &Slot);
  void redirectInitializers(GlobalVariable &Variable, GlobalVariable &Slot);
  void storeAtStart(GlobalVariable &Target, uint64_t Offset, Constant *Value,
                    GlobalVariable &Variable, GlobalVariable &Slot);
  bool holds(Constant *Value, GlobalVariable &Variable);
  Constant *withoutVariable(Constant *Value, GlobalVariable &Target, uint64_t Offset,
                            GlobalVariable &Variable, GlobalVariable &Slot);

  Module &M;
  LLVMContext &C;
  PointerType *Pointer;
  GlobalVariable *Handle;
  Function *Accessor = nullptr;
  Function *Start = nullptr;
};

GlobalVariable *Redirection::createSlot(GlobalVariable &Variable) {
  bool IsDeclaration = Variable.isDeclaration();
  auto *Slot = new GlobalVariable(M, Pointer, /*isConstant=*/false, Variable.getLinkage(),
                                  IsDeclaration ? nullptr : ConstantPointerNull::get(Pointer),
                                  Variable.getName() + AddressSuffix);
  Slot->setVisibility(Variable.getVisibility());
  Slot->setDSOLocal(Variable.isDSOLocal());
  if (Comdat *Group = Variable.getComdat())
    Slot->setComdat(Group);
  return Slot;
}

/// ptr accessor(ptr slot, ptr shadow): the address in the slot, asked for at the first use.
Function *Redirection::accessor() {
  if (Accessor)
    return Accessor;
  auto *Type = FunctionType::get(Pointer, {Pointer, Pointer}, false);
  Accessor = Function::Create(Type, GlobalValue::InternalLinkage, "__scopesan_managed_address", M);
  Accessor->addFnAttr(Attribute::AlwaysInline);
  auto *Entry = BasicBlock::Create(C, "", Accessor);
  auto *Ask = BasicBlock::Create(C, "ask", Accessor);
  auto *Known = BasicBlock::Create(C, "known", Accessor);
  Value *Slot = Accessor->getArg(0), *Shadow = Accessor->getArg(1);
  IRBuilder<> B(Entry);
  Value *First = B.CreateLoad(Pointer, Slot);
  B.CreateCondBr(B.CreateIsNotNull(First), Known, Ask);
  B.SetInsertPoint(Ask);
  if (Handle) {
    FunctionCallee Init = M.getOrInsertFunction("__cudaInitModule", B.getInt8Ty(), Pointer);
    B.CreateCall(Init, {B.CreateLoad(Pointer, Handle)});
  } else {
    FunctionCallee Find =
        M.getOrInsertFunction("cudaGetSymbolAddress", B.getInt32Ty(), Pointer, Pointer);
    B.CreateCall(Find, {Slot, Shadow});
  }
  Value *Second = B.CreateLoad(Pointer, Slot);
  B.CreateBr(Known);
  B.SetInsertPoint(Known);
  PHINode *Address = B.CreatePHI(Pointer, 2);
  Address->addIncoming(First, Entry);
  Address->addIncoming(Second, Ask);
  B.CreateRet(Address);
  return Accessor;
}

/// __cudaRegisterVar(handle, shadow, ...) becomes __cudaRegisterManagedVar(handle, slot, ...).
void Redirection::registerManaged(GlobalVariable &Variable, GlobalVariable &Slot) {
  Function *F = M.getFunction(Registration);
  if (!F)
    return;
  for (Use &U : make_early_inc_range(Variable.uses())) {
    auto *Call = dyn_cast<CallInst>(U.getUser());
    if (!Call || Call->getFunction() != F || U.getOperandNo() != 1)
      continue;
    Call->setCalledFunction(M.getOrInsertFunction("__cudaRegisterManagedVar",
                                                  Call->getFunctionType(), Call->getAttributes()));
    U.set(&Slot);
  }
}

void Redirection::redirectInstructions(GlobalVariable &Variable, GlobalVariable &Slot) {
  convertUsersOfConstantsToInstructions({&Variable}, nullptr, /*RemoveDeadConstants=*/false);
  for (Use &U : make_early_inc_range(Variable.uses())) {
    auto *I = dyn_cast<Instruction>(U.getUser());
    auto *Call = dyn_cast_or_null<CallInst>(I);
    bool IsOwn = Call && Accessor && Call->getCalledFunction() == Accessor;
    if (!I || IsOwn || I->getFunction()->getName() == Registration)
      continue;
    auto *Phi = dyn_cast<PHINode>(I);
    Instruction *Before = Phi ? Phi->getIncomingBlock(U)->getTerminator() : I;
    IRBuilder<> B(Before);
    B.SetCurrentDebugLocation(I->getDebugLoc());
    CallInst *Address = B.CreateCall(accessor(), {&Slot, &Variable});
    if (Phi) // all edges of one block must agree
      for (unsigned N = 0; N < Phi->getNumIncomingValues(); ++N) {
        if (Phi->getIncomingBlock(N) == Before->getParent() &&
            Phi->getIncomingValue(N) == &Variable)
          Phi->setIncomingValue(N, Address);
      }
    else
      U.set(Address);
  }
}

bool Redirection::holds(Constant *Value, GlobalVariable &Variable) {
  if (Value == &Variable)
    return true;
  if (isa<GlobalValue>(Value))
    return false;
  return any_of(Value->operands(), [&](Use &U) {
    auto *Part = dyn_cast<Constant>(U.get());
    return Part && holds(Part, Variable);
  });
}

/// `Target` + `Offset` gets `Value`, an expression of the variable's address, before main.
void Redirection::storeAtStart(GlobalVariable &Target, uint64_t Offset, Constant *Value,
                               GlobalVariable &Variable, GlobalVariable &Slot) {
  if (!Start) {
    Start = Function::Create(FunctionType::get(Type::getVoidTy(C), false),
                             GlobalValue::InternalLinkage, "__scopesan_managed_initializers", M);
    IRBuilder<>(BasicBlock::Create(C, "", Start)).CreateRetVoid();
    appendToGlobalCtors(M, Start, 65535);
  }
  IRBuilder<> B(Start->back().getTerminator());
  B.CreateStore(Value, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), &Target, Offset));
  redirectInstructions(Variable, Slot);
}

/// `Value` at `Offset` of `Target`, its parts that need the address replaced by zero and stored at
/// start.
Constant *Redirection::withoutVariable(Constant *Value, GlobalVariable &Target, uint64_t Offset,
                                       GlobalVariable &Variable, GlobalVariable &Slot) {
  if (!holds(Value, Variable))
    return Value;
  Type *T = Value->getType();
  if (!isa<ConstantAggregate>(Value)) {
    storeAtStart(Target, Offset, Value, Variable, Slot);
    return Constant::getNullValue(T);
  }
  const DataLayout &Layout = M.getDataLayout();
  SmallVector<Constant *> Elements;
  for (unsigned I = 0; Constant *Element = Value->getAggregateElement(I); ++I) {
    uint64_t At =
        isa<StructType>(T)
            ? Layout.getStructLayout(cast<StructType>(T))->getElementOffset(I).getFixedValue()
            : I * Layout.getTypeAllocSize(Element->getType()).getFixedValue();
    Elements.push_back(withoutVariable(Element, Target, Offset + At, Variable, Slot));
  }
  if (auto *S = dyn_cast<StructType>(T))
    return ConstantStruct::get(S, Elements);
  if (auto *A = dyn_cast<ArrayType>(T))
    return ConstantArray::get(A, Elements);
  return ConstantVector::get(Elements);
}

/// Compiler tables: they name the shadow, which is what the runtime knows the variable by.
bool isTable(const GlobalVariable &G) {
  StringRef Name = G.getName();
  return Name.starts_with("llvm.") || Name.starts_with("__clang_gpu_used") ||
         Name.starts_with(".offloading.") || G.hasSection();
}

void Redirection::redirectInitializers(GlobalVariable &Variable, GlobalVariable &Slot) {
  SmallVector<GlobalVariable *> Targets;
  for (GlobalVariable &G : M.globals())
    if (G.hasInitializer() && !isTable(G) && &G != &Variable && holds(G.getInitializer(), Variable))
      Targets.push_back(&G);
  for (GlobalVariable *Target : Targets) {
    Target->setConstant(false);
    Target->setInitializer(withoutVariable(Target->getInitializer(), *Target, 0, Variable, Slot));
  }
}

void Redirection::run(ArrayRef<GlobalVariable *> Variables) {
  for (GlobalVariable *Variable : Variables) {
    GlobalVariable *Slot = createSlot(*Variable);
    registerManaged(*Variable, *Slot);
    redirectInitializers(*Variable, *Slot);
    redirectInstructions(*Variable, *Slot);
  }
}

} // namespace

void markManagedVariables(Module &M) {
  NamedMDNode *Annotations = nullptr;
  for (GlobalVariable *G : takeManagedVariables(M)) {
    if (!Annotations)
      Annotations = M.getOrInsertNamedMetadata("nvvm.annotations");
    LLVMContext &C = M.getContext();
    Metadata *Row[] = {ConstantAsMetadata::get(G), MDString::get(C, "managed"),
                       ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(C), 1))};
    Annotations->addOperand(MDNode::get(C, Row));
  }
}

void redirectManagedVariables(Module &M) {
  SmallVector<GlobalVariable *> Variables = takeManagedVariables(M);
  if (!Variables.empty())
    Redirection(M).run(Variables);
}

} // namespace scopesan::pass
