// Do all threads of a block pass the same block barriers?
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/UniformityAnalysis.h"

namespace llvm {
class BasicBlock;
class Function;
} // namespace llvm

namespace scopesan::pass {

/// True when no branch whose direction may differ between threads decides whether, or how often, a
/// block for which `IsBarrier` holds is executed. Paths that never return (assert, trap) do not
/// count: they end the whole grid.
bool isUniformlyExecuted(llvm::Function &F, llvm::UniformityInfo &UI,
                         llvm::function_ref<bool(const llvm::BasicBlock &)> IsBarrier);

/// The same on the assumption that a load from an address that is the same for all threads gives
/// them the same value, unless it is atomic or volatile.
bool isLikelyUniform(llvm::Function &F,
                     llvm::function_ref<bool(const llvm::BasicBlock &)> IsBarrier);

} // namespace scopesan::pass
