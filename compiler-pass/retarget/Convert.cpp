// cvt: PTX ISA 9.7.9.21.
#include "Arith.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;
using namespace scopesan::retarget;

Value *Arith::roundToIntegral(Rounding Round, Value *V) {
  Intrinsic::ID Id = Intrinsic::roundeven;
  switch (Round) {
  case Rounding::Zero:
    Id = Intrinsic::trunc;
    break;
  case Rounding::Down:
    Id = Intrinsic::floor;
    break;
  case Rounding::Up:
    Id = Intrinsic::ceil;
    break;
  case Rounding::NearestAway:
    Id = Intrinsic::round;
    break;
  case Rounding::Nearest:
    break;
  }
  return B.CreateUnaryIntrinsic(Id, V);
}

Value *Arith::floatToInt(Rounding Round, Value *V, NumberType To) {
  if (V->getType()->isHalfTy() || V->getType()->isBFloatTy())
    V = B.CreateFPExt(V, B.getFloatTy());
  if (Round != Rounding::Zero)
    V = roundToIntegral(Round, V);
  Intrinsic::ID Id = To.Signed ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat;
  Value *Result = B.CreateIntrinsic(Id, {To.Ty, V->getType()}, {V});
  // NaN gives 0, or the top bit where a 64-bit type takes part.
  if (!V->getType()->isDoubleTy() && To.bits() < 64)
    return Result;
  Value *Top = ConstantInt::get(To.Ty, APInt::getSignMask(To.bits()));
  return B.CreateSelect(isNan(V), Top, Result);
}

Value *Arith::intToFloat(Rounding Round, Value *V, NumberType From, Type *To) {
  bool Exact = From.bits() <= (To->isDoubleTy() ? 32u : To->isFloatTy() ? 16u : 8u);
  if (Round == Rounding::Nearest || Exact)
    return From.Signed ? B.CreateSIToFP(V, To) : B.CreateUIToFP(V, To);
  if (!To->isFloatTy() && !To->isDoubleTy())
    return nullptr;
  Value *Wide = asType(V, B.getInt64Ty(), From.Signed);
  std::string Name = From.Signed ? "s64_to_" : "u64_to_";
  Name += To->isFloatTy() ? "f32" : "f64";
  return E.support(B, Name, To, {Wide, B.getInt32(uint32_t(Round))});
}

static StringRef formatName(Type *T) { return T->isHalfTy() ? "f16" : "bf16"; }

Value *Arith::floatToFloat(const Modifiers &Mods, Value *V, Type *To) {
  Type *From = V->getType();
  Rounding Round = Mods.rounding();
  if (From == To) {
    bool Integral = Mods.hasAny("rni", "rzi", "rmi", "rpi");
    return Integral ? roundToIntegral(Round, V) : V;
  }
  if (From->isBFloatTy() || From->isHalfTy()) {
    Value *Single = B.CreateFPExt(V, B.getFloatTy());
    return To->isFloatTy() ? Single : floatToFloat(Mods, Single, To);
  }
  if (From->isFloatTy() && To->isDoubleTy())
    return B.CreateFPExt(V, To);
  if (To->isFloatTy()) {
    if (Round == Rounding::Nearest)
      return B.CreateFPTrunc(V, To);
    return E.support(B, "f64_to_f32", To, {V, B.getInt32(uint32_t(Round))});
  }
  if (Round == Rounding::Nearest && To->isHalfTy() && !Mods.has("satfinite"))
    return B.CreateFPTrunc(V, To);
  Value *Bits = narrow(Mods, V, formatName(To));
  return B.CreateBitCast(B.CreateTrunc(Bits, B.getInt16Ty()), To);
}

Value *Arith::narrow(const Modifiers &Mods, Value *V, StringRef Format) {
  Value *Wide = V->getType()->isDoubleTy() ? V : B.CreateFPExt(V, B.getDoubleTy());
  // Order of support/convert.c's table of formats.
  int Code = StringSwitch<int>(Format)
                 .Case("f16", 0)
                 .Case("bf16", 1)
                 .Case("tf32", 2)
                 .Case("e4m3", 3)
                 .Case("e5m2", 4)
                 .Default(-1);
  if (Code < 0)
    return nullptr;
  return E.support(B, "narrow", B.getInt32Ty(),
                   {Wide, B.getInt32(Code), B.getInt32(uint32_t(Mods.rounding())),
                    B.getInt32(Mods.has("satfinite"))});
}

Value *Arith::widen(Value *Bits, StringRef Format) {
  bool E4 = Format == "e4m3";
  return E.support(B, E4 ? "widen_e4m3" : "widen_e5m2", B.getFloatTy(), {Bits});
}

Value *Arith::convert(const Modifiers &Mods, Value *V, NumberType From, NumberType To) {
  if (To.isFloat() && From.isFloat()) {
    if (To.Ty->isVectorTy() || From.Ty->isVectorTy())
      return nullptr;
    return finish(Mods, floatToFloat(Mods, V, To.Ty));
  }
  if (To.isFloat()) {
    Value *Result = intToFloat(Mods.rounding(), V, From, To.Ty);
    return Result ? finish(Mods, Result) : nullptr;
  }
  if (From.isFloat())
    return From.Ty->isVectorTy() ? nullptr : floatToInt(Mods.rounding(), V, To);
  if (!Mods.has("sat"))
    return asType(V, To.Ty, From.Signed);
  // Saturating integer conversion: clamp in a type that holds both ranges.
  unsigned Bits = std::max(From.bits(), To.bits()) + 1;
  Type *Wide = B.getIntNTy(Bits);
  Value *X = From.Signed ? B.CreateSExt(V, Wide) : B.CreateZExt(V, Wide);
  APInt Low = To.Signed ? APInt::getSignedMinValue(To.bits()).sext(Bits) : APInt(Bits, 0);
  APInt High = To.Signed ? APInt::getSignedMaxValue(To.bits()).sext(Bits)
                         : APInt::getMaxValue(To.bits()).zext(Bits);
  X = B.CreateBinaryIntrinsic(Intrinsic::smax, X, ConstantInt::get(Wide, Low));
  X = B.CreateBinaryIntrinsic(Intrinsic::smin, X, ConstantInt::get(Wide, High));
  return B.CreateTrunc(X, To.Ty);
}
