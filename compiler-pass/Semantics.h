// What one LLVM instruction does to memory and to other threads. Decides nothing about inline asm
// (InstrumentAsm) and nothing about whether a check is needed (Elide).
#pragma once

#include "scopesan/abi.h"

#include <string>

namespace llvm {
class Instruction;
class StringRef;
class Type;
class Value;
} // namespace llvm

namespace scopesan::pass {

enum class OperationKind : uint8_t {
  None,
  Weak,         ///< access of a fixed size
  Range,        ///< memcpy, memmove, memset
  Strong,       ///< volatile or atomic access
  Fence,        ///< Op
  BlockBarrier, ///< Barrier, Id, Count (null = all threads of the block)
  WarpBarrier,  ///< Mask
  InlineAsm,
  Ptx,       ///< an intrinsic with the effects of the PTX in Ptx
  Unmodelled ///< Text says what
};

struct Operation {
  OperationKind Kind = OperationKind::None;
  abi::Op Op;
  /// Weak, Strong: address and type of the value. Range: destination.
  llvm::Value *Address = nullptr;
  llvm::Type *ValueType = nullptr;
  /// Strong: a seq_cst access is a fence.sc of its scope and then an acquire or release access
  /// (O3).
  bool FenceBefore = false;
  /// Range: null for memset; bytes; O6.
  llvm::Value *Source = nullptr, *Length = nullptr;
  bool NonCoherentSource = false;
  abi::BarrierKind Barrier = abi::BarrierKind::Sync;
  bool Aligned = false;
  llvm::Value *Id = nullptr, *Count = nullptr, *Mask = nullptr;
  std::string Text, Ptx;
};

/// Classifies `I` of a normalised module.
Operation classify(llvm::Instruction &I);

/// Do the tables name the intrinsic `Name`, without the suffixes of its types?
bool isListed(llvm::StringRef Name);

} // namespace scopesan::pass
