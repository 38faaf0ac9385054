// What a loaded device image tells: site tables (gpu::SiteBlob) and the names of its variables.
#pragma once

#include "scopesan/gpu_abi.h"

#include <memory>
#include <stddef.h>
#include <string>
#include <vector>

namespace scopesan::gpu {

/// A site table that was copied out of a device image. Lives for ever: the registries point to it.
struct SiteTable {
  uint64_t hash = 0;
  std::vector<char> bytes;
  abi::Module module{};
  uint32_t base = 0;               ///< first global site id, 0 = not registered yet
  std::string symbol;              ///< the device variable that takes `base`
  const Kernel *kernels = nullptr; ///< [kernelCount]; their symbols lie in module.strings
  uint32_t kernelCount = 0;
  bool hostCode = false; ///< the unit's host code is instrumented

  /// The kernel of that mangled name; null = none.
  const Kernel *kernel(const std::string &mangled) const;
};

/// All site tables inside [data, data + bytes), compressed images excepted.
std::vector<std::unique_ptr<SiteTable>> findSiteTables(const void *data, size_t bytes);

/// Symbols of the variables in global and constant memory of an ELF device image.
struct ImageVariable {
  std::string symbol;
  uint64_t bytes = 0;
  bool constant = false;
};
std::vector<ImageVariable> findVariables(const void *data, size_t bytes);

/// C++ name of a symbol.
std::string demangled(const std::string &symbol);

} // namespace scopesan::gpu
