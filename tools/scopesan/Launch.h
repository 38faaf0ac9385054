// Starts a program in a process group of its own and waits for it.
#pragma once

#include "Commands.h"
#include "Model.h"

#include "llvm/Support/Error.h"

namespace scopesan::tool {

/// Full path of `program` by PATH, as a shell finds it; the error says that there is none.
llvm::Expected<std::string> findProgram(const std::string &program);

/// Runs `path` with `words` as argv. SIGINT, SIGTERM, SIGHUP and SIGQUIT are passed on to it.
/// After `timeoutSeconds` (0 = never) its process group gets SIGTERM, and SIGKILL when it is still
/// there some seconds later. An error means that it could not be started.
llvm::Expected<report::ProgramEnd> launchAndWait(const std::string &path, const Words &words,
                                                 uint64_t timeoutSeconds);

} // namespace scopesan::tool
