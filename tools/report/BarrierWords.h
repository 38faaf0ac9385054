// Sentences about misused barriers (D7).
#pragma once

#include "Model.h"

namespace scopesan::report {

/// What is wrong, in one sentence.
std::string barrierTitle(const Finding &finding);
/// What to change.
std::string barrierHint(const Finding &finding);
/// What the thread of accesses[i] does: "waits here", "arrives here".
std::string barrierRole(const Finding &finding, unsigned i);

} // namespace scopesan::report
