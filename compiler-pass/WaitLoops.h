// Loops that do nothing but wait for a value (D12).
#pragma once

#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace scopesan::pass {

using InstructionSet = llvm::SmallPtrSet<const llvm::Instruction *, 4>;

/// The strong reads of `F` that are the only way out of their loop: it writes nothing and calls
/// nothing that could, and each exit is taken or not by the value read alone. Whoever runs into
/// such a loop waits for another thread to write the location. (A loop that counts its attempts,
/// looks at the time, asks other lanes or reads a second flag is none.)
InstructionSet onlyWaysOut(llvm::Function &F);

} // namespace scopesan::pass
