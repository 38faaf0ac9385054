// Which backend a run uses, and the environment it needs.
#pragma once

#include "Installation.h"

#include "host/options.h"

#include "llvm/Support/Error.h"

namespace scopesan::tool {

struct BackendChoice {
  std::string name; ///< "cpu" or "gpu"
  std::string note; ///< why, when the user left the choice to us
};

/// Resolves backend=auto. The error says what is missing and how to get it.
llvm::Expected<BackendChoice> chooseBackend(const Installation &, const host::Options &);

/// Sets in this process's environment what the program needs; it is inherited.
void exportEnvironment(const Installation &, const host::Options &, const std::string &journal);

/// True when a GPU and its driver are present. Opens no device.
bool hasGpu();

} // namespace scopesan::tool
