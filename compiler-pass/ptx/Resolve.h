// Traces values through the straight-line part of an asm statement.
#pragma once

#include "Effects.h"

#include <vector>

namespace scopesan::ptx {

/// An address operand and the space its value belongs to.
struct AddressRef {
  ValueRef Value;
  abi::Space Space;
};

class Resolver {
public:
  explicit Resolver(const Program &P);

  /// Value of scalar `O` as read by statement `At`.
  ValueRef input(const Operand &O, unsigned At) const;
  /// Parts of `O` (a vector, or a register packed from one), lowest first; empty if one is unknown.
  std::vector<ValueRef> inputParts(const Operand &O, unsigned At) const;
  /// Address that statement `At` uses through memory operand `M` in state space `Space`.
  AddressRef address(const Operand &M, abi::Space Space, unsigned At) const;
  /// Asm operands that hold what statement `At` wrote to `O` when the asm ends; empty if none do.
  std::vector<ValueRef> output(const Operand &O, unsigned At) const;
  /// Condition under which statement `At` executes.
  Guard guard(unsigned At) const;

private:
  enum class Definition : uint8_t { None, Unique, Ambiguous };

  bool writes(unsigned Index, const Operand &O) const;
  /// The statement before `At` that wrote `O`.
  Definition definition(const Operand &O, unsigned At, unsigned &Where) const;
  bool isPlainCopy(const Statement &S) const;
  AddressRef trace(const Operand &O, abi::Space Space, unsigned At, unsigned Depth) const;
  bool survives(const Operand &O, unsigned At) const;
  Guard comparison(unsigned Where) const;

  const Program &Prog;
  /// First statement that control flow may skip or repeat.
  unsigned StraightEnd;
};

} // namespace scopesan::ptx
