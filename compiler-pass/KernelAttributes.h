// Launch attributes of kernels that clang drops for NVPTX: __cluster_dims__, __block_size__,
// __maxnreg__. frontend/compat/attributes.h writes them as annotations.
#pragma once

namespace llvm {
class Module;
}

namespace scopesan::pass {

/// Sets the function attributes that the NVPTX back end and the CPU backend read.
void applyKernelAttributes(llvm::Module &M);

} // namespace scopesan::pass
