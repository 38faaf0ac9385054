// Branches forward as conditions: "@p bra L; A; L:" does what "@!p A" does.
#pragma once

#include "Ast.h"

namespace scopesan::ptx {

/// `P` without branches that only skip statements, and otherwise the same:
///   @p bra L; A; L:                       becomes  @!p A;
///   @p bra L; A; bra M; L: B; M:          becomes  @!p A; @p B;
/// What was a branch or its label becomes an empty scope, so that statements keep their numbers.
/// Left as it is: skipped statements that branch, have labels or write the predicate, and
/// statements with a condition of their own unless it is the same one.
Program withoutForwardBranches(Program P);

} // namespace scopesan::ptx
