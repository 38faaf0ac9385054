// Accesses in PTX text.
#include "Elide.h"
#include "PtxInstrumenter.h"

#include "Opcodes.h"

#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using scopesan::abi::AccessKind;
using namespace scopesan::ptx;

namespace scopesan::pass {

Value *PtxInstrumenter::part(IRBuilderBase &B, const ValueRef &V, unsigned Bytes, bool AtEnd) {
  if (!AtEnd)
    return integer(B, V, Bytes * 8);
  Value *X = result(V.AsmIndex, B);
  return X ? B.CreateZExtOrTrunc(bitsOf(B, X), B.getIntNTy(Bytes * 8)) : nullptr;
}

std::pair<Value *, Value *> PtxInstrumenter::outcome(IRBuilderBase &B, const Effect &E) {
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
Value *PtxInstrumenter::written(IRBuilderBase &B, const Statement &S, const Effect &E,
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
  if (E.Elements == 1 && (Type == "f32" || Type == "f64") && S.Operands.size() >= 3 &&
      is_contained(S.Parts, "add")) {
    llvm::Type *T = Bytes == 4 ? B.getFloatTy() : B.getDoubleTy(), *Bits = B.getIntNTy(Bytes * 8);
    auto AsFloat = [&](Value *V) { return B.CreateBitCast(B.CreateZExtOrTrunc(V, Bits), T); };
    Value *Sum = roundedSum(B, AsFloat(Read), AsFloat(Operand));
    return B.CreateZExt(B.CreateBitCast(Sum, Bits), B.getInt64Ty());
  }
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

namespace {

/// Type part of the opcode, with its vector: "u32", "v2.u64".
std::string valueText(const Statement &S) {
  std::string Text = S.Parts.back();
  for (const std::string &P : S.Parts)
    if (P.size() == 2 && P[0] == 'v' && P != Text)
      Text = P + "." + Text;
  return Text;
}

} // namespace

/// The pointer that the statement takes its address from, if it is one.
const Value *PtxInstrumenter::givenAddress(const AddressRef &A) const {
  if (A.Value.Kind != ValueKind::Asm)
    return nullptr;
  const Value *V = Operands[A.Value.AsmIndex].Input;
  if (auto *Cast = dyn_cast<Operator>(V); Cast && Cast->getOpcode() == Instruction::PtrToInt)
    V = Cast->getOperand(0);
  return V->getType()->isPointerTy() ? V : nullptr;
}

/// P5: constant and private memory is never checked.
bool PtxInstrumenter::isUnchecked(const AddressRef &A) const {
  if (A.Space == abi::Space::Local || A.Space == abi::Space::Const)
    return true;
  const Value *V = givenAddress(A);
  return V && isPrivateOrConstant(V);
}

/// A read that is unchecked but for what the host does (O6).
void PtxInstrumenter::constantRead(const Statement &S, const Effect &E) {
  bool Reads = E.Op.kind() == AccessKind::Load && E.Address.Space != abi::Space::Local;
  if (!Reads || Context.Calls.forGpu())
    return;
  if (E.Address.Space != abi::Space::Const && !mayBeHostWritten(givenAddress(E.Address)))
    return;
  abi::Op Op(AccessKind::Load, abi::MemoryOrder::Weak, abi::Scope::Thread, abi::Space::Const);
  uint32_t Site = Context.Sites.add(Call, Op, E.bytes(), valueText(S));
  LocatedBuilder B(position(/*AfterStatement=*/false, E), Location);
  Context.Calls.constantRead(B, address(B, E.Address), B.getInt32(E.bytes()), Site);
}

bool PtxInstrumenter::access(const Statement &S, const Effect &E) {
  if (E.Address.Space == abi::Space::Const && Context.Calls.forGpu())
    return true;
  if (!resolvable(E.Address) || !resolvable(E.LaneStride))
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
  if (isUnchecked(E.Address)) {
    constantRead(S, E);
    return true;
  }
  abi::Op Op = E.Op.isStrong() ? Context.strongOp(Call, E.Op) : E.Op;
  uint32_t Site = Context.Sites.add(Call, Op, E.bytes(), valueText(S));
  LocatedBuilder B(position(After, E), Location);
  if (!E.Op.isStrong()) {
    Value *Address = address(B, E.Address);
    if (E.LaneStrideBits) {
      Value *Lane = B.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_laneid, {});
      Value *Wide = B.CreateZExt(Lane, B.getInt64Ty());
      Value *Stride = B.CreateSExtOrTrunc(integer(B, E.LaneStride, 32), B.getInt64Ty());
      Value *Elements = B.CreateMul(Wide, Stride);
      Address = B.CreatePtrAdd(
          Address, B.CreateLShr(B.CreateMul(Elements, B.getInt64(E.LaneStrideBits)), 3));
    }
    Context.Calls.weak(B, E.Op, Address, E.bytes(), Site);
    return true;
  }
  StrongAccess A{address(B, E.Address), E.bytes(), Context.Sites.op(Site), Site};
  Context.Calls.atomicBefore(B, A);
  // Under a guard the address must be computed again: its block does not dominate the second half.
  LocatedBuilder Late(position(true, E), Location);
  if (E.Condition.Kind != GuardKind::Always)
    A.Address = address(Late, E.Address);
  auto [Wrote, Read] = outcome(Late, E);
  Context.Calls.atomicAfter(Late, A, Wrote, Read, written(Late, S, E, Read));
  After = true;
  return true;
}

} // namespace scopesan::pass
