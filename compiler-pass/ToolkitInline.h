// At -O0 nothing of the toolkit's headers is inlined: libcu++'s atomics would have no frame in the
// program, and findings at different places would look alike.
#pragma once

namespace llvm {
class Module;
}

namespace scopesan::pass {

/// Has unoptimised functions of the toolkit inlined wherever they are called, unless they are
/// recursive or large.
void inlineToolkitFunctions(llvm::Module &M);

} // namespace scopesan::pass
