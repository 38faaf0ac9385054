#include "Arith.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;
using namespace scopesan::retarget;

NumberType scopesan::retarget::parseNumberType(LLVMContext &C, StringRef Name) {
  auto packed = [&](Type *T) { return NumberType{FixedVectorType::get(T, 2)}; };
  if (Name == "pred")
    return {Type::getInt1Ty(C)};
  if (Name == "f16x2")
    return packed(Type::getHalfTy(C));
  if (Name == "bf16x2")
    return packed(Type::getBFloatTy(C));
  if (Name == "f32x2")
    return packed(Type::getFloatTy(C));
  if (Name == "bf16")
    return {Type::getBFloatTy(C)};
  if (Name == "f16")
    return {Type::getHalfTy(C)};
  if (Name == "f32")
    return {Type::getFloatTy(C)};
  if (Name == "f64")
    return {Type::getDoubleTy(C)};
  unsigned Bits;
  if (Name.size() < 2 || !StringRef("bus").contains(Name[0]) ||
      Name.drop_front().getAsInteger(10, Bits) || !is_contained({8u, 16u, 32u, 64u, 128u}, Bits))
    return {};
  return {Type::getIntNTy(C, Bits), Name[0] == 's'};
}

Value *Arith::asType(Value *V, Type *To, bool Signed) {
  Type *From = V->getType();
  if (From == To)
    return V;
  if (From->isPointerTy())
    return asType(B.CreatePtrToInt(V, B.getInt64Ty()), To, Signed);
  if (To->isPointerTy())
    return B.CreateIntToPtr(asType(V, B.getInt64Ty()), To);
  if (!From->isIntegerTy())
    V = B.CreateBitCast(V, B.getIntNTy(From->getPrimitiveSizeInBits()));
  Type *Bits = B.getIntNTy(To->getPrimitiveSizeInBits());
  V = Signed ? B.CreateSExtOrTrunc(V, Bits) : B.CreateZExtOrTrunc(V, Bits);
  return To->isIntegerTy() ? V : B.CreateBitCast(V, To);
}

// Floating point

/// A helper of support/ computes the operation under a rounding mode of its own.
Value *Arith::constrained(StringRef Op, Rounding Round, ArrayRef<Value *> Args) {
  Type *T = Args[0]->getType();
  if (!T->isFloatTy() && !T->isDoubleTy())
    return nullptr;
  SmallVector<Value *, 4> All(Args);
  All.push_back(B.getInt32(uint32_t(Round)));
  std::string Name = (Op + (T->isFloatTy() ? "_f32" : "_f64")).str();
  return E.support(B, Name, T, All);
}

Value *Arith::saturate(Value *V) {
  // NaN becomes +0 (PTX ISA 9.7.3): maximumnum picks the number.
  Value *Zero = ConstantFP::get(V->getType(), 0.0), *One = ConstantFP::get(V->getType(), 1.0);
  Value *Low = B.CreateBinaryIntrinsic(Intrinsic::maximumnum, V, Zero);
  return B.CreateBinaryIntrinsic(Intrinsic::minimumnum, Low, One);
}

Value *Arith::finish(const Modifiers &Mods, Value *V) {
  if (Mods.has("sat"))
    return saturate(V);
  if (!Mods.has("relu"))
    return V;
  Value *Zero = ConstantFP::get(V->getType(), 0.0);
  return B.CreateBinaryIntrinsic(Intrinsic::maximum, V, Zero);
}

Value *Arith::floatBinary(StringRef Op, const Modifiers &Mods, Value *L, Value *R) {
  if (Rounding Round = Mods.rounding(); Round != Rounding::Nearest) {
    Value *Result = constrained(Op, Round, {L, R});
    return Result ? finish(Mods, Result) : nullptr;
  }
  Value *Result = nullptr;
  if (Op == "add")
    Result = B.CreateFAdd(L, R);
  else if (Op == "sub")
    Result = B.CreateFSub(L, R);
  else if (Op == "mul")
    Result = B.CreateFMul(L, R);
  else if (Op == "div")
    Result = B.CreateFDiv(L, R);
  return Result ? finish(Mods, Result) : nullptr;
}

Value *Arith::fma(const Modifiers &Mods, Value *L, Value *R, Value *Addend) {
  Value *Result;
  if (Rounding Round = Mods.rounding(); Round != Rounding::Nearest)
    Result = constrained("fma", Round, {L, R, Addend});
  else
    Result = B.CreateIntrinsic(Intrinsic::fma, {L->getType()}, {L, R, Addend});
  return Result ? finish(Mods, Result) : nullptr;
}

Value *Arith::floatMinMax(bool Max, const Modifiers &Mods, Value *L, Value *R) {
  Value *Sign = nullptr;
  if (Mods.has("xorsign")) {
    // .xorsign.abs: magnitudes are compared, the result has the xor of the signs.
    Type *T = L->getType();
    Type *Bits = B.getIntNTy(T->getScalarSizeInBits());
    if (auto *Vector = dyn_cast<VectorType>(T))
      Bits = VectorType::getInteger(Vector);
    Sign = B.CreateXor(B.CreateBitCast(L, Bits), B.CreateBitCast(R, Bits));
    Sign = B.CreateBitCast(Sign, T);
  }
  if (Mods.has("abs")) {
    L = B.CreateUnaryIntrinsic(Intrinsic::fabs, L);
    R = B.CreateUnaryIntrinsic(Intrinsic::fabs, R);
  }
  bool PropagateNan = Mods.hasAny("NaN", "nan");
  Intrinsic::ID Id = PropagateNan ? (Max ? Intrinsic::maximum : Intrinsic::minimum)
                                  : (Max ? Intrinsic::maximumnum : Intrinsic::minimumnum);
  Value *Result = B.CreateBinaryIntrinsic(Id, L, R);
  if (Sign)
    Result = B.CreateBinaryIntrinsic(Intrinsic::copysign, Result, Sign);
  return Result;
}

Value *Arith::function(StringRef Op, const Modifiers &Mods, Value *V) {
  Type *T = V->getType();
  Rounding Round = Mods.rounding();
  if (Op == "rcp" || Op == "rsqrt") {
    Value *One = ConstantFP::get(T, 1.0);
    if (Op == "rsqrt")
      V = B.CreateUnaryIntrinsic(Intrinsic::sqrt, V);
    else if (Round != Rounding::Nearest)
      return constrained("div", Round, {One, V});
    return B.CreateFDiv(One, V);
  }
  if (Op == "sqrt") {
    if (Round != Rounding::Nearest)
      return constrained("sqrt", Round, {V});
    return B.CreateUnaryIntrinsic(Intrinsic::sqrt, V);
  }
  Intrinsic::ID Id = StringSwitch<Intrinsic::ID>(Op)
                         .Case("sin", Intrinsic::sin)
                         .Case("cos", Intrinsic::cos)
                         .Case("ex2", Intrinsic::exp2)
                         .Case("lg2", Intrinsic::log2)
                         .Case("tanh", Intrinsic::tanh)
                         .Default(Intrinsic::not_intrinsic);
  return Id ? B.CreateUnaryIntrinsic(Id, V) : nullptr;
}

// Integers

Value *Arith::mulWide(bool Signed, Value *L, Value *R) {
  Type *Wide = B.getIntNTy(2 * L->getType()->getIntegerBitWidth());
  return Signed ? B.CreateMul(B.CreateSExt(L, Wide), B.CreateSExt(R, Wide))
                : B.CreateMul(B.CreateZExt(L, Wide), B.CreateZExt(R, Wide));
}

Value *Arith::mulHigh(bool Signed, Value *L, Value *R) {
  unsigned Bits = L->getType()->getIntegerBitWidth();
  return B.CreateTrunc(B.CreateLShr(mulWide(Signed, L, R), Bits), L->getType());
}

Value *Arith::mul24(bool Signed, bool High, Value *L, Value *R) {
  Type *I24 = B.getIntNTy(24);
  Value *Product = mulWide(Signed, B.CreateTrunc(L, I24), B.CreateTrunc(R, I24));
  return B.CreateTrunc(High ? B.CreateLShr(Product, 16) : Product, B.getInt32Ty());
}

Value *Arith::intMinMax(bool Max, bool Signed, Value *L, Value *R) {
  Intrinsic::ID Id = Signed ? (Max ? Intrinsic::smax : Intrinsic::smin)
                            : (Max ? Intrinsic::umax : Intrinsic::umin);
  return B.CreateBinaryIntrinsic(Id, L, R);
}

Value *Arith::sad(bool Signed, Value *L, Value *R, Value *Addend) {
  Value *Less = Signed ? B.CreateICmpSLT(L, R) : B.CreateICmpULT(L, R);
  Value *Distance = B.CreateSelect(Less, B.CreateSub(R, L), B.CreateSub(L, R));
  return B.CreateAdd(Distance, Addend);
}

Value *Arith::shift(bool Left, bool Signed, Value *V, Value *Amount) {
  Type *T = V->getType();
  unsigned Bits = T->getIntegerBitWidth();
  // The amount is unsigned 32 bits and clamped to the width (PTX ISA 9.7.8.7).
  Value *TooFar = B.CreateICmpUGE(Amount, ConstantInt::get(Amount->getType(), Bits));
  Value *Safe = B.CreateSelect(TooFar, ConstantInt::get(T, Bits - 1), asType(Amount, T));
  if (!Left && Signed)
    return B.CreateAShr(V, Safe);
  Value *Shifted = Left ? B.CreateShl(V, Safe) : B.CreateLShr(V, Safe);
  return B.CreateSelect(TooFar, Constant::getNullValue(T), Shifted);
}

Value *Arith::funnelShift(bool Left, bool Wrap, Value *Low, Value *High, Value *Amount) {
  Type *I32 = B.getInt32Ty(), *I64 = B.getInt64Ty();
  Value *Limited = Wrap ? B.CreateAnd(Amount, B.getInt32(31))
                        : B.CreateBinaryIntrinsic(Intrinsic::umin, Amount, B.getInt32(32));
  Value *Wide = B.CreateZExt(Limited, I64);
  Value *Pair = B.CreateOr(B.CreateZExt(Low, I64), B.CreateShl(B.CreateZExt(High, I64), 32));
  Value *Moved = Left ? B.CreateLShr(B.CreateShl(Pair, Wide), 32) : B.CreateLShr(Pair, Wide);
  return B.CreateTrunc(Moved, I32);
}

Value *Arith::findLeadingOne(bool Signed, bool ShiftAmount, Value *V) {
  Type *T = V->getType();
  Value *Zero = Constant::getNullValue(T);
  if (Signed)
    V = B.CreateSelect(B.CreateICmpSLT(V, Zero), B.CreateNot(V), V);
  Value *Zeros = countLeadingZeros(V);
  Value *Top = B.getInt32(T->getIntegerBitWidth() - 1);
  Value *Position = ShiftAmount ? Zeros : B.CreateSub(Top, Zeros);
  return B.CreateSelect(B.CreateICmpEQ(V, Zero), B.getInt32(~0u), Position);
}

Value *Arith::countLeadingZeros(Value *V) {
  return asInt32(B.CreateBinaryIntrinsic(Intrinsic::ctlz, V, B.getFalse()));
}

Value *Arith::popCount(Value *V) { return asInt32(B.CreateUnaryIntrinsic(Intrinsic::ctpop, V)); }

Value *Arith::bitMask(bool Clamp, Value *Position, Value *Width) {
  Type *I64 = B.getInt64Ty();
  auto limit = [&](Value *V) {
    Value *Limited = Clamp ? B.CreateBinaryIntrinsic(Intrinsic::umin, V, B.getInt32(32))
                           : B.CreateAnd(V, B.getInt32(31));
    return B.CreateZExt(Limited, I64);
  };
  Value *Ones = B.CreateSub(B.CreateShl(B.getInt64(1), limit(Width)), B.getInt64(1));
  return asInt32(B.CreateShl(Ones, limit(Position)));
}

/// szext: keeps the low `Width` bits and extends from them; width 0 gives 0.
Value *Arith::extend(bool Signed, bool Clamp, Value *V, Value *Width) {
  Value *W = Clamp ? B.CreateBinaryIntrinsic(Intrinsic::umin, Width, B.getInt32(32))
                   : B.CreateAnd(Width, B.getInt32(31));
  Value *Unused = B.CreateSub(B.getInt32(32), W);
  Value *Top = shift(true, false, V, Unused);
  Value *Extended = shift(false, Signed, Top, Unused);
  return B.CreateSelect(B.CreateICmpEQ(W, B.getInt32(0)), B.getInt32(0), Extended);
}

Value *Arith::permute(StringRef Mode, Value *L, Value *R, Value *Selector) {
  int Code = StringSwitch<int>(Mode)
                 .Case("f4e", 1)
                 .Case("b4e", 2)
                 .Case("rc8", 3)
                 .Case("ecl", 4)
                 .Case("ecr", 5)
                 .Case("rc16", 6)
                 .Default(0);
  return E.support(B, "prmt", B.getInt32Ty(), {L, R, Selector, B.getInt32(Code)});
}

Value *Arith::bitFieldExtract(bool Signed, Value *V, Value *Position, Value *Length) {
  Type *I64 = B.getInt64Ty();
  Value *Bits = B.getInt32(V->getType()->getIntegerBitWidth());
  Value *Wide = E.support(B, Signed ? "bfe_s" : "bfe_u", I64,
                          {asType(V, I64, Signed), Position, Length, Bits});
  return asType(Wide, V->getType());
}

Value *Arith::bitFieldInsert(Value *Field, Value *Into, Value *Position, Value *Length) {
  Type *I64 = B.getInt64Ty();
  Value *Bits = B.getInt32(Into->getType()->getIntegerBitWidth());
  Value *Wide =
      E.support(B, "bfi", I64, {asType(Field, I64), asType(Into, I64), Position, Length, Bits});
  return asType(Wide, Into->getType());
}

/// lop3: bit k of the table answers x<<2 | y<<1 | z == k (PTX ISA 9.7.8.6).
Value *Arith::logic3(unsigned Table, Value *X, Value *Y, Value *Z) {
  Value *Result = Constant::getNullValue(X->getType());
  for (unsigned Row = 0; Row < 8; ++Row) {
    if (!(Table >> Row & 1))
      continue;
    Value *TermX = Row & 4 ? X : B.CreateNot(X);
    Value *TermY = Row & 2 ? Y : B.CreateNot(Y);
    Value *TermZ = Row & 1 ? Z : B.CreateNot(Z);
    Result = B.CreateOr(Result, B.CreateAnd(B.CreateAnd(TermX, TermY), TermZ));
  }
  return Result;
}
