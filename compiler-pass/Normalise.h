// Gives clang's modules the meaning that CUDA gives them: atomics, and functions that nvcc knows.
//
// clang 22 emits for the legacy functions (O3):
//   atomicAdd, ...           atomicrmw OP seq_cst            CUDA: relaxed, device
//   atomicCAS                cmpxchg seq_cst seq_cst         CUDA: relaxed, device
//   atomicX_block, _system   llvm.nvvm.atomic.*.cta / .sys   relaxed, block / system
// __atomic_compare_exchange(seq_cst) has the same cmpxchg but means it. The two differ only before
// optimization: the builtin always reads the success flag, the legacy function never does.
#pragma once

namespace llvm {
class Module;
}

namespace scopesan::pass {

/// At pipeline start: marks compare-exchanges that are seq_cst as written, through a sync scope of
/// their own, which no optimization drops.
void markWrittenCompareExchanges(llvm::Module &M);

/// After optimization: unmarks those, and makes the others relaxed at device scope. Without this
/// the back end would emit fence.sc.sys and atom.acquire.sys for atomicCAS.
void normaliseCompareExchanges(llvm::Module &M);

/// In the instrumented copy: writes the back end's meaning of atomicrmw (relaxed, device, whatever
/// the IR says) into the IR. Forms that the back end expands to a loop keep their order.
void normaliseReadModifyWrites(llvm::Module &M);

/// Tables of abstract classes refer to __cxa_pure_virtual, which no device library of clang has, so
/// that ptxas and nvlink refuse them. Calling it stops the kernel.
void defineMissingFunctions(llvm::Module &M);

} // namespace scopesan::pass
