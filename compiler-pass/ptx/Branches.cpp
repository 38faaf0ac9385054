#include "Branches.h"

#include "Opcodes.h"
#include "Resolve.h"

#include <algorithm>

namespace scopesan::ptx {
namespace {

class Branches {
public:
  explicit Branches(Program &P) : All(P.Statements) {}
  void run() {
    // From the innermost, which may have come last, outwards.
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (unsigned I = unsigned(All.size()); I-- > 0;)
        Changed |= fold(I);
    }
  }

private:
  static bool isBranch(const Statement &S) {
    return S.Kind == StatementKind::Instruction && S.Parts[0] == "bra" && S.Operands.size() == 1 &&
           S.Operands[0].is(OperandKind::Symbol);
  }
  /// The only place of the label, if it lies behind `From` and this branch alone names it.
  unsigned onlyTarget(unsigned From) const {
    const std::string &Label = All[From].Operands[0].Name;
    unsigned Target = 0;
    for (unsigned I = 0; I < All.size(); ++I) {
      const Statement &S = All[I];
      if (S.Kind == StatementKind::Label && S.Opcode == Label) {
        if (Target || I < From)
          return 0;
        Target = I;
      }
      if (I != From && S.Kind == StatementKind::Instruction)
        for (const Operand &O : S.Operands)
          if (O.is(OperandKind::Symbol) && O.Name == Label)
            return 0;
    }
    return Target;
  }
  /// Can [Begin, End) execute under `P` as a condition?
  bool canDepend(unsigned Begin, unsigned End, const Operand &P) const {
    for (unsigned I = Begin; I < End; ++I) {
      const Statement &S = All[I];
      if (S.Kind == StatementKind::Label)
        return false;
      if (S.Kind != StatementKind::Instruction)
        continue;
      std::optional<OpcodeClass> Class = classify(S);
      bool Ends = S.Parts[0] == "exit" || S.Parts[0] == "ret" || S.Parts[0] == "trap";
      if (!Class || (*Class == OpcodeClass::Control && !Ends) || S.Parts[0] == "call")
        return false;
      bool Same =
          !S.Guard.empty() && sameVariable(S.Guard[0], P) && S.Guard[0].Negated == P.Negated;
      if ((!S.Guard.empty() && !Same) || writesTo(S, P))
        return false;
    }
    return true;
  }
  void guard(unsigned Begin, unsigned End, const Operand &P) {
    for (unsigned I = Begin; I < End; ++I)
      if (All[I].Kind == StatementKind::Instruction)
        All[I].Guard.assign(1, P);
  }
  void clear(unsigned I) { All[I].Kind = StatementKind::ScopeOpen; }

  bool fold(unsigned I) {
    if (!isBranch(All[I]) || All[I].Guard.empty())
      return false;
    const unsigned Else = onlyTarget(I);
    if (!Else)
      return false;
    Operand Taken = All[I].Guard[0], Skipped = Taken;
    Skipped.Negated = !Taken.Negated;
    const unsigned Last = Else - 1;
    const bool TwoSided = Last > I && isBranch(All[Last]) && All[Last].Guard.empty();
    const unsigned End = TwoSided ? onlyTarget(Last) : Else;
    if (!End || End < Else || !canDepend(I + 1, TwoSided ? Last : Else, Skipped) ||
        (TwoSided && !canDepend(Else + 1, End, Taken)))
      return false;
    guard(I + 1, TwoSided ? Last : Else, Skipped);
    guard(Else + 1, End, Taken);
    for (unsigned Gone : {I, Else, Last, End})
      if (Gone != Last || TwoSided)
        clear(Gone);
    return true;
  }

  std::vector<Statement> &All;
};

} // namespace

Program withoutForwardBranches(Program P) {
  Branches(P).run();
  return P;
}

} // namespace scopesan::ptx
