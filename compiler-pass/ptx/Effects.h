// What the instructions of one inline asm statement do to memory and to other threads.
//
// An effect speaks only of values that exist outside of the asm statement: its operands and
// constants. What could not be traced to those is Unknown, and the caller must treat the effect as
// not modelled (X1); nothing is dropped in silence.
#pragma once

#include "Ast.h"

#include "scopesan/abi.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scopesan::ptx {

enum class ValueKind : uint8_t { Unknown, Asm, Constant };

/// A constant, or an asm operand plus a constant. Inputs mean the operand's value when the asm
/// statement starts, Effect::Result its value when the statement ends.
struct ValueRef {
  ValueKind Kind = ValueKind::Unknown;
  unsigned AsmIndex = NoIndex;
  int64_t Addend = 0;

  bool known() const { return Kind != ValueKind::Unknown; }
  static ValueRef constant(int64_t V) { return {ValueKind::Constant, NoIndex, V}; }
  static ValueRef asmOperand(unsigned N, int64_t Plus = 0) { return {ValueKind::Asm, N, Plus}; }
  friend bool operator==(const ValueRef &, const ValueRef &) = default;
};

enum class GuardKind : uint8_t {
  Always,      ///< no guard
  Compare,     ///< setp on integers known outside
  Operand,     ///< an asm operand is the predicate (Lhs)
  Unresolvable ///< computed inside, or control flow precedes the instruction
};

enum class Comparison : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };

/// Condition under which an effect happens: (Lhs Cmp Rhs) != Negated.
struct Guard {
  GuardKind Kind = GuardKind::Always;
  Comparison Cmp = Comparison::Ne;
  bool Signed = false;
  bool Negated = false;
  unsigned Bits = 32;
  ValueRef Lhs, Rhs;
};

/// An address. Space is the space that the value belongs to; it differs from the one that the
/// instruction names where the text itself converts the address (cvta).
struct AddressRef {
  ValueRef Value;
  abi::Space Space = abi::Space::Generic;
  /// The text maps the address to the block of this rank of the cluster (mapa).
  std::optional<ValueRef> Rank;
};

enum class ArgumentKind : uint8_t {
  Number,  ///< Value; 0 where ZeroIf holds
  Address, ///< Place; the constant 0 in the generic space is null
  Outcome, ///< 1 if Value, an asm operand or a constant, equals Expected at the statement's end
  LeftOut  ///< Value selects bytes of each 16: the others, in the high half of the argument
};

/// An argument of an entry point of abi.def.
struct EntryArgument {
  ArgumentKind Kind = ArgumentKind::Number;
  ValueRef Value;
  std::optional<Guard> ZeroIf;
  AddressRef Place;
  uint64_t Expected = 0;
};

enum class EffectKind : uint8_t { Access, Fence, BlockBarrier, WarpBarrier, Entry, Unmodelled };

struct Effect {
  EffectKind Kind = EffectKind::Unmodelled;
  /// Index into Program::Statements.
  unsigned Statement = 0;
  Guard Condition;

  /// Access, Fence, Entry: kind, order, scope, space, flags and element size.
  abi::Op Op;
  /// Access: bytes of one scalar element and their number (P1).
  unsigned ElementBytes = 0, Elements = 0;
  AddressRef Address;
  /// Access: it is made by the lanes with smaller numbers only.
  unsigned Lanes = 32;
  /// Access: lane i accesses what lies i times this many elements of this many bits further on.
  ValueRef LaneStride = ValueRef::constant(0);
  unsigned LaneStrideBits = 0;
  /// Access that reads: asm operands that hold the value, lowest part first. Empty if there are
  /// none.
  std::vector<ValueRef> Result;
  /// Bytes that each entry of Result and of Compare holds.
  unsigned PartBytes = 0;
  /// Cas: the expected value, lowest part first.
  std::vector<ValueRef> Compare;
  /// Store, Rmw, Cas: the source operand (the value stored, added, ...), lowest part first. Empty
  /// if unknown.
  std::vector<ValueRef> Source;

  /// BlockBarrier: Count is the constant 0 for "all threads of the block" (S7).
  abi::BarrierKind Barrier = abi::BarrierKind::Sync;
  ValueRef BarrierId, BarrierCount;
  bool Aligned = false; ///< all lanes of a warp execute the same instruction
  /// WarpBarrier (S8).
  ValueRef Mask;

  /// Entry: name in abi.def, and its arguments without op (which is Op) and site.
  std::string_view Name;
  std::vector<EntryArgument> Arguments;
  /// Entry: called after the statement, else before it.
  bool After = false;
  /// Entry after the statement: the statement may not return at once.
  bool Blocks = false;
  /// Entry: others may observe the operation as soon as it executed.
  bool Publishes = false;
  /// Entry: announces an asynchronous operation that the CPU backend then issues.
  bool Announces = false;
  /// Entry: for one backend, which has another entry point or none on the other.
  bool CpuOnly = false, GpuOnly = false;

  /// Unmodelled: why, for the compile-time note.
  std::string Reason;

  unsigned bytes() const { return ElementBytes * Elements; }
};

/// Effects of all instructions of `P`, in program order.
std::vector<Effect> effects(const Program &P);

/// True when the table ptx.def knows the instruction (its effects may still be Unmodelled).
bool isKnownOpcode(const Statement &S);

} // namespace scopesan::ptx
