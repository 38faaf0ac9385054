// Guards: which executions of a row count.
#pragma once

#include "Builder.h"

namespace scopesan::litmus {

/// Parses the text of a guard column into `b`'s program. False: unknown form.
bool parseGuard(ProgramBuilder &b, std::string_view text);

/// "1:r0 == 1 /\ x != 2 \/ ~(P2:r = 3)". Bare names are locations: their value at the end, or with
/// `reads` the value every strong read of them returned.
std::optional<Condition> parseCondition(ProgramBuilder &b, std::string_view text, bool reads);

} // namespace scopesan::litmus
