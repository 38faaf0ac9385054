// Holds the detector's advice (A1) against the axioms, execution by execution.
#pragma once

#include "Differential.h"

namespace scopesan::litmus {

struct AdviceResult {
  uint64_t executions = 0;
  uint64_t volatileSync = 0, observationOnly = 0, unorderedStrong = 0; ///< advised pairs
  uint64_t narrowed = 0, removed = 0;                                  ///< operations, fences
  std::string problem; ///< empty: all advice is right
};

/// In each execution: the verdict is the same with advice as without; each advised pair is of its
/// kind by the axioms; a location with such a pair has advice or a finding. And the program with
/// all scopes as narrow as the advice allows, without the fences that nothing used, has no race
/// that the original does not have.
AdviceResult checkAdvice(const Program &p, const DifferentialOptions &options);

} // namespace scopesan::litmus
