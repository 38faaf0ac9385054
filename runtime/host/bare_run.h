// A process that was not started by `scopesan run`: the collector keeps its journal in a temporary
// folder and has the `scopesan` command render it at the end.
#pragma once

#include <string>

namespace scopesan::host {

/// Makes a private temporary folder. Returns "" when that fails; errno says why.
std::string makeTemporaryFolder();

/// Runs `scopesan render-journal FOLDER`, waits, removes the folder. Returns the exit code the
/// report asks for: `programStatus` when the run has nothing to add, -1 when the command could not
/// be run (a message was printed).
int renderAndRemove(const std::string &folder, int programStatus);

} // namespace scopesan::host
