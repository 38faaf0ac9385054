#include "HostCode.h"

#include "HostLibrary.h"
#include "Instrument.h"
#include "Semantics.h"
#include "SiteTable.h"

#include "scopesan/host_abi.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using scopesan::abi::AccessKind;

namespace scopesan::pass {
namespace {

constexpr const char SiteBaseName[] = "__scopesan_host_site_base";

struct Signature {
  StringLiteral Name, Parameters;
};
constexpr Signature Table[] = {
#define SCOPESAN_HOST_ABI(name, parameters) {#name, #parameters},
#include "scopesan/host_abi.def"
};

/// Private to the thread for certain, or never written.
bool isUninteresting(const Value *Pointer) {
  const Value *Object = getUnderlyingObject(Pointer, /*MaxLookup=*/0);
  if (auto *G = dyn_cast<GlobalVariable>(Object))
    return G->isConstant() || G->isThreadLocal();
  return isa<AllocaInst>(Object);
}

/// Assembly that neither touches memory nor orders threads.
bool isHarmlessAsm(const InlineAsm &A) {
  return StringSwitch<bool>(StringRef(A.getAsmString()).trim(" \t\n;"))
      .Cases({"", "pause", "rep; nop", "rep nop", "nop", "cpuid", "rdtsc"}, true)
      .Default(false);
}

class HostInstrumenter {
public:
  explicit HostInstrumenter(Module &M);
  void run();

private:
  /// What an instruction is to be reported as.
  enum class Form { Nothing, Weak, Range, Library, Strong, Fence, Unmodelled };
  struct Item {
    Instruction *I;
    Form Kind;
    Operation O;
  };

  Item classifyHost(Instruction &I);
  void function(Function &F);
  void instruction(Item &It);
  void weak(Instruction &I, Operation &O);
  void range(MemIntrinsic &I);
  void library(CallBase &I);
  void libraryEffect(IRBuilderBase &B, CallBase &I, const LibraryEffect &E, StringRef Name);
  void strong(Instruction &I, Operation &O);
  void report(IRBuilderBase &B, AccessKind Kind, Value *Address, Value *Bytes, uint32_t Site);
  void registerModule();

  uint32_t bytesOf(Type *T) const {
    return uint32_t(M.getDataLayout().getTypeStoreSize(T).getFixedValue());
  }
  void call(IRBuilderBase &B, StringRef Name, ArrayRef<Value *> Arguments) {
    B.CreateCall(M.getFunction(Name), Arguments);
  }
  Value *site(IRBuilderBase &B, uint32_t Index) {
    LoadInst *Base = B.CreateAlignedLoad(B.getInt32Ty(), SiteBase, Align(4));
    return Index ? B.CreateAdd(Base, B.getInt32(Index)) : Base;
  }

  Module &M;
  SiteTable Sites;
  GlobalVariable *SiteBase;
};

HostInstrumenter::HostInstrumenter(Module &M) : M(M) {
  LLVMContext &C = M.getContext();
  Type *I32 = Type::getInt32Ty(C);
  SiteBase = new GlobalVariable(M, I32, /*isConstant=*/false, GlobalValue::InternalLinkage,
                                ConstantInt::get(I32, 0), SiteBaseName);
  for (const Signature &S : Table) {
    SmallVector<StringRef, 7> Parts;
    S.Parameters.trim("()").split(Parts, ',', -1, /*KeepEmpty=*/false);
    SmallVector<Type *, 7> Types;
    for (StringRef P : Parts) {
      StringRef Name = P.trim().split(' ').first;
      Types.push_back(Name == "ptr"   ? PointerType::get(C, 0)
                      : Name == "i32" ? I32
                                      : static_cast<Type *>(Type::getInt64Ty(C)));
    }
    FunctionCallee F =
        M.getOrInsertFunction(S.Name, FunctionType::get(Type::getVoidTy(C), Types, false));
    cast<Function>(F.getCallee())->addFnAttr(Attribute::NoUnwind);
  }
}

HostInstrumenter::Item HostInstrumenter::classifyHost(Instruction &I) {
  if (isa<MemIntrinsic>(I))
    return {&I, Form::Range, {}};
  if (auto *Call = dyn_cast<CallBase>(&I)) {
    auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand());
    if (Asm && Call->mayReadOrWriteMemory() && !isHarmlessAsm(*Asm))
      return {&I, Form::Unmodelled, {}};
    // Atomics that are too wide for an instruction.
    const Function *Callee = Call->getCalledFunction();
    if (Callee && Callee->isDeclaration() && Callee->getName().starts_with("__atomic_"))
      return {&I, Form::Unmodelled, {}};
    return {&I, libraryFunction(*Call) ? Form::Library : Form::Nothing, {}};
  }
  if (!isa<LoadInst, StoreInst, AtomicRMWInst, AtomicCmpXchgInst, FenceInst>(I))
    return {&I, Form::Nothing, {}};
  Operation O = classify(I);
  switch (O.Kind) {
  case OperationKind::Fence:
    return {&I, Form::Fence, O};
  case OperationKind::Weak:
    return {&I, isUninteresting(O.Address) ? Form::Nothing : Form::Weak, O};
  case OperationKind::Strong:
    return {&I, isUninteresting(O.Address) && O.Op.isVolatile() ? Form::Nothing : Form::Strong, O};
  case OperationKind::Unmodelled:
    return {&I, Form::Unmodelled, O};
  default:
    return {&I, Form::Nothing, O};
  }
}

void HostInstrumenter::report(IRBuilderBase &B, AccessKind Kind, Value *Address, Value *Bytes,
                              uint32_t Site) {
  call(B, Kind == AccessKind::Store ? "__scopesan_host_write" : "__scopesan_host_read",
       {Address, B.CreateZExtOrTrunc(Bytes, B.getInt64Ty()), site(B, Site)});
}

static std::string typeText(Type *T) {
  std::string Text;
  raw_string_ostream OS(Text);
  T->print(OS);
  return Text;
}

void HostInstrumenter::weak(Instruction &I, Operation &O) {
  uint32_t Bytes = bytesOf(O.ValueType);
  if (!Bytes)
    return;
  IRBuilder<> B(&I);
  uint32_t Site = Sites.add(I, O.Op, Bytes, typeText(O.ValueType));
  report(B, O.Op.kind(), O.Address, B.getInt64(Bytes), Site);
}

void HostInstrumenter::range(MemIntrinsic &I) {
  IRBuilder<> B(&I);
  auto One = [&](Value *Address, AccessKind Kind) {
    if (isUninteresting(Address))
      return;
    abi::Op Op(Kind, abi::MemoryOrder::Weak, abi::Scope::Thread);
    uint32_t Site = Sites.add(I, Op, 0, isa<MemTransferInst>(I) ? "memcpy" : "memset");
    report(B, Kind, Address, I.getLength(), Site);
  };
  if (auto *Transfer = dyn_cast<MemTransferInst>(&I))
    One(Transfer->getSource(), AccessKind::Load);
  One(I.getDest(), AccessKind::Store);
}

void HostInstrumenter::libraryEffect(IRBuilderBase &B, CallBase &I, const LibraryEffect &E,
                                     StringRef Name) {
  Value *Address = E.Pointer == LibraryEffect::Result ? &I : I.getArgOperand(E.Pointer);
  if (isUninteresting(Address))
    return;
  AccessKind Kind = E.IsWrite ? AccessKind::Store : AccessKind::Load;
  uint32_t Site = Sites.add(I, abi::Op(Kind, abi::MemoryOrder::Weak, abi::Scope::Thread), 0, Name);
  if (Value *Bytes = extentBytes(B, I, E))
    return report(B, Kind, Address, Bytes, Site);
  bool IsCommon = E.Size == Extent::Common || E.Size == Extent::CommonBelow;
  bool IsLimited = E.Size == Extent::StringBelow || E.Size == Extent::CommonBelow;
  Value *Most = B.getInt64(~0ull);
  if (IsLimited)
    Most = B.CreateZExtOrTrunc(I.getArgOperand(IsCommon ? E.Second : E.First), B.getInt64Ty());
  if (IsCommon)
    return call(B, "__scopesan_host_common",
                {Address, I.getArgOperand(E.First), Most, site(B, Site)});
  call(B, "__scopesan_host_string", {Address, Most, B.getInt32(E.IsWrite), site(B, Site)});
}

void HostInstrumenter::library(CallBase &I) {
  const LibraryFunction &F = *libraryFunction(I);
  IRBuilder<> Before(&I);
  for (const LibraryEffect &E : F.Effects)
    if (!E.isLate())
      libraryEffect(Before, I, E, F.Name);
  if (none_of(F.Effects, [](const LibraryEffect &E) { return E.isLate(); }))
    return;
  Instruction *Next = I.getNextNode();
  if (auto *Invoke = dyn_cast<InvokeInst>(&I)) {
    BasicBlock *To = Invoke->getNormalDest();
    if (!To->getUniquePredecessor())
      To = SplitEdge(I.getParent(), To);
    Next = &*To->getFirstInsertionPt();
  }
  IRBuilder<> After(Next);
  After.SetCurrentDebugLocation(I.getDebugLoc());
  for (const LibraryEffect &E : F.Effects)
    if (E.isLate())
      libraryEffect(After, I, E, F.Name);
}

/// O3 is about PTX: of a host access seq_cst adds no fence, only an order of its own.
void HostInstrumenter::strong(Instruction &I, Operation &O) {
  IRBuilder<> B(&I);
  uint32_t Bytes = bytesOf(O.ValueType);
  uint32_t Site = Sites.add(I, O.Op, Bytes, typeText(O.ValueType));
  call(B, "__scopesan_host_atomic_before", {O.Address});
  IRBuilder<> After(I.getNextNode());
  After.SetCurrentDebugLocation(I.getDebugLoc());
  Value *Wrote = After.getInt32(O.Op.isWrite());
  if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    Wrote = After.CreateZExt(After.CreateExtractValue(Exchange, 1), After.getInt32Ty());
  call(After, "__scopesan_host_atomic_after",
       {O.Address, After.getInt32(Bytes), After.getInt32(Sites.op(Site).raw()), site(After, Site),
        Wrote});
}

void HostInstrumenter::instruction(Item &It) {
  Instruction &I = *It.I;
  switch (It.Kind) {
  case Form::Nothing:
    return;
  case Form::Weak:
    return weak(I, It.O);
  case Form::Range:
    return range(cast<MemIntrinsic>(I));
  case Form::Library:
    return library(cast<CallBase>(I));
  case Form::Strong:
    return strong(I, It.O);
  case Form::Fence: {
    IRBuilder<> B(&I);
    uint32_t Site = Sites.add(I, It.O.Op, 0, "");
    return call(B, "__scopesan_host_fence", {B.getInt32(It.O.Op.raw()), site(B, Site)});
  }
  case Form::Unmodelled: {
    IRBuilder<> B(&I);
    std::string Text;
    raw_string_ostream OS(Text);
    I.print(OS);
    uint32_t Site = Sites.add(I, abi::Op(), 0, StringRef(Text).trim());
    return call(B, "__scopesan_host_unmodelled", {site(B, Site)});
  }
  }
}

void HostInstrumenter::function(Function &F) {
  if (F.hasFnAttribute(Attribute::Naked) ||
      F.hasFnAttribute(Attribute::DisableSanitizerInstrumentation) ||
      F.getName().starts_with("__scopesan_"))
    return;
  std::vector<Item> Work;
  for (Instruction &I : instructions(F))
    if (Item It = classifyHost(I); It.Kind != Form::Nothing)
      Work.push_back(std::move(It));
  for (Item &It : Work) {
    if (!It.I->getDebugLoc() && F.getSubprogram())
      It.I->setDebugLoc(DILocation::get(F.getContext(), 0, 0, F.getSubprogram()));
    instruction(It);
  }
}

/// Runs before every other constructor: also before those that register device code.
void HostInstrumenter::registerModule() {
  Sites.emit(M, *SiteBase);
  GlobalVariable *Description = M.getNamedGlobal(abi::ModuleSymbol);
  Description->setLinkage(GlobalValue::InternalLinkage);
  Function *Start =
      Function::Create(FunctionType::get(Type::getVoidTy(M.getContext()), false),
                       GlobalValue::InternalLinkage, "__scopesan_host_module_ctor", M);
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "", Start));
  call(B, "__scopesan_host_module", {Description});
  B.CreateRetVoid();
  appendToGlobalCtors(M, Start, /*Priority=*/0);
}

void HostInstrumenter::run() {
  SmallVector<Function *, 16> Functions;
  for (Function &F : M)
    if (!F.isDeclaration() && !F.hasAvailableExternallyLinkage())
      Functions.push_back(&F);
  for (Function *F : Functions)
    function(*F);
  registerModule();
  for (Function *F : Functions) {
    dropBrokenPromises(*F);
    for (Instruction &I : instructions(*F))
      if (auto *C = dyn_cast<CallBase>(&I))
        dropBrokenPromises(*C);
  }
}

} // namespace

void instrumentHost(Module &M) { HostInstrumenter(M).run(); }

void markPlainHost(Module &M) {
  Constant *Name = ConstantDataArray::getString(M.getContext(), M.getSourceFileName());
  auto *Mark = new GlobalVariable(M, Name->getType(), /*isConstant=*/true,
                                  GlobalValue::PrivateLinkage, Name, "__scopesan_plain");
  Mark->setSection(abi::PlainSection);
  Mark->setAlignment(Align(1));
  appendToUsed(M, {Mark});
}

} // namespace scopesan::pass
