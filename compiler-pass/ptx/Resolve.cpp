#include "Resolve.h"

#include "Opcodes.h"

#include <string_view>

namespace scopesan::ptx {
namespace {

constexpr unsigned MaxDepth = 8;

bool contains(const Operand &Where, const Operand &O) {
  if (sameVariable(Where, O))
    return true;
  for (const Operand &E : Where.Elements)
    if (contains(E, O))
      return true;
  for (const Operand &E : Where.Second)
    if (contains(E, O))
      return true;
  return false;
}

/// Integer type of `Bits` bits, as in "u32".
bool isIntegerType(std::string_view Type) {
  return Type.size() >= 2 && (Type[0] == 'b' || Type[0] == 'u' || Type[0] == 's') &&
         Type[1] >= '1' && Type[1] <= '9';
}

unsigned bitsOf(std::string_view Type) {
  unsigned Bits = 0;
  for (char C : Type.substr(1))
    Bits = Bits * 10 + unsigned(C - '0');
  return Bits;
}

/// cvt.D.S between integers where D is wider: the low part is the value.
bool isWidening(const Statement &S, bool ZeroExtends) {
  return S.Parts.size() == 3 && S.Parts[0] == "cvt" && isIntegerType(S.Parts[1]) &&
         isIntegerType(S.Parts[2]) && bitsOf(S.Parts[1]) > bitsOf(S.Parts[2]) &&
         (!ZeroExtends || S.Parts[2][0] == 'u');
}

std::optional<abi::Space> spaceNamed(const Statement &S) { return decodeModifiers(S).Space; }

} // namespace

bool sameVariable(const Operand &A, const Operand &B) {
  return A.Kind == B.Kind && A.Index == B.Index &&
         (A.is(OperandKind::Asm) || A.is(OperandKind::Register));
}

bool writesTo(const Statement &S, const Operand &O) {
  if (S.Kind != StatementKind::Instruction || S.Operands.empty())
    return false;
  switch (classify(S).value_or(OpcodeClass::Unmodelled)) {
  case OpcodeClass::Value:
  case OpcodeClass::WarpValue:
    return contains(S.Operands[0], O);
  case OpcodeClass::Load:
  case OpcodeClass::Atom:
    // libcu++ 2.x prints the operands of 128-bit loads in the wrong order: look for the first
    // value.
    for (const Operand &D : S.Operands)
      if (!D.is(OperandKind::Memory))
        return contains(D, O);
    return false;
  case OpcodeClass::BlockBarrier:
    return contains(S.Operands[0], O); // red; the others read constants or asm inputs
  case OpcodeClass::Mbarrier:
  case OpcodeClass::Matrix:
    return !S.Operands[0].is(OperandKind::Memory) && contains(S.Operands[0], O);
  case OpcodeClass::Unmodelled:
    for (const Operand &D : S.Operands)
      if (!D.is(OperandKind::Memory) && contains(D, O))
        return true;
    return false;
  default:
    return false;
  }
}

Resolver::Resolver(const Program &P) : Prog(P), StraightEnd(unsigned(P.Statements.size())) {
  for (unsigned I = 0; I < StraightEnd; ++I) {
    const Statement &S = P.Statements[I];
    bool Instruction = S.Kind == StatementKind::Instruction;
    if (unsigned End = waitLoopEnd(I)) {
      WaitLoops.emplace_back(I, End);
      I = End - 1;
    } else if (S.Kind == StatementKind::Label ||
               (Instruction && classify(S) == OpcodeClass::Control) ||
               (Instruction && S.Parts[0] == "call")) {
      StraightEnd = I;
    }
  }
}

/// First label, or instruction that is more than a pause, from `From` on.
unsigned Resolver::nextInstruction(unsigned From) const {
  for (; From < Prog.Statements.size(); ++From) {
    const Statement &S = Prog.Statements[From];
    if (S.Kind == StatementKind::Label ||
        (S.Kind == StatementKind::Instruction && S.Parts[0] != "nanosleep"))
      break;
  }
  return From;
}

/// Is `Index` a branch to `Label`, under @Predicate (or @!Predicate), or without a guard if null?
bool Resolver::branchesTo(unsigned Index, const Operand *Predicate, bool Negated,
                          std::string_view Label) const {
  if (Index >= Prog.Statements.size())
    return false;
  const Statement &S = Prog.Statements[Index];
  if (S.Kind != StatementKind::Instruction || S.Parts[0] != "bra" || S.Operands.size() != 1 ||
      !S.Operands[0].is(OperandKind::Symbol) || S.Operands[0].Name != Label)
    return false;
  if (!Predicate)
    return S.Guard.empty();
  return !S.Guard.empty() && sameVariable(S.Guard[0], *Predicate) && S.Guard[0].Negated == Negated;
}

/// The loops that wait for an mbarrier, from their label on; 0 if statement `Label` begins none.
///   L: wait P, ...; @!P bra L;               L: wait P, ...; @P bra D; bra L; D:
unsigned Resolver::waitLoopEnd(unsigned Label) const {
  const std::vector<Statement> &All = Prog.Statements;
  if (All[Label].Kind != StatementKind::Label)
    return 0;
  unsigned Wait = nextInstruction(Label + 1), End = nextInstruction(Wait + 1);
  if (End >= All.size() || All[Wait].Kind != StatementKind::Instruction ||
      !All[Wait].Guard.empty() || classify(All[Wait]) != OpcodeClass::Mbarrier ||
      All[Wait].Operands.size() < 3 ||
      (All[Wait].Parts[1] != "try_wait" && All[Wait].Parts[1] != "test_wait"))
    return 0;
  const Operand &P = All[Wait].Operands[0];
  std::string_view Loop = All[Label].Opcode, Done;
  unsigned Branches = 1;
  if (!branchesTo(End, &P, /*Negated=*/true, Loop)) {
    unsigned Back = nextInstruction(End + 1), Last = nextInstruction(Back + 1);
    if (Last >= All.size() || All[Last].Kind != StatementKind::Label)
      return 0;
    Done = All[Last].Opcode;
    if (!branchesTo(End, &P, /*Negated=*/false, Done) || !branchesTo(Back, nullptr, false, Loop))
      return 0;
    End = Last;
    Branches = 2;
  }
  // Nobody else may come here.
  for (const Statement &S : All)
    if (S.Kind == StatementKind::Instruction && classify(S) == OpcodeClass::Control)
      for (const Operand &O : S.Operands)
        if (O.is(OperandKind::Symbol) && (O.Name == Loop || O.Name == Done) && Branches-- == 0)
          return 0;
  return End + 1;
}

/// Do both statements execute under the same condition, `Earlier` under none included?
bool Resolver::sameGuard(unsigned Earlier, unsigned Later) const {
  const std::vector<Operand> &A = Prog.Statements[Earlier].Guard, &B = Prog.Statements[Later].Guard;
  if (A.empty())
    return true;
  if (B.empty() || !sameVariable(A[0], B[0]) || A[0].Negated != B[0].Negated)
    return false;
  for (unsigned I = Earlier; I < Later; ++I)
    if (writes(I, A[0]))
      return false;
  return true;
}

Resolver::Definition Resolver::definition(const Operand &O, unsigned At, unsigned &Where) const {
  if (At > StraightEnd)
    return Definition::Ambiguous;
  for (unsigned I = At; I-- > 0;) {
    if (!writes(I, O))
      continue;
    Where = I;
    return sameGuard(I, At) ? Definition::Unique : Definition::Ambiguous;
  }
  return Definition::None;
}

bool Resolver::writes(unsigned Index, const Operand &O) const {
  return writesTo(Prog.Statements[Index], O);
}

bool Resolver::isPlainCopy(const Statement &S) const {
  return S.Parts[0] == "mov" && S.Operands.size() == 2;
}

AddressRef Resolver::trace(const Operand &O, abi::Space Space, unsigned At, unsigned Depth) const {
  const AddressRef Unknown{{}, Space, {}};
  if (O.is(OperandKind::Integer))
    return {ValueRef::constant(int64_t(O.Bits)), Space, {}};
  if (Depth == MaxDepth || !(O.is(OperandKind::Asm) || O.is(OperandKind::Register)))
    return Unknown;
  unsigned Where = 0;
  switch (definition(O, At, Where)) {
  case Definition::Ambiguous:
    return Unknown;
  case Definition::None:
    return O.is(OperandKind::Asm) ? AddressRef{ValueRef::asmOperand(O.Index), Space, {}} : Unknown;
  case Definition::Unique:
    break;
  }
  const Statement &S = Prog.Statements[Where];
  if (S.Operands.size() < 2 || !sameVariable(S.Operands[0], O))
    return Unknown;
  const Operand &Source = S.Operands[1];
  if (isPlainCopy(S) || isWidening(S, /*ZeroExtends=*/true))
    return trace(Source, Space, Where, Depth + 1);
  if (S.Parts[0] == "cvta") {
    bool ToSpace = S.Parts.size() > 1 && S.Parts[1] == "to";
    abi::Space From = ToSpace ? abi::Space::Generic : spaceNamed(S).value_or(abi::Space::Generic);
    return trace(Source, From, Where, Depth + 1);
  }
  if (S.Parts[0] == "mapa")
    return traceMapped(S, Space, Where, Depth + 1);
  if (S.Parts[0] == "add" && S.Parts.size() == 2 && isIntegerType(S.Parts[1]) &&
      S.Operands.size() == 3) {
    AddressRef A = trace(S.Operands[1], Space, Where, Depth + 1);
    AddressRef B = trace(S.Operands[2], Space, Where, Depth + 1);
    if (A.Value.Kind == ValueKind::Constant)
      std::swap(A, B);
    if (A.Value.known() && B.Value.Kind == ValueKind::Constant) {
      A.Value.Addend += B.Value.Addend;
      return A;
    }
  }
  return Unknown;
}

/// mapa{.shared::cluster} d, a, rank: `Space` is that of d.
AddressRef Resolver::traceMapped(const Statement &S, abi::Space Space, unsigned At,
                                 unsigned Depth) const {
  bool Shared = spaceNamed(S) == abi::Space::SharedCluster;
  if (S.Operands.size() != 3 || Shared != (Space == abi::Space::SharedCluster) ||
      (!Shared && Space != abi::Space::Generic))
    return {{}, Space, {}};
  AddressRef A = trace(S.Operands[1], Shared ? abi::Space::Shared : abi::Space::Generic, At, Depth);
  if (A.Rank)
    return {{}, Space, {}};
  A.Rank = input(S.Operands[2], At);
  return A;
}

ValueRef Resolver::input(const Operand &O, unsigned At) const {
  AddressRef R = trace(O, abi::Space::Generic, At, 0);
  return R.Space == abi::Space::Generic && !R.Rank ? R.Value : ValueRef();
}

std::vector<ValueRef> Resolver::inputParts(const Operand &O, unsigned At) const {
  const Operand *Parts = &O;
  unsigned Where = At;
  if (O.is(OperandKind::Register) && definition(O, At, Where) == Definition::Unique) {
    const Statement &S = Prog.Statements[Where];
    if (isPlainCopy(S) && S.Operands[1].is(OperandKind::Vector))
      Parts = &S.Operands[1];
    else
      Where = At;
  }
  std::vector<ValueRef> Out;
  if (!Parts->is(OperandKind::Vector))
    Out.push_back(input(O, At));
  else
    for (const Operand &E : Parts->Elements)
      Out.push_back(input(E, Where));
  for (const ValueRef &V : Out)
    if (!V.known())
      return {};
  return Out;
}

AddressRef Resolver::address(const Operand &M, abi::Space Space, unsigned At) const {
  if (M.Elements.size() != 1)
    return {{}, Space, {}};
  AddressRef R = trace(M.Elements[0], Space, At, 0);
  R.Value.Addend += M.Offset;
  // An offset that is an asm operand cannot be added here.
  if (!M.OffsetOperands.empty())
    R.Value = {};
  return R;
}

bool Resolver::survives(const Operand &O, unsigned At) const {
  for (unsigned I = At + 1; I < Prog.Statements.size(); ++I)
    if (writes(I, O))
      return false;
  return true;
}

std::vector<ValueRef> Resolver::output(const Operand &O, unsigned At) const {
  std::vector<ValueRef> Out;
  if (O.is(OperandKind::Asm) && survives(O, At))
    Out.push_back(ValueRef::asmOperand(O.Index));
  if (O.is(OperandKind::Vector))
    for (const Operand &E : O.Elements) {
      std::vector<ValueRef> Part = output(E, At);
      if (Part.size() != 1)
        return {};
      Out.push_back(Part[0]);
    }
  if (!O.is(OperandKind::Register))
    return Out;
  for (unsigned I = At + 1; I < Prog.Statements.size() && I < StraightEnd; ++I) {
    const Statement &S = Prog.Statements[I];
    if (S.Kind != StatementKind::Instruction)
      continue;
    if (S.Guard.empty() && S.Operands.size() == 2 && sameVariable(S.Operands[1], O) &&
        (isPlainCopy(S) || isWidening(S, /*ZeroExtends=*/false)))
      if (std::vector<ValueRef> Copied = output(S.Operands[0], I); !Copied.empty())
        return Copied;
    if (writes(I, O))
      break;
  }
  return {};
}

Guard Resolver::comparison(unsigned Where) const {
  struct Row {
    std::string_view Text;
    Comparison Cmp;
    bool ForceUnsigned;
  };
  static constexpr Row Table[] = {{"eq", Comparison::Eq, false}, {"ne", Comparison::Ne, false},
                                  {"lt", Comparison::Lt, false}, {"le", Comparison::Le, false},
                                  {"gt", Comparison::Gt, false}, {"ge", Comparison::Ge, false},
                                  {"lo", Comparison::Lt, true},  {"ls", Comparison::Le, true},
                                  {"hi", Comparison::Gt, true},  {"hs", Comparison::Ge, true}};
  Guard G;
  G.Kind = GuardKind::Unresolvable;
  const Statement &S = Prog.Statements[Where];
  if (S.Parts.size() != 3 || S.Parts[0] != "setp" || S.Operands.size() != 3 ||
      !isIntegerType(S.Parts[2]) || S.Operands[1].Negated || S.Operands[2].Negated)
    return G;
  for (const Row &R : Table)
    if (R.Text == S.Parts[1]) {
      G.Cmp = R.Cmp;
      G.Signed = S.Parts[2][0] == 's' && !R.ForceUnsigned;
      G.Bits = bitsOf(S.Parts[2]);
      G.Lhs = input(S.Operands[1], Where);
      G.Rhs = input(S.Operands[2], Where);
      if (G.Lhs.known() && G.Rhs.known())
        G.Kind = GuardKind::Compare;
    }
  return G;
}

Guard Resolver::guard(unsigned At) const {
  Guard G;
  if (At > StraightEnd) {
    G.Kind = GuardKind::Unresolvable;
    return G;
  }
  const Statement &S = Prog.Statements[At];
  if (S.Guard.empty())
    return G;
  return predicate(S.Guard[0], At);
}

bool Resolver::isPredicate(const Operand &O) const {
  return O.is(OperandKind::Register) && Prog.Registers[O.Index].Type == "pred";
}

Guard Resolver::predicate(const Operand &P, unsigned At) const {
  Guard G;
  unsigned Where = 0;
  G.Kind = GuardKind::Unresolvable;
  switch (definition(P, At, Where)) {
  case Definition::None:
    if (P.is(OperandKind::Asm)) {
      G.Kind = GuardKind::Operand;
      G.Lhs = ValueRef::asmOperand(P.Index);
    }
    break;
  case Definition::Unique:
    if (sameVariable(Prog.Statements[Where].Operands[0], P))
      G = comparison(Where);
    break;
  case Definition::Ambiguous:
    break;
  }
  G.Negated = P.Negated;
  return G;
}

EntryArgument Resolver::outcome(const Operand &P, unsigned At) const {
  EntryArgument A;
  A.Kind = ArgumentKind::Outcome;
  A.Expected = 1;
  for (auto [Label, End] : WaitLoops)
    if (Label < At && At < End) {
      A.Value = ValueRef::constant(1);
      return A;
    }
  if (P.is(OperandKind::Asm)) {
    if (std::vector<ValueRef> V = output(P, At); V.size() == 1)
      A.Value = V[0];
    return A;
  }
  // selp.type d, a, b, P: d tells P when a and b are different constants.
  for (unsigned I = At + 1; I < Prog.Statements.size() && I < StraightEnd; ++I) {
    const Statement &S = Prog.Statements[I];
    if (S.Kind == StatementKind::Instruction && S.Parts[0] == "selp" && S.Guard.empty() &&
        S.Operands.size() == 4 && sameVariable(S.Operands[3], P) &&
        S.Operands[1].is(OperandKind::Integer) && S.Operands[2].is(OperandKind::Integer) &&
        S.Operands[1].Bits != S.Operands[2].Bits)
      if (std::vector<ValueRef> V = output(S.Operands[0], I); V.size() == 1) {
        A.Value = V[0];
        A.Expected = S.Operands[S.Operands[3].Negated ? 2 : 1].Bits;
        return A;
      }
    if (writes(I, P))
      break;
  }
  return A;
}

} // namespace scopesan::ptx
