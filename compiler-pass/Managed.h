// __managed__ variables. frontend/compat/attributes.h makes them device variables in a section of
// their own; the host then sees a shadow that no one fills.
#pragma once

namespace llvm {
class Module;
}

namespace scopesan::pass {

/// Device module: marks the variables for the back end (`.attribute(.managed)`).
void markManagedVariables(llvm::Module &M);

/// Host module: every use reads the variable's address, which the CUDA runtime gives at the first
/// use. Registers the variables as nvcc does, or, where the linker registers them (-fgpu-rdc),
/// as plain device variables.
void redirectManagedVariables(llvm::Module &M);

} // namespace scopesan::pass
