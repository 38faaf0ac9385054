// Tells from an ELF file whether a CUDA runtime is linked statically into it: then preloading a
// replacement would silently do nothing. No dependencies; used by the runtime at load and by the
// `scopesan` command before it starts a program.
#pragma once

#include <string>

namespace scopesan::cpu {

enum class CudartLinkage {
  None,   ///< no embedded device code, or not a readable 64-bit ELF file
  Shared, ///< device code is registered with a shared CUDA runtime
  Static  ///< device code is embedded but nothing outside is asked to register it
};

CudartLinkage scanCudartLinkage(const std::string &Path);

/// What to tell the user about a file whose linkage is Static.
std::string staticCudartMessage(const std::string &Path);

} // namespace scopesan::cpu
