#include "AddressSpaces.h"
#include "Elide.h"
#include "Instrument.h"

#include "Effects.h"
#include "Parser.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using scopesan::abi::AccessKind;
using namespace scopesan::ptx;

namespace scopesan::pass {
namespace {

/// One $N of the statement.
struct AsmOperand {
  Value *Input = nullptr; ///< value when the statement starts, null for a pure output
  int Output = -1;        ///< number among the results
};

/// Places the calls for the effects of one asm statement around it.
///
///   phase    weak access   strong access        fence    barrier
///   Before   before asm    before | after asm   before   before | after asm
///   After    after asm     both after asm       after    both after asm
///
/// The statement starts in Before and turns to After with the first effect that has a second half:
/// what follows an acquire or a barrier in the text must not be reported ahead of it.
class AsmInstrumenter {
public:
  AsmInstrumenter(InstrumentContext &Context, CallBase &Call)
      : Context(Context), Call(Call), Next(Call.getNextNode()), Location(Call.getDebugLoc()) {}
  void run();

private:
  void readOperands();
  bool effect(const Statement &S, const Effect &E);
  bool access(const Statement &S, const Effect &E);
  void blockBarrier(const Effect &E);
  void warpBarrier(const Effect &E);

  /// Insertion point before or after the statement, under the guard of `E`.
  Instruction *position(bool AfterAsm, const Effect &E);
  bool resolvable(const ValueRef &V) const;
  Value *integer(IRBuilderBase &B, const ValueRef &V, unsigned Bits);
  Value *condition(IRBuilderBase &B, const Guard &G);
  Value *address(IRBuilderBase &B, const Effect &E);
  Value *part(IRBuilderBase &B, const ValueRef &V, unsigned Bytes, bool AtEnd);
  Value *result(unsigned Index, IRBuilderBase &B);
  std::pair<Value *, Value *> outcome(IRBuilderBase &B, const Effect &E);
  Value *written(IRBuilderBase &B, const Statement &S, const Effect &E, Value *Read);

  InstrumentContext &Context;
  CallBase &Call;
  Instruction *Next;
  DebugLoc Location;
  SmallVector<AsmOperand, 8> Operands;
  bool After = false;
};

void AsmInstrumenter::readOperands() {
  const auto *Asm = cast<InlineAsm>(Call.getCalledOperand());
  unsigned Argument = 0;
  int Output = 0;
  InlineAsm::ConstraintInfoVector Constraints = Asm->ParseConstraints();
  for (const InlineAsm::ConstraintInfo &C : Constraints) {
    if (C.Type == InlineAsm::isClobber || C.Type == InlineAsm::isLabel)
      continue;
    AsmOperand O;
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

bool AsmInstrumenter::resolvable(const ValueRef &V) const {
  return V.Kind == ValueKind::Constant ||
         (V.Kind == ValueKind::Asm && V.AsmIndex < Operands.size() && Operands[V.AsmIndex].Input);
}

Value *bitsOf(IRBuilderBase &B, Value *V) {
  Type *T = V->getType();
  if (T->isPointerTy())
    return B.CreatePtrToInt(V, B.getInt64Ty());
  return B.CreateBitCast(V, B.getIntNTy(unsigned(T->getPrimitiveSizeInBits())));
}

Value *AsmInstrumenter::integer(IRBuilderBase &B, const ValueRef &V, unsigned Bits) {
  Type *T = B.getIntNTy(Bits);
  if (V.Kind == ValueKind::Constant)
    return ConstantInt::get(T, APInt(64, uint64_t(V.Addend)).zextOrTrunc(Bits));
  Value *X = B.CreateZExtOrTrunc(bitsOf(B, Operands[V.AsmIndex].Input), T);
  return V.Addend ? B.CreateAdd(X, ConstantInt::get(T, uint64_t(V.Addend), true)) : X;
}

Value *AsmInstrumenter::condition(IRBuilderBase &B, const Guard &G) {
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

/// A builder that gives what it creates the location of the asm statement.
struct Builder : IRBuilder<> {
  Builder(Instruction *At, const DebugLoc &Location) : IRBuilder<>(At) {
    SetCurrentDebugLocation(Location);
  }
};

Instruction *AsmInstrumenter::position(bool AfterAsm, const Effect &E) {
  Instruction *At = AfterAsm ? Next : &Call;
  if (E.Condition.Kind == GuardKind::Always)
    return At;
  Builder B(At, Location);
  Instruction *Then =
      SplitBlockAndInsertIfThen(condition(B, E.Condition), At, /*Unreachable=*/false);
  Then->setDebugLoc(Location);
  return Then;
}

Value *AsmInstrumenter::address(IRBuilderBase &B, const Effect &E) {
  PointerType *Generic = B.getPtrTy(GenericAddressSpace);
  unsigned Space = toAddressSpace(E.AddressSpace);
  Value *Pointer = E.Address.Kind == ValueKind::Asm ? Operands[E.Address.AsmIndex].Input : nullptr;
  // A global address and the generic address of the same byte are equal numbers.
  if (Pointer && Pointer->getType()->isPointerTy()) {
    unsigned Has = Pointer->getType()->getPointerAddressSpace();
    if (Has == Space || (Has == GenericAddressSpace && Space == GlobalAddressSpace)) {
      Value *P = B.CreateAddrSpaceCast(Pointer, Generic);
      return E.Address.Addend ? B.CreatePtrAdd(P, B.getInt64(uint64_t(E.Address.Addend))) : P;
    }
  }
  Value *Number = integer(B, E.Address, 64);
  return B.CreateAddrSpaceCast(B.CreateIntToPtr(Number, B.getPtrTy(Space)), Generic);
}

Value *AsmInstrumenter::result(unsigned Index, IRBuilderBase &B) {
  int Output = Index < Operands.size() ? Operands[Index].Output : -1;
  if (Output < 0)
    return nullptr;
  return Call.getType()->isStructTy() ? B.CreateExtractValue(&Call, unsigned(Output)) : &Call;
}

Value *AsmInstrumenter::part(IRBuilderBase &B, const ValueRef &V, unsigned Bytes, bool AtEnd) {
  if (!AtEnd)
    return integer(B, V, Bytes * 8);
  Value *X = result(V.AsmIndex, B);
  return X ? B.CreateZExtOrTrunc(bitsOf(B, X), B.getIntNTy(Bytes * 8)) : nullptr;
}

std::pair<Value *, Value *> AsmInstrumenter::outcome(IRBuilderBase &B, const Effect &E) {
  Value *Read = nullptr;
  unsigned Shift = 0;
  for (const ValueRef &V : E.Result) {
    Value *X = Shift < 64 ? part(B, V, E.PartBytes, /*AtEnd=*/true) : nullptr;
    if (!X)
      break;
    X = B.CreateZExtOrTrunc(X, B.getInt64Ty());
    Read = Read ? B.CreateOr(Read, B.CreateShl(X, Shift)) : X;
    Shift += E.PartBytes * 8;
  }
  Read = Read ? Read : B.getInt64(0);
  if (E.Op.kind() != AccessKind::Cas)
    return {B.getInt32(E.Op.isWrite()), Read};
  // Written if and only if the old value equals the expected one.
  Value *Equal = nullptr;
  for (size_t I = 0; I < E.Result.size(); ++I) {
    Value *Same = B.CreateICmpEQ(part(B, E.Result[I], E.PartBytes, true),
                                 part(B, E.Compare[I], E.PartBytes, false));
    Equal = Equal ? B.CreateAnd(Equal, Same) : Same;
  }
  return {B.CreateZExt(Equal, B.getInt32Ty()), Read};
}

/// Value that the access leaves in memory, as i64; null if it is wider or unknown. Operands in
/// `Source` are values before the statement, so a tied output does not spoil them.
Value *AsmInstrumenter::written(IRBuilderBase &B, const Statement &S, const Effect &E,
                                Value *Read) {
  unsigned Bytes = E.bytes();
  if (!Context.Calls.forGpu() || Bytes > 8 || E.Source.empty())
    return nullptr;
  for (const ValueRef &V : E.Source)
    if (!resolvable(V))
      return nullptr;
  unsigned PartBytes = Bytes / unsigned(E.Source.size());
  Value *Operand = B.getInt64(0);
  for (size_t I = 0; I < E.Source.size(); ++I)
    Operand = B.CreateOr(
        Operand, B.CreateShl(B.CreateZExtOrTrunc(part(B, E.Source[I], PartBytes, /*AtEnd=*/false),
                                                 B.getInt64Ty()),
                             uint64_t(I * PartBytes * 8)));
  if (E.Op.kind() != AccessKind::Rmw)
    return Operand;
  StringRef Type = S.Parts.back();
  if (E.Elements != 1 || Type.starts_with("f") || Type.starts_with("bf") || S.Operands.size() < 3)
    return nullptr;
  static constexpr StringLiteral Names[] = {"add", "exch", "and", "or", "xor",
                                            "min", "max",  "inc", "dec"};
  for (StringRef Name : Names)
    if (is_contained(S.Parts, Name.str())) {
      llvm::Type *T = B.getIntNTy(Bytes * 8);
      Value *New = writtenByRmw(B, Name, Type.starts_with("s"), B.CreateZExtOrTrunc(Read, T),
                                B.CreateZExtOrTrunc(Operand, T));
      return New ? B.CreateZExt(New, B.getInt64Ty()) : nullptr;
    }
  return nullptr;
}

/// Type part of the opcode, with its vector: "u32", "v2.u64".
std::string valueText(const Statement &S) {
  std::string Text = S.Parts.back();
  for (const std::string &P : S.Parts)
    if (P.size() == 2 && P[0] == 'v' && P != Text)
      Text = P + "." + Text;
  return Text;
}

bool AsmInstrumenter::access(const Statement &S, const Effect &E) {
  if (!resolvable(E.Address))
    return false;
  if (E.Op.kind() == AccessKind::Cas) {
    bool Known = !E.Result.empty() && !E.Compare.empty();
    for (const ValueRef &V : E.Result)
      Known &= V.AsmIndex < Operands.size() && Operands[V.AsmIndex].Output >= 0;
    for (const ValueRef &V : E.Compare)
      Known &= resolvable(V);
    if (!Known)
      return false;
  }
  if (E.AddressSpace == abi::Space::Local || E.AddressSpace == abi::Space::Const)
    return true;
  if (E.Address.Kind == ValueKind::Asm) {
    const Value *V = Operands[E.Address.AsmIndex].Input;
    if (auto *Cast = dyn_cast<Operator>(V); Cast && Cast->getOpcode() == Instruction::PtrToInt)
      V = Cast->getOperand(0);
    if (V->getType()->isPointerTy() && isPrivateOrConstant(V))
      return true;
  }
  uint32_t Site = Context.Sites.add(Call, E.Op, E.bytes(), valueText(S));
  Builder B(position(After, E), Location);
  if (!E.Op.isStrong()) {
    Context.Calls.weak(B, E.Op.isWrite(), address(B, E), E.bytes(), Site);
    return true;
  }
  StrongAccess A{address(B, E), E.bytes(), Context.Sites.op(Site), Site};
  Context.Calls.atomicBefore(B, A);
  // Under a guard the address must be computed again: its block does not dominate the second half.
  Builder Late(position(true, E), Location);
  if (E.Condition.Kind != GuardKind::Always)
    A.Address = address(Late, E);
  auto [Wrote, Read] = outcome(Late, E);
  Context.Calls.atomicAfter(Late, A, Wrote, Read, written(Late, S, E, Read));
  After = true;
  return true;
}

void AsmInstrumenter::blockBarrier(const Effect &E) {
  uint32_t Site = Context.Sites.add(Call, abi::Op(), 0, "");
  for (bool Second : {false, true}) {
    if (Second && E.Barrier == abi::BarrierKind::Arrive)
      continue;
    Builder B(position(After || Second, E), Location);
    BlockBarrierCall C{E.Barrier, integer(B, E.BarrierId, 32), integer(B, E.BarrierCount, 32),
                       Site};
    if (Second)
      Context.Calls.blockBarrierAfter(B, C);
    else
      Context.Calls.blockBarrierBefore(B, C);
  }
  After = true;
}

void AsmInstrumenter::warpBarrier(const Effect &E) {
  uint32_t Site = Context.Sites.add(Call, abi::Op(), 0, "");
  for (bool Second : {false, true}) {
    Builder B(position(After || Second, E), Location);
    Value *Mask = integer(B, E.Mask, 32);
    if (Second)
      Context.Calls.warpBarrierAfter(B, Mask, Site);
    else
      Context.Calls.warpBarrierBefore(B, Mask, Site);
  }
  After = true;
}

bool AsmInstrumenter::effect(const Statement &S, const Effect &E) {
  switch (E.Kind) {
  case EffectKind::Access:
    return access(S, E);
  case EffectKind::Fence: {
    Builder B(position(After, E), Location);
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
  case EffectKind::Unmodelled:
    return false;
  }
  return false;
}

void AsmInstrumenter::run() {
  StringRef Text = cast<InlineAsm>(Call.getCalledOperand())->getAsmString();
  std::string Error;
  std::optional<Program> P = parse(Text, Error);
  if (!P) {
    IRBuilder<> B(&Call);
    return Context.unmodelled(B, Call, Text, "inline asm not understood: " + Error);
  }
  readOperands();
  for (const Effect &E : effects(*P)) {
    const Statement &S = P->Statements[E.Statement];
    bool Guarded = E.Condition.Kind != GuardKind::Always;
    bool GuardKnown = !Guarded ||
                      (E.Condition.Kind == GuardKind::Operand && resolvable(E.Condition.Lhs)) ||
                      (E.Condition.Kind == GuardKind::Compare && resolvable(E.Condition.Lhs) &&
                       resolvable(E.Condition.Rhs));
    if (GuardKnown && effect(S, E))
      continue;
    Builder B(After ? Next : &Call, Location);
    std::string Reason = !E.Reason.empty() ? E.Reason
                         : GuardKnown      ? "operand computed inside the asm statement"
                                           : "condition computed inside the asm statement";
    Context.unmodelled(B, Call, S.Text, Reason);
  }
}

} // namespace

void instrumentAsm(InstrumentContext &Context, CallBase &Call) {
  AsmInstrumenter(Context, Call).run();
}

} // namespace scopesan::pass
