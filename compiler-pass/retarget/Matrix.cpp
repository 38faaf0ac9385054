#include "Matrix.h"

#include "Asm.h"
#include "Intrinsics.h"

using namespace llvm;
using namespace scopesan::retarget;
using scopesan::cpu::WarpOp;
using scopesan::ptx::OperandKind;

namespace {

/// Places of the calling lane's two elements: lane l holds elements (l / 4, 2 (l % 4) + {0, 1}) of
/// each matrix, of its transpose for .trans.
class Fragment {
public:
  Fragment(Engine &E, IRBuilder<> &B, MatrixShape S, Value *Row) : E(E), B(B), S(S), Row(Row) {
    Value *Lane = B.CreateZExtOrTrunc(E.specialRegister(B, "laneid"), B.getInt32Ty());
    Major = B.CreateLShr(Lane, 2);
    Minor = B.CreateShl(B.CreateAnd(Lane, 3), 1);
  }
  /// Address of element `Which` (0 or 1) in matrix `M`. All lanes take part.
  Value *address(unsigned M, unsigned Which) {
    Value *Second = B.CreateAdd(Minor, B.getInt32(Which));
    Value *RowOf = S.Transposed ? Second : Major, *Column = S.Transposed ? Major : Second;
    Value *Owner = B.CreateAdd(RowOf, B.getInt32(8 * M));
    Value *Start = E.warp(B, WarpOp::ShflIdx, all(), Row, Owner, B.getInt32(31)).Value;
    Value *Offset = B.CreateZExt(B.CreateShl(Column, 1), B.getInt64Ty());
    return B.CreateIntToPtr(B.CreateAdd(Start, Offset), B.getPtrTy());
  }
  /// No lane goes on, and changes a row perhaps, while another still needs it.
  void end() { E.warp(B, WarpOp::Sync, all(), B.getInt32(0)); }

private:
  Value *all() { return B.getInt32(~0u); }

  Engine &E;
  IRBuilder<> &B;
  MatrixShape S;
  Value *Row, *Major, *Minor;
};

MatrixShape shapeOf(const Modifiers &Mods) {
  MatrixShape S;
  S.Number = Mods.has("x1") ? 1 : Mods.has("x2") ? 2 : Mods.has("x4") ? 4 : 0;
  S.Transposed = Mods.has("trans");
  if (Mods.back() != "b16")
    S.Number = 0;
  return S;
}

} // namespace

SmallVector<Value *, 4> scopesan::retarget::loadMatrices(Engine &E, IRBuilder<> &B, MatrixShape S,
                                                         Value *Row) {
  Fragment F(E, B, S, Row);
  SmallVector<Value *, 4> Result;
  for (unsigned M = 0; M < S.Number; ++M) {
    Value *Bits = B.getInt32(0);
    for (unsigned Which : {0, 1}) {
      Value *Half = B.CreateLoad(B.getInt16Ty(), F.address(M, Which));
      Bits = B.CreateOr(Bits, B.CreateShl(B.CreateZExt(Half, B.getInt32Ty()), 16 * Which));
    }
    Result.push_back(Bits);
  }
  F.end();
  return Result;
}

void scopesan::retarget::storeMatrices(Engine &E, IRBuilder<> &B, MatrixShape S, Value *Row,
                                       ArrayRef<Value *> Fragments) {
  Fragment F(E, B, S, Row);
  for (unsigned M = 0; M < S.Number; ++M)
    for (unsigned Which : {0, 1}) {
      Value *Half = B.CreateTrunc(B.CreateLShr(Fragments[M], 16 * Which), B.getInt16Ty());
      B.CreateStore(Half, F.address(M, Which));
    }
  F.end();
}

// ldmatrix.sync.aligned.m8n8.num{.trans}{.shared}.b16 {r...}, [row]

bool AsmLowering::loadMatrix() {
  MatrixShape S = shapeOf(Mods);
  if (!Mods.has("m8n8") || !S.Number || !operand(1) || !operand(1)->is(OperandKind::Memory) ||
      elements(*operand(0)).size() != S.Number)
    return false;
  Value *Row = B.CreatePtrToInt(address(*operand(1)), B.getInt64Ty());
  SmallVector<Value *, 4> Loaded = loadMatrices(E, B, S, Row);
  for (unsigned I = 0; I < S.Number; ++I)
    write(elements(*operand(0))[I], Loaded[I]);
  return true;
}

bool AsmLowering::storeMatrix() {
  MatrixShape S = shapeOf(Mods);
  if (!Mods.has("m8n8") || !S.Number || !operand(1) || !operand(0)->is(OperandKind::Memory) ||
      elements(*operand(1)).size() != S.Number)
    return false;
  SmallVector<Value *, 4> Fragments;
  for (const Operand &O : elements(*operand(1)))
    Fragments.push_back(read(O, B.getInt32Ty()));
  storeMatrices(E, B, S, B.CreatePtrToInt(address(*operand(0)), B.getInt64Ty()), Fragments);
  return true;
}

/// movmatrix.sync.aligned.m8n8.trans.b16 d, a: element (r, c) of d is (c, r) of a, which lane
/// 4c + r / 2 holds.
bool AsmLowering::moveMatrix() {
  if (!Mods.has("m8n8") || !Mods.has("trans") || Mods.back() != "b16")
    return false;
  Value *From = in32(1), *All = B.getInt32(~0u);
  Value *Lane = B.CreateZExtOrTrunc(E.specialRegister(B, "laneid"), B.getInt32Ty());
  Value *Row = B.CreateLShr(Lane, 2), *Column = B.CreateShl(B.CreateAnd(Lane, 3), 1);
  Value *Shift = B.CreateShl(B.CreateAnd(Row, 1), 4), *Bits = B.getInt32(0);
  for (unsigned Which : {0, 1}) {
    Value *First = B.CreateShl(B.CreateAdd(Column, B.getInt32(Which)), 2);
    Value *Owner = B.CreateAdd(First, B.CreateLShr(Row, 1));
    Value *Pair = A.asInt32(E.warp(B, WarpOp::ShflIdx, All, From, Owner, B.getInt32(31)).Value);
    Value *Half = B.CreateAnd(B.CreateLShr(Pair, Shift), B.getInt32(0xffff));
    Bits = B.CreateOr(Bits, B.CreateShl(Half, 16 * Which));
  }
  return out(Bits, false);
}

// The intrinsics take the row, then the fragments, and return a struct when there are several.

std::optional<Value *> IntrinsicLowering::loadMatrix() {
  // ldmatrix.sync.aligned.m8n8.x4.b16.p3: the pointer's space is mangled last
  Modifiers Own = Modifiers::split(Name.rsplit(".p").first);
  MatrixShape S = shapeOf(Own);
  if (!S.Number)
    return std::nullopt;
  Value *Row = B.CreatePtrToInt(flat(arg(0)), B.getInt64Ty());
  SmallVector<Value *, 4> Loaded = loadMatrices(E, B, S, Row);
  if (!T->isStructTy())
    return Loaded[0];
  Value *Result = PoisonValue::get(T);
  for (unsigned I = 0; I < S.Number; ++I)
    Result = B.CreateInsertValue(Result, Loaded[I], I);
  return Result;
}

std::optional<Value *> IntrinsicLowering::storeMatrix() {
  MatrixShape S = shapeOf(Modifiers::split(Name.rsplit(".p").first));
  if (!S.Number || Call.arg_size() != S.Number + 1)
    return std::nullopt;
  SmallVector<Value *, 4> Fragments;
  for (unsigned I = 0; I < S.Number; ++I)
    Fragments.push_back(arg(I + 1));
  storeMatrices(E, B, S, B.CreatePtrToInt(flat(arg(0)), B.getInt64Ty()), Fragments);
  return nullptr;
}
