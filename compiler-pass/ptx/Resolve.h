// Traces values through the straight-line part of an asm statement.
#pragma once

#include "Effects.h"

#include <string_view>
#include <utility>
#include <vector>

namespace scopesan::ptx {

/// Do both name one register or asm operand?
bool sameVariable(const Operand &A, const Operand &B);
/// Does `S` write the register or asm operand `O`?
bool writesTo(const Statement &S, const Operand &O);

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
  /// True for a register of type .pred.
  bool isPredicate(const Operand &O) const;
  /// Value of predicate `P` as read by statement `At`.
  Guard predicate(const Operand &P, unsigned At) const;
  /// Whether predicate `P`, written by the wait `At`, was true: ArgumentKind::Outcome. The constant
  /// 1 where the text waits until it is.
  EntryArgument outcome(const Operand &P, unsigned At) const;

private:
  enum class Definition : uint8_t { None, Unique, Ambiguous };

  bool writes(unsigned Index, const Operand &O) const;
  bool sameGuard(unsigned Earlier, unsigned Later) const;
  unsigned waitLoopEnd(unsigned Label) const;
  unsigned nextInstruction(unsigned From) const;
  bool branchesTo(unsigned Index, const Operand *Predicate, bool Negated,
                  std::string_view Label) const;
  AddressRef traceMapped(const Statement &S, abi::Space Space, unsigned At, unsigned Depth) const;
  /// The statement before `At` that wrote `O`.
  Definition definition(const Operand &O, unsigned At, unsigned &Where) const;
  bool isPlainCopy(const Statement &S) const;
  AddressRef trace(const Operand &O, abi::Space Space, unsigned At, unsigned Depth) const;
  bool survives(const Operand &O, unsigned At) const;
  Guard comparison(unsigned Where) const;

  const Program &Prog;
  /// Loops that do nothing but wait for an mbarrier: [label, past the last statement).
  std::vector<std::pair<unsigned, unsigned>> WaitLoops;
  /// First statement that control flow may skip or repeat.
  unsigned StraightEnd;
};

} // namespace scopesan::ptx
