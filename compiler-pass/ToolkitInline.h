// At -O0 nothing of the toolkit's headers is inlined: libcu++'s atomics would have no frame in the
// program, and findings at different places would look alike.
#pragma once

namespace llvm {
class Instruction;
class Module;
} // namespace llvm

namespace scopesan::pass {

/// Has unoptimised functions of the toolkit inlined wherever they are called, unless they are
/// recursive or large.
void inlineToolkitFunctions(llvm::Module &M);

/// Marks the end of the toolkit's grid barriers, before they are inlined: the calls that the GPU's
/// code gets there say that a whole grid has passed.
void markGridBarriers(llvm::Module &M);
/// A mark of markGridBarriers: asm without an instruction.
bool isGridBarrierMark(const llvm::Instruction &I);

} // namespace scopesan::pass
