// `scopesan litmus`: the command line.
#pragma once

#include <string>
#include <vector>

namespace scopesan::litmus {

/// The words after `scopesan litmus`. Returns the process's exit code.
int litmusMain(const std::vector<std::string> &words);

} // namespace scopesan::litmus
