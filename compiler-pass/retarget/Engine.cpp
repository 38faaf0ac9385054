#include "Engine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace scopesan;
using namespace scopesan::retarget;
using cpu::ThreadContext;

CallInst *Engine::call(IRBuilder<> &B, StringRef Name, Type *Result, ArrayRef<Value *> Args) {
  SmallVector<Type *, 6> Types;
  for (Value *Arg : Args)
    Types.push_back(Arg->getType());
  FunctionCallee Callee = M.getOrInsertFunction(Name, FunctionType::get(Result, Types, false));
  CallInst *Call = B.CreateCall(Callee, Args);
  Call->setDoesNotThrow();
  return Call;
}

CallInst *Engine::callNoReturn(IRBuilder<> &B, StringRef Name, ArrayRef<Value *> Args) {
  CallInst *Call = call(B, Name, B.getVoidTy(), Args);
  Call->setDoesNotReturn();
  Call->addFnAttr(Attribute::Cold);
  return Call;
}

CallInst *Engine::support(IRBuilder<> &B, StringRef Name, Type *Result, ArrayRef<Value *> Args) {
  CallInst *Call = call(B, ("__scopesan_ptx_" + Name).str(), Result, Args);
  Call->setDoesNotAccessMemory();
  return Call;
}

void Engine::unsupported(IRBuilder<> &B, const Twine &Text) {
  ++Unsupported;
  Value *String = B.CreateGlobalString(Text.str(), ".unsupported", 0, &M);
  callNoReturn(B, "__scopesan_cpu_unsupported", {String});
}

/// Fields of the current thread's context never change while the thread executes retargeted code,
/// so the loads are invariant and meet in early-cse.
Value *Engine::contextField(IRBuilder<> &B, uint64_t Offset, Type *T) {
  MDNode *Empty = MDNode::get(B.getContext(), {});
  Constant *Global = M.getOrInsertGlobal("__scopesan_cpu_current", B.getPtrTy());
  LoadInst *Context = B.CreateLoad(B.getPtrTy(), Global, "thread");
  Context->setMetadata(LLVMContext::MD_invariant_load, Empty);
  Value *Address = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Context, Offset);
  LoadInst *Field = B.CreateLoad(T, Address);
  Field->setMetadata(LLVMContext::MD_invariant_load, Empty);
  return Field;
}

Value *Engine::sharedBase(IRBuilder<> &B) {
  return contextField(B, offsetof(ThreadContext, shared), B.getPtrTy());
}

Value *Engine::laneMask(IRBuilder<> &B, StringRef Relation) {
  Type *I32 = B.getInt32Ty();
  Value *Bit = B.CreateShl(B.getInt32(1), contextField(B, offsetof(ThreadContext, laneid), I32));
  Value *Below = B.CreateSub(Bit, B.getInt32(1));
  return StringSwitch<function_ref<Value *()>>(Relation)
      .Case("eq", [&] { return Bit; })
      .Case("lt", [&] { return Below; })
      .Case("le", [&] { return B.CreateOr(Below, Bit); })
      .Case("ge", [&] { return B.CreateNot(Below); })
      .Case("gt", [&] { return B.CreateNot(B.CreateOr(Below, Bit)); })
      .Default([]() -> Value * { return nullptr; })();
}

namespace {
struct ServedRegister {
  StringRef Name;
  uint32_t Id;
};
} // namespace

/// The registers of sregs.def with '.' written as '_'; the id is the position in that file.
static std::optional<uint32_t> servedRegister(StringRef Name) {
  enum Id : uint32_t {
#define SCOPESAN_SREG(Enumerator, Text) Enumerator,
#include "sregs.def"
  };
  static const ServedRegister Table[] = {
#define SCOPESAN_SREG(Enumerator, Text) {Text, Enumerator},
#include "sregs.def"
  };
  for (const ServedRegister &R : Table)
    if (join(split(R.Name, '.'), "_") == Name)
      return R.Id;
  return std::nullopt;
}

Value *Engine::specialRegister(IRBuilder<> &B, StringRef Spelled) {
  std::string Flat = join(split(Spelled, '.'), "_");
  StringRef Name = Flat;
  Type *I32 = B.getInt32Ty();
  if (Name == "laneid")
    return contextField(B, offsetof(ThreadContext, laneid), I32);
  if (Name == "warpid")
    return contextField(B, offsetof(ThreadContext, warpid), I32);
  if (Name == "warpsize" || Name == "WARP_SZ")
    return B.getInt32(32);
  if (Name.consume_front("lanemask_"))
    return laneMask(B, Name);

  auto [Vector, Axis] = Name.rsplit('_');
  int Base = StringSwitch<int>(Vector)
                 .Case("tid", offsetof(ThreadContext, tid))
                 .Case("ctaid", offsetof(ThreadContext, ctaid))
                 .Case("ntid", offsetof(ThreadContext, ntid))
                 .Case("nctaid", offsetof(ThreadContext, nctaid))
                 .Default(-1);
  if (Base >= 0 && Axis.size() == 1 && Axis[0] >= 'x' && Axis[0] <= 'z')
    return contextField(B, Base + 4 * (Axis[0] - 'x'), I32);
  if (std::optional<uint32_t> Id = servedRegister(Name)) {
    if (Name.starts_with("clock") || Name.starts_with("globaltimer"))
      yield(B);
    return call(B, "__scopesan_cpu_sreg", B.getInt64Ty(), {B.getInt32(*Id)});
  }
  // Fourth components, unused environment registers and performance counters read as zero.
  if (Axis == "w" || Name.starts_with("envreg") || Name.starts_with("pm") ||
      Name == "aggr_smem_size")
    return B.getInt32(0);
  return nullptr;
}

WarpResult Engine::warp(IRBuilder<> &B, cpu::WarpOp Op, Value *Mask, Value *V, Value *Second,
                        Value *Third, bool WantPredicate) {
  Value *Zero = B.getInt32(0);
  Value *Wide = B.CreateZExtOrTrunc(V, B.getInt64Ty());
  Value *Result =
      call(B, "__scopesan_cpu_warp", B.getInt64Ty(),
           {B.getInt32(uint32_t(Op)), Mask, Wide, Second ? Second : Zero, Third ? Third : Zero});
  if (!WantPredicate)
    return {Result, nullptr};
  Value *Predicate = call(B, "__scopesan_cpu_warp_predicate", B.getInt32Ty(), {});
  return {Result, B.CreateICmpNE(Predicate, Zero)};
}

Value *Engine::activeMask(IRBuilder<> &B) {
  return call(B, "__scopesan_cpu_activemask", B.getInt32Ty(), {B.getInt32(NextSite++)});
}

Value *Engine::barrierSync(IRBuilder<> &B, Value *Id, Value *Count, uint32_t Reduction,
                           Value *Predicate) {
  Value *Wide = Predicate ? B.CreateZExtOrTrunc(Predicate, B.getInt32Ty()) : B.getInt32(0);
  return call(B, "__scopesan_cpu_bar_sync", B.getInt32Ty(),
              {Id, Count, B.getInt32(Reduction), Wide});
}

void Engine::barrierArrive(IRBuilder<> &B, Value *Id, Value *Count) {
  call(B, "__scopesan_cpu_bar_arrive", B.getVoidTy(), {Id, Count});
}

void Engine::yield(IRBuilder<> &B) { call(B, "__scopesan_cpu_yield", B.getVoidTy(), {}); }

static Value *isIn(Engine &E, IRBuilder<> &B, Value *Pointer, uint32_t Space) {
  Value *Flat = B.CreateAddrSpaceCast(Pointer, B.getPtrTy());
  Value *Result = E.call(B, "__scopesan_cpu_isspacep", B.getInt32Ty(), {Flat, B.getInt32(Space)});
  return B.CreateICmpNE(Result, B.getInt32(0));
}

Value *Engine::isSpace(IRBuilder<> &B, Value *Pointer, abi::Space S) {
  return isIn(*this, B, Pointer, uint32_t(S));
}

Value *Engine::isParameter(IRBuilder<> &B, Value *Pointer) {
  return isIn(*this, B, Pointer, cpu::ParamSpace);
}
