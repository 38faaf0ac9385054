// The dotted parts of a PTX opcode or of an NVVM intrinsic's name, and PTX operand types.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Type.h"

namespace scopesan::retarget {

/// Directed rounding; the numbers are those of llvm.set.rounding and of support/.
enum class Rounding : uint32_t { Zero = 0, Nearest = 1, Up = 2, Down = 3, NearestAway = 4 };

/// A PTX fundamental type as LLVM sees it.
struct NumberType {
  llvm::Type *Ty = nullptr;
  bool Signed = false;

  explicit operator bool() const { return Ty; }
  bool isFloat() const { return Ty->isFPOrFPVectorTy(); }
  unsigned bits() const { return Ty->getPrimitiveSizeInBits(); }
};

/// Null for what is not a type ("rn"); packed 8-bit floats are not types in this sense.
NumberType parseNumberType(llvm::LLVMContext &C, llvm::StringRef Name);

class Modifiers {
public:
  Modifiers() = default;
  template <typename Range> explicit Modifiers(const Range &Parts) {
    for (const auto &Part : Parts)
      Tokens.push_back(Part);
  }
  static Modifiers split(llvm::StringRef Dotted) {
    Modifiers Result;
    Dotted.split(Result.Tokens, '.');
    return Result;
  }

  bool has(llvm::StringRef Token) const { return llvm::is_contained(Tokens, Token); }
  template <typename... Ts> bool hasAny(Ts... Names) const { return (has(Names) || ...); }
  llvm::StringRef operator[](size_t I) const { return I < Tokens.size() ? Tokens[I] : ""; }
  llvm::StringRef back(size_t FromEnd = 0) const {
    return FromEnd < Tokens.size() ? Tokens[Tokens.size() - 1 - FromEnd] : "";
  }
  size_t size() const { return Tokens.size(); }
  auto begin() const { return Tokens.begin(); }
  auto end() const { return Tokens.end(); }

  /// rn/rz/rm/rp and the rounding of integers rni/...; Nearest when none is named.
  Rounding rounding() const {
    if (hasAny("rz", "rzi"))
      return Rounding::Zero;
    if (hasAny("rm", "rmi"))
      return Rounding::Down;
    if (hasAny("rp", "rpi"))
      return Rounding::Up;
    return has("rna") ? Rounding::NearestAway : Rounding::Nearest;
  }

private:
  llvm::SmallVector<llvm::StringRef, 8> Tokens;
};

} // namespace scopesan::retarget
