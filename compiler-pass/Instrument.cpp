#include "Instrument.h"

#include "ToolkitInline.h"

#include "AddressSpaces.h"
#include "ConstantUse.h"
#include "Elide.h"
#include "LinkRuntime.h"
#include "Options.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <optional>

using namespace llvm;
using scopesan::abi::AccessKind;

namespace scopesan::pass {
namespace {

class FunctionInstrumenter {
public:
  /// `Plan`: of a fast kernel.
  FunctionInstrumenter(InstrumentContext &Context, const KernelPlan *Plan)
      : Context(Context), Calls(Context.Calls), Plan(Plan) {}
  void run(Function &F);

private:
  void instruction(Instruction &I, Operation &O);
  void weak(Instruction &I, Operation &O);
  void range(Instruction &I, Operation &O);
  void constantRead(Instruction &I, Value *Address, Value *Length, uint32_t Bytes, StringRef Text);
  void strong(Instruction &I, Operation &O);
  void fence(Instruction &I, Operation &O);
  void blockBarrier(Instruction &I, Operation &O);
  void warpBarrier(Instruction &I, Operation &O);
  void evaluateConditions(Function &F);
  Instruction *pointOf(Instruction &I);
  uint32_t bytesOf(const Operation &O) const;

  InstrumentContext &Context;
  AbiCalls &Calls;
  const KernelPlan *Plan;
  SmallVector<Value *, 2> Holds; ///< conditions of PhaseElision
};

std::string typeText(Type *T) {
  std::string Text;
  raw_string_ostream OS(Text);
  T->print(OS);
  return Text;
}

Value *generic(IRBuilderBase &B, Value *Pointer) {
  return B.CreateAddrSpaceCast(Pointer, B.getPtrTy(GenericAddressSpace));
}

uint32_t FunctionInstrumenter::bytesOf(const Operation &O) const {
  return uint32_t(Context.M.getDataLayout().getTypeStoreSize(O.ValueType).getFixedValue());
}

void FunctionInstrumenter::weak(Instruction &I, Operation &O) {
  uint32_t Bytes = bytesOf(O);
  if (Bytes == 0)
    return;
  if (isPrivateOrConstant(O.Address)) {
    if (O.Op.kind() == AccessKind::Load) {
      IRBuilder<> B(&I);
      constantRead(I, O.Address, B.getInt32(Bytes), Bytes, typeText(O.ValueType));
    }
    return;
  }
  IRBuilder<> B(pointOf(I));
  uint32_t Site = Context.Sites.add(I, O.Op, Bytes, typeText(O.ValueType));
  B.SetCurrentDebugLocation(I.getDebugLoc());
  Calls.weak(B, O.Op, generic(B, O.Address), Bytes, Site);
}

/// Whether the stores that PhaseElision knows go to places of their own in this launch.
void FunctionInstrumenter::evaluateConditions(Function &F) {
  BasicBlock &Entry = F.getEntryBlock();
  IRBuilder<> B(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
  if (F.getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(F.getContext(), 0, 0, F.getSubprogram()));
  for (const DisjointStores &D : Plan->Elided.Conditions)
    Holds.push_back(areDisjoint(B, D));
}

/// Where the check of `I` goes: before it, perhaps in a branch.
Instruction *FunctionInstrumenter::pointOf(Instruction &I) {
  if (!Plan || !Plan->Elided.If.contains(&I))
    return &I;
  IRBuilder<> B(&I);
  Value *All = B.getTrue();
  for (unsigned C : Plan->Elided.If.lookup(&I))
    All = B.CreateAnd(All, Holds[C]);
  MDNode *Rarely = MDBuilder(I.getContext()).createBranchWeights(1, 2000);
  return SplitBlockAndInsertIfThen(B.CreateNot(All, "unsure"), &I, /*Unreachable=*/false, Rarely);
}

/// A read of what is constant for the kernel, but perhaps not for the host (O6). On the GPU such
/// reads cost nothing: the collector knows which kernels may make them (gpu::Kernel::constants).
void FunctionInstrumenter::constantRead(Instruction &I, Value *Address, Value *Length,
                                        uint32_t Bytes, StringRef Text) {
  if (Calls.forGpu() || !mayBeHostWritten(Address))
    return;
  IRBuilder<> B(&I);
  abi::Op Op(AccessKind::Load, abi::MemoryOrder::Weak, abi::Scope::Thread, abi::Space::Const);
  uint32_t Site = Context.Sites.add(I, Op, Bytes, Text);
  Calls.constantRead(B, generic(B, Address), Length, Site);
}

void FunctionInstrumenter::range(Instruction &I, Operation &O) {
  auto *Fixed = dyn_cast<ConstantInt>(O.Length);
  uint32_t Bytes = Fixed && Fixed->getValue().ult(1ull << 32) ? Fixed->getZExtValue() : 0;
  IRBuilder<> B(&I);
  auto Report = [&](Value *Address, AccessKind Kind) {
    if (isPrivateOrConstant(Address)) {
      if (Kind == AccessKind::Load)
        constantRead(I, Address, O.Length, Bytes, "memcpy");
      return;
    }
    abi::Op Op(Kind, abi::MemoryOrder::Weak, abi::Scope::Thread,
               toAbiSpace(Address->getType()->getPointerAddressSpace()));
    bool NonCoherent = Kind == AccessKind::Load && O.NonCoherentSource;
    if (NonCoherent)
      Op = Op.with(abi::Op::NonCoherentBit);
    uint32_t Site = Context.Sites.add(I, Op, Bytes, O.Source ? "memcpy" : "memset");
    if (NonCoherent) // one thread copies less than 4 GiB
      return Calls.nonCoherentRead(B, generic(B, Address), O.Length, Site);
    Calls.range(B, Kind == AccessKind::Store, generic(B, Address), O.Length, Site);
  };
  if (O.Source)
    Report(O.Source, AccessKind::Load);
  Report(O.Address, AccessKind::Store);
}

/// Value read and whether memory was written, after the access.
std::pair<Value *, Value *> outcome(IRBuilderBase &B, Instruction &I, AccessKind Kind) {
  if (Kind == AccessKind::Store)
    return {B.getInt32(1), B.getInt64(0)};
  if (Kind == AccessKind::Load)
    return {B.getInt32(0), toValueBits(B, &I)};
  if (Kind != AccessKind::Cas)
    return {B.getInt32(1), toValueBits(B, &I)};
  if (isa<AtomicCmpXchgInst>(I))
    return {B.CreateZExt(B.CreateExtractValue(&I, 1), B.getInt32Ty()),
            toValueBits(B, B.CreateExtractValue(&I, 0))};
  // llvm.nvvm.atomic.cas(pointer, expected, desired) returns the old value.
  Value *Equal = B.CreateICmpEQ(&I, cast<CallBase>(I).getArgOperand(1));
  return {B.CreateZExt(Equal, B.getInt32Ty()), toValueBits(B, &I)};
}

/// Value that `I` leaves in memory, as i64; null if unknown or wider.
Value *written(IRBuilderBase &B, Instruction &I, uint32_t Bytes) {
  if (Bytes > 8)
    return nullptr;
  if (auto *S = dyn_cast<StoreInst>(&I))
    return toValueBits(B, S->getValueOperand());
  if (auto *C = dyn_cast<AtomicCmpXchgInst>(&I))
    return toValueBits(B, C->getNewValOperand());
  if (auto *R = dyn_cast<AtomicRMWInst>(&I)) {
    if (R->getOperation() == AtomicRMWInst::Xchg)
      return toValueBits(B, R->getValOperand());
    if (R->getOperation() == AtomicRMWInst::FAdd)
      if (Value *Sum = roundedSum(B, R, R->getValOperand()))
        return toValueBits(B, Sum);
    if (!R->getType()->isIntegerTy())
      return nullptr;
    struct {
      AtomicRMWInst::BinOp Operation;
      StringRef Name;
      bool Signed;
    } static const Names[] = {
        {AtomicRMWInst::Add, "add", false},      {AtomicRMWInst::Sub, "sub", false},
        {AtomicRMWInst::And, "and", false},      {AtomicRMWInst::Or, "or", false},
        {AtomicRMWInst::Xor, "xor", false},      {AtomicRMWInst::Min, "min", true},
        {AtomicRMWInst::Max, "max", true},       {AtomicRMWInst::UMin, "min", false},
        {AtomicRMWInst::UMax, "max", false},     {AtomicRMWInst::UIncWrap, "inc", false},
        {AtomicRMWInst::UDecWrap, "dec", false},
    };
    for (const auto &N : Names)
      if (N.Operation == R->getOperation())
        return toValueBits(B, writtenByRmw(B, N.Name, N.Signed, R, R->getValOperand()));
    return nullptr;
  }
  auto *C = dyn_cast<CallBase>(&I);
  Function *Callee = C ? C->getCalledFunction() : nullptr;
  if (!Callee)
    return nullptr;
  // llvm.nvvm.atomic.OP.gen.{i,f}.SCOPE: min and max do not say whether they are signed.
  SmallVector<StringRef, 12> Parts;
  Callee->getName().split(Parts, '.');
  if (Parts.size() < 7 || Parts[2] != "atomic" || C->arg_size() < 2)
    return nullptr;
  if (Parts[3] == "cas")
    return toValueBits(B, C->getArgOperand(2));
  if (Parts[3] == "exch")
    return toValueBits(B, C->getArgOperand(1));
  if (!I.getType()->isIntegerTy() || Parts[3] == "min" || Parts[3] == "max")
    return nullptr;
  Value *New = writtenByRmw(B, Parts[3], false, &I, C->getArgOperand(1));
  return New ? toValueBits(B, New) : nullptr;
}

void FunctionInstrumenter::strong(Instruction &I, Operation &O) {
  IRBuilder<> B(&I);
  uint32_t Bytes = bytesOf(O);
  if (isPrivateOrConstant(O.Address)) {
    if (O.Op.kind() == AccessKind::Load)
      constantRead(I, O.Address, B.getInt32(Bytes), Bytes, typeText(O.ValueType));
    return;
  }
  uint32_t Site = Context.Sites.add(I, Context.strongOp(I, O.Op), Bytes, typeText(O.ValueType));
  if (O.FenceBefore)
    Calls.fence(B,
                abi::Op(AccessKind::Fence, abi::MemoryOrder::SeqCst, O.Op.scope())
                    .with(Context.Sites.op(Site).raw() & abi::Op::ToolkitBit),
                Site);
  StrongAccess A{generic(B, O.Address), Bytes, Context.Sites.op(Site), Site};
  Calls.atomicBefore(B, A);
  IRBuilder<> After(I.getNextNode());
  After.SetCurrentDebugLocation(B.getCurrentDebugLocation());
  auto [Wrote, Read] = outcome(After, I, O.Op.kind());
  Calls.atomicAfter(After, A, Wrote, Read, Calls.forGpu() ? written(After, I, Bytes) : nullptr);
}

void FunctionInstrumenter::fence(Instruction &I, Operation &O) {
  IRBuilder<> B(&I);
  uint32_t Site = Context.Sites.add(I, O.Op, 0, "");
  Calls.fence(B, Context.Sites.op(Site), Site);
}

void FunctionInstrumenter::blockBarrier(Instruction &I, Operation &O) {
  IRBuilder<> B(&I);
  uint32_t Site = Context.Sites.add(I, abi::Op(), 0, "");
  BlockBarrierCall C{O.Barrier, O.Id, O.Count ? O.Count : B.getInt32(0), Site, O.Aligned};
  Calls.blockBarrierBefore(B, C);
  IRBuilder<> After(I.getNextNode());
  After.SetCurrentDebugLocation(B.getCurrentDebugLocation());
  Calls.blockBarrierAfter(After, C);
}

void FunctionInstrumenter::warpBarrier(Instruction &I, Operation &O) {
  IRBuilder<> B(&I);
  uint32_t Site = Context.Sites.add(I, abi::Op(), 0, "");
  Calls.warpBarrierBefore(B, O.Mask, Site);
  IRBuilder<> After(I.getNextNode());
  After.SetCurrentDebugLocation(B.getCurrentDebugLocation());
  Calls.warpBarrierAfter(After, O.Mask, Site);
}

void FunctionInstrumenter::instruction(Instruction &I, Operation &O) {
  switch (O.Kind) {
  case OperationKind::None:
    return;
  case OperationKind::Weak:
    return weak(I, O);
  case OperationKind::Range:
    return range(I, O);
  case OperationKind::Strong:
    return strong(I, O);
  case OperationKind::Fence:
    return fence(I, O);
  case OperationKind::BlockBarrier:
    return blockBarrier(I, O);
  case OperationKind::WarpBarrier:
    return warpBarrier(I, O);
  case OperationKind::InlineAsm:
    return instrumentAsm(Context, cast<CallBase>(I));
  case OperationKind::Ptx:
    return instrumentIntrinsic(Context, cast<CallBase>(I), O.Ptx, O.Text);
  case OperationKind::Unmodelled: {
    IRBuilder<> B(&I);
    return Context.unmodelled(B, I, O.Text, "not modelled yet");
  }
  }
}

void FunctionInstrumenter::run(Function &F) {
  // All of it is looked at first: the calls inserted for one instruction must not be.
  Context.OnlyWaysOut = onlyWaysOut(F);
  std::vector<std::pair<Instruction *, Operation>> Work;
  for (Instruction &I : instructions(F))
    if (Operation O = classify(I); O.Kind != OperationKind::None)
      Work.emplace_back(&I, std::move(O));
  if (Plan) { // its own accesses are not looked at
    Calls.beginKernel(F, *Plan, uint32_t(Context.Sites.size()));
    evaluateConditions(F);
  }
  for (auto &[I, O] : Work) {
    if (isGridBarrierMark(*I)) {
      if (Plan)
        Calls.gridBarrier(*I);
      continue;
    }
    if (Plan && Plan->Elided.Always.contains(I))
      continue;
    // Reports and the verifier need a location on calls in functions with debug information.
    if (!I->getDebugLoc() && F.getSubprogram())
      I->setDebugLoc(DILocation::get(F.getContext(), 0, 0, F.getSubprogram()));
    instruction(*I, O);
  }
}

} // namespace

Value *toValueBits(IRBuilderBase &B, Value *V) {
  Type *T = V->getType();
  if (T->isPointerTy())
    return B.CreatePtrToInt(V, B.getInt64Ty());
  if (T->isAggregateType() || !T->isSized() || T->isVoidTy())
    return B.getInt64(0);
  Type *Bits = B.getIntNTy(unsigned(T->getPrimitiveSizeInBits()));
  return B.CreateZExtOrTrunc(B.CreateBitCast(V, Bits), B.getInt64Ty());
}

void InstrumentContext::unmodelled(IRBuilderBase &B, const Instruction &I, StringRef Text,
                                   StringRef Reason) {
  // Before and after: the operation may have synchronized, in either direction.
  uint32_t Site = Sites.add(I, abi::Op(), 0, Text);
  Calls.unmodelled(B, Site);
  if (const Instruction *Next = I.getNextNode(); Next && !I.isTerminator()) {
    IRBuilder<> After(const_cast<Instruction *>(Next));
    After.SetCurrentDebugLocation(I.getDebugLoc());
    Calls.unmodelledAfter(After, Site);
  }
  if (Calls.forGpu()) // the snapshot's copy has said it
    return;
  if (!Notes || !Noted.insert(Text).second)
    return;
  // Written directly: clang hides notes and remarks of the back end, and -Werror must not apply.
  raw_ostream &OS = errs();
  if (const DILocation *L = I.getDebugLoc(); L && L->getLine())
    OS << L->getFilename() << ':' << L->getLine() << ':' << L->getColumn() << ": ";
  else
    OS << M.getSourceFileName() << ": ";
  OS << "note: ScopeSan: " << Reason << " (X1 incomplete): " << Text << '\n';
}

void dropBrokenPromises(Function &F) {
  for (Attribute::AttrKind Kind :
       {Attribute::Memory, Attribute::NoSync, Attribute::NoFree, Attribute::WillReturn,
        Attribute::NoRecurse, Attribute::Speculatable, Attribute::NoCallback})
    F.removeFnAttr(Kind);
  if (F.getParent()->getTargetTriple().isNVPTX())
    F.addFnAttr(Attribute::Convergent);
  for (Argument &A : F.args())
    for (Attribute::AttrKind Kind :
         {Attribute::ReadNone, Attribute::ReadOnly, Attribute::WriteOnly, Attribute::Captures,
          Attribute::Initializes, Attribute::NoFree})
      A.removeAttr(Kind);
}

/// The same for calls of functions of this module, and for asm that the calls now surround.
void dropBrokenPromises(CallBase &C) {
  const Function *Callee = C.getCalledFunction();
  if (Callee && Callee->isDeclaration())
    return;
  for (Attribute::AttrKind Kind : {Attribute::Memory, Attribute::NoSync, Attribute::NoFree,
                                   Attribute::WillReturn, Attribute::NoCallback})
    C.removeFnAttr(Kind);
  for (unsigned I = 0; I < C.arg_size(); ++I)
    for (Attribute::AttrKind Kind : {Attribute::ReadNone, Attribute::ReadOnly, Attribute::WriteOnly,
                                     Attribute::Captures, Attribute::Initializes})
      C.removeParamAttr(I, Kind);
}

Value *roundedSum(IRBuilderBase &B, Value *Old, Value *Operand) {
  if (!Old->getType()->isFloatTy() && !Old->getType()->isDoubleTy())
    return nullptr;
  // A plain fadd may be contracted with what makes the operand.
  Intrinsic::ID Add =
      Old->getType()->isFloatTy() ? Intrinsic::nvvm_add_rn_f : Intrinsic::nvvm_add_rn_d;
  return B.CreateIntrinsic(Add, {}, {Old, Operand});
}

Value *writtenByRmw(IRBuilderBase &B, StringRef Name, bool Signed, Value *Old, Value *Operand) {
  auto Choose = [&](CmpInst::Predicate P) {
    return B.CreateSelect(B.CreateICmp(P, Old, Operand), Old, Operand);
  };
  Type *T = Old->getType();
  Value *Zero = ConstantInt::get(T, 0), *One = ConstantInt::get(T, 1);
  if (Name == "add")
    return B.CreateAdd(Old, Operand);
  if (Name == "sub")
    return B.CreateSub(Old, Operand);
  if (Name == "exch")
    return Operand;
  if (Name == "and")
    return B.CreateAnd(Old, Operand);
  if (Name == "or")
    return B.CreateOr(Old, Operand);
  if (Name == "xor")
    return B.CreateXor(Old, Operand);
  if (Name == "min")
    return Choose(Signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT);
  if (Name == "max")
    return Choose(Signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT);
  if (Name == "inc")
    return B.CreateSelect(B.CreateICmpUGE(Old, Operand), Zero, B.CreateAdd(Old, One));
  if (Name == "dec")
    return B.CreateSelect(B.CreateOr(B.CreateICmpEQ(Old, Zero), B.CreateICmpUGT(Old, Operand)),
                          Operand, B.CreateSub(Old, One));
  return nullptr;
}

/// Is `C` the inline PTX `Text` and nothing else?
static bool isAsm(const CallBase &C, StringRef Text) {
  return C.isInlineAsm() &&
         StringRef(cast<InlineAsm>(C.getCalledOperand())->getAsmString()).trim(" \t\n;") == Text;
}

/// Every way out of a kernel, and `exit` anywhere. What traps or asserts ends the whole grid.
static SmallVector<Instruction *, 4> exitsOf(Function &F) {
  SmallVector<Instruction *, 4> Exits;
  for (Instruction &I : instructions(F)) {
    if (isa<ReturnInst>(I) && F.getCallingConv() == CallingConv::PTX_Kernel)
      Exits.push_back(&I);
    auto *C = dyn_cast<CallBase>(&I);
    if (!C)
      continue;
    if (C->getCalledFunction() && C->getCalledFunction()->getName() == "llvm.nvvm.exit")
      Exits.push_back(&I);
    else if (isAsm(*C, "exit"))
      Exits.push_back(&I);
  }
  return Exits;
}

/// S7: exited threads no longer count.
static void announceExits(Function &F, AbiCalls &Calls) {
  for (Instruction *I : exitsOf(F)) {
    IRBuilder<> B(I);
    if (!I->getDebugLoc() && F.getSubprogram())
      B.SetCurrentDebugLocation(DILocation::get(F.getContext(), 0, 0, F.getSubprogram()));
    Calls.threadExit(B);
  }
}

/// D8: peers of a cluster and bulk copies may use a block's shared memory; a report says where its
/// owner ended.
static bool mayOutliveBlock(StringRef Operation) {
  return Operation.contains("cluster") || Operation.contains("mapa") ||
         Operation.contains("async.bulk");
}
static bool tellsEnds(const Module &M) {
  for (const Function &F : M) {
    if (F.isIntrinsic() && mayOutliveBlock(F.getName()))
      return true;
    for (const Instruction &I : instructions(F))
      if (auto *C = dyn_cast<CallBase>(&I); C && C->isInlineAsm())
        if (mayOutliveBlock(cast<InlineAsm>(C->getCalledOperand())->getAsmString()))
          return true;
  }
  return false;
}

/// On the CPU backend a thread's last place is known to the engine.
static void announceEnds(Function &F, InstrumentContext &Context) {
  for (Instruction *I : exitsOf(F)) {
    IRBuilder<> B(I);
    if (!I->getDebugLoc() && F.getSubprogram())
      I->setDebugLoc(DILocation::get(F.getContext(), 0, 0, F.getSubprogram()));
    B.SetCurrentDebugLocation(I->getDebugLoc());
    abi::Op Op(AccessKind::Exit, abi::MemoryOrder::Weak, abi::Scope::Thread);
    uint32_t Site = Context.Sites.add(*I, Op, 0, "");
    Context.Calls.entry(B, "__scopesan_waiting", {}, Op, Site);
  }
}

/// X1 of a kernel that traps says where.
static void announceTraps(Function &F, InstrumentContext &Context) {
  SmallVector<CallBase *, 4> Traps;
  for (Instruction &I : instructions(F))
    if (auto *C = dyn_cast<CallBase>(&I);
        C && C->getDebugLoc() && (C->getIntrinsicID() == Intrinsic::trap || isAsm(*C, "trap")))
      Traps.push_back(C);
  for (CallBase *C : Traps) {
    IRBuilder<> B(C);
    uint32_t Site = Context.Sites.add(*C, abi::Op(), 0, "");
    Context.Calls.entry(B, "__scopesan_waiting", {}, abi::Op(), Site);
  }
}

/// Tells the names of the shared variables that `F` itself uses (naming others would allocate
/// them). ptxas drops their symbols.
static void announceShared(Function &F, InstrumentContext &Context, const KernelPlan *Plan) {
  SetVector<GlobalVariable *> Used = sharedVariablesOf(F);
  if (Plan)
    Used.remove(Plan->Frame.Cells);
  if (Used.empty())
    return;
  Instruction &First = *F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  IRBuilder<> B(&First);
  if (F.getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(F.getContext(), 0, 0, F.getSubprogram()));
  for (GlobalVariable *G : Used) {
    uint64_t Bytes = Context.M.getDataLayout().getTypeAllocSize(G->getValueType());
    if (!Bytes || G->isDeclaration())
      continue; // dynamic shared memory
    uint32_t Site = Context.Sites.add(First, abi::Op(), uint32_t(Bytes), demangle(G->getName()));
    Context.Calls.sharedVariable(B, generic(B, G), uint32_t(Bytes), Site);
  }
}

/// The parts that both forms share.
static void instrumentFunctions(InstrumentContext &Context, const KernelPlans &Plans) {
  Module &M = Context.M;
  SmallVector<Function *, 16> Functions;
  std::optional<ConstantUse> Constants;
  if (Context.Calls.forGpu())
    Constants.emplace(M);
  bool TellEnds = !Context.Calls.forGpu() && tellsEnds(M);
  for (Function &F : M)
    if (!F.isDeclaration())
      Functions.push_back(&F);
  for (Function *F : Functions) {
    auto Plan = Plans.find(F);
    bool IsFast = Plan != Plans.end();
    auto First = uint32_t(Context.Sites.size());
    FunctionInstrumenter(Context, IsFast ? &Plan->second : nullptr).run(*F);
    if (TellEnds)
      announceEnds(*F, Context);
    if (!Context.Calls.forGpu())
      announceTraps(*F, Context);
    if (Context.Calls.forGpu()) {
      announceExits(*F, Context.Calls);
      announceShared(*F, Context, IsFast ? &Plan->second : nullptr);
      if (F->getCallingConv() == CallingConv::PTX_Kernel) {
        Context.Calls.enterKernel(*F); // before all other calls
        Context.Sites.addKernel(F->getName(), IsFast ? Plan->second.Mode : gpu::KernelMode::Logged,
                                IsFast ? First : 0,
                                Constants->of(*F) | (IsFast ? Plan->second.Flags : 0),
                                IsFast ? Plan->second.elided() : 0);
      }
    }
    Context.Calls.endKernel();
  }
  // Last: the classification of later functions reads these attributes (O6).
  for (Function *F : Functions) {
    dropBrokenPromises(*F);
    for (Instruction &I : instructions(*F))
      if (auto *C = dyn_cast<CallBase>(&I))
        dropBrokenPromises(*C);
  }
}

void instrument(Module &M) {
  InstrumentContext Context(M, /*ForGpu=*/false);
  if (Check)
    instrumentFunctions(Context, KernelPlans());
  Context.Sites.emit(M, Context.Calls.siteBase());
  appendToCompilerUsed(M, {M.getNamedGlobal(abi::ModuleSymbol), &Context.Calls.siteBase()});
}

void instrumentForGpu(Module &M, const KernelPlans &Plans) {
  InstrumentContext Context(M, /*ForGpu=*/true);
  instrumentFunctions(Context, Plans);
  Context.Calls.dropUnused();
  embedSites(Context.Sites, Context.Calls.siteBase(), M);
}

} // namespace scopesan::pass
