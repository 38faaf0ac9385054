// NVVM intrinsics: arithmetic and conversions.
#include "Intrinsics.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;
using namespace scopesan::retarget;

std::optional<Value *> IntrinsicLowering::floatBinary() {
  return orUnsupported(A.floatBinary(Mods[0], Mods, arg(0), arg(1)));
}
std::optional<Value *> IntrinsicLowering::fma() {
  return orUnsupported(A.fma(Mods, arg(0), arg(1), arg(2)));
}
std::optional<Value *> IntrinsicLowering::floatMin() {
  return A.floatMinMax(false, Mods, arg(0), arg(1));
}
std::optional<Value *> IntrinsicLowering::floatMax() {
  return A.floatMinMax(true, Mods, arg(0), arg(1));
}
std::optional<Value *> IntrinsicLowering::function() {
  return orUnsupported(A.function(Mods[0], Mods, arg(0)));
}
std::optional<Value *> IntrinsicLowering::saturate() { return A.saturate(arg(0)); }
std::optional<Value *> IntrinsicLowering::fabs() {
  return B.CreateUnaryIntrinsic(Intrinsic::fabs, arg(0));
}
std::optional<Value *> IntrinsicLowering::negate() { return B.CreateFNeg(arg(0)); }
std::optional<Value *> IntrinsicLowering::roundUp() {
  return A.roundToIntegral(Rounding::Up, arg(0));
}
std::optional<Value *> IntrinsicLowering::roundDown() {
  return A.roundToIntegral(Rounding::Down, arg(0));
}
std::optional<Value *> IntrinsicLowering::roundZero() {
  return A.roundToIntegral(Rounding::Zero, arg(0));
}
std::optional<Value *> IntrinsicLowering::roundNearest() {
  return A.roundToIntegral(Rounding::Nearest, arg(0));
}

// Conversions

std::optional<Value *> IntrinsicLowering::highWord() {
  return A.asInt32(B.CreateLShr(A.asType(arg(0), B.getInt64Ty()), 32));
}
std::optional<Value *> IntrinsicLowering::lowWord() {
  return A.asInt32(A.asType(arg(0), B.getInt64Ty()));
}
std::optional<Value *> IntrinsicLowering::joinWords() {
  Value *Low = B.CreateZExt(arg(0), B.getInt64Ty()), *High = B.CreateZExt(arg(1), B.getInt64Ty());
  return B.CreateBitCast(B.CreateOr(Low, B.CreateShl(High, 32)), B.getDoubleTy());
}
std::optional<Value *> IntrinsicLowering::toInt() {
  return A.floatToInt(Mods.rounding(), arg(0), {T, true});
}
std::optional<Value *> IntrinsicLowering::toUnsigned() {
  return A.floatToInt(Mods.rounding(), arg(0), {T, false});
}
std::optional<Value *> IntrinsicLowering::fromInt() {
  return orUnsupported(A.intToFloat(Mods.rounding(), arg(0), {arg(0)->getType(), true}, T));
}
std::optional<Value *> IntrinsicLowering::fromUnsigned() {
  return orUnsupported(A.intToFloat(Mods.rounding(), arg(0), {arg(0)->getType(), false}, T));
}

/// d2f, f2bf16, f2f16; f2h and bf2h return the half's bits as i16.
std::optional<Value *> IntrinsicLowering::floatConvert() {
  Type *To = T->isIntegerTy() ? B.getHalfTy() : T;
  Value *V = A.finish(Mods, A.floatToFloat(Mods, arg(0), To));
  return A.asType(V, T);
}

Value *IntrinsicLowering::halves(Value *High, Value *Low, Type *Element) {
  Type *Pair = FixedVectorType::get(Element, 2);
  Value *V = B.CreateInsertElement(PoisonValue::get(Pair), Low, uint64_t(0));
  return B.CreateInsertElement(V, High, uint64_t(1));
}

/// The first operand is the upper half. Stochastic rounding (.rs) is unsupported.
std::optional<Value *> IntrinsicLowering::packHalves() {
  if (Mods.has("rs"))
    return std::nullopt;
  Type *Element = T->getScalarType();
  auto one = [&](Value *V) { return A.finish(Mods, A.floatToFloat(Mods, V, Element)); };
  Value *High = one(arg(0));
  return halves(High, one(arg(1)), Element);
}

std::optional<Value *> IntrinsicLowering::toTf32() {
  Value *V = Mods.has("relu") ? A.finish(Mods, arg(0)) : arg(0);
  return A.narrow(Mods, V, "tf32");
}

/// ff.to.e4m3x2 and the like saturate always; the first operand is the upper byte.
std::optional<Value *> IntrinsicLowering::packBytes() {
  Modifiers Finite = Modifiers::split(Mods.has("relu") ? "rn.satfinite.relu" : "rn.satfinite");
  StringRef Format = Mods.has("e4m3x2") ? "e4m3" : "e5m2";
  Value *High, *Low;
  if (Mods[0] == "ff") {
    High = arg(0);
    Low = arg(1);
  } else {
    High = B.CreateExtractElement(arg(0), uint64_t(1));
    Low = B.CreateExtractElement(arg(0), uint64_t(0));
  }
  auto one = [&](Value *V) { return A.narrow(Finite, A.finish(Finite, V), Format); };
  Value *Top = B.CreateShl(one(High), 8);
  return B.CreateTrunc(B.CreateOr(Top, one(Low)), T);
}

std::optional<Value *> IntrinsicLowering::unpackBytes() {
  StringRef Format = Mods[0] == "e4m3x2" ? "e4m3" : "e5m2";
  Value *Bits = A.asInt32(arg(0));
  auto one = [&](Value *Byte) {
    Value *Single = A.widen(B.CreateAnd(Byte, 255), Format);
    return A.finish(Mods, B.CreateFPTrunc(Single, B.getHalfTy()));
  };
  Value *Low = one(Bits);
  return halves(one(B.CreateLShr(Bits, 8)), Low, B.getHalfTy());
}

// Integers. Signedness is in the last part of the name: i, ll, s are signed, ui, ull, us are not.

static bool isSigned(const Modifiers &Mods) { return !Mods.back().starts_with("u"); }

std::optional<Value *> IntrinsicLowering::mulHigh() {
  return A.mulHigh(isSigned(Mods), arg(0), arg(1));
}
std::optional<Value *> IntrinsicLowering::mul24() {
  return A.mul24(isSigned(Mods), false, arg(0), arg(1));
}
std::optional<Value *> IntrinsicLowering::sad() {
  return A.sad(isSigned(Mods), arg(0), arg(1), arg(2));
}

/// prmt(a, b, s), prmt.{f4e,b4e}(a, b, s), prmt.{rc8,ecl,ecr,rc16}(a, s)
std::optional<Value *> IntrinsicLowering::permute() {
  bool One = Call.arg_size() == 2;
  return A.permute(Mods[1], arg(0), One ? B.getInt32(0) : arg(1), arg(One ? 1 : 2));
}
std::optional<Value *> IntrinsicLowering::findLeadingOne() {
  return A.findLeadingOne(Mods[1] == "s", argIsTrue(1), arg(0));
}
std::optional<Value *> IntrinsicLowering::bitMask() {
  return A.bitMask(Mods.has("clamp"), arg(0), arg(1));
}
std::optional<Value *> IntrinsicLowering::extend() {
  return A.extend(Mods[0] == "sext", Mods.has("clamp"), arg(0), arg(1));
}
/// fshl.clamp(high, low, amount)
std::optional<Value *> IntrinsicLowering::funnelLeft() {
  return A.funnelShift(true, false, arg(1), arg(0), arg(2));
}
std::optional<Value *> IntrinsicLowering::funnelRight() {
  return A.funnelShift(false, false, arg(1), arg(0), arg(2));
}
std::optional<Value *> IntrinsicLowering::findNthSet() {
  return E.support(B, "fns", T, {arg(0), arg(1), arg(2)});
}

/// idp4a.{s,u}.{s,u}(a, b, c), idp2a.{s,u}.{s,u}(a, b, high, c)
std::optional<Value *> IntrinsicLowering::dotProduct() {
  Value *SignedL = B.getInt32(Mods[1] == "s"), *SignedR = B.getInt32(Mods[2] == "s");
  if (Mods[0] == "idp4a")
    return E.support(B, "dp4a", T, {arg(0), SignedL, arg(1), SignedR, arg(2)});
  Value *High = B.CreateZExt(arg(2), B.getInt32Ty());
  return E.support(B, "dp2a", T, {arg(0), SignedL, arg(1), SignedR, High, arg(3)});
}
