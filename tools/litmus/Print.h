// Programs and executions as text for people.
#pragma once

#include "Verdict.h"

namespace scopesan::litmus {

/// Placement, launches and code, one line per thread.
std::string printProgram(const Program &p);
/// The steps of an execution in order, with what reads returned.
std::string printExecution(const Program &p, const State &end);
/// "T0: Ww x=1 ~ T1: Rw x->r0 (D1 data-race); too narrow: T0: Wrel@cta y=1 needs device".
std::string printFinding(const Program &p, const core::Finding &f);
/// "T0:Ww x=1".
std::string siteName(const Program &p, const SiteOf &s);
const char *ruleId(core::Rule r);
const char *ruleName(core::Rule r);

} // namespace scopesan::litmus
