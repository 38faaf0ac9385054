#include "AbiCalls.h"

#include "AddressSpaces.h"
#include "GpuMode.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace scopesan::pass {
namespace {

struct Signature {
  StringLiteral Name, Parameters;
};
constexpr Signature Table[] = {
#define SCOPESAN_ABI(name, result, parameters) {#name, #parameters},
#include "scopesan/abi.def"
};
constexpr Signature GpuTable[] = {
#define SCOPESAN_GPU_ABI(name, parameters) {#name, #parameters},
#include "scopesan/gpu_abi.def"
};

struct Parameter {
  Type *T;
  StringRef Name;
};

/// "(ptr addr, i32 bytes)" as a list.
SmallVector<Parameter, 7> parseParameters(LLVMContext &C, StringRef Text) {
  SmallVector<StringRef, 7> Parts;
  Text.trim("()").split(Parts, ',', -1, /*KeepEmpty=*/false);
  SmallVector<Parameter, 7> Out;
  for (StringRef P : Parts) {
    auto [T, Name] = P.trim().split(' ');
    if (T == "ptr")
      Out.push_back({PointerType::get(C, GenericAddressSpace), Name});
    else if (T == "i32")
      Out.push_back({Type::getInt32Ty(C), Name});
    else if (T == "i64")
      Out.push_back({Type::getInt64Ty(C), Name});
    else
      report_fatal_error("ScopeSan: unknown parameter type in abi.def: " + T);
  }
  return Out;
}

/// Every entry point returns void.
FunctionType *parseType(LLVMContext &C, StringRef Parameters) {
  SmallVector<Type *, 7> Types;
  for (const Parameter &P : parseParameters(C, Parameters))
    Types.push_back(P.T);
  return FunctionType::get(Type::getVoidTy(C), Types, false);
}

StringRef parametersOf(StringRef Name) {
  for (const Signature &S : Table)
    if (S.Name == Name)
      return S.Parameters;
  for (const Signature &S : GpuTable)
    if (S.Name == Name)
      return S.Parameters;
  report_fatal_error("ScopeSan: no such entry point in abi.def: " + Name);
}

/// Written by the runtime before any kernel of the module runs, hence invariant inside kernels.
GlobalVariable *createSiteBase(Module &M) {
  Type *I32 = Type::getInt32Ty(M.getContext());
  auto *G = new GlobalVariable(M, I32, /*isConstant=*/false, GlobalValue::ExternalLinkage,
                               ConstantInt::get(I32, 0), abi::SiteBaseSymbol, nullptr,
                               GlobalValue::NotThreadLocal, GlobalAddressSpace,
                               /*isExternallyInitialized=*/true);
  G->setAlignment(Align(4));
  return G;
}

} // namespace

AbiCalls::AbiCalls(Module &M, bool ForGpu) : M(M), ForGpu(ForGpu), SiteBase(createSiteBase(M)) {
  auto Declare = [&](const Signature &S) {
    FunctionCallee Callee = M.getOrInsertFunction(S.Name, parseType(M.getContext(), S.Parameters));
    auto *F = cast<Function>(Callee.getCallee());
    F->addFnAttr(Attribute::Convergent);
    F->addFnAttr(Attribute::NoUnwind);
  };
  for (const Signature &S : Table)
    Declare(S);
  if (ForGpu)
    for (const Signature &S : GpuTable)
      Declare(S);
}

void AbiCalls::call(IRBuilderBase &B, StringRef Name, ArrayRef<Value *> Arguments) {
  CallInst *C = B.CreateCall(M.getFunction(Name), Arguments);
  C->addFnAttr(Attribute::Convergent);
}

Value *AbiCalls::site(IRBuilderBase &B, uint32_t Index) {
  LoadInst *Base = B.CreateAlignedLoad(B.getInt32Ty(), SiteBase, Align(4));
  Base->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(M.getContext(), {}));
  return Index ? B.CreateAdd(Base, B.getInt32(Index)) : Base;
}

void AbiCalls::weak(IRBuilderBase &B, abi::Op Op, Value *Address, uint32_t Bytes, uint32_t Site) {
  if (State)
    return fast(B,
                Op.isNonCoherent() ? gpu::FastAccess::NonCoherent
                : Op.isWrite()     ? gpu::FastAccess::Write
                                   : gpu::FastAccess::Read,
                Address, Bytes, Site);
  if (Op.isNonCoherent())
    return nonCoherentRead(B, Address, B.getInt32(Bytes), Site);
  call(B, Op.isWrite() ? "__scopesan_write" : "__scopesan_read",
       {Address, B.getInt32(Bytes), site(B, Site)});
}

void AbiCalls::nonCoherentRead(IRBuilderBase &B, Value *Address, Value *Bytes, uint32_t Site) {
  if (State)
    return fastSpan(B, gpu::FastAccess::NonCoherent, Address, Bytes, Site);
  call(B, "__scopesan_proxy_access",
       {Address, B.CreateZExtOrTrunc(Bytes, B.getInt32Ty()), B.getInt32(0),
        B.getInt32(uint32_t(abi::Proxy::NonCoherent)), site(B, Site)});
}

void AbiCalls::constantRead(IRBuilderBase &B, Value *Address, Value *Bytes, uint32_t Site) {
  call(B, "__scopesan_proxy_access",
       {Address, B.CreateZExtOrTrunc(Bytes, B.getInt32Ty()), B.getInt32(0),
        B.getInt32(uint32_t(abi::Proxy::ConstantBank)), site(B, Site)});
}

void AbiCalls::range(IRBuilderBase &B, bool Write, Value *Address, Value *Length, uint32_t Site) {
  if (State)
    return fastSpan(B, Write ? gpu::FastAccess::Write : gpu::FastAccess::Read, Address, Length,
                    Site);
  call(B, Write ? "__scopesan_write_range" : "__scopesan_read_range",
       {Address, B.CreateZExtOrTrunc(Length, B.getInt64Ty()), site(B, Site)});
}

void AbiCalls::atomicBefore(IRBuilderBase &B, const StrongAccess &A) {
  if (State && (Flags & gpu::FastMixed))
    return call(B, "__scopesan_fast_atomic_before",
                {State, A.Address, B.getInt32(A.Bytes), B.getInt32(A.Op.raw()), site(B, A.Site),
                 B.getInt32(A.Site - FirstSite)});
  if (State)
    return fast(B, gpu::FastAccess::Rmw, A.Address, A.Bytes, A.Site);
  call(B, "__scopesan_atomic_before",
       {A.Address, B.getInt32(A.Bytes), B.getInt32(A.Op.raw()), site(B, A.Site)});
}

void AbiCalls::atomicAfter(IRBuilderBase &B, const StrongAccess &A, Value *Wrote, Value *Read,
                           Value *Written) {
  if (State && !(Flags & gpu::FastMixed))
    return;
  if (ForGpu) {
    bool Reads = A.Op.kind() != abi::AccessKind::Store && A.Op.kind() != abi::AccessKind::Red &&
                 A.Bytes <= 8;
    uint32_t Known =
        (Written ? uint32_t(gpu::WrittenKnown) : 0) | (Reads ? uint32_t(gpu::ValueKnown) : 0);
    Value *Outcome = B.CreateOr(Wrote, B.getInt32(Known));
    if (State)
      return call(B, "__scopesan_fast_atomic_after",
                  {State, A.Address, Outcome, Read, Written ? Written : B.getInt64(0)});
    return call(B, "__scopesan_gpu_atomic_after",
                {A.Address, B.getInt32(A.Bytes), B.getInt32(A.Op.raw()), site(B, A.Site), Outcome,
                 Read, Written ? Written : B.getInt64(0)});
  }
  call(B, "__scopesan_atomic_after",
       {A.Address, B.getInt32(A.Bytes), B.getInt32(A.Op.raw()), site(B, A.Site), Wrote, Read});
}

void AbiCalls::fence(IRBuilderBase &B, abi::Op Op, uint32_t Site) {
  if (State)
    return call(B, "__scopesan_fast_fence", {State, B.getInt32(Op.raw()), site(B, Site)});
  call(B, "__scopesan_fence", {B.getInt32(Op.raw()), site(B, Site)});
}

void AbiCalls::blockBarrierBefore(IRBuilderBase &B, const BlockBarrierCall &C) {
  if (State && Flags & gpu::FastMixed)
    return call(B, "__scopesan_fast_before_barrier", {State});
  if (State)
    return;
  uint32_t Flags = forGpu() ? 0 : C.Late ? abi::LateBarrier : C.Aligned ? abi::AlignedBarrier : 0;
  call(B, "__scopesan_block_barrier_before",
       {B.getInt32(uint32_t(C.Kind) | Flags), C.Id, C.Count, site(B, C.Site)});
}

void AbiCalls::blockBarrierAfter(IRBuilderBase &B, const BlockBarrierCall &C) {
  if (State)
    return call(B, "__scopesan_fast_barrier", {State, B.getInt32(Flags)});
  if (C.Kind != abi::BarrierKind::Arrive) // S7: a source only
    call(B, "__scopesan_block_barrier_after",
         {B.getInt32(uint32_t(C.Kind)), C.Id, C.Count, site(B, C.Site)});
}

void AbiCalls::warpBarrierBefore(IRBuilderBase &B, Value *Mask, uint32_t Site) {
  if (State)
    return call(B, "__scopesan_fast_warp", {State, Mask, site(B, Site)});
  call(B, "__scopesan_warp_barrier_before", {Mask, site(B, Site)});
}

void AbiCalls::warpBarrierAfter(IRBuilderBase &B, Value *Mask, uint32_t Site) {
  if (State)
    return;
  call(B, "__scopesan_warp_barrier_after", {Mask, site(B, Site)});
}

SmallVector<Type *, 7> AbiCalls::argumentTypes(StringRef Name) {
  SmallVector<Type *, 7> Out;
  for (const Parameter &P : parseParameters(M.getContext(), parametersOf(Name)))
    if (P.Name != "op" && P.Name != "site")
      Out.push_back(P.T);
  return Out;
}

void AbiCalls::entry(IRBuilderBase &B, StringRef Name, ArrayRef<Value *> Arguments, abi::Op Op,
                     uint32_t Site) {
  SmallVector<Value *, 7> All;
  for (const Parameter &P : parseParameters(M.getContext(), parametersOf(Name))) {
    if (P.Name == "op") {
      All.push_back(B.getInt32(Op.raw()));
    } else if (P.Name == "site") {
      All.push_back(site(B, Site));
    } else {
      All.push_back(Arguments.front());
      Arguments = Arguments.drop_front();
    }
  }
  call(B, Name, All);
}

void AbiCalls::sharedVariable(IRBuilderBase &B, Value *Address, uint32_t Bytes, uint32_t Site) {
  call(B, "__scopesan_gpu_shared", {Address, B.getInt32(Bytes), site(B, Site)});
}

void AbiCalls::threadExit(IRBuilderBase &B) {
  if (State)
    return call(B, "__scopesan_fast_exit", {State});
  call(B, "__scopesan_gpu_exit", {});
}

void AbiCalls::dropUnused() {
  auto Drop = [&](const Signature &S) {
    if (Function *F = M.getFunction(S.Name); F && F->isDeclaration() && F->use_empty())
      F->eraseFromParent();
  };
  for (const Signature &S : Table)
    Drop(S);
  for (const Signature &S : GpuTable)
    Drop(S);
}

void AbiCalls::enterKernel(Function &F) {
  BasicBlock &Entry = F.getEntryBlock();
  IRBuilder<> B(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
  if (F.getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(F.getContext(), 0, 0, F.getSubprogram()));
  StringRef Name = F.getName();
  call(B, "__scopesan_gpu_enter", {B.getInt32(gpu::kernelId(Name.data(), Name.size()))});
}

void AbiCalls::beginKernel(Function &F, const KernelPlan &Plan, uint32_t First) {
  const SharedFrame &Frame = Plan.Frame;
  Flags = (Plan.Flags & gpu::UsesShared ? uint32_t(gpu::FastUsesShared) : 0u) |
          (Frame.Bytes ? uint32_t(gpu::FastBlockCells) : 0u) |
          (Plan.Mode == gpu::KernelMode::Mixed ? uint32_t(gpu::FastMixed) : 0u) |
          (Plan.TrustsBarriers ? uint32_t(gpu::FastTrustsBarriers) : 0u);
  FirstSite = First;
  BasicBlock &Entry = F.getEntryBlock();
  IRBuilder<> B(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
  if (F.getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(F.getContext(), 0, 0, F.getSubprogram()));
  AllocaInst *A = B.CreateAlloca(ArrayType::get(B.getInt64Ty(), gpu::FastStateBytes / 8));
  A->setAlignment(Align(16));
  State = A;
  call(B, "__scopesan_fast_enter", {State, B.getInt32(Flags)});
  if (Frame.Bytes)
    call(B, "__scopesan_fast_block_cells",
         {State, B.CreatePtrToInt(Frame.Variables.front(), B.getInt32Ty()),
          B.CreatePtrToInt(Frame.Cells, B.getInt32Ty()), B.getInt32(uint32_t(Frame.Bytes))});
}

void AbiCalls::gridBarrier(Instruction &I) {
  IRBuilder<> B(&I);
  call(B, "__scopesan_fast_grid_barrier", {State});
}

uint32_t AbiCalls::accessFlags() const {
  return (Flags & gpu::FastBlockCells ? gpu::FastInBlock : 0) |
         (Flags & gpu::FastMixed ? gpu::FastInMixed : 0);
}

void AbiCalls::fast(IRBuilderBase &B, gpu::FastAccess Kind, Value *Address, uint32_t Bytes,
                    uint32_t Site) {
  if (!isPowerOf2_32(Bytes) || Bytes > 16)
    return fastSpan(B, Kind, Address, B.getInt64(Bytes), Site);
  call(B, "__scopesan_fast_access",
       {State, Address, B.getInt32(Bytes), site(B, Site), B.getInt32(Site - FirstSite),
        B.getInt32(uint32_t(windowOf(Address))), B.getInt32(uint32_t(Kind) | accessFlags())});
}

void AbiCalls::fastSpan(IRBuilderBase &B, gpu::FastAccess Kind, Value *Address, Value *Bytes,
                        uint32_t Site) {
  call(B, "__scopesan_fast_span",
       {State, Address, B.CreateZExtOrTrunc(Bytes, B.getInt64Ty()), site(B, Site),
        B.getInt32(Site - FirstSite), B.getInt32(uint32_t(Kind) | accessFlags())});
}

void AbiCalls::unmodelledAfter(IRBuilderBase &B, uint32_t Site) {
  call(B, "__scopesan_unmodelled_after", {site(B, Site)});
}

void AbiCalls::unmodelled(IRBuilderBase &B, uint32_t Site) {
  call(B, "__scopesan_unmodelled", {site(B, Site)});
}

} // namespace scopesan::pass
