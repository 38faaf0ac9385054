#include "MatrixForms.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace scopesan;
using namespace scopesan::retarget;
using scopesan::cpu::MatrixForm;
using scopesan::cpu::MatrixLayout;
using scopesan::cpu::MatrixType;

namespace {

MatrixType typeNamed(StringRef Part) {
  return StringSwitch<MatrixType>(Part)
      .Case("f16", MatrixType::F16)
      .Case("bf16", MatrixType::BF16)
      .Case("tf32", MatrixType::TF32)
      .Case("f32", MatrixType::F32)
      .Case("f64", MatrixType::F64)
      .Case("s8", MatrixType::S8)
      .Case("u8", MatrixType::U8)
      .Case("s4", MatrixType::S4)
      .Case("u4", MatrixType::U4)
      .Case("b1", MatrixType::B1)
      .Case("s32", MatrixType::S32)
      .Case("e4m3", MatrixType::E4M3)
      .Case("e5m2", MatrixType::E5M2)
      .Default(MatrixType::None);
}

/// m16n8k16
bool readShape(StringRef Part, MatrixForm &F) {
  return Part.consume_front("m") && !Part.consumeInteger(10, F.M) && Part.consume_front("n") &&
         !Part.consumeInteger(10, F.N) && Part.consume_front("k") &&
         !Part.consumeInteger(10, F.K) && Part.empty();
}

/// What the parts of a name say; false for a part that says something unknown.
struct Reader {
  MatrixForm F;
  bool Shape = false, Row = false, Column = false;
  SmallVector<MatrixType, 4> Types;

  bool read(const Modifiers &Mods, ArrayRef<StringRef> Ignored) {
    for (StringRef Part : Mods) {
      if (readShape(Part, F)) {
        Shape = true;
      } else if (MatrixType T = typeNamed(Part); T != MatrixType::None) {
        Types.push_back(T);
      } else if (Part == "satfinite") {
        F.Saturate = true;
      } else if (Part == "xor") {
        F.Xor = true;
      } else if (Part == "row") {
        Row = true;
      } else if (Part == "col") {
        Column = true;
      } else if (!is_contained(Ignored, Part)) {
        return false;
      }
    }
    return Shape;
  }
};

bool isSmallInteger(MatrixType T) {
  return T == MatrixType::S8 || T == MatrixType::U8 || T == MatrixType::S4 || T == MatrixType::U4 ||
         T == MatrixType::B1;
}
bool isSmallFloat(MatrixType T) { return T == MatrixType::E4M3 || T == MatrixType::E5M2; }

/// The types that an accumulator may have with these factors.
bool fits(MatrixType Factor, MatrixType Sum) {
  if (isSmallInteger(Factor))
    return Sum == MatrixType::S32;
  if (Factor == MatrixType::F64)
    return Sum == MatrixType::F64;
  return Sum == MatrixType::F32 ||
         (Sum == MatrixType::F16 && (Factor == MatrixType::F16 || isSmallFloat(Factor)));
}

/// D, A, B, C; intrinsics of f16 name D and C, those of other factors A, or A and B.
bool assignTypes(MatrixForm &F, ArrayRef<MatrixType> T) {
  if (T.size() == 4) {
    F.D = T[0], F.A = T[1], F.B = T[2], F.C = T[3];
  } else if (T.size() == 2 && fits(MatrixType::F16, T[0]) && fits(MatrixType::F16, T[1])) {
    F.D = T[0], F.C = T[1], F.A = F.B = MatrixType::F16;
  } else if (T.size() == 1 || T.size() == 2) {
    F.A = T[0], F.B = T.back();
    F.C = F.D = isSmallInteger(F.A)      ? MatrixType::S32
                : F.A == MatrixType::F64 ? MatrixType::F64
                                         : MatrixType::F32;
  } else {
    return false;
  }
  bool SameBits = cpu::bitsOf(F.A) == cpu::bitsOf(F.B) &&
                  (F.A == F.B || isSmallInteger(F.A) == isSmallInteger(F.B));
  return SameBits && fits(F.A, F.C) && fits(F.A, F.D) && fits(F.B, F.D);
}

} // namespace

std::optional<MatrixForm> scopesan::retarget::mmaForm(const Modifiers &Mods) {
  Reader R;
  if (!R.read(Mods, {"mma", "sync", "aligned", "and", "popc", "rn"}) || !R.Row || !R.Column ||
      !assignTypes(R.F, R.Types))
    return std::nullopt;
  MatrixForm &F = R.F;
  F.Layout = MatrixLayout::Mma;
  // m8n8k4 of f16 has a layout of its own (sm_70).
  bool Known = F.N == 8 && (F.M == 16 || (F.M == 8 && F.A != MatrixType::F16)) &&
               F.M * F.K * cpu::bitsOf(F.A) / 32 >= 32 && F.K <= 256;
  return Known ? std::optional(F) : std::nullopt;
}

std::optional<MatrixForm> scopesan::retarget::wmmaForm(const Modifiers &Mods) {
  Reader R;
  if (!R.read(Mods, {"wmma", "mma", "sync", "aligned", "and", "popc", "rn"}) ||
      !assignTypes(R.F, R.Types))
    return std::nullopt;
  R.F.Layout = MatrixLayout::Wmma;
  return R.F;
}

std::optional<MatrixForm> scopesan::retarget::wmmaMemoryForm(const Modifiers &Mods,
                                                             unsigned &Operand) {
  Reader R;
  if (!R.read(Mods, {"wmma", "load", "store", "a", "b", "c", "d", "sync", "aligned", "stride",
                     "global", "shared", "shared::cta", "p0", "p1", "p3"}) ||
      R.Types.size() != 1 || R.Row == R.Column)
    return std::nullopt;
  MatrixForm &F = R.F;
  F.Layout = MatrixLayout::Wmma;
  Operand = Mods.has("a") ? 0 : Mods.has("b") ? 1 : 2;
  F.A = F.B = F.C = F.D = R.Types[0];
  return F;
}

std::optional<MatrixForm> scopesan::retarget::wgmmaForm(const Modifiers &Mods) {
  Reader R;
  if (!R.read(Mods, {"wgmma", "mma_async", "sync", "aligned"}) || R.Types.size() != 3 || R.Row ||
      R.Column)
    return std::nullopt;
  MatrixForm &F = R.F;
  F.Layout = MatrixLayout::Wgmma;
  F.D = F.C = R.Types[0], F.A = R.Types[1], F.B = R.Types[2];
  bool Known = F.M == 64 && F.N % 8 == 0 && F.N <= 256 && cpu::bitsOf(F.A) >= 8 &&
               F.K * cpu::bitsOf(F.A) == 256 && cpu::bitsOf(F.A) == cpu::bitsOf(F.B) &&
               fits(F.A, F.D) && fits(F.B, F.D);
  return Known ? std::optional(F) : std::nullopt;
}

FragmentShape scopesan::retarget::fragmentShape(const MatrixForm &F, unsigned Operand) {
  MatrixType T = Operand == 0 ? F.A : Operand == 1 ? F.B : Operand == 2 ? F.C : F.D;
  unsigned Rows = Operand == 1 ? F.K : F.Layout == MatrixLayout::Wgmma ? 16 : F.M;
  unsigned Elements = Rows * (Operand == 0 ? F.K : F.N) / 32;
  if (F.Layout == MatrixLayout::Wmma && Operand < 2 && T == MatrixType::F16)
    Elements = 16; // some of them twice
  unsigned Bits = T == MatrixType::F64 ? 64 : 32;
  return {Elements * cpu::bitsOf(T) / Bits, Bits};
}
