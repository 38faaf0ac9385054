// Look-up in ptx.def.
#pragma once

#include "Ast.h"

#include "scopesan/abi.h"

#include <initializer_list>
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
  ClusterBarrier,
  ProxyFence,
  Mbarrier,
  CpAsync,
  CpAsyncArrive,
  CopyGroup,
  BulkCopy,
  AsyncStore,
  Matrix,
  Tile,
  Warpgroup,
  WarpgroupGroup,
  TensorCopy,
  TensorMap,
  WriteRange,
  Texture,
  Griddep,
  Unmodelled
};

/// Class of the instruction; nothing if the table lacks it.
std::optional<OpcodeClass> classify(const Statement &S);

/// Modifiers of a memory instruction or fence, decoded.
struct Modifiers {
  std::optional<abi::MemoryOrder> Order;
  std::optional<abi::Scope> Scope;
  std::optional<abi::Space> Space, SecondSpace;
  std::optional<abi::AccessKind> Rmw;
  unsigned TypeBytes = 0, TypeElements = 1, Vector = 1;
  bool Volatile = false, Mmio = false, NonCoherent = false;
  /// First part that the tables do not know; the instruction must then count as unmodelled.
  std::string_view Unknown;
};

/// Decodes the parts after the opcode's first one. `Further`: words that the caller handles.
Modifiers decodeModifiers(const Statement &S, std::initializer_list<std::string_view> Further = {});

/// True if `Word` is among the parts after the opcode's first one.
bool hasPart(const Statement &S, std::string_view Word);

} // namespace scopesan::ptx
