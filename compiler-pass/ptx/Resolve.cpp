#include "Resolve.h"

#include "Opcodes.h"

#include <string_view>

namespace scopesan::ptx {
namespace {

constexpr unsigned MaxDepth = 8;

bool sameVariable(const Operand &A, const Operand &B) {
  return A.Kind == B.Kind && A.Index == B.Index &&
         (A.is(OperandKind::Asm) || A.is(OperandKind::Register));
}

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

Resolver::Resolver(const Program &P) : Prog(P), StraightEnd(unsigned(P.Statements.size())) {
  for (unsigned I = 0; I < StraightEnd; ++I) {
    const Statement &S = P.Statements[I];
    bool Instruction = S.Kind == StatementKind::Instruction;
    if (S.Kind == StatementKind::Label || (Instruction && classify(S) == OpcodeClass::Control) ||
        (Instruction && S.Parts[0] == "call"))
      StraightEnd = I;
  }
}

bool Resolver::writes(unsigned Index, const Operand &O) const {
  const Statement &S = Prog.Statements[Index];
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
  case OpcodeClass::Unmodelled:
    for (const Operand &D : S.Operands)
      if (!D.is(OperandKind::Memory) && contains(D, O))
        return true;
    return false;
  default:
    return false;
  }
}

Resolver::Definition Resolver::definition(const Operand &O, unsigned At, unsigned &Where) const {
  if (At > StraightEnd)
    return Definition::Ambiguous;
  for (unsigned I = At; I-- > 0;) {
    if (!writes(I, O))
      continue;
    Where = I;
    return Prog.Statements[I].Guard.empty() ? Definition::Unique : Definition::Ambiguous;
  }
  return Definition::None;
}

bool Resolver::isPlainCopy(const Statement &S) const {
  return S.Parts[0] == "mov" && S.Operands.size() == 2;
}

AddressRef Resolver::trace(const Operand &O, abi::Space Space, unsigned At, unsigned Depth) const {
  const AddressRef Unknown{{}, Space};
  if (O.is(OperandKind::Integer))
    return {ValueRef::constant(int64_t(O.Bits)), Space};
  if (Depth == MaxDepth || !(O.is(OperandKind::Asm) || O.is(OperandKind::Register)))
    return Unknown;
  unsigned Where = 0;
  switch (definition(O, At, Where)) {
  case Definition::Ambiguous:
    return Unknown;
  case Definition::None:
    return O.is(OperandKind::Asm) ? AddressRef{ValueRef::asmOperand(O.Index), Space} : Unknown;
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

ValueRef Resolver::input(const Operand &O, unsigned At) const {
  AddressRef R = trace(O, abi::Space::Generic, At, 0);
  return R.Space == abi::Space::Generic ? R.Value : ValueRef();
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
    return {{}, Space};
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
  const Operand &P = S.Guard[0];
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

} // namespace scopesan::ptx
