// The shared memory of one kernel as one object: its variables, and after them a cell for each word
// (runtime/device/block_cells.h).
#pragma once

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

#include <stdint.h>

namespace llvm {
class Function;
class GlobalVariable;
} // namespace llvm

namespace scopesan::pass {

/// Variables in shared memory that `F` names itself.
llvm::SetVector<llvm::GlobalVariable *> sharedVariablesOf(const llvm::Function &F);

struct SharedFrame {
  llvm::SmallVector<llvm::GlobalVariable *, 4> Variables;
  uint64_t Bytes = 0;                    ///< of the variables, a multiple of 16; 0 = no frame
  llvm::GlobalVariable *Cells = nullptr; ///< twice as many bytes
};

/// A frame for the variables of `F`, if their size is known and small enough. All calls must be
/// inlined. Until layOut the variables and the cells stand for themselves.
SharedFrame frameOf(llvm::Function &F);

/// Puts the variables one after the other, the first one first, and the cells behind them; `F` uses
/// this from now on.
void layOut(llvm::Function &F, const SharedFrame &Frame);

} // namespace scopesan::pass
