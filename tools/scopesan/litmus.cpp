// `scopesan litmus`: everything is in tools/litmus.
#include "Cli.h"
#include "Commands.h"

namespace scopesan::tool {

int litmusCommand(const Words &words) { return litmus::litmusMain(words); }

} // namespace scopesan::tool
