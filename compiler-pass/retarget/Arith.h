// PTX arithmetic in LLVM IR, shared by the lowering of NVVM intrinsics and of inline PTX.
// (PTX ISA 9.7.1-9.7.9.) .ftz is not honoured: denormals are kept.
#pragma once

#include "Engine.h"
#include "Modifiers.h"

namespace scopesan::retarget {

class Arith {
public:
  Arith(Engine &E, llvm::IRBuilder<> &B) : E(E), B(B) {}

  // Floating point; scalars or packed halves. Null: no such operation.
  /// add, sub, mul, div with rounding, .sat and .relu.
  llvm::Value *floatBinary(llvm::StringRef Op, const Modifiers &Mods, llvm::Value *L,
                           llvm::Value *R);
  llvm::Value *fma(const Modifiers &Mods, llvm::Value *L, llvm::Value *R, llvm::Value *Addend);
  /// min or max with .NaN, .xorsign and .abs.
  llvm::Value *floatMinMax(bool Max, const Modifiers &Mods, llvm::Value *L, llvm::Value *R);
  /// rcp, sqrt, rsqrt, sin, cos, ex2, lg2, tanh.
  llvm::Value *function(llvm::StringRef Op, const Modifiers &Mods, llvm::Value *V);
  llvm::Value *saturate(llvm::Value *V);
  /// Applies .sat and .relu.
  llvm::Value *finish(const Modifiers &Mods, llvm::Value *V);

  // Conversions (Convert.cpp).
  llvm::Value *convert(const Modifiers &Mods, llvm::Value *V, NumberType From, NumberType To);
  llvm::Value *floatToInt(Rounding Round, llvm::Value *V, NumberType To);
  llvm::Value *intToFloat(Rounding Round, llvm::Value *V, NumberType From, llvm::Type *To);
  llvm::Value *roundToIntegral(Rounding Round, llvm::Value *V);
  llvm::Value *floatToFloat(const Modifiers &Mods, llvm::Value *V, llvm::Type *To);
  /// Encodes a float in a small format ("f16", "bf16", "tf32", "e4m3", "e5m2"): its bits as i32.
  llvm::Value *narrow(const Modifiers &Mods, llvm::Value *V, llvm::StringRef Format);
  /// Decodes 8-bit float bits (i32) to float.
  llvm::Value *widen(llvm::Value *Bits, llvm::StringRef Format);

  // Integers.
  llvm::Value *mulHigh(bool Signed, llvm::Value *L, llvm::Value *R);
  llvm::Value *mulWide(bool Signed, llvm::Value *L, llvm::Value *R);
  llvm::Value *mul24(bool Signed, bool High, llvm::Value *L, llvm::Value *R);
  llvm::Value *intMinMax(bool Max, bool Signed, llvm::Value *L, llvm::Value *R);
  llvm::Value *sad(bool Signed, llvm::Value *L, llvm::Value *R, llvm::Value *Addend);
  /// shl and shr: shifts of the width or more are defined.
  llvm::Value *shift(bool Left, bool Signed, llvm::Value *V, llvm::Value *Amount);
  /// shf.l / shf.r with .wrap or .clamp.
  llvm::Value *funnelShift(bool Left, bool Wrap, llvm::Value *Low, llvm::Value *High,
                           llvm::Value *Amount);
  llvm::Value *findLeadingOne(bool Signed, bool ShiftAmount, llvm::Value *V);
  llvm::Value *countLeadingZeros(llvm::Value *V);
  llvm::Value *popCount(llvm::Value *V);
  llvm::Value *bitMask(bool Clamp, llvm::Value *Position, llvm::Value *Width);
  llvm::Value *extend(bool Signed, bool Clamp, llvm::Value *V, llvm::Value *Width);
  llvm::Value *permute(llvm::StringRef Mode, llvm::Value *L, llvm::Value *R, llvm::Value *Selector);
  llvm::Value *bitFieldExtract(bool Signed, llvm::Value *V, llvm::Value *Position,
                               llvm::Value *Length);
  llvm::Value *bitFieldInsert(llvm::Value *Field, llvm::Value *Into, llvm::Value *Position,
                              llvm::Value *Length);
  llvm::Value *logic3(unsigned Table, llvm::Value *X, llvm::Value *Y, llvm::Value *Z);

  /// Bit cast, truncation or extension of `V` to the bits of `To`.
  llvm::Value *asType(llvm::Value *V, llvm::Type *To, bool Signed = false);
  llvm::Value *asInt32(llvm::Value *V) { return asType(V, B.getInt32Ty()); }

private:
  llvm::Value *constrained(llvm::StringRef Op, Rounding Round, llvm::ArrayRef<llvm::Value *> Args);
  llvm::Value *isNan(llvm::Value *V) { return B.CreateFCmpUNO(V, V); }

  Engine &E;
  llvm::IRBuilder<> &B;
};

} // namespace scopesan::retarget
