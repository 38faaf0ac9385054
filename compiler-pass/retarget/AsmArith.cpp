// Arithmetic and conversion (PTX ISA 9.7.1-9.7.5, 9.7.9.21).
#include "Asm.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;
using namespace scopesan::retarget;

// Condition code register

Value *AsmLowering::carryIn(Type *Wide) {
  if (!State.Carry)
    State.Carry = slot(B.getInt1Ty());
  return B.CreateZExt(B.CreateLoad(B.getInt1Ty(), State.Carry), Wide);
}

/// The carry or borrow of `WideResult`, bit number `Bits`.
void AsmLowering::carryOut(Value *WideResult, unsigned Bits) {
  if (!State.Carry)
    State.Carry = slot(B.getInt1Ty());
  B.CreateStore(B.CreateTrunc(B.CreateLShr(WideResult, Bits), B.getInt1Ty()), State.Carry);
}

bool AsmLowering::addFloats(StringRef Op) { return out(A.floatBinary(Op, Mods, in(1), in(2))); }

/// add, addc, sub, subc with .cc and .sat
bool AsmLowering::addSubtract() {
  if (!T)
    return false;
  bool Subtract = Mods[0].starts_with("sub");
  if (T.isFloat())
    return addFloats(Mods[0]);
  if (Mods.has("sat"))
    return out(B.CreateBinaryIntrinsic(Subtract ? Intrinsic::ssub_sat : Intrinsic::sadd_sat, in(1),
                                       in(2)));
  if (T.Ty->isVectorTy())
    return false;
  Type *Wide = B.getIntNTy(2 * T.bits());
  Value *L = B.CreateZExt(in(1), Wide), *R = B.CreateZExt(in(2), Wide);
  if (Mods[0].ends_with("c"))
    R = B.CreateAdd(R, carryIn(Wide));
  Value *Result = Subtract ? B.CreateSub(L, R) : B.CreateAdd(L, R);
  if (Mods.has("cc"))
    carryOut(Result, T.bits());
  return out(B.CreateTrunc(Result, T.Ty));
}

/// mul, mad, madc with .wide, .hi, .lo and .cc
bool AsmLowering::multiply() {
  if (!T)
    return false;
  bool Add = Mods[0] != "mul";
  if (T.isFloat())
    return Add ? fma() : addFloats("mul");
  Value *Product = A.mulWide(T.Signed, in(1), in(2));
  Type *Wide = Product->getType();
  if (Mods.has("wide"))
    return out(Add ? B.CreateAdd(Product, in(3, Wide, T.Signed)) : Product);
  Value *Part = B.CreateTrunc(Mods.has("hi") ? B.CreateLShr(Product, T.bits()) : Product, T.Ty);
  if (!Add)
    return out(Part);
  if (Mods.has("sat"))
    return out(B.CreateBinaryIntrinsic(Intrinsic::sadd_sat, Part, in(3)));
  Value *Sum = B.CreateAdd(B.CreateZExt(Part, Wide), B.CreateZExt(in(3), Wide));
  if (Mods[0] == "madc")
    Sum = B.CreateAdd(Sum, carryIn(Wide));
  if (Mods.has("cc"))
    carryOut(Sum, T.bits());
  return out(B.CreateTrunc(Sum, T.Ty));
}

bool AsmLowering::fma() { return T && out(A.fma(Mods, in(1), in(2), in(3))); }

bool AsmLowering::multiply24() {
  if (!T || Mods.has("sat"))
    return false;
  Value *Product = A.mul24(T.Signed, Mods.has("hi"), in(1), in(2));
  return out(Mods[0] == "mad24" ? B.CreateAdd(Product, in(3)) : Product);
}

bool AsmLowering::divide() {
  if (!T)
    return false;
  if (T.isFloat())
    return addFloats("div");
  return out(T.Signed ? B.CreateSDiv(in(1), in(2)) : B.CreateUDiv(in(1), in(2)));
}

bool AsmLowering::remainder() {
  return T && out(T.Signed ? B.CreateSRem(in(1), in(2)) : B.CreateURem(in(1), in(2)));
}

/// min and max of two, or of three for f32
bool AsmLowering::minMax() {
  if (!T)
    return false;
  bool Max = Mods[0] == "max";
  if (!T.isFloat()) {
    Value *R = A.intMinMax(Max, T.Signed, in(1), in(2));
    if (Mods.has("relu"))
      R = A.intMinMax(true, true, R, Constant::getNullValue(T.Ty));
    return out(R);
  }
  Value *R = A.floatMinMax(Max, Mods, in(1), in(2));
  return out(operand(3) ? A.floatMinMax(Max, Mods, R, in(3)) : R);
}

bool AsmLowering::absolute() {
  if (!T)
    return false;
  return out(T.isFloat() ? B.CreateUnaryIntrinsic(Intrinsic::fabs, in(1))
                         : B.CreateBinaryIntrinsic(Intrinsic::abs, in(1), B.getFalse()));
}

bool AsmLowering::negate() {
  return T && out(T.isFloat() ? B.CreateFNeg(in(1)) : B.CreateNeg(in(1)));
}

/// copysign d, a, b: the sign of a on b
bool AsmLowering::copySign() {
  return T && out(B.CreateBinaryIntrinsic(Intrinsic::copysign, in(2), in(1)));
}

bool AsmLowering::sad() { return T && out(A.sad(T.Signed, in(1), in(2), in(3))); }

/// dp4a.atype.btype d, a, b, c; dp2a.{lo,hi}.atype.btype
bool AsmLowering::dotProduct() {
  Value *SignedL = B.getInt32(Mods.back(1).starts_with("s"));
  Value *SignedR = B.getInt32(Mods.back(0).starts_with("s"));
  Value *L = in32(1), *R = in32(2), *C = in32(3);
  if (Mods[0] == "dp4a")
    return out(E.support(B, "dp4a", B.getInt32Ty(), {L, SignedL, R, SignedR, C}), false);
  Value *High = B.getInt32(Mods.has("hi"));
  return out(E.support(B, "dp2a", B.getInt32Ty(), {L, SignedL, R, SignedR, High, C}), false);
}

/// v{add,sub,avrg,absdiff,min,max}{2,4}.dtype.atype.btype{.sat,.add} d, a, b, c;
/// vset{2,4}.atype.btype.cmp{.add}. Selected elements and write masks (r.h10, r.b3210) are refused.
bool AsmLowering::simd() {
  static constexpr StringRef Operations[] = {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"};
  static constexpr StringRef Relations[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  StringRef Name = Mods[0].drop_back();
  Value *Bits = B.getInt32(Mods[0].ends_with("2") ? 16 : 8), *Add = B.getInt32(Mods.has("add"));
  bool Set = Name == "vset";
  auto isSigned = [&](size_t I) { return B.getInt32(Mods[I] == "s32"); };
  Value *L = in32(1), *R = in32(2), *C = in32(3);
  if (Set) {
    const auto *Relation = find(Relations, Mods[3]);
    if (Relation == std::end(Relations))
      return false;
    Value *Which = B.getInt32(uint32_t(Relation - Relations));
    return out(E.support(B, "simd_set", B.getInt32Ty(),
                         {Which, Bits, L, isSigned(1), R, isSigned(2), Add, C}),
               false);
  }
  Value *Which = B.getInt32(uint32_t(find(Operations, Name) - Operations));
  Value *Saturate = B.getInt32(!Mods.has("sat") ? 0 : Mods[1] == "s32" ? 2 : 1);
  return out(E.support(B, "simd", B.getInt32Ty(),
                       {Which, Bits, L, isSigned(2), R, isSigned(3), Saturate, Add, C}),
             false);
}

bool AsmLowering::function() { return T && out(A.function(Mods[0], Mods, in(1))); }

// Conversion

/// cvt.f16x2.f32 d, a, b; cvt.e4m3x2.f32 d, a, b (a is the upper half); cvt.e4m3x2.f16x2 d, a;
/// cvt.f16x2.e4m3x2 d, a; cvt.tf32.f32 d, a
bool AsmLowering::convertPacked(StringRef To, StringRef From) {
  LLVMContext &C = B.getContext();
  if (Mods.hasAny("rs", "scaled::n2::ue8m0"))
    return false;
  if (To == "tf32")
    return out(A.narrow(Mods, A.finish(Mods, in(1, B.getFloatTy())), "tf32"), false);
  NumberType Packed = parseNumberType(C, To), Source = parseNumberType(C, From);
  bool ByteTarget = To == "e4m3x2" || To == "e5m2x2";
  bool ByteSource = From == "e4m3x2" || From == "e5m2x2";
  if (ByteSource && Packed && Packed.Ty->isVectorTy()) {
    Value *Bits = in(1, B.getInt16Ty());
    Value *Result = PoisonValue::get(Packed.Ty);
    for (unsigned I = 0; I < 2; ++I) {
      Value *Byte = B.CreateZExt(B.CreateAnd(B.CreateLShr(Bits, 8 * I), 255), B.getInt32Ty());
      Value *Single = A.widen(Byte, From.drop_back(2));
      Value *Half = B.CreateFPTrunc(Single, Packed.Ty->getScalarType());
      Result = B.CreateInsertElement(Result, A.finish(Mods, Half), uint64_t(I));
    }
    return out(Result, false);
  }
  if (!Source || !Source.isFloat())
    return false;
  Value *Low, *High;
  if (Source.Ty->isVectorTy()) {
    Value *Pair = in(1, Source.Ty);
    Low = B.CreateExtractElement(Pair, uint64_t(0));
    High = B.CreateExtractElement(Pair, uint64_t(1));
  } else {
    High = in(1, Source.Ty);
    Low = in(2, Source.Ty);
  }
  if (ByteTarget) {
    StringRef Format = To.drop_back(2);
    Value *Top = B.CreateShl(A.narrow(Mods, A.finish(Mods, High), Format), 8);
    Value *Both = B.CreateOr(Top, A.narrow(Mods, A.finish(Mods, Low), Format));
    return out(B.CreateTrunc(Both, B.getInt16Ty()), false);
  }
  if (!Packed || !Packed.Ty->isVectorTy() || Source.Ty->isVectorTy())
    return false;
  Type *Element = Packed.Ty->getScalarType();
  Value *Result = PoisonValue::get(Packed.Ty);
  Value *LowHalf = A.finish(Mods, A.floatToFloat(Mods, Low, Element));
  Value *HighHalf = A.finish(Mods, A.floatToFloat(Mods, High, Element));
  Result = B.CreateInsertElement(Result, LowHalf, uint64_t(0));
  return out(B.CreateInsertElement(Result, HighHalf, uint64_t(1)), false);
}

bool AsmLowering::convert() {
  StringRef ToName = Mods.back(1), FromName = Mods.back(0);
  NumberType To = parseNumberType(B.getContext(), ToName);
  NumberType From = parseNumberType(B.getContext(), FromName);
  if (!To || !From || To.Ty->isVectorTy() || From.Ty->isVectorTy())
    return convertPacked(ToName, FromName);
  if (Mods.has("pack"))
    return false;
  return out(A.convert(Mods, in(1, From.Ty, From.Signed), From, To), To.Signed);
}
