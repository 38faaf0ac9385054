// NVVM intrinsics: dispatch, threads and memory. Arithmetic is in IntrinsicsMath.cpp.
#include "Intrinsics.h"
#include "Steps.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace scopesan;
using namespace scopesan::retarget;
using cpu::WarpOp;

IntrinsicLowering::IntrinsicLowering(Engine &E, CallInst &Call, StringRef Name)
    : E(E), Call(Call), B(&Call), A(E, B), Name(Name), Mods(Modifiers::split(Name)),
      T(Call.getType()) {}

static bool continues(StringRef Name, StringRef Prefix) {
  return Name.consume_front(Prefix) && (Name.empty() || Name.front() == '.');
}

std::optional<Value *> IntrinsicLowering::lower() {
  struct Entry {
    StringRef Prefix;
    Result (IntrinsicLowering::*Handler)();
  };
  static const Entry Table[] = {
#define SCOPESAN_NVVM(Prefix, Handler) {Prefix, &IntrinsicLowering::Handler},
#include "nvvm_lower.def"
  };
  for (const Entry &Candidate : Table)
    if (continues(Name, Candidate.Prefix))
      return (this->*Candidate.Handler)();
  return std::nullopt;
}

bool IntrinsicLowering::argIsTrue(unsigned I) {
  auto *C = dyn_cast<ConstantInt>(arg(I));
  return C && !C->isZero();
}

Value *IntrinsicLowering::withPredicate(Value *V, Value *Predicate) {
  if (!T->isStructTy())
    return V;
  return B.CreateInsertValue(B.CreateInsertValue(PoisonValue::get(T), V, 0), Predicate, 1);
}

// Special registers, warp, barriers

std::optional<Value *> IntrinsicLowering::specialRegister() {
  StringRef Register = Name.drop_front(StringRef("read.ptx.sreg.").size());
  Value *V = E.specialRegister(B, Register);
  return V ? Result(B.CreateZExtOrTrunc(V, T)) : std::nullopt;
}

std::optional<Value *> IntrinsicLowering::explicitCluster() {
  return B.CreateZExtOrTrunc(E.specialRegister(B, "is_explicit_cluster"), T);
}

/// shfl[.sync].{up,down,bfly,idx}.{i32,f32}[p]; without .sync there is no mask operand.
std::optional<Value *> IntrinsicLowering::shuffle() {
  bool Sync = Mods.has("sync");
  WarpOp Op = StringSwitch<WarpOp>(Mods[Sync ? 2 : 1])
                  .Case("up", WarpOp::ShflUp)
                  .Case("down", WarpOp::ShflDown)
                  .Case("bfly", WarpOp::ShflBfly)
                  .Default(WarpOp::ShflIdx);
  Value *Mask = Sync ? arg(0) : E.activeMask(B);
  Value *V = arg(Sync);
  Type *Element = V->getType();
  WarpResult R = E.warp(B, Op, Mask, A.asInt32(V), arg(Sync + 1), arg(Sync + 2), T->isStructTy());
  return withPredicate(A.asType(A.asInt32(R.Value), Element), R.Predicate);
}

/// vote.{all,any,uni,ballot}[.sync]
std::optional<Value *> IntrinsicLowering::vote() {
  WarpOp Op = StringSwitch<WarpOp>(Mods[1])
                  .Case("all", WarpOp::VoteAll)
                  .Case("any", WarpOp::VoteAny)
                  .Case("uni", WarpOp::VoteUni)
                  .Default(WarpOp::VoteBallot);
  bool Sync = Mods.has("sync");
  Value *Mask = Sync ? arg(0) : E.activeMask(B);
  Value *Answer = E.warp(B, Op, Mask, arg(Sync)).Value;
  if (T->isIntegerTy(1))
    return B.CreateICmpNE(Answer, B.getInt64(0));
  return B.CreateTrunc(Answer, T);
}

/// match.{any,all}.sync.{i32,i64}[p]
std::optional<Value *> IntrinsicLowering::match() {
  WarpOp Op = Mods[1] == "any" ? WarpOp::MatchAny : WarpOp::MatchAll;
  WarpResult R = E.warp(B, Op, arg(0), arg(1), nullptr, nullptr, T->isStructTy());
  return withPredicate(A.asInt32(R.Value), R.Predicate);
}

std::optional<Value *> IntrinsicLowering::redux() {
  WarpOp Op = StringSwitch<WarpOp>(Mods[2])
                  .Case("add", WarpOp::ReduxAdd)
                  .Case("min", WarpOp::ReduxMin)
                  .Case("max", WarpOp::ReduxMax)
                  .Case("umin", WarpOp::ReduxUmin)
                  .Case("umax", WarpOp::ReduxUmax)
                  .Case("and", WarpOp::ReduxAnd)
                  .Case("or", WarpOp::ReduxOr)
                  .Case("xor", WarpOp::ReduxXor)
                  .Default(WarpOp::Sync);
  if (Op == WarpOp::Sync) // fmin, fmax
    return std::nullopt;
  return B.CreateTrunc(E.warp(B, Op, arg(1), arg(0)).Value, T);
}

std::optional<Value *> IntrinsicLowering::elect() {
  WarpResult R = E.warp(B, WarpOp::Elect, arg(0), B.getInt32(0), nullptr, nullptr, true);
  return withPredicate(A.asInt32(R.Value), R.Predicate);
}

std::optional<Value *> IntrinsicLowering::activeMask() { return E.activeMask(B); }

std::optional<Value *> IntrinsicLowering::warpSync() {
  E.warp(B, WarpOp::Sync, arg(0), B.getInt32(0));
  return nullptr;
}

std::optional<Value *> IntrinsicLowering::blockSync() {
  E.barrierSync(B, arg(0), Mods.has("all") ? B.getInt32(0) : arg(1));
  return nullptr;
}

std::optional<Value *> IntrinsicLowering::blockArrive() {
  E.barrierArrive(B, arg(0), arg(1));
  return nullptr;
}

/// barrier.cta.red.{popc,and,or}[.aligned].{all,count}
std::optional<Value *> IntrinsicLowering::blockReduce() {
  uint32_t Kind = Mods.has("popc") ? 1 : Mods.has("and") ? 2 : 3;
  bool All = Mods.has("all");
  Value *R = E.barrierSync(B, arg(0), All ? B.getInt32(0) : arg(1), Kind, arg(All ? 1 : 2));
  return T->isIntegerTy(1) ? B.CreateICmpNE(R, B.getInt32(0)) : R;
}

std::optional<Value *> IntrinsicLowering::clusterArrive() {
  E.call(B, "__scopesan_cpu_cluster_arrive", B.getVoidTy(), {});
  return nullptr;
}

std::optional<Value *> IntrinsicLowering::clusterWait() {
  E.call(B, "__scopesan_cpu_cluster_wait", B.getVoidTy(), {});
  return nullptr;
}

std::optional<Value *> IntrinsicLowering::drop() {
  return T->isVoidTy() ? Result(nullptr) : std::nullopt;
}

std::optional<Value *> IntrinsicLowering::nanosleep() {
  E.yield(B);
  return nullptr;
}

std::optional<Value *> IntrinsicLowering::exit() {
  E.callNoReturn(B, "__scopesan_cpu_exit", {});
  return nullptr;
}

// Addresses

std::optional<Value *> IntrinsicLowering::isSpace() {
  abi::Space S = StringSwitch<abi::Space>(Name)
                     .Case("isspacep.global", abi::Space::Global)
                     .Case("isspacep.shared", abi::Space::Shared)
                     .Case("isspacep.shared.cluster", abi::Space::SharedCluster)
                     .Case("isspacep.const", abi::Space::Const)
                     .Default(abi::Space::Local);
  return E.isSpace(B, arg(0), S);
}

std::optional<Value *> IntrinsicLowering::mapa() {
  Value *Address = A.asType(flat(arg(0)), B.getInt64Ty());
  Value *Mapped = E.call(B, "__scopesan_cpu_mapa", B.getInt64Ty(), {Address, arg(1)});
  return B.CreateIntToPtr(Mapped, T);
}

std::optional<Value *> IntrinsicLowering::getctarank() {
  Value *Address = A.asType(flat(arg(0)), B.getInt64Ty());
  return E.call(B, "__scopesan_cpu_getctarank", B.getInt32Ty(), {Address});
}

/// The value itself, in another address space perhaps.
std::optional<Value *> IntrinsicLowering::forward() {
  Value *V = arg(0);
  if (V->getType() == T)
    return V;
  if (V->getType()->isPointerTy() && T->isPointerTy())
    return B.CreateAddrSpaceCast(V, T);
  return std::nullopt;
}

// Memory

std::optional<Value *> IntrinsicLowering::load() {
  LoadInst *L = B.CreateLoad(T, arg(0));
  if (Call.arg_size() > 1)
    if (auto *Bytes = dyn_cast<ConstantInt>(arg(1)))
      L->setAlignment(Align(Bytes->getZExtValue()));
  return L;
}

/// atomic.{add,exch,...}.gen.{i,f}.{cta,sys}.*
std::optional<Value *> IntrinsicLowering::atomic() {
  constexpr AtomicOrdering Relaxed = AtomicOrdering::Monotonic;
  if (Mods.has("cas")) {
    Value *Pair = B.CreateAtomicCmpXchg(arg(0), arg(1), arg(2), MaybeAlign(), Relaxed, Relaxed);
    return B.CreateExtractValue(Pair, 0);
  }
  bool Float = arg(1)->getType()->isFloatingPointTy();
  auto Op = StringSwitch<AtomicRMWInst::BinOp>(Mods[1])
                .Case("add", Float ? AtomicRMWInst::FAdd : AtomicRMWInst::Add)
                .Case("exch", AtomicRMWInst::Xchg)
                .Case("and", AtomicRMWInst::And)
                .Case("or", AtomicRMWInst::Or)
                .Case("xor", AtomicRMWInst::Xor)
                .Case("inc", AtomicRMWInst::UIncWrap)
                .Case("dec", AtomicRMWInst::UDecWrap)
                .Case("max", AtomicRMWInst::Max)
                .Case("min", AtomicRMWInst::Min)
                .Default(AtomicRMWInst::BAD_BINOP);
  if (Op == AtomicRMWInst::BAD_BINOP)
    return std::nullopt;
  return B.CreateAtomicRMW(Op, arg(0), arg(1), MaybeAlign(), Relaxed);
}

/// st.bulk(address, bytes, 0)
std::optional<Value *> IntrinsicLowering::bulkStore() {
  B.CreateMemSet(flat(arg(0)), B.getInt8(0), arg(1), MaybeAlign());
  return nullptr;
}

// The pass over the module

/// Engine call that replaces an intrinsic or builtin that is not an NVVM one. True if replaced.
static bool lowerOther(Engine &E, CallInst &Call, StringRef Name) {
  IRBuilder<> B(&Call);
  Value *Replacement = nullptr;
  if (Name == "llvm.trap" || Name == "llvm.debugtrap" || Name == "llvm.ubsantrap")
    E.callNoReturn(B, "__scopesan_cpu_trap", {});
  else if (Name == "llvm.readcyclecounter")
    Replacement = E.specialRegister(B, "clock64");
  else if (Name == "llvm.readsteadycounter")
    Replacement = E.specialRegister(B, "globaltimer");
  else if (Name == "__nvvm_reflect" || Name.starts_with("llvm.nvvm.reflect"))
    Replacement = ConstantInt::get(Call.getType(), 0);
  else
    return false;
  if (Replacement)
    Call.replaceAllUsesWith(Replacement);
  Call.eraseFromParent();
  return true;
}

static void lowerNvvm(Engine &E, CallInst &Call, StringRef Name) {
  IntrinsicLowering Lowering(E, Call, Name);
  std::optional<Value *> R = Lowering.lower();
  if (!R) {
    IRBuilder<> B(&Call);
    E.unsupported(B, "llvm.nvvm." + Name);
  }
  if (!Call.getType()->isVoidTy())
    Call.replaceAllUsesWith(R ? *R : PoisonValue::get(Call.getType()));
  Call.eraseFromParent();
}

void scopesan::retarget::lowerIntrinsics(Module &M, Engine &E, Statistics &S) {
  for (Function &F : M)
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      auto *Call = dyn_cast<CallInst>(&I);
      Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (!Callee || lowerOther(E, *Call, Callee->getName()))
        continue;
      StringRef Name = Callee->getName();
      if (!Name.consume_front("llvm.nvvm."))
        continue;
      lowerNvvm(E, *Call, Name);
      ++S.Intrinsics;
    }
}
