// Comparison, selection and bits (PTX ISA 9.7.6-9.7.8).
#include "Asm.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;
using namespace scopesan::retarget;
using scopesan::ptx::OperandKind;

static CmpInst::Predicate floatPredicate(StringRef Cmp) {
  return StringSwitch<CmpInst::Predicate>(Cmp)
      .Case("eq", CmpInst::FCMP_OEQ)
      .Case("ne", CmpInst::FCMP_ONE)
      .Case("lt", CmpInst::FCMP_OLT)
      .Case("le", CmpInst::FCMP_OLE)
      .Case("gt", CmpInst::FCMP_OGT)
      .Case("ge", CmpInst::FCMP_OGE)
      .Case("equ", CmpInst::FCMP_UEQ)
      .Case("neu", CmpInst::FCMP_UNE)
      .Case("ltu", CmpInst::FCMP_ULT)
      .Case("leu", CmpInst::FCMP_ULE)
      .Case("gtu", CmpInst::FCMP_UGT)
      .Case("geu", CmpInst::FCMP_UGE)
      .Case("num", CmpInst::FCMP_ORD)
      .Case("nan", CmpInst::FCMP_UNO)
      .Default(CmpInst::BAD_FCMP_PREDICATE);
}

static CmpInst::Predicate intPredicate(StringRef Cmp, bool Signed) {
  return StringSwitch<CmpInst::Predicate>(Cmp)
      .Case("eq", CmpInst::ICMP_EQ)
      .Case("ne", CmpInst::ICMP_NE)
      .Case("lt", Signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT)
      .Case("le", Signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE)
      .Case("gt", Signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT)
      .Case("ge", Signed ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE)
      .Case("lo", CmpInst::ICMP_ULT)
      .Case("ls", CmpInst::ICMP_ULE)
      .Case("hi", CmpInst::ICMP_UGT)
      .Case("hs", CmpInst::ICMP_UGE)
      .Default(CmpInst::BAD_ICMP_PREDICATE);
}

/// Null when the comparison is unknown.
Value *AsmLowering::compare(StringRef Cmp, Value *L, Value *R, NumberType Ty) {
  if (Ty.isFloat()) {
    CmpInst::Predicate P = floatPredicate(Cmp);
    return P == CmpInst::BAD_FCMP_PREDICATE ? nullptr : B.CreateFCmp(P, L, R);
  }
  CmpInst::Predicate P = intPredicate(Cmp, Ty.Signed);
  return P == CmpInst::BAD_ICMP_PREDICATE ? nullptr : B.CreateICmp(P, L, R);
}

/// setp.cmp.{and,or,xor}: combines with the predicate in operand 3.
Value *AsmLowering::combine(Value *Condition) {
  if (!Mods.hasAny("and", "or", "xor"))
    return Condition;
  Value *Other = inPredicate(3);
  if (Mods.has("and"))
    return B.CreateAnd(Condition, Other);
  return Mods.has("or") ? B.CreateOr(Condition, Other) : B.CreateXor(Condition, Other);
}

bool AsmLowering::setPredicate() {
  if (!T)
    return false;
  Value *Condition = compare(Mods[1], in(1), in(2), T);
  if (!Condition)
    return false;
  if (T.Ty->isVectorTy()) {
    // p|q are the answers of the low and the high half.
    outSecond(combine(B.CreateExtractElement(Condition, uint64_t(1))));
    return out(combine(B.CreateExtractElement(Condition, uint64_t(0))), false);
  }
  outSecond(combine(B.CreateNot(Condition)));
  return out(combine(Condition), false);
}

/// set.cmp.dtype.stype: all ones, or 1.0 for a floating-point result.
bool AsmLowering::setValue() {
  NumberType To = parseNumberType(B.getContext(), Mods.back(1));
  if (!T || !To)
    return false;
  Value *Condition = compare(Mods[1], in(1), in(2), T);
  if (!Condition)
    return false;
  if (!T.Ty->isVectorTy())
    Condition = combine(Condition);
  if (To.isFloat())
    return out(
        B.CreateSelect(Condition, ConstantFP::get(To.Ty, 1.0), Constant::getNullValue(To.Ty)),
        false);
  if (T.Ty->isVectorTy())
    Condition = B.CreateSExt(Condition, FixedVectorType::get(B.getInt16Ty(), 2));
  return out(Condition->getType()->isVectorTy() ? B.CreateBitCast(Condition, To.Ty)
                                                : B.CreateSExt(Condition, To.Ty),
             false);
}

bool AsmLowering::select() { return T && out(B.CreateSelect(inPredicate(3), in(1), in(2))); }

/// slct.dtype.ctype d, a, b, c: c >= 0 ? a : b
bool AsmLowering::selectBySign() {
  NumberType To = parseNumberType(B.getContext(), Mods.back(1));
  if (!T || !To)
    return false;
  Value *C = in(3);
  Value *Positive = T.isFloat() ? B.CreateFCmpOGE(C, Constant::getNullValue(T.Ty))
                                : B.CreateICmpSGE(C, Constant::getNullValue(T.Ty));
  return out(B.CreateSelect(Positive, in(1, To.Ty), in(2, To.Ty)), To.Signed);
}

bool AsmLowering::testProperty() {
  unsigned Classes = StringSwitch<unsigned>(Mods[1])
                         .Case("finite", fcFinite)
                         .Case("infinite", fcInf)
                         .Case("number", ~fcNan & fcAllFlags)
                         .Case("notanumber", fcNan)
                         .Case("normal", fcNormal)
                         .Case("subnormal", fcSubnormal)
                         .Default(0);
  if (!Classes || !T || !T.isFloat())
    return false;
  return out(B.createIsFPClass(in(1), Classes), false);
}

// Bits

bool AsmLowering::logic() {
  if (!T)
    return false;
  Value *L = in(1), *R = in(2);
  if (Mods[0] == "and")
    return out(B.CreateAnd(L, R));
  return out(Mods[0] == "or" ? B.CreateOr(L, R) : B.CreateXor(L, R));
}

bool AsmLowering::invert() { return T && out(B.CreateNot(in(1))); }

bool AsmLowering::logicalNot() {
  if (!T)
    return false;
  return out(B.CreateZExt(B.CreateICmpEQ(in(1), Constant::getNullValue(T.Ty)), T.Ty));
}

bool AsmLowering::logic3() {
  const Operand *Table = operand(4);
  if (!Table || Mods.hasAny("or", "and"))
    return false;
  auto *Constant = dyn_cast<ConstantInt>(in32(4));
  return Constant && out(A.logic3(Constant->getZExtValue(), in(1), in(2), in(3)));
}

bool AsmLowering::shift() { return T && out(A.shift(Mods[0] == "shl", T.Signed, in(1), in32(2))); }
/// shf.{l,r}.{clamp,wrap}.b32 d, low, high, amount
bool AsmLowering::funnelShift() {
  return out(A.funnelShift(Mods[1] == "l", Mods.has("wrap"), in32(1), in32(2), in32(3)), false);
}
bool AsmLowering::bitFieldExtract() {
  return T && out(A.bitFieldExtract(T.Signed, in(1), in32(2), in32(3)));
}
bool AsmLowering::bitFieldInsert() {
  return T && out(A.bitFieldInsert(in(1), in(2), in32(3), in32(4)));
}
bool AsmLowering::findLeadingOne() {
  return T && out(A.findLeadingOne(T.Signed, Mods.has("shiftamt"), in(1)), false);
}
bool AsmLowering::bitMask() { return out(A.bitMask(Mods.has("clamp"), in32(1), in32(2)), false); }
bool AsmLowering::extend() {
  return T && out(A.extend(T.Signed, Mods.has("clamp"), in(1), in32(2)), false);
}
bool AsmLowering::reverse() {
  return T && out(B.CreateUnaryIntrinsic(Intrinsic::bitreverse, in(1)));
}
bool AsmLowering::popCount() { return T && out(A.popCount(in(1)), false); }
bool AsmLowering::leadingZeros() { return T && out(A.countLeadingZeros(in(1)), false); }
bool AsmLowering::permute() {
  StringRef Mode = Mods.size() > 2 ? Mods[2] : "";
  return out(A.permute(Mode, in32(1), in32(2), in32(3)), false);
}
bool AsmLowering::findNthSet() {
  return out(E.support(B, "fns", B.getInt32Ty(), {in32(1), in32(2), in32(3)}), false);
}
