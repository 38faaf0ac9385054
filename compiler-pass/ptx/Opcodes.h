// Look-up in ptx.def.
#pragma once

#include "Ast.h"

#include "scopesan/abi.h"

#include <optional>
#include <string_view>

namespace scopesan::ptx {

enum class OpcodeClass : uint8_t {
  Value,
  WarpValue,
  NoEffect,
  Control,
  Load,
  Store,
  Atom,
  Red,
  Fence,
  Membar,
  BlockBarrier,
  WarpBarrier,
  Unmodelled
};

/// Class of the instruction; nothing if the table lacks it.
std::optional<OpcodeClass> classify(const Statement &S);

/// Modifiers of a memory instruction or fence, decoded.
struct Modifiers {
  std::optional<abi::MemoryOrder> Order;
  std::optional<abi::Scope> Scope;
  std::optional<abi::Space> Space;
  std::optional<abi::AccessKind> Rmw;
  unsigned TypeBytes = 0, TypeElements = 1, Vector = 1;
  bool Volatile = false, Mmio = false, NonCoherent = false;
  /// First part that the tables do not know; the instruction must then count as unmodelled.
  std::string_view Unknown;
};

/// Decodes the parts after the opcode's first one.
Modifiers decodeModifiers(const Statement &S);

} // namespace scopesan::ptx
