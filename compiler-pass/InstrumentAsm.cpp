#include "AddressSpaces.h"
#include "PtxInstrumenter.h"

#include "Parser.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace scopesan::ptx;

namespace scopesan::pass {

void PtxInstrumenter::readAsmOperands() {
  const auto *Asm = cast<InlineAsm>(Call.getCalledOperand());
  unsigned Argument = 0;
  int Output = 0;
  InlineAsm::ConstraintInfoVector Constraints = Asm->ParseConstraints();
  for (const InlineAsm::ConstraintInfo &C : Constraints) {
    if (C.Type == InlineAsm::isClobber || C.Type == InlineAsm::isLabel)
      continue;
    PtxOperand O;
    if (C.hasArg())
      O.Input = Call.getArgOperand(Argument++);
    else
      O.Output = Output++;
    Operands.push_back(O);
  }
  // "+r": the initial value of an output is the input tied to it.
  for (size_t I = 0; I < Operands.size(); ++I)
    if (Constraints[I].MatchingInput >= 0 && !Operands[I].Input)
      Operands[I].Input = Operands[size_t(Constraints[I].MatchingInput)].Input;
}

bool PtxInstrumenter::resolvable(const ValueRef &V) const {
  return V.Kind == ValueKind::Constant ||
         (V.Kind == ValueKind::Asm && V.AsmIndex < Operands.size() && Operands[V.AsmIndex].Input);
}

bool PtxInstrumenter::resolvable(const AddressRef &A) const {
  return resolvable(A.Value) && (!A.Rank || resolvable(*A.Rank));
}

bool PtxInstrumenter::resolvable(const Guard &G) const {
  return G.Kind == GuardKind::Always || (G.Kind == GuardKind::Operand && resolvable(G.Lhs)) ||
         (G.Kind == GuardKind::Compare && resolvable(G.Lhs) && resolvable(G.Rhs));
}

bool PtxInstrumenter::resolvable(const EntryArgument &A) const {
  switch (A.Kind) {
  case ArgumentKind::Address:
    return resolvable(A.Place);
  case ArgumentKind::Outcome:
    return A.Value.Kind == ValueKind::Constant ||
           (A.Value.Kind == ValueKind::Asm && A.Value.AsmIndex < Operands.size() &&
            Operands[A.Value.AsmIndex].Output >= 0);
  case ArgumentKind::Number:
  case ArgumentKind::LeftOut:
    break;
  }
  // A predicate where a number is expected is another form of the instruction.
  if (A.Value.Kind == ValueKind::Asm && resolvable(A.Value) &&
      Operands[A.Value.AsmIndex].Input->getType()->isIntegerTy(1))
    return false;
  return resolvable(A.Value) && (!A.ZeroIf || resolvable(*A.ZeroIf));
}

Value *bitsOf(IRBuilderBase &B, Value *V) {
  Type *T = V->getType();
  if (T->isPointerTy())
    return B.CreatePtrToInt(V, B.getInt64Ty());
  return B.CreateBitCast(V, B.getIntNTy(unsigned(T->getPrimitiveSizeInBits())));
}

Value *PtxInstrumenter::integer(IRBuilderBase &B, const ValueRef &V, unsigned Bits) {
  Type *T = B.getIntNTy(Bits);
  if (V.Kind == ValueKind::Constant)
    return ConstantInt::get(T, APInt(64, uint64_t(V.Addend)).zextOrTrunc(Bits));
  Value *X = B.CreateZExtOrTrunc(bitsOf(B, Operands[V.AsmIndex].Input), T);
  return V.Addend ? B.CreateAdd(X, ConstantInt::get(T, uint64_t(V.Addend), true)) : X;
}

Value *PtxInstrumenter::condition(IRBuilderBase &B, const Guard &G) {
  static constexpr CmpInst::Predicate Unsigned[] = {CmpInst::ICMP_EQ,  CmpInst::ICMP_NE,
                                                    CmpInst::ICMP_ULT, CmpInst::ICMP_ULE,
                                                    CmpInst::ICMP_UGT, CmpInst::ICMP_UGE};
  Value *C;
  if (G.Kind == GuardKind::Operand) {
    C = B.CreateIsNotNull(bitsOf(B, Operands[G.Lhs.AsmIndex].Input));
  } else {
    CmpInst::Predicate P = Unsigned[unsigned(G.Cmp)];
    if (G.Signed && CmpInst::isRelational(P))
      P = ICmpInst::getSignedPredicate(P);
    C = B.CreateICmp(P, integer(B, G.Lhs, G.Bits), integer(B, G.Rhs, G.Bits));
  }
  return G.Negated ? B.CreateNot(C) : C;
}

Instruction *PtxInstrumenter::position(bool AfterStatement, const Effect &E) {
  Instruction *At = AfterStatement ? Next : &Call;
  bool SomeLanes = E.Lanes < 32;
  if (E.Condition.Kind == GuardKind::Always && !SomeLanes)
    return At;
  LocatedBuilder B(At, Location);
  Value *Condition = nullptr;
  if (SomeLanes)
    Condition = B.CreateICmpULT(B.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_laneid, {}),
                                B.getInt32(E.Lanes));
  if (E.Condition.Kind != GuardKind::Always) {
    Value *Guarded = condition(B, E.Condition);
    Condition = Condition ? B.CreateAnd(Guarded, Condition) : Guarded;
  }
  Instruction *Then = SplitBlockAndInsertIfThen(Condition, At, /*Unreachable=*/false);
  Then->setDebugLoc(Location);
  return Then;
}

/// The address before any mapping, as a pointer to the space it belongs to or a generic one.
Value *PtxInstrumenter::pointer(IRBuilderBase &B, const AddressRef &A) {
  unsigned Space = toAddressSpace(A.Space);
  Value *Pointer = A.Value.Kind == ValueKind::Asm ? Operands[A.Value.AsmIndex].Input : nullptr;
  // A global address and the generic address of the same byte are equal numbers; so are, in effect,
  // the addresses of the own block's memory in the windows of the block and the cluster.
  if (Pointer && Pointer->getType()->isPointerTy()) {
    unsigned Has = Pointer->getType()->getPointerAddressSpace();
    bool Same = Has == Space || (Has == GenericAddressSpace && Space == GlobalAddressSpace) ||
                (Has == SharedAddressSpace && Space == SharedClusterAddressSpace) ||
                !Call.isInlineAsm();
    if (Same) // intrinsics take pointers for what they are
      return A.Value.Addend ? B.CreatePtrAdd(Pointer, B.getInt64(uint64_t(A.Value.Addend)))
                            : Pointer;
  }
  return B.CreateIntToPtr(integer(B, A.Value, 64), B.getPtrTy(Space));
}

Value *PtxInstrumenter::address(IRBuilderBase &B, const AddressRef &A) {
  PointerType *Generic = B.getPtrTy(GenericAddressSpace);
  if (A.Value == ValueRef::constant(0) && A.Space == abi::Space::Generic && !A.Rank)
    return ConstantPointerNull::get(Generic);
  Value *P = pointer(B, A);
  if (A.Rank) {
    Value *Rank = integer(B, *A.Rank, 32);
    P = P->getType()->getPointerAddressSpace() == SharedAddressSpace
            ? B.CreateIntrinsic(Intrinsic::nvvm_mapa_shared_cluster, {P, Rank})
            : B.CreateIntrinsic(Intrinsic::nvvm_mapa, {P, Rank});
  }
  return B.CreateAddrSpaceCast(P, Generic);
}

Value *PtxInstrumenter::result(unsigned Index, IRBuilderBase &B) {
  int Output = Index < Operands.size() ? Operands[Index].Output : -1;
  if (Output < 0)
    return nullptr;
  return Call.getType()->isStructTy() ? B.CreateExtractValue(&Call, unsigned(Output)) : &Call;
}

Value *PtxInstrumenter::argument(IRBuilderBase &B, const EntryArgument &A, Type *T) {
  if (A.Kind == ArgumentKind::Address)
    return address(B, A.Place);
  if (A.Kind == ArgumentKind::Outcome) {
    if (A.Value.Kind == ValueKind::Constant)
      return ConstantInt::get(T, A.Value.Addend == int64_t(A.Expected));
    Value *X = bitsOf(B, result(A.Value.AsmIndex, B));
    if (X->getType()->isIntegerTy(1) && A.Expected == 1)
      return B.CreateZExt(X, T);
    APInt Expected = APInt(64, A.Expected).trunc(X->getType()->getIntegerBitWidth());
    return B.CreateZExt(B.CreateICmpEQ(X, ConstantInt::get(X->getType(), Expected)), T);
  }
  Value *X = integer(B, A.Value, T->getIntegerBitWidth());
  if (A.ZeroIf)
    X = B.CreateSelect(condition(B, *A.ZeroIf), ConstantInt::get(T, 0), X);
  if (A.Kind == ArgumentKind::LeftOut)
    X = B.CreateShl(B.CreateNot(X), 16);
  return X;
}

void PtxInstrumenter::blockBarrier(const Effect &E) {
  uint32_t Site = Context.Sites.add(Call, abi::Op(), 0, "");
  for (bool Second : {false, true}) {
    if (Second && E.Barrier == abi::BarrierKind::Arrive)
      continue;
    LocatedBuilder B(position(After || Second, E), Location);
    BlockBarrierCall C{
        E.Barrier, integer(B, E.BarrierId, 32), integer(B, E.BarrierCount, 32), Site, E.Aligned,
        After};
    if (Second)
      Context.Calls.blockBarrierAfter(B, C);
    else
      Context.Calls.blockBarrierBefore(B, C);
  }
  After = true;
}

void PtxInstrumenter::warpBarrier(const Effect &E) {
  uint32_t Site = Context.Sites.add(Call, abi::Op(), 0, "");
  for (bool Second : {false, true}) {
    LocatedBuilder B(position(After || Second, E), Location);
    Value *Mask = integer(B, E.Mask, 32);
    if (Second)
      Context.Calls.warpBarrierAfter(B, Mask, Site);
    else
      Context.Calls.warpBarrierBefore(B, Mask, Site);
  }
  After = true;
}

bool PtxInstrumenter::entry(const Statement &S, const Effect &E) {
  for (const EntryArgument &A : E.Arguments)
    if (!resolvable(A))
      return false;
  uint32_t Site = Context.Sites.add(Call, E.Op, 0, S.Opcode);
  if (E.Blocks && !Context.Calls.forGpu()) {
    LocatedBuilder B(position(false, E), Location);
    Context.Calls.entry(B, "__scopesan_waiting", {}, E.Op, Site);
  }
  After |= E.After;
  LocatedBuilder B(position(After, E), Location);
  SmallVector<Value *, 7> Values;
  for (auto [A, T] : zip_equal(E.Arguments, Context.Calls.argumentTypes(E.Name)))
    Values.push_back(argument(B, A, T));
  Context.Calls.entry(B, E.Name, Values, Context.Sites.op(Site), Site);
  return true;
}

/// Why the place of `E` in its statement does not suit the backend; null if it does.
const char *PtxInstrumenter::misplaced(const Effect &E) const {
  bool Arrives =
      E.Publishes || E.Kind == EffectKind::BlockBarrier || E.Kind == EffectKind::WarpBarrier;
  return After && (Context.Calls.forGpu() ? Arrives : E.Announces)
             ? "follows a wait inside the asm statement"
             : nullptr;
}

bool PtxInstrumenter::effect(const Statement &S, const Effect &E) {
  switch (E.Kind) {
  case EffectKind::Access:
    return access(S, E);
  case EffectKind::Fence: {
    LocatedBuilder B(position(After, E), Location);
    uint32_t Site = Context.Sites.add(Call, E.Op, 0, "");
    Context.Calls.fence(B, Context.Sites.op(Site), Site);
    return true;
  }
  case EffectKind::BlockBarrier:
    if (!resolvable(E.BarrierId) || !resolvable(E.BarrierCount))
      return false;
    blockBarrier(E);
    return true;
  case EffectKind::WarpBarrier:
    if (!resolvable(E.Mask))
      return false;
    warpBarrier(E);
    return true;
  case EffectKind::Entry:
    return entry(S, E);
  case EffectKind::Unmodelled:
    return false;
  }
  return false;
}

void PtxInstrumenter::run(const Program &P, StringRef Reported) {
  std::vector<Effect> All = effects(P);
  bool Gpu = Context.Calls.forGpu();
  std::erase_if(All, [&](const Effect &E) { return Gpu ? E.CpuOnly : E.GpuOnly; });
  for (const Effect &E : All) {
    const Statement &S = P.Statements[E.Statement];
    bool GuardKnown = resolvable(E.Condition);
    const char *Misplaced = misplaced(E);
    if (GuardKnown && !Misplaced && effect(S, E))
      continue;
    LocatedBuilder B(After ? Next : &Call, Location);
    std::string Reason = !E.Reason.empty() ? E.Reason
                         : !GuardKnown     ? "condition computed inside the asm statement"
                         : Misplaced       ? Misplaced
                                           : "operand computed inside the asm statement";
    Context.unmodelled(B, Call, Reported.empty() ? StringRef(S.Text) : Reported, Reason);
  }
}

void PtxInstrumenter::asmStatement() {
  StringRef Text = cast<InlineAsm>(Call.getCalledOperand())->getAsmString();
  std::string Error;
  std::optional<Program> P = parse(Text, Error);
  if (!P) {
    IRBuilder<> B(&Call);
    return Context.unmodelled(B, Call, Text, "inline asm not understood: " + Error);
  }
  readAsmOperands();
  run(*P, "");
}

void PtxInstrumenter::intrinsic(StringRef Text, StringRef Reported) {
  std::string Error;
  std::optional<Program> P = parse(Text, Error);
  if (!P)
    report_fatal_error("ScopeSan: nvvm_ptx.def: '" + Text + "': " + Error);
  for (Value *A : Call.args())
    Operands.push_back({A, -1});
  if (!Call.getType()->isVoidTy())
    Operands.push_back({nullptr, 0});
  run(*P, Reported);
}

void instrumentAsm(InstrumentContext &Context, CallBase &Call) {
  PtxInstrumenter(Context, Call).asmStatement();
}

void instrumentIntrinsic(InstrumentContext &Context, CallBase &Call, StringRef Text,
                         StringRef Reported) {
  PtxInstrumenter(Context, Call).intrinsic(Text, Reported);
}

} // namespace scopesan::pass
