// The subcommands. Each gets the words after its name and returns the process's exit code.
#pragma once

#include <string>
#include <vector>

namespace scopesan::tool {

using Words = std::vector<std::string>;

int runCommand(const Words &words);
int renderJournalCommand(const Words &words);
int doctorCommand(const Words &words);
int litmusCommand(const Words &words);

} // namespace scopesan::tool
