// Which constant variables that the host may write a kernel may read (O6).
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <stdint.h>

namespace llvm {
class Constant;
class Function;
class Module;
} // namespace llvm

namespace scopesan::pass {

class ConstantUse {
public:
  explicit ConstantUse(llvm::Module &M);
  /// gpu::constantBit of each variable; all bits where functions are called that are not known.
  uint32_t of(llvm::Function &Kernel) const;

private:
  void uses(llvm::Constant &C, uint32_t Bit);
  llvm::DenseMap<const llvm::Function *, uint32_t> Own; ///< what the function itself names
};

} // namespace scopesan::pass
