// Static variables and functions that clang 22 made external under -fgpu-rdc, since host code names
// them.
#pragma once

namespace llvm {
class Module;
}

namespace scopesan::pass {

/// clang names such a definition NAME__static__HASH (or __intern__). A kernel that was emitted
/// before the host code came still refers to NAME, which nothing defines: nvlink would refuse it.
void joinExternalised(llvm::Module &M);

} // namespace scopesan::pass
