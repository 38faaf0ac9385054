// Accesses that need no check.
#pragma once

namespace llvm {
class Value;
}

namespace scopesan::pass {

/// True if every object that `Pointer` may point into is private to the thread (local memory, byval
/// parameters) or read-only for the whole grid (constant memory, constant globals) (P5).
bool isPrivateOrConstant(const llvm::Value *Pointer);

/// True for such a pointer if an object may be constant memory that the host writes: a variable
/// that the program can name to the runtime (cudaMemcpyToSymbol), not a table of the compiler's.
bool mayBeHostWritten(const llvm::Value *Pointer);

} // namespace scopesan::pass
