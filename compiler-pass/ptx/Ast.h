// Inline PTX as a list of statements.
//
// The text is what LLVM keeps in an InlineAsm: asm operands are $0 or ${0:m}, ${:uid} is a unique
// number and $$ a dollar sign. Names declared by .reg are resolved to indices, so that two nested
// scopes may use one name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scopesan::ptx {

/// "No index".
inline constexpr unsigned NoIndex = ~0u;

enum class OperandKind : uint8_t {
  Asm,      ///< $N: operand of the asm statement
  Register, ///< declared by .reg in this text
  Special,  ///< %tid.x, %laneid, ...
  Symbol,   ///< any other name: label, function, variable
  Integer,  ///< immediate
  Float,    ///< 0fXXXXXXXX, 0dXXXXXXXXXXXXXXXX or decimal
  Sink,     ///< _
  Vector,   ///< {a, b} and the parameter lists of call
  Memory    ///< [base + offset] or [base, {coordinates}, ...]
};

struct Operand {
  OperandKind Kind = OperandKind::Sink;
  /// '!' before a predicate.
  bool Negated = false;
  /// Asm: the letter of ${0:m}, else 0.
  char Modifier = 0;
  /// Float: 32 or 64.
  uint8_t FloatBits = 0;
  /// Asm: operand number. Register: index into Program::Registers.
  unsigned Index = NoIndex;
  /// Integer: value in two's complement. Float: IEEE bits.
  uint64_t Bits = 0;
  /// Memory: constant part of the offset from Elements[0].
  int64_t Offset = 0;
  /// Special (with its %), Symbol; Register: its name as written.
  std::string Name;
  /// Vector: its elements. Memory: base address, then what follows the commas.
  std::vector<Operand> Elements;
  /// Memory: offsets that are not literals (asm operands of constraint "n").
  std::vector<Operand> OffsetOperands;
  /// Second half of a pair such as d|p; empty or one element.
  std::vector<Operand> Second;

  bool is(OperandKind K) const { return Kind == K; }
};

struct Register {
  std::string Name;
  /// Without its dot: "pred", "b32", "b128", ...
  std::string Type;
};

enum class StatementKind : uint8_t {
  Instruction,
  Label,
  ScopeOpen,
  ScopeClose,
  Declaration, ///< .reg; its names are in Program::Registers
  Directive    ///< .pragma, .loc, .local, ...: kept as text
};

struct Statement {
  StatementKind Kind = StatementKind::Instruction;
  /// Source text without the semicolon.
  std::string Text;
  /// Instruction: "ld.acquire.gpu.u32". Label: its name. Directive: ".pragma".
  std::string Opcode;
  /// Opcode split at the dots; "L2::128B" is one part.
  std::vector<std::string> Parts;
  std::vector<Operand> Operands;
  /// @p or @!p; empty or one element, Negated for @!p.
  std::vector<Operand> Guard;
};

struct Program {
  std::vector<Statement> Statements;
  std::vector<Register> Registers;
};

} // namespace scopesan::ptx
