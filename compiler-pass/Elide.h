// Accesses that need no check.
#pragma once

namespace llvm {
class Value;
}

namespace scopesan::pass {

/// True if every object that `Pointer` may point into is private to the thread (local memory, byval
/// parameters) or read-only for the whole grid (constant memory, constant globals) (P5).
bool isPrivateOrConstant(const llvm::Value *Pointer);

} // namespace scopesan::pass
