// Accesses of shared memory that no other access between the same two barriers can race with.
//
// In a fast kernel (GpuMode.h) all threads of a block pass the same barriers, so what is ordered by
// them is known when the kernel is compiled: two accesses can only race if one interval between
// barriers holds both. Accesses of an interval without a conflicting one need no check.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <cstdint>

namespace llvm {
class Function;
class IRBuilderBase;
class Instruction;
class ScalarEvolution;
class Value;
} // namespace llvm

namespace scopesan::pass {

/// What must hold of the block's size for the stores of an interval to one variable to be each to a
/// place of its own. The address is a sum of strides times the thread's coordinates, and of
/// multiples of `Step`.
struct DisjointStores {
  std::array<uint64_t, 3> Stride{}; ///< of tid.x, y, z, in bytes
  uint64_t First = 0;               ///< the least constant
  uint64_t Step = 0, Count = 1;     ///< constants: First + i * Step, i < Count
  uint64_t Bytes = 0;               ///< of one store
  uint64_t Size = 0;                ///< of the variable

  auto operator<=>(const DisjointStores &) const = default;
};

/// Whether it holds in the launch that executes it, as an i1.
llvm::Value *areDisjoint(llvm::IRBuilderBase &B, const DisjointStores &D);

struct PhaseElision {
  /// Never checked.
  llvm::DenseSet<const llvm::Instruction *> Always;
  /// Not checked where all of these hold (indices of Conditions).
  llvm::DenseMap<const llvm::Instruction *, llvm::SmallVector<unsigned, 2>> If;
  llvm::SmallVector<DisjointStores, 2> Conditions;

  bool empty() const { return Always.empty() && If.empty(); }
};

/// `F`: of a fast kernel, with all calls inlined and uniformly executed barriers. `Mixed`: its
/// read-modify-writes may have several sizes.
PhaseElision elideByPhases(llvm::Function &F, llvm::ScalarEvolution &SE, bool Mixed);

} // namespace scopesan::pass
